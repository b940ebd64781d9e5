import type { Mapping } from '../../plan/mapping/mapping.ts';
import type { IssuePath } from '../../ask/outcome.ts';
import { toNested, type UncheckedLayer } from './layer.ts';
import { toAddress, toProject } from './read-environment.ts';

/** Flags, or options of `open`, that are settings. */
export interface SettingFlags {
  readonly backend?: string | undefined;
  readonly events?: string | readonly string[] | undefined;
  /** Of text files that do not say it themselves: `windows-1252`. */
  readonly encoding?: string | undefined;
  /** Where fields of events come from: `utcTime=created_at`, `docPath=$.context.page.path`; or as in `columns:`. */
  readonly map?: readonly string[] | undefined;
  readonly columns?: Mapping['columns'] | undefined;
  readonly preset?: string | undefined;
  readonly store?: string | undefined;
  readonly model?: string | undefined;
  readonly tables?: Readonly<Record<string, string | readonly string[]>> | undefined;
  readonly timezone?: string | undefined;
  readonly weekStart?: string | undefined;
  readonly user?: string | undefined;
  readonly fill?: string | undefined;
  readonly host?: string | undefined;
  readonly platform?: { readonly url?: string | undefined; readonly project?: string | number | undefined } | undefined;
  readonly cube?: { readonly url?: string | undefined } | undefined;
  readonly project?: string | number | undefined;
  /** How long an answer of a server may be waited for: `90s`, `10m`, `1h`. */
  readonly wait?: string | undefined;
  /** How much memory the embedded engine uses before it spills to disk: `4GB`. */
  readonly memory?: string | undefined;
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
