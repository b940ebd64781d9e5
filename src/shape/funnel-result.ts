import { spellDimension } from '../ask/analysis/followed.ts';
import { countedWords, type Funnel, spellHeld } from '../ask/funnel/funnel.ts';
import { writeInstantLocal } from '../ask/time/local-time.ts';
import type { Column, TypeClaim, Value } from '../plan/column.ts';
import type { FunnelFigures } from '../run/followed-funnel.ts';
import { formatDuration, formatTime } from './format/format-time.ts';
import { noMarks, toMarks } from './result/marks.ts';
import type { Provenance } from './result/provenance.ts';
import { type Result, toResult } from './result/result.ts';

/** The steps of one group of users: all of them, those with one value, or those who entered in one bucket. */
export interface FunnelGroup {
  /** The values of the leading columns. */
  readonly key: readonly Value[];
  /** Users or sessions at each step; null if the server did not return it. */
  readonly reached: readonly (number | null)[];
  /** undefined if unknown. */
  readonly toConvert: FunnelFigures['toConvert'] | undefined;
  /** Flags of its cells, see `Marks`. */
  readonly flags?: number | undefined;
}

interface FunnelResultParts {
  readonly funnel: Funnel;
  /** The columns that distinguish the groups. */
  readonly leading: readonly Column[];
  readonly groups: readonly FunnelGroup[];
  /** Adds the confidence interval of the conversion from the first step. */
  readonly interval?: boolean | undefined;
  readonly provenance: Provenance;
}

/**
 * A funnel's figures, with a row for each step: the number that reached it, also in percent of the first step and of
 * the previous one, the number that dropped off since the previous step, and, if known, seconds since the first step
 * (median, mean, 90th percentile). Percentages of nobody are null.
 */
export function toFunnelResult({ funnel, leading, groups, interval = false, provenance }: FunnelResultParts): Result {
  const timed = groups.some(({ toConvert }) => toConvert !== undefined);
  const own = columnsOf(funnel, { timed, interval });
  const rows = groups.flatMap((group) =>
    funnel.steps.map((step, index) => [
      ...group.key,
      index + 1,
      step.name,
      ...figuresOf(group, index, { timed, interval }),
    ]),
  );
  const columns = [...leading, ...own.map(({ column }) => column)];
  const flags = Uint8Array.from(groups.flatMap((group) => funnel.steps.map(() => group.flags ?? 0)));
  const marked = [...leading, ...own.flatMap(({ column }) => (column.kind === 'measure' ? [column] : []))];
  return toResult({
    columns,
    data: columns.map((_, index) => rows.map((row) => row[index] ?? null)),
    marks: flags.some((flag) => flag !== 0) ? toMarks(new Map(marked.map(({ key }) => [key, flags]))) : noMarks,
    provenance: { ...provenance, rows: rows.length, truncated: null },
    types: new Map(own.flatMap(({ column, type }) => (type ? [[column.key, type]] : []))),
  });
}

/** Which columns there are besides those that each funnel has. */
interface FurtherFigures {
  readonly timed: boolean;
  readonly interval: boolean;
}

function figuresOf(
  { reached, toConvert }: FunnelGroup,
  step: number,
  { timed, interval }: FurtherFigures,
): readonly Value[] {
  const count = reached[step] ?? null;
  const before = step === 0 ? count : (reached[step - 1] ?? null);
  const spread = step === 0 ? undefined : toConvert?.[step];
  return [
    count,
    toPercent(count, reached[0] ?? null),
    // All users reached the first step.
    ...(interval ? (step === 0 ? [null, null] : toInterval(count, reached[0] ?? null)) : []),
    toPercent(count, before),
    count === null || before === null ? null : before - count,
    ...(timed
      ? [spread?.median, spread?.mean, spread?.p90].map((time) => (time === undefined ? null : time / 1000))
      : []),
  ];
}

/** Conversion in percent; null if there was nobody to convert. */
export function toPercent(count: number | null, of: number | null): number | null {
  return count === null || of === null || of === 0 ? null : (100 * count) / of;
}

/** The quantile of the normal distribution that 95% of its values do not exceed in size. */
const z = 1.959963984540054;

/**
 * The 95% confidence interval of a conversion in percent, by Wilson's formula, which also holds for few users and near
 * 0% and 100%. Null if there was nobody to convert.
 */
function toInterval(count: number | null, of: number | null): readonly [low: number | null, high: number | null] {
  if (count === null || of === null || of === 0) return [null, null];
  const share = count / of;
  const middle = share + z ** 2 / (2 * of);
  const reach = z * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2));
  const scale = 100 / (1 + z ** 2 / of);
  return [count === 0 ? 0 : scale * (middle - reach), count === of ? 100 : scale * (middle + reach)];
}

/** The columns of a step that follow from its number, by their short names. */
export const stepFigures: readonly string[] = [
  'name',
  'count',
  'conversion',
  'conversionLow',
  'conversionHigh',
  'stepConversion',
  'dropOff',
  'medianSeconds',
  'meanSeconds',
  'p90Seconds',
];

const whole: TypeClaim = { kind: 'whole' };
const double: TypeClaim = { kind: 'double' };

function columnsOf(
  funnel: Pick<Funnel, 'name' | 'by' | 'follow'>,
  { timed, interval }: FurtherFigures,
): readonly { readonly column: Column; readonly type: TypeClaim | undefined }[] {
  const column = (short: string, shortTitle: string, rest: Partial<Column>, type = double) => ({
    column: {
      key: `${funnel.name}.${short}`,
      member: `${funnel.name}.${short}`,
      kind: 'measure',
      type: 'number',
      title: shortTitle,
      shortTitle,
      additive: false,
      whenAbsent: null,
      ...rest,
    } satisfies Column,
    type,
  });
  const time = { format: 'seconds' };
  const times = [
    column('medianSeconds', 'Median time', time),
    column('meanSeconds', 'Mean time', time),
    column('p90Seconds', '90% within', time),
  ];
  return [
    column('step', 'Step', { kind: 'dimension' }, whole),
    { ...column('name', 'Name', { kind: 'dimension', type: 'string' }), type: undefined },
    column('count', 'Count', { label: countedWords(funnel).title }, whole),
    column('conversion', 'Of first', { format: 'percent' }),
    ...(interval
      ? [
          column('conversionLow', '95% low', { format: 'percent' }),
          column('conversionHigh', '95% high', { format: 'percent' }),
        ]
      : []),
    column('stepConversion', 'Of previous', { format: 'percent' }),
    column('dropOff', 'Drop-off', {}, whole),
    ...(timed ? times : []),
  ];
}

const orders = {
  ordered: 'in this order, other events allowed between',
  strict: 'in this order, no other events between',
  unordered: 'in any order',
} as const;

/** Describes how a funnel counts: its steps by name, its window, its order, and its unit (users or sessions). */
export function describeFunnel(
  { name, steps, secondsToConvert, order, by, follow, hold, breakdown }: Funnel,
  computed: 'here' | 'by-server',
): readonly string[] {
  const named = steps.map((step, index) => `${index + 1} ${step.name}`).join(', ');
  const what = `The steps of ${name}: ${named}.`;
  if (computed === 'by-server')
    return [
      what,
      `Counted by the server with a conversion window of ${formatWindow(secondsToConvert)}: ` +
        'the platform follows known users and allows no other events between steps.',
    ];
  const held = hold.length === 0 ? '' : `, with the same ${spellHeld(hold)} in all steps`;
  return [
    what,
    `Counted by ${follow === undefined ? by : spellDimension(follow)}, ${orders[order]}, ` +
      `within ${formatWindow(secondsToConvert)} of the first step${held}.`,
    ...(breakdown ? [describeBreakdown(breakdown)] : []),
  ];
}

/** Says which of the values counts that the events of an attempt have. */
function describeBreakdown({ dimension, attribution }: NonNullable<Funnel['breakdown']>): string {
  const name = spellDimension(dimension);
  if (typeof attribution === 'number')
    return `Grouped by ${name} of step ${attribution + 1}: those who do not reach it have no value.`;
  if (attribution === 'last') return `Grouped by ${name} of the last step that is reached.`;
  return `Grouped by ${name} of the first step, also if later steps have another value.`;
}

/** People mostly choose whole units for a window, so this writes `2 h` and not `2 h 00 min`. */
function formatWindow(seconds: number): string {
  return formatDuration(seconds * 1000).replace(/ 00 \w+$/, '');
}

interface FunnelDates {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly byEntry: boolean;
  readonly zone: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Describes which events the dates of a funnel select, and whether some users still have time to convert. */
export function describeDates(funnel: Funnel, { from, to, byEntry, zone, now }: FunnelDates): readonly string[] {
  const at = (instant: number) => formatTime(writeInstantLocal(instant, zone));
  const ends = [
    ...(from === undefined ? [] : [`from ${at(from)}`]),
    ...(to === undefined ? [] : [`until ${at(to - 1)}`]),
  ];
  const span = ends.length === 0 ? '' : ` ${ends.join(' ')} (${zone})`;
  const what =
    ends.length === 0
      ? 'All events are included.'
      : byEntry
        ? `Entries${span}; their later events count until the conversion window ends.`
        : `Events${span}; later events do not count.`;
  const end = Math.min(now, to === undefined || byEntry ? now : to);
  const late = byEntry && to !== undefined && to + funnel.secondsToConvert * 1000 <= now;
  return late
    ? [what]
    : [
        what,
        `Those who began in the last ${formatWindow(funnel.secondsToConvert)} before ${at(end)}` +
          ' had less than the full conversion window.',
      ];
}
