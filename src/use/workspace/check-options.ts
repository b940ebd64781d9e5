import * as z from 'zod';
import { chartKinds } from '../../ask/chart/chart-preference.ts';
import { annotationsSchema } from '../../ask/chart/read-annotations.ts';
import { describeValue, readValue } from '../../ask/document/read-value.ts';
import { trendUnits } from '../../ask/funnel/funnel.ts';
import { errorIssue } from '../../ask/outcome.ts';
import { fillModes } from '../../ask/query/saved-query.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import { firstInstant, isInstant, lastInstant } from '../../ask/time/instant.ts';
import { exportFormats } from '../../run/export/files/unit-form.ts';
import { formatNames } from '../../show/format-name.ts';
import { unwrap } from './refuse.ts';

const flag = z.boolean().optional();
const text = z.string().min(1).optional();

function mustBe<T>(name: string, what: string, holds: (value: unknown) => boolean): z.ZodOptional<z.ZodType<T>> {
  return z.custom<T>(holds, { error: `${JSON.stringify(name)} must be ${what}.` }).optional();
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const callback = (name: string) =>
  mustBe<(...given: never[]) => void>(name, 'a function', (value) => typeof value === 'function');
/** Not by its class: test runners and browsers have classes of their own. */
const signal = mustBe<AbortSignal>(
  'signal',
  'an AbortSignal',
  (value) => isObject(value) && 'aborted' in value && 'addEventListener' in value,
);

/** Milliseconds since 1970. Without bounds, relative phrases would count through more days than there are. */
const asOf = z
  .custom<number>(isInstant, {
    error: `"asOf" must be milliseconds since 1970, from ${firstInstant} to ${lastInstant}.\nFor example \`Date.parse('2024-03-08T12:00Z')\`.`,
  })
  .optional();

/** Pixels or cells. A picture that is larger takes more memory than most machines have. */
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
  strict: flag,
};

const chart = {
  preference: z.union([z.enum([...chartKinds, 'none']), z.record(z.string(), z.unknown())]).optional(),
  title: z.string().optional(),
  annotations: annotationsSchema.optional(),
};
const theme = z.enum(['light', 'dark']).optional();
const writing = {
  format: z.enum(formatNames).optional(),
  withProvenance: flag,
  chart: z.strictObject({ ...chart, theme }).optional(),
  signal,
};
const picture = { ...chart, theme, width: size, height: size, withNotes: flag };
const range = z.union([z.string(), z.array(z.string()).min(1).max(2)]).optional();

/**
 * What each public function takes beside what it is about. The settings among the options of `open` have a schema of
 * their own.
 */
export const optionSchemas = {
  open: z.strictObject({
    workspace: text,
    config: text,
    env: mustBe('env', 'an object', isObject),
    now: callback('now'),
    onWarning: callback('onWarning'),
    onNote: callback('onNote'),
    strict: flag,
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
      ].map((setting) => [setting, z.unknown().optional()]),
    ),
  }),
  query: z.strictObject(asking),
  write: z.strictObject({ ...asking, ...writing }),
  explainQuery: z.strictObject(asking),
  funnel: z.strictObject({
    range: text,
    timezone: text,
    where: z.array(z.string().min(1)).optional(),
    byEntry: flag,
    trend: z.enum(trendUnits).optional(),
    signal,
    strict: flag,
  }),
  analysis: z.strictObject({
    range: text,
    timezone: text,
    where: z.array(z.string().min(1)).optional(),
    signal,
    strict: flag,
  }),
  export: z.strictObject({
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
    recheck: flag,
    concurrency: z.int().min(1).max(64).optional(),
    signal,
    onProgress: callback('onProgress'),
    onOddity: callback('onOddity'),
  }),
  load: z.strictObject({ queryType: z.string().optional(), signal, project: text }),
  bind: z.strictObject(bind),
  run: z.strictObject({ ...fill, signal, notes: z.array(z.string()).optional(), onWait: callback('onWait') }),
  explain: z.strictObject({ signal }),
  runJson: z.strictObject({ signal, onWait: callback('onWait'), sparing: flag }),
  writeResult: z.strictObject(writing),
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
 * Refuses options that a function does not have or cannot use: programs in plain JavaScript are not checked by a
 * compiler.
 * Throws `InvalidInputError` that names every mistake and the nearest option or value.
 */
export function checkOptions(name: CheckedFunction, options: unknown): void {
  if (options !== undefined) unwrap(readValue(options, optionSchemas[name] as z.ZodType), `The options of ${name}()`);
}

/** The same for an argument that must be text, such as the name of a file. */
export function checkText(name: string, argument: string, value: unknown): void {
  if (typeof value === 'string' && value.trim() !== '') return;
  throw wrongArgument(name, `${argument} must be text, not ${value === '' ? 'empty' : describeValue(value)}.`);
}

/** The same for an answer. */
export function checkResult(name: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && 'rowCount' in value && 'columns' in value && 'provenance' in value)
    return;
  throw wrongArgument(name, `Expected a result, not ${describeValue(value)}.`, 'Pass the result of `await query(…)`.');
}

export function wrongArgument(name: string, message: string, hint?: string): InvalidInputError {
  const issue = errorIssue('wrong-argument', message, { hint });
  return new InvalidInputError(`${name}(): ${message}`, [issue], { hint });
}
