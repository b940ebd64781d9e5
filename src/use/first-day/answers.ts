import type { Config } from '../config/schema.ts';

/** The backends that `init` sets up. */
export const initBackends = ['embedded', 'platform', 'cube'] as const;

export type InitBackend = (typeof initBackends)[number];

export interface UsageGroup {
  readonly name: string;
  readonly projects: readonly (number | string)[];
}

/** What a person said about their set-up, as they said it. */
export interface Answers {
  readonly backend: InitBackend;
  /** Patterns of files, for the embedded backend. */
  readonly events?: readonly string[] | undefined;
  /** The address of the platform, or of the Cube API. */
  readonly host?: string | undefined;
  readonly project?: number | string | undefined;
  /** Where a token is to be had, where the environment has none. */
  readonly token?: { readonly kind: 'file' | 'command'; readonly value: string } | undefined;
  readonly groups: readonly UsageGroup[];
  readonly timezone?: string | undefined;
}

/** The settings that the answers come to; only what was said. */
export function toConfig({ backend, events = [], host, project, token, groups, timezone }: Answers): Config {
  const tokens = token === undefined ? {} : { [token.kind === 'file' ? 'tokenFile' : 'tokenCommand']: token.value };
  return {
    backend,
    ...(events.length > 0 && { events: events.length === 1 ? events[0] : [...events] }),
    ...(backend !== 'platform' && project !== undefined && { project }),
    ...(backend === 'platform' && { platform: { ...(host !== undefined && { url: host }), ...(project !== undefined && { project }), ...tokens } }),
    ...(backend === 'cube' && { cube: { ...(host !== undefined && { url: host }), ...tokens } }),
    ...(timezone !== undefined && { timezone }),
    ...(groups.length > 0 && { usage: { groups: groups.map(({ name, projects }) => ({ name, projects: [...projects] })) } }),
  };
}
