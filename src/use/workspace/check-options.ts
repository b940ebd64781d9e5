import * as z from 'zod';
import { chartKinds } from '../../ask/chart/chart-preference.ts';
import { annotationsSchema } from '../../ask/chart/annotation.ts';
import { isPlainObject, wrongArgument } from '../../ask/document/check-argument.ts';
import { describeValue } from '../../ask/document/describe-value.ts';
import { readValue } from '../../ask/document/read-value.ts';
import { trendUnits } from '../../ask/funnel/funnel.ts';
import { fillModes } from '../../ask/query/saved-query.ts';
import { lastInstant } from '../../ask/time/range.ts';
import { exportFormats } from '../../run/export/files/unit-form.ts';
import { columnsSchema } from '../../plan/mapping/mapping-schema.ts';
import { formatNames, reportFormats } from '../../show/format-name.ts';
import { isAsOf } from '../process/as-of.ts';
import { offeredBackends } from '../config/offered-backends.ts';
import { bad, type Issue } from '../../ask/outcome.ts';
import { unwrap } from './refuse.ts';

const flag = z.boolean().optional();
const text = z.string().min(1).optional();

function mustBe<T>(name: string, what: string, holds: (value: unknown) => boolean): z.ZodOptional<z.ZodType<T>> {
  return z.custom<T>(holds, { error: `${JSON.stringify(name)} must be ${what}.` }).optional();
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const callback = (name: string) =>
  mustBe<(...given: never[]) => void>(name, 'a function', (value) => typeof value === 'function');
/** No `instanceof`, because test runners and browsers have their own classes. */
const signal = mustBe<AbortSignal>(
  'signal',
  'an AbortSignal',
  (value) => isObject(value) && 'aborted' in value && 'addEventListener' in value,
);

/** A time. Bounded, because relative ranges could otherwise cover too many days. */
const time = (name: string) =>
  z
    .custom<unknown>(isAsOf, {
      error:
        `"${name}" must be text, a Date or milliseconds since 1970, in the years 1 to 9999.\n` +
        'For example `2024-03-08T12:00`, or `new Date(2024, 2, 8)`.',
    })
    .optional();
const asOf = time('asOf');

/** A TypeScript interface name. */
const identifier = z
  .string()
  .regex(/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u, { error: '"name" must be the name of a TypeScript interface.' })
  .optional();

/** Pixels or cells. Larger pictures exceed the memory of most machines. */
const size = z.number().min(1).max(10_000).optional();

const bind = {
  limits: z.enum(['local', 'remote', 'none']).optional(),
  asOf,
  project: z.string().min(1).optional(),
};
const fill = { fill: z.enum(fillModes).optional(), fillWith: z.literal(0).optional() };
const asking = {
  ...bind,
  ...fill,
  signal,
  onWait: callback('onWait'),
  ranges: z.enum(['stacked', 'beside']).optional(),
  timezone: text,
  strict: flag,
};
const times = z.enum(['text', 'date', 'temporal']).optional();
/** Options of functions that change a store. */
const changing = { dryRun: flag, onWait: callback('onWait'), signal };

const chart = {
  preference: z.union([z.enum([...chartKinds, 'none']), z.record(z.string(), z.unknown())]).optional(),
  title: z.string().optional(),
  annotations: annotationsSchema.optional(),
};
const theme = z.enum(['light', 'dark']).optional();
const writing = {
  format: z.enum(formatNames).optional(),
  withProvenance: flag,
  rawCells: flag,
  chart: z.strictObject({ ...chart, theme }).optional(),
  signal,
};
const picture = { ...chart, theme, width: size, height: size, withNotes: flag };
const formatsOfReports = z.array(z.enum(reportFormats)).min(1).optional();
const secret = (name: string) =>
  z
    .custom<unknown>((value) => (typeof value === 'string' && value !== '') || typeof value === 'function', {
      error: `"${name}" must be text, or a function that gives it.`,
    })
    .optional();
const token = secret('token');
const projectOfServer = z.union([z.string().min(1), z.int().positive()]);
const tokenPlace = { tokenFile: text, tokenCommand: text };
const range = z.union([z.string(), z.array(z.string()).min(1).max(2)]).optional();
const exporting = z.strictObject({
  range,
  sinceLast: flag,
  cube: text,
  dimensions: z.array(z.string()).optional(),
  without: z.array(z.string()).optional(),
  timezone: text,
  format: z.enum(exportFormats).optional(),
  packing: z.enum(['gzip', 'zstd']).optional(),
  expand: flag,
  safeCells: flag,
  watermarkMs: z.number().min(0).max(lastInstant).optional(),
  recheck: z.union([z.boolean(), z.literal('contents')]).optional(),
  concurrency: z.int().min(1).max(64).optional(),
  signal,
  onProgress: callback('onProgress'),
  onOddity: callback('onOddity'),
  asOf,
});

const ofAnalysis = z.strictObject({
  range: text,
  timezone: text,
  where: z.array(z.string().min(1)).optional(),
  signal,
  strict: flag,
  asOf,
});

/** The options of each public function. Settings among the options of `open` have a separate schema. */
export const optionSchemas = {
  open: z.strictObject({
    workspace: text,
    config: text,
    env: mustBe('env', 'an object', isObject),
    now: callback('now'),
    onWarning: callback('onWarning'),
    onNote: callback('onNote'),
    strict: flag,
    asOf,
    knownAt: time('knownAt'),
    platform: z.strictObject({ url: text, project: z.union([text, z.number()]).optional(), token: token }).optional(),
    cube: z.strictObject({ url: text, token }).optional(),
    ...Object.fromEntries(
      [
        'backend',
        'events',
        'encoding',
        'store',
        'model',
        'tables',
        'timezone',
        'weekStart',
        'user',
        'fill',
        'host',
        'project',
        'wait',
        'memory',
        'cache',
        'map',
        'columns',
        'preset',
      ].map((setting) => [setting, z.unknown().optional()]),
    ),
  }),
  query: z.strictObject({ ...asking, times }),
  stream: z.strictObject({ ...asking, times }),
  drill: z.strictObject({ by: z.array(z.string().min(1)).optional(), signal }),
  write: z.strictObject({ ...asking, ...writing }),
  explain: z.strictObject(asking),
  users: z.strictObject(asking),
  'cohorts.list': z.strictObject({ asOf, strict: flag, signal }),
  'cohorts.users': z.strictObject({ asOf, timezone: text, strict: flag, signal }),
  toTypeScript: z.strictObject({ name: identifier }),
  validate: z.strictObject({ ...bind, timezone: text, signal }),
  funnel: z.strictObject({
    range: text,
    timezone: text,
    where: z.array(z.string().min(1)).optional(),
    byEntry: flag,
    trend: z.enum(trendUnits).optional(),
    interval: flag,
    signal,
    strict: flag,
    asOf,
    times,
  }),
  report: z.strictObject({
    params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    asOf,
  }),
  'report.run': z.strictObject({
    to: text,
    formats: formatsOfReports,
    deliver: flag,
    force: flag,
    strict: flag,
    state: text,
    signal,
  }),
  'report.check': z.strictObject({ signal }),
  'report.due': z.strictObject({ to: text, formats: formatsOfReports, force: flag, state: text, asOf, signal }),
  'reports.create': z.strictObject({ question: text, schedule: text, title: text, force: flag, signal }),
  'reports.list': z.strictObject({ state: text }),
  'report.diff': z.strictObject({ state: text, signal }),
  'report.schedule': z.strictObject({
    for: z.enum(['cron', 'systemd', 'gitlab']),
    command: z.array(z.string()).min(1).optional(),
    state: text,
  }),
  usage: z.strictObject({
    month: text,
    months: z.int().min(1).max(120).optional(),
    groups: z.array(z.string()).min(1).optional(),
    forecast: flag,
    timezone: text,
    freeze: flag,
    allowStale: flag,
    strict: flag,
    asOf,
    signal,
  }),
  ingest: z.strictObject({
    onProgress: callback('onProgress'),
    onWait: callback('onWait'),
    onUnmapped: callback('onUnmapped'),
    to: z.literal('clickhouse').optional(),
    signal,
  }),
  'clickhouse.init': z.strictObject({ apply: flag, signal }),
  'clickhouse.load': z.strictObject({ onProgress: callback('onProgress'), signal }),
  'store.prune': z.strictObject(changing),
  'store.forget': z.strictObject(changing),
  serve: z.strictObject({
    port: z.int().min(0).max(65_535).optional(),
    host: text,
    token: text,
    cors: z.array(z.string()).optional(),
    concurrency: z.int().min(1).optional(),
    queue: z.int().min(0).optional(),
    timeLimit: z.number().min(0).optional(),
    continueWait: z.int().min(0).optional(),
    hooks: z
      .strictObject({
        port: z.int().min(0).max(65_535).optional(),
        host: text,
        token,
        signingSecret: secret('signingSecret'),
        tolerance: z.number().min(0).optional(),
        bodyLimit: z.int().min(1).optional(),
        only: flag,
        onDelivery: callback('onDelivery'),
      })
      .optional(),
    onRequest: callback('onRequest'),
    onFault: callback('onFault'),
    onRejected: callback('onRejected'),
  }),
  sample: z.strictObject({
    workspace: text,
    events: z.number().optional(),
    seed: z.number().optional(),
    days: z.number().optional(),
    to: text,
    vocabulary: z.enum(['documentation', 'newer', 'snowplow']).optional(),
    file: text,
    ifMissing: flag,
    onProgress: callback('onProgress'),
    signal,
  }),
  init: z.strictObject({
    workspace: text,
    config: text,
    backend: z.enum(offeredBackends).optional(),
    events: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
    columns: columnsSchema.optional(),
    platform: z.strictObject({ url: z.string().min(1), project: projectOfServer, ...tokenPlace }).optional(),
    cube: z.strictObject({ url: z.string().min(1), ...tokenPlace }).optional(),
    project: projectOfServer.optional(),
    timezone: text,
    groups: z.array(z.strictObject({ name: z.string().min(1), projects: z.array(projectOfServer).min(1) })).optional(),
    onUnmapped: callback('onUnmapped'),
    to: z.literal('clickhouse').optional(),
    force: flag,
    now: callback('now'),
    env: mustBe('env', 'an object', isObject),
    signal,
  }),
  platform: z.strictObject({ url: text, token, workspace: text, env: mustBe('env', 'an object', isObject) }),
  sync: z.strictObject({
    cubes: z.array(z.string()).min(1).optional(),
    projects: z.array(projectOfServer).min(1).optional(),
    groups: z.array(projectOfServer).min(1).optional(),
    epics: z.array(z.int().positive()).min(1).optional(),
    since: text,
    onList: callback('onList'),
    signal,
  }),
  platformCall: z.strictObject({
    signal,
    follow: flag,
    onState: callback('onState'),
    to: text,
    onProgress: callback('onProgress'),
  }),
  doctor: z.strictObject({ workspace: text, config: text, env: mustBe('env', 'an object', isObject), signal }),
  verifyExport: z.strictObject({
    watermarkMs: z.number().min(0).max(lastInstant).optional(),
    timezone: text,
    onProgress: callback('onProgress'),
    asOf,
    signal,
  }),
  analysis: ofAnalysis.extend({ times }),
  'users of a cell': ofAnalysis.extend({ byEntry: flag }),
  export: exporting,
  planExport: exporting,
  load: z.strictObject({ queryType: z.string().optional(), signal }),
  writeResult: z.strictObject(writing),
  toTable: z.strictObject({ width: size, maxRows: z.int().min(0).optional() }),
  toHtml: z.strictObject(picture),
  toArrow: z.strictObject({ form: z.enum(['file', 'stream']).optional() }),
  toChart: z.strictObject(chart),
  toVegaLite: z.strictObject(picture),
  toSvg: z.strictObject(picture),
  toPng: z.strictObject({ ...picture, scale: z.number().positive().max(16).optional() }),
  toText: z.strictObject({
    ...picture,
    colours: z.union([z.literal(0), z.literal(4), z.literal(8), z.literal(24)]).optional(),
    dark: flag,
    ascii: flag,
  }),
  readSavedQuery: z.strictObject({ file: z.string().optional() }),
} as const;

export type CheckedFunction = keyof typeof optionSchemas;

/**
 * Validates options, because plain JavaScript is not type-checked. `called` is the called function if several share
 * these options. Throws `InvalidInputError` with every mistake and the nearest option or value.
 */
export function checkOptions(name: CheckedFunction, options: unknown, called: string = name): void {
  if (options === undefined) return;
  if (!isPlainObject(options)) {
    const hint = describeValue(options) === 'a promise' ? 'Write `await` before it.' : undefined;
    throw wrongArgument(called, `The options must be an object, not ${describeValue(options)}.`, hint);
  }
  const read = readValue(options, optionSchemas[name] as z.ZodType);
  // Functions of an opened library have no workspace of their own.
  const isOpened = !('workspace' in optionSchemas[name].shape);
  unwrap(read.ok || !isOpened ? read : bad(read.issues.map(ofOpen)), `The options of ${called}()`);
}

/** Says where an option of `open` belongs that another function got. */
function ofOpen(issue: Issue): Issue {
  const key = String(issue.path[0]);
  if (issue.code !== 'unknown-key' || issue.path.length > 1 || !Object.hasOwn(optionSchemas.open.shape, key))
    return issue;
  return { ...issue, hint: `Pass it to \`open\`: \`open({ ${key}: … })\`.` };
}
