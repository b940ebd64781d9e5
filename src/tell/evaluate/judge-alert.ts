import { toBucketEnd, toBucketStart, writeBucketLabel } from '../../ask/time/buckets.ts';
import { isCalendarUnit } from '../../ask/time/granularity.ts';
import { type Weekday, weekdays } from '../../ask/time/range.ts';
import type { Column, Value } from '../../plan/column.ts';
import { formatValue } from '../../shape/format/format.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import { openLacking } from '../../shape/data-extent.ts';
import { isRangeOpen, type SteadyProvenance } from '../../shape/result/provenance.ts';
import type { Result } from '../../shape/result/result.ts';
import { compareValues } from '../../shape/values/compare-values.ts';
import { type Operator, type Watch, writeCondition } from '../notebook/read-alert.ts';
import type { BoundFigure, PreparedAlert } from '../prepare/prepared.ts';
import type { ReportAlert } from '../report/report.ts';
import type { AnswersByName, CellAnswers } from './answers.ts';
import { findFigure } from './find-figure.ts';

interface JudgeOptions {
  /** The report treats the data of the cell as stale. */
  readonly isStale: boolean;
  readonly weekStart?: Weekday | undefined;
}

type Judged = Pick<ReportAlert, 'state' | 'text' | 'value' | 'finding'>;

/** With fewer earlier rows, the usual range is unknown. */
const fewestEarlier = 4;

/** Judges an alert. Partial or stale data neither raises nor clears an alert. */
export function judgeAlert(alert: PreparedAlert, answers: AnswersByName, options: JudgeOptions): ReportAlert {
  const { because } = alert.written;
  const judged = judge(alert, answers, options);
  return {
    condition: writeCondition(alert.written),
    ...judged,
    ...(because === undefined ? {} : { because }),
  };
}

function judge(alert: PreparedAlert, answers: AnswersByName, options: JudgeOptions): Judged {
  const { watch, figure, cell } = alert;
  const answered = answers.get(cell);
  const results = [answered?.answer, answered?.total, answered?.compared].flatMap((one) =>
    one?.ok ? [one.value] : [],
  );
  const usage = answered?.usage?.ok ? answered.usage.value : undefined;
  const told = [...results, ...(usage?.figures.values() ?? [])].flatMap(({ provenance }) => provenance ?? []);
  const why = whyUnsure(told, watch.kind, options.isStale);
  if (why !== undefined) return unknown(why);
  if (usage && usage.failures.length > 0) return unknown('The figures are not complete.');
  if (watch.kind === 'band') {
    const [result] = results;
    return result && figure.kind === 'column' && figure.column !== undefined
      ? judgeBand(watch, result, figure.column, options.weekStart)
      : unknown('The figure is not available.');
  }
  const found = findFigure(figure, answers);
  if (!found.ok) return unknown('The figure is not available.');
  const { value, text } = found.figure;
  if (figure.kind === 'column' && isOfLost(figure, answered)) return unknown('The store lacks events of its range.');
  if (found.isPartial)
    return unknown(usage ? 'The month is not over. Use toDate or forecast.' : 'It covers a part of a period.');
  if (value === null || typeof value === 'boolean' || !Number.isFinite(Number(value)))
    return unknown('There is no value.');
  return {
    state: holds(compareValues(value, watch.bound, 'number'), watch.operator) ? 'raised' : 'clear',
    text,
    value,
    finding: `It is ${text}.`,
  };
}

function holds(order: number, operator: Operator): boolean {
  if (order === 0) return operator === '<=' || operator === '>=';
  return order < 0 === operator.startsWith('<');
}

function whyUnsure(told: readonly SteadyProvenance[], kind: Watch['kind'], isStale: boolean): string | undefined {
  for (const provenance of told) {
    if (isStale || provenance.endsEarly !== undefined) return 'The data are not up to date.';
    if (provenance.rejected.count > 0) return 'Some data could not be read.';
    if (kind === 'band' && provenance.truncated) return 'The rows reached the limit.';
    const { range, asOf } = provenance;
    const isAhead = range !== null && Date.parse(range.start) >= Date.parse(asOf);
    if (kind === 'bound' && (isAhead || isRangeOpen(provenance))) return 'The range is not over.';
  }
  return isStale ? 'The data are not up to date.' : undefined;
}

/** Whether a figure stands for a range of which the store lacks events. The last row of a series does not. */
function isOfLost(
  { source, pick }: Extract<BoundFigure, { readonly kind: 'column' }>,
  answered: CellAnswers | undefined,
): boolean {
  const own = answered?.[source];
  if (!own?.ok || own.value.provenance.lost === undefined) return false;
  return pick !== 'last' || own.value.columns.every(({ kind }) => kind !== 'time');
}

function unknown(finding: string): Judged {
  return { state: 'unknown', text: '', value: null, finding };
}

/** Compares the latest whole row with the median of the earlier ones, in median absolute deviations. */
function judgeBand(
  { deviations, among }: Watch & { readonly kind: 'band' },
  result: Result,
  key: string,
  weekStart: Weekday | undefined,
): Judged {
  const axis = result.columns.find(({ kind }) => kind === 'time');
  const column = result.columns.find((one) => one.key === key);
  if (!axis || !column) return unknown('The figure is not available.');
  const labels = Array.from(result.values(axis.key), String);
  const values = result.values(key);
  const { granularity, custom } = axis;
  const hasBuckets = granularity !== undefined && custom === undefined && isCalendarUnit(granularity);
  const isLacking = hasBuckets ? openLacking(result.provenance, granularity, weekStart) : undefined;
  const rows = labels
    .map((label, row) => ({ label, row, value: values[row] ?? null }))
    .filter(({ row, label }) => !result.marks.isPartial(row, key) && !isLacking?.(label))
    .sort((a, b) => (a.label < b.label ? -1 : 1));
  const latest = rows.at(-1);
  const expected = lastLabel(result, axis, weekStart);
  if (!latest || (expected !== undefined && latest.label !== expected))
    return unknown(`There is no row of ${expected === undefined ? 'the latest period' : formatValue(expected, axis)}.`);
  if (latest.value === null) return unknown(`There is no value of ${formatValue(latest.label, axis)}.`);
  const isAlike = (label: string) => among === 'all' || weekdayOf(label) === weekdayOf(latest.label);
  const earlier = rows.filter(({ row, label, value }) => row !== latest.row && value !== null && isAlike(label));
  if (earlier.length < fewestEarlier)
    return unknown(`Only ${earlier.length} earlier rows are available, and ${fewestEarlier} are needed.`);
  const past = earlier.map(({ value }) => Number(value));
  const middle = median(past);
  const mad = medianDeviation(past);
  const value = latest.value as Exclude<Value, null>;
  const isOutside = Math.abs(Number(value) - middle) > deviations * mad;
  const text = formatValue(value, column);
  const weekday = weekdays[weekdayOf(latest.label)] ?? '';
  const kind = among === 'all' ? 'earlier values' : `earlier ${weekday[0]?.toUpperCase() ?? ''}${weekday.slice(1)}s`;
  return {
    state: isOutside ? 'raised' : 'clear',
    text,
    value,
    finding:
      `It is ${text} on ${formatValue(latest.label, axis)}. The median of ${past.length} ${kind}` +
      ` is ${formatValue(middle, column)}, with a median absolute deviation of ${formatNumber(mad)}.`,
  };
}

/** 0 is Monday. */
function weekdayOf(label: string): number {
  return (new Date(`${label.slice(0, 10)}T00:00:00Z`).getUTCDay() + 6) % 7;
}

/** The label of the latest whole bucket in the range; undefined if only the rows determine it. */
function lastLabel(
  { provenance: { range, asOf, zone } }: Result,
  { granularity, custom }: Column,
  weekStart: Weekday | undefined,
): string | undefined {
  if (range === null || granularity === undefined || custom !== undefined || !isCalendarUnit(granularity))
    return undefined;
  // The reference time is the last instant included.
  const end = Math.min(Date.parse(range.end), Date.parse(asOf) + 1);
  const start = toBucketStart(end - 1, granularity, zone, weekStart);
  const isWhole = toBucketEnd(start, granularity, zone, weekStart) <= end;
  const last = isWhole ? start : toBucketStart(start - 1, granularity, zone, weekStart);
  return writeBucketLabel(last, granularity, zone, weekStart);
}

/** The median of at least one number. Of two middle numbers it is the mean. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

/** The median absolute deviation from the median. */
export function medianDeviation(values: readonly number[]): number {
  const middle = median(values);
  return median(values.map((value) => Math.abs(value - middle)));
}
