import type { Mapping } from '../../plan/mapping/mapping.ts';
import type { IssuePath } from '../../ask/outcome.ts';
import { toNested, type UncheckedLayer } from './layer.ts';
import { toAddress, toProject } from './read-environment.ts';

/** Flags, or options of `open`, that are settings. */
export interface SettingFlags {
  /**
   * The backend: `embedded`, `platform`, `cube` or `clickhouse`. Defaults to `embedded` unless a platform or Cube is
   * configured.
   */
  readonly backend?: string | undefined;
  readonly events?: string | readonly string[] | undefined;
  /** Encoding of text files that do not declare one: `windows-1252`. */
  readonly encoding?: string | undefined;
  /** Maps fields of events to columns: `utcTime=created_at`, `docPath=$.context.page.path`. */
  readonly map?: readonly string[] | undefined;
  /** Maps fields of events to columns, with the keys of `columns:` in `sluice.yaml`. */
  readonly columns?: Mapping['columns'] | undefined;
  /** The tracker that wrote the files: `segment`, `matomo`, … Detected by default; `none` turns detection off. */
  readonly preset?: string | undefined;
  /** Folder of the event store. Defaults to `.sluice/store` in the workspace. */
  readonly store?: string | undefined;
  /** A Cube data model, added to the built-in cubes: a YAML file or a folder of them. */
  readonly model?: string | undefined;
  /** Files for the tables of the model: `{orders: 'orders.parquet'}`. */
  readonly tables?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** Time zone (IANA name) of days and buckets. Defaults to `UTC`. */
  readonly timezone?: string | undefined;
  /** The first day of the week: `monday` (default) to `sunday`. */
  readonly weekStart?: string | undefined;
  /** Which ID identifies users: `anonymous` (default) or `known`. The other ID is used if this one is missing. */
  readonly user?: string | undefined;
  /** Which gaps in a time series to fill if the question does not specify it: `auto` (default), `all` or `none`. */
  readonly fill?: string | undefined;
  /** URL of the platform; same as `platform.url`. */
  readonly host?: string | undefined;
  readonly platform?: { readonly url?: string | undefined; readonly project?: string | number | undefined } | undefined;
  readonly cube?: { readonly url?: string | undefined } | undefined;
  /** Only use events of this project. On a platform, the project to query. */
  readonly project?: string | number | undefined;
  /** Timeout for answers of a server: `90s`, `10m`, `1h`. None by default. */
  readonly wait?: string | undefined;
  /** Memory that the embedded engine may use before it spills to disk: `4GB`. */
  readonly memory?: string | undefined;
  /** Caches answers in `.sluice/cache` and reuses them if the data have not changed. Defaults to true. */
  readonly cache?: boolean | undefined;
  /** Only use events that the store had at this time: `2024-03-08T12:00Z`. */
  readonly knownAt?: string | undefined;
}

const paths: Readonly<Record<keyof SettingFlags, readonly string[]>> = {
  backend: ['backend'],
  events: ['events'],
  encoding: ['encoding'],
  map: ['columns'],
  columns: ['columns'],
  preset: ['preset'],
  store: ['store'],
  model: ['model'],
  tables: ['tables'],
  timezone: ['timezone'],
  weekStart: ['weekStart'],
  user: ['user'],
  fill: ['fill'],
  platform: ['platform'],
  cube: ['cube'],
  host: ['platform', 'url'],
  project: ['project'],
  wait: ['wait'],
  memory: ['memory'],
  cache: ['cache'],
  knownAt: ['knownAt'],
};

/**
 * Reads settings from flags. `nameOf` returns the name of a flag in messages: `flag --events`, or
 * `events given to open()`.
 */
export function readFlags(flags: SettingFlags, cwd: string, nameOf: (flag: string) => string): UncheckedLayer {
  const given = (Object.keys(paths) as (keyof SettingFlags)[]).filter((flag) => flags[flag] !== undefined);
  const originOf = (path: IssuePath) =>
    nameOf(given.find((flag) => paths[flag].every((step, index) => path[index] === step)) ?? 'flags');
  return {
    config: toNested(given.map((flag) => [paths[flag], toSettingValue(flag, flags[flag])])),
    base: cwd,
    originOf,
  };
}

function toSettingValue(flag: keyof SettingFlags, value: unknown): unknown {
  if (flag === 'host' && typeof value === 'string') return toAddress(value);
  // These sections are flattened one level.
  if (flag === 'platform' || flag === 'cube') return toSection(value);
  if (flag === 'project' && typeof value === 'string') return toProject(value);
  if (flag === 'map' && Array.isArray(value)) return Object.fromEntries(value.map((one) => splitPair(String(one))));
  return value;
}

/** Drops undefined keys, and converts URLs and projects as flags do. */
function toSection(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .map(([key, one]) => [
        key,
        typeof one !== 'string' ? one : key === 'url' ? toAddress(one) : key === 'project' ? toProject(one) : one,
      ]),
  );
}

/** Splits `utcTime=created_at`. The schema rejects text that is not a pair. */
function splitPair(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  return at < 0 ? [text.trim(), ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}
