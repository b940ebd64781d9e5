import type { Mapping } from '../../plan/mapping/mapping.ts';
import type { IssuePath } from '../../ask/outcome.ts';
import { toNested, type UncheckedLayer } from './layer.ts';
import { toAddress, toProject } from './read-environment.ts';

/** Flags, or options of `open`, that are settings. */
export interface SettingFlags {
  /**
   * The backend to ask: `embedded`, `platform` or `cube`. Defaults to `embedded` unless a platform or Cube is
   * configured.
   */
  readonly backend?: string | undefined;
  readonly events?: string | readonly string[] | undefined;
  /** Of text files that do not say it themselves: `windows-1252`. */
  readonly encoding?: string | undefined;
  /** Where fields of events come from: `utcTime=created_at`, `docPath=$.context.page.path`; or as in `columns:`. */
  readonly map?: readonly string[] | undefined;
  /** The mapping of columns onto event fields, as `columns:` of `sluice.yaml` has it. */
  readonly columns?: Mapping['columns'] | undefined;
  /** The tracker that wrote the files: `segment`, `matomo`, … By default it is detected; `none` turns detection off. */
  readonly preset?: string | undefined;
  /** The folder of the event store. Defaults to `.sluice/store` in the workspace. */
  readonly store?: string | undefined;
  /** A Cube data model, added to the built-in cubes: a YAML file or a folder of them. */
  readonly model?: string | undefined;
  /** The files behind the tables of the model: `{orders: 'orders.parquet'}`. */
  readonly tables?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** IANA name of the time zone of days and buckets. Defaults to `UTC`. */
  readonly timezone?: string | undefined;
  /** The first day of the week: `monday` (default) to `sunday`. */
  readonly weekStart?: string | undefined;
  /** Which ID identifies a user first: `anonymous` (default) or `known`. The other one is used if it is missing. */
  readonly user?: string | undefined;
  /** Which gaps in a time series to fill, for questions that do not say it: `auto` (default), `all` or `none`. */
  readonly fill?: string | undefined;
  /** The address of the platform; the same as `platform.url`. */
  readonly host?: string | undefined;
  readonly platform?: { readonly url?: string | undefined; readonly project?: string | number | undefined } | undefined;
  readonly cube?: { readonly url?: string | undefined } | undefined;
  /** Only events of this project; on a platform, the project to ask. */
  readonly project?: string | number | undefined;
  /** How long an answer of a server may be waited for: `90s`, `10m`, `1h`. */
  readonly wait?: string | undefined;
  /** How much memory the embedded engine uses before it spills to disk: `4GB`. */
  readonly memory?: string | undefined;
  /** Whether answers are kept in `.sluice/cache` and reused for the same data; true by default. */
  readonly cache?: boolean | undefined;
  /** Only events that the store had at this time: `2024-03-08T12:00Z`. */
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

/** The settings that flags give. `nameOf` says how a flag is called: `flag --events`, or `events given to open()`. */
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
  // What is nested further is written into it.
  if (flag === 'platform' || flag === 'cube') return toSection(value);
  if (flag === 'project' && typeof value === 'string') return toProject(value);
  if (flag === 'map' && Array.isArray(value)) return Object.fromEntries(value.map((one) => splitPair(String(one))));
  return value;
}

/** The keys that are set; addresses and projects as flags have them. */
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

/** `utcTime=created_at`; what is no pair is refused by the schema. */
function splitPair(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  return at < 0 ? [text.trim(), ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}
