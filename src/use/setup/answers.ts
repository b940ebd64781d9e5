import path from 'node:path';
import { badWith, good, type Outcome } from '../../ask/outcome.ts';
import { quote } from '../../ask/text.ts';
import type { Mapping } from '../../plan/mapping/mapping.ts';
import type { MappingProposal } from '../../plan/mapping/propose-mapping.ts';
import type { initBackends } from '../config/offered-backends.ts';
import { toProject } from '../config/read-environment.ts';
import type { Config } from '../config/schema.ts';

export type InitBackend = (typeof initBackends)[number];

export interface UsageGroup {
  readonly name: string;
  readonly projects: readonly (number | string)[];
}

/** A user's answers about the set-up, as given. */
export interface Answers {
  readonly backend: InitBackend;
  /** File patterns, for the embedded backend. */
  readonly events?: readonly string[] | undefined;
  /** Columns of the files for the fields of events. */
  readonly columns?: Mapping['columns'] | undefined;
  /** The zone of all times in the files that name none. */
  readonly localZone?: string | undefined;
  /** The encoding of the files, if it is not UTF-8. */
  readonly encoding?: string | undefined;
  /** URL of the platform, or of the Cube API. */
  readonly host?: string | undefined;
  readonly project?: number | string | undefined;
  /** Source of the token, if no environment variable has it. */
  readonly token?: { readonly kind: 'file' | 'command'; readonly value: string } | undefined;
  readonly groups: readonly UsageGroup[];
  readonly timezone?: string | undefined;
}

/** Some of the answers. `proposal`: the columns, which depend on the zone. */
export type Draft = Omit<Partial<Answers>, 'columns'> &
  Pick<Answers, 'groups'> & { readonly proposal?: MappingProposal | undefined };

/** Converts paths relative to `cwd` into paths relative to the configuration's folder. */
export function fromFolder(draft: Draft, { config, cwd }: { readonly config: string; readonly cwd: string }): Draft {
  const folder = path.dirname(config);
  const moved = (file: string) =>
    folder === cwd || path.isAbsolute(file) ? file : path.relative(folder, path.resolve(cwd, file));
  return {
    ...draft,
    events: draft.events?.map(moved),
    ...(draft.token?.kind === 'file' && { token: { kind: 'file', value: moved(draft.token.value) } }),
  };
}

/** The configuration for the answers; contains only given settings. */
export function toConfig({
  backend,
  events = [],
  columns,
  localZone,
  encoding,
  host,
  project,
  token,
  groups,
  timezone,
}: Answers): Config {
  const tokens = token === undefined ? {} : { [token.kind === 'file' ? 'tokenFile' : 'tokenCommand']: token.value };
  const files = events.length === 1 ? events[0]! : [...events];
  const mapped = columns === undefined ? {} : { columns: columns as NonNullable<Config['columns']> };
  return {
    backend,
    ...(localZone === undefined
      ? { ...(events.length > 0 && { events: files }), ...mapped }
      : { sources: [{ files, timezone: localZone, ...mapped }] }),
    ...(encoding !== undefined && { encoding }),
    ...(backend !== 'platform' && project !== undefined && { project }),
    ...(backend === 'platform' && {
      platform: { ...(host !== undefined && { url: host }), ...(project !== undefined && { project }), ...tokens },
    }),
    ...(backend === 'cube' && { cube: { ...(host !== undefined && { url: host }), ...tokens } }),
    ...(timezone !== undefined && { timezone }),
    ...(groups.length > 0 && {
      usage: { groups: groups.map(({ name, projects }) => ({ name, projects: [...projects] })) },
    }),
  };
}

/** Reads a group of projects: `acme=42,shops/web`. Issue: `invalid-group`. */
export function readGroup(text: string): Outcome<UsageGroup> {
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(at, 0)).trim();
  const projects = text
    .slice(at + 1)
    .split(',')
    .map((project) => project.trim())
    .filter((project) => project !== '');
  if (name !== '' && projects.length > 0) return good({ name, projects: projects.map(toProject) });
  return badWith('invalid-group', `${quote(text)} is not a group of projects.`, {
    hint: 'Write its name and its projects, by number or path: acme=42,7',
  });
}
