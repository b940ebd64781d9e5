import type { IssuePath } from '../../ask/outcome.ts';
import { toNested, type UncheckedLayer } from './layer.ts';
import { toAddress, toProject } from './read-environment.ts';

/** Flags, or options of `open`, that are settings. */
export interface SettingFlags {
  readonly backend?: string | undefined;
  readonly events?: string | readonly string[] | undefined;
  readonly store?: string | undefined;
  readonly model?: string | undefined;
  readonly tables?: Readonly<Record<string, string | readonly string[]>> | undefined;
  readonly timezone?: string | undefined;
  readonly weekStart?: string | undefined;
  readonly user?: string | undefined;
  readonly fill?: string | undefined;
  readonly host?: string | undefined;
  readonly project?: string | number | undefined;
  /** How long an answer of a server may be waited for: `90s`, `10m`, `1h`. */
  readonly wait?: string | undefined;
  /** How much memory the embedded engine uses before it spills to disk: `4GB`. */
  readonly memory?: string | undefined;
}

const paths: Readonly<Record<keyof SettingFlags, readonly string[]>> = {
  backend: ['backend'],
  events: ['events'],
  store: ['store'],
  model: ['model'],
  tables: ['tables'],
  timezone: ['timezone'],
  weekStart: ['weekStart'],
  user: ['user'],
  fill: ['fill'],
  host: ['platform', 'url'],
  project: ['project'],
  wait: ['wait'],
  memory: ['memory'],
};

/** The settings that flags give. `nameOf` says how a flag is called: `flag --events`, or `events given to open()`. */
export function readFlags(flags: SettingFlags, cwd: string, nameOf: (flag: string) => string): UncheckedLayer {
  const given = (Object.keys(paths) as (keyof SettingFlags)[]).filter((flag) => flags[flag] !== undefined);
  const originOf = (path: IssuePath) => nameOf(given.find((flag) => paths[flag].every((step, index) => path[index] === step)) ?? 'flags');
  return { config: toNested(given.map((flag) => [paths[flag], toSettingValue(flag, flags[flag])])), base: cwd, originOf };
}

function toSettingValue(flag: keyof SettingFlags, value: unknown): unknown {
  if (flag === 'host' && typeof value === 'string') return toAddress(value);
  if (flag === 'project' && typeof value === 'string') return toProject(value);
  return value;
}
