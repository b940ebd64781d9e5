import path from 'node:path';
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { valueAt } from '../../ask/document/located.ts';
import type { FillMode } from '../../ask/query/saved-query.ts';
import type { Weekday } from '../../ask/time/range.ts';
import { readZone } from '../../ask/time/zone.ts';
import { fieldCalled, nameOfField } from '../../plan/mapping/field-name.ts';
import type { Mapping, SimpleSource } from '../../plan/mapping/mapping.ts';
import type { EventField, UserOrder } from '../../plan/model/event-fields.ts';
import type { BackendName } from '../../run/backend.ts';
import { readEncoding } from '../../run/file/encoding.ts';
import type { DeliveryFile } from '../../tell/delivery/delivery.ts';
import type { Layer } from './layer.ts';
import type { Environment } from './read-environment.ts';
import type { Config } from './schema.ts';

/** A setting and its source, for people: `flag --events`, `SLUICE_EVENTS`, `sluice.yaml:3`, `default`. */
export interface Setting<T> {
  readonly value: T;
  readonly origin: string;
}

/** How to get an access token. It is read when needed and never shown. */
export type TokenSource =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'command'; readonly command: string }
  /** Passed by a program. */
  | { readonly kind: 'given'; readonly read: () => string | Promise<string> };

/** Finds a token in the environment: the first variable that is set. */
export function findToken(env: Environment, names: readonly string[]): Setting<TokenSource> | undefined {
  const name = names.find((candidate) => (env[candidate] ?? '') !== '');
  return name === undefined ? undefined : { value: { kind: 'variable', name }, origin: name };
}

/** Every setting. Paths are absolute. */
export interface Settings {
  readonly backend: Setting<BackendName>;
  readonly events: Setting<readonly string[]>;
  /** Maps fields of events to columns. For each field, the setting with the highest priority wins. */
  readonly columns: Setting<Mapping['columns']>;
  /** Decimal mark of CSV files; undefined: detected. */
  readonly decimal: Setting<Mapping['decimal']>;
  /** The tracker that wrote the event files; undefined: detected. */
  readonly preset: Setting<string | undefined>;
  /** Event files with their own mappings. */
  readonly sources: Setting<readonly SourceSetting[]>;
  /** Folder of the store, which may not exist. */
  readonly store: Setting<string>;
  /** Folder for copies of downloaded data. */
  readonly downloads: Setting<string>;
  /** Encoding of text files that are not UTF-8 and do not declare one. */
  readonly encoding: Setting<string | undefined>;
  readonly model: Setting<string | undefined>;
  readonly tables: Setting<Readonly<Record<string, readonly string[]>>>;
  /** Security context for models that use one. */
  readonly securityContext: Setting<Readonly<Record<string, unknown>>>;
  readonly timezone: Setting<string>;
  readonly weekStart: Setting<Weekday>;
  readonly user: Setting<UserOrder>;
  readonly fill: Setting<FillMode>;
  readonly fillWith: Setting<0 | undefined>;
  readonly queries: Setting<string>;
  readonly funnels: Setting<string>;
  readonly reports: Setting<string>;
  /** Folder for the records of scheduled reports. */
  readonly runs: Setting<string>;
  /** Delivery targets of reports that name none. */
  readonly deliver: Setting<readonly DeliveryFile[]>;
  /** Additional targets if an alerting check fails. */
  readonly notify: Setting<readonly DeliveryFile[]>;
  /** The browser that prints reports as PDF; undefined: one that is installed. */
  readonly browser: Setting<string | undefined>;
  /** A command that reads a mail from standard input and sends it. */
  readonly mailer: Setting<string | undefined>;
  /** The mail server to use if no mailer is set. */
  readonly smtp: Setting<SmtpSetting | undefined>;
  /** Delivery commands by name. */
  readonly commands: Setting<Readonly<Record<string, CommandSetting>>>;
  /** Only events of this project. */
  readonly project: Setting<string | undefined>;
  /** Only use events that the store had at this time (as written). */
  readonly knownAt: Setting<string | undefined>;
  readonly platformUrl: Setting<string | undefined>;
  /** The project to query on a platform. */
  readonly platformProject: Setting<string | undefined>;
  readonly token: Setting<TokenSource | undefined>;
  /** Header of the platform's token; undefined: chosen by the form of the token. */
  readonly tokenHeader: Setting<'private-token' | 'bearer' | undefined>;
  readonly cubeUrl: Setting<string | undefined>;
  readonly cubeToken: Setting<TokenSource | undefined>;
  readonly clickhouse: Setting<ClickHouseSetting>;
  readonly clickhousePassword: Setting<TokenSource | undefined>;
  /** Timeout for answers of a server, such as `10m`; undefined: none. */
  readonly wait: Setting<string | undefined>;
  /** Memory limit of the embedded engine, such as `4GB`; undefined: half of the free memory. */
  readonly memory: Setting<string | undefined>;
  /** Whether answers are cached; `answers` is the cache folder. */
  readonly cache: Setting<boolean>;
  readonly answers: Setting<string>;
  /** Folder of synced platform data: one folder for each list, one file for each project or group. */
  readonly synced: Setting<string>;
  /** Whether secrets may be sent over plain HTTP to other machines. */
  readonly allowHttp: Setting<boolean>;
  readonly usageGroups: Setting<readonly UsageGroupSetting[]>;
  /** Number of months in a usage report; undefined: the default. */
  readonly usageMonths: Setting<number | undefined>;
  /** Projects to leave out of usage, by number or path. */
  readonly usageExclude: Setting<readonly string[]>;
  /** Projects whose absence does not make usage incomplete. */
  readonly usageOptional: Setting<readonly string[]>;
  /** Folder of frozen months. */
  readonly usageFrozen: Setting<string>;
}

/** A command that receives reports. The command `has` succeeds if the report was delivered before. */
export type CommandSetting = string | { readonly run: string; readonly has?: string | undefined };

export interface SmtpSetting {
  readonly host: string;
  readonly port?: number | undefined;
  readonly tls?: 'starttls' | 'implicit' | 'none' | undefined;
  readonly user?: string | undefined;
  /** Variable with the password. */
  readonly passwordFrom?: string | undefined;
  readonly from?: string | undefined;
}

export interface ClickHouseSetting {
  /** Undefined if ClickHouse is not configured. */
  readonly url: string | undefined;
  readonly database: string;
  readonly table: string;
  readonly user: string;
  readonly authority: string | undefined;
  readonly cluster: string | undefined;
  /** Memory limit of a statement on the server, as written. */
  readonly memory: string | undefined;
  readonly timeLimit: string | undefined;
}

interface SourceSetting {
  readonly files: readonly string[];
  readonly mapping: Mapping;
  /** Overrides the encoding of all files. */
  readonly encoding?: string | undefined;
}

export interface UsageGroupSetting {
  readonly name: string;
  /** Undefined: all projects of the platform's group. */
  readonly projects?: readonly string[] | undefined;
  /** Path of the group on the platform. Defaults to `name`. */
  readonly path?: string | undefined;
  readonly quota?: number | undefined;
}

/**
 * Merges layers; later ones have priority. `tokens` are those of the environment, which override files and commands.
 */
export function toSettings(
  layers: readonly Layer[],
  root: string,
  tokens: {
    readonly platform?: Setting<TokenSource> | undefined;
    readonly cube?: Setting<TokenSource> | undefined;
    readonly clickhouse?: Setting<TokenSource> | undefined;
  },
): Settings {
  const strongestFirst = layers.toReversed();

  function pick<T, R>(steps: readonly string[], fallback: R, convert: (value: T, base: string) => R): Setting<R> {
    const layer = strongestFirst.find(({ config }) => valueAt(config, steps) !== undefined);
    if (!layer) return { value: fallback, origin: 'default' };
    return { value: convert(valueAt(layer.config, steps) as T, layer.base), origin: layer.originOf(steps) };
  }
  const same = <T>(value: T): T => value;
  /** A setting without conversion. */
  const plain = <Key extends keyof Config, F>(key: Key, fallback: F) =>
    pick<NonNullable<Config[Key]>, NonNullable<Config[Key]> | F>([key], fallback, same);
  const place = <F extends string | undefined>(key: keyof Config, fallback: F) =>
    pick<string, string | F>([key], fallback, toPath);
  /** A setting of a section, without a default. */
  const inside = <T extends string | number>(part: 'platform' | 'cube' | 'usage' | 'clickhouse', key: string) =>
    pick<T, T | undefined>([part, key], undefined, same);
  const projectsOf = (key: 'exclude' | 'optional') =>
    pick(['usage', key], [], (projects: readonly (string | number)[]) => projects.map(String));
  const inRoot = (...steps: readonly string[]) => ({ value: path.join(root, '.sluice', ...steps), origin: 'default' });
  const toPath = (file: string, base: string) => path.resolve(base, file);
  const toPaths = (files: string | readonly string[], base: string) =>
    (typeof files === 'string' ? [files] : files).map((file) => toSourcePath(file, base));
  const folder = (name: 'queries' | 'funnels' | 'reports') => place(name, path.join(root, name));
  const token = (part: 'platform' | 'cube' | 'clickhouse'): Setting<TokenSource | undefined> => {
    if (tokens[part]) return tokens[part];
    const [inFile, byCommand] =
      part === 'clickhouse' ? ['passwordFile', 'passwordCommand'] : ['tokenFile', 'tokenCommand'];
    const file = pick<string, TokenSource | undefined>([part, inFile!], undefined, (value, base) => ({
      kind: 'file',
      file: toPath(value, base),
    }));
    if (file.value) return file;
    return pick<string, TokenSource | undefined>([part, byCommand!], undefined, (command) => ({
      kind: 'command',
      command,
    }));
  };

  const clickhouse = (): Setting<ClickHouseSetting> => {
    const one = (key: keyof ClickHouseSetting) => inside<string>('clickhouse', key);
    const url = one('url');
    return {
      value: {
        url: url.value,
        database: one('database').value ?? 'default',
        table: one('table').value ?? 'events',
        user: one('user').value ?? 'default',
        authority: pick<string, string | undefined>(['clickhouse', 'authority'], undefined, toPath).value,
        cluster: one('cluster').value,
        memory: one('memory').value,
        timeLimit: one('timeLimit').value,
      },
      origin: url.origin,
    };
  };

  const backend = plain('backend', undefined);
  const project = pick<string | number, string | undefined>(['project'], undefined, String);

  const sources = pick<NonNullable<Config['sources']>, readonly SourceSetting[]>(['sources'], [], (list, base) =>
    list.map(({ files, encoding, columns = {}, ...rest }) => ({
      files: toPaths(files, base),
      mapping: { columns, ...rest },
      encoding: encoding === undefined ? undefined : readEncoding(encoding),
    })),
  );
  const rank = (key: 'events' | 'sources' | 'store') =>
    rankOf(strongestFirst, ({ config }) => config[key] !== undefined);
  /** `events`, `sources` and `store` replace each other if they come from a layer with higher priority. */
  const withSources = (events: Setting<readonly string[]>, named: typeof sources): Setting<readonly string[]> => {
    if (rank('store') < Math.min(rank('events'), rank('sources'))) return { value: [], origin: 'default' };
    if (named.value.length === 0 || rank('events') < rank('sources')) return events;
    return {
      value: [...events.value, ...named.value.flatMap(({ files }) => files)],
      origin: events.value.length > 0 ? events.origin : named.origin,
    };
  };

  return {
    backend: chooseBackend(strongestFirst, backend),
    events: withSources(pick(['events'], [], toPaths), sources),
    columns: {
      value: Object.assign({}, ...layers.map(({ config }) => byField(config.columns))) as Mapping['columns'],
      origin: plain('columns', {}).origin,
    },
    decimal: plain('decimal', undefined),
    preset: plain('preset', undefined),
    sources,
    store: place('store', inRoot('store').value),
    downloads: inRoot('downloads'),
    project,
    encoding: pick<string, string | undefined>(['encoding'], undefined, readEncoding),
    model: place('model', undefined),
    tables: pick(['tables'], {}, (tables: NonNullable<Config['tables']>, base) =>
      Object.fromEntries(Object.entries(tables).map(([table, files]) => [table, toPaths(files, base)])),
    ),
    securityContext: plain('securityContext', {}),
    timezone: plain('timezone', 'UTC'),
    weekStart: plain('weekStart', 'monday'),
    user: plain('user', 'anonymous'),
    fill: plain('fill', 'auto'),
    fillWith: plain('fillWith', undefined),
    queries: folder('queries'),
    funnels: folder('funnels'),
    reports: folder('reports'),
    runs: place('runs', inRoot('reports').value),
    notify: plain('notify', []),
    deliver: plain('deliver', []),
    smtp: plain('smtp', undefined),
    commands: plain('commands', {}),
    browser: plain('browser', undefined),
    mailer: plain('mailer', undefined),
    platformUrl: inside<string>('platform', 'url'),
    platformProject:
      project.value === undefined
        ? pick<string | number, string | undefined>(['platform', 'project'], undefined, String)
        : project,
    token: token('platform'),
    tokenHeader: inside<'private-token' | 'bearer'>('platform', 'tokenHeader'),
    cubeUrl: inside<string>('cube', 'url'),
    cubeToken: token('cube'),
    clickhouse: clickhouse(),
    clickhousePassword: token('clickhouse'),
    wait: plain('wait', undefined),
    knownAt: plain('knownAt', undefined),
    memory: plain('memory', undefined),
    cache: plain('cache', true),
    answers: inRoot('cache'),
    synced: inRoot('platform'),
    allowHttp: plain('allowHttp', false),
    usageGroups: pick(['usage', 'groups'], [], (groups: NonNullable<NonNullable<Config['usage']>['groups']>) =>
      groups.map(({ projects, ...group }): UsageGroupSetting => ({ ...group, projects: projects?.map(String) })),
    ),
    usageMonths: inside<number>('usage', 'months'),
    usageExclude: projectsOf('exclude'),
    usageOptional: projectsOf('optional'),
    usageFrozen: pick(['usage', 'frozen'], path.join(folder('reports').value, 'usage'), toPath),
  };
}

/** Normalises field names, so that layers can override each other's fields. */
function byField(columns: Mapping['columns'] = {}): Mapping['columns'] {
  return Object.fromEntries(
    Object.entries(columns).map(([name, source]) => [
      nameOfField(fieldCalled(name) ?? ({ column: name } as EventField)),
      source,
    ]),
  );
}

/** The sources of all mappings, each with the name of the field that it fills. */
export function mappedSources({
  columns,
  sources,
}: Pick<Settings, 'columns' | 'sources'>): readonly (readonly [field: string, source: SimpleSource])[] {
  return [columns.value, ...sources.value.map(({ mapping }) => mapping.columns)].flatMap((mapped) =>
    Object.entries(byField(mapped)).flatMap(([field, source]) => [source].flat().map((one) => [field, one] as const)),
  );
}

/** Variables of other tools. They give the platform's URL, but do not make it the backend. */
const ambient = ['GITLAB_HOST', 'CI_API_V4_URL'];

/** Whether a platform is configured for sluice, not only present in the environment. */
export function isPlatformConfigured({ platformUrl }: Settings): boolean {
  return platformUrl.value !== undefined && !ambient.includes(platformUrl.origin);
}

/** The index of the strongest layer that fulfils a condition; behind all layers if none does. */
function rankOf(strongestFirst: readonly Layer[], holds: (layer: Layer) => boolean): number {
  const found = strongestFirst.findIndex(holds);
  return found === -1 ? strongestFirst.length : found;
}

/**
 * The configured backend, otherwise the platform if one is configured. Files and a platform from a layer with higher
 * priority replace it: `--events` and `--host` override the backend of the configuration file. SLUICE_HOST does not,
 * because exports need it, too.
 */
function chooseBackend(
  strongestFirst: readonly Layer[],
  configured: Setting<BackendName | undefined>,
): Setting<BackendName> {
  const url = ['platform', 'url'];
  const files = rankOf(strongestFirst, ({ config: { events, sources, tables, store } }) =>
    [events, sources, tables, store].some((named) => named !== undefined),
  );
  const platform = rankOf(
    strongestFirst,
    ({ config, originOf }) => valueAt(config, url) !== undefined && !ambient.includes(originOf(url)),
  );
  const origin = strongestFirst[platform]?.originOf(url);
  if (configured.value !== undefined) {
    const own = rankOf(strongestFirst, ({ config }) => config.backend !== undefined);
    const host = origin === 'SLUICE_HOST' ? strongestFirst.length : platform;
    if (own <= Math.min(files, host)) return { ...configured, value: configured.value };
    if (files < host) return { value: 'embedded', origin: 'default' };
  }
  if (origin === undefined || files < platform) return { value: 'embedded', origin: 'default' };
  return { value: 'platform', origin: `the platform of ${origin}` };
}

/** Makes a path or pattern absolute. `-` (standard input) and URLs are not changed. */
export function toSourcePath(file: string, base: string): string {
  if (file === '-') return file;
  if (/^file:\/\//i.test(file)) return fileURLToPath(file);
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(file)) return file;
  // The shell does not expand `~` inside a word, such as `--events=~/file`.
  if (file === '~' || file.startsWith('~/')) return path.join(homedir(), file.slice(1));
  return path.resolve(base, file);
}

/** The default time zone of questions. If the configured one is unknown, UTC; answers report the error. */
export function zoneOf({ timezone }: Pick<Settings, 'timezone'>): string {
  const zone = readZone(timezone.value);
  return zone.ok ? zone.value : 'UTC';
}
