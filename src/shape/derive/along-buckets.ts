import type { Value } from '../../plan/column.ts';
import { isCount } from '../../plan/model/model.ts';
import type { FurtherPlan } from '../../plan/plan.ts';
import { toSeriesLabels } from '../fill/series-grid.ts';
import type { Result } from '../result/result.ts';
import { sumValues } from '../values/decimal.ts';
import type { Values } from '../values/values.ts';

/** The key of each row: its values in these columns. */
export function toRowKeys(result: Result<object>, keys: readonly string[]): readonly string[] {
  const columns = keys.map((key) => result.values(key));
  return Array.from({ length: result.rowCount }, (_, row) =>
    JSON.stringify(columns.map((values) => [typeof values[row], String(values[row])])),
  );
}

/**
 * Moving averages and running totals of `answer`, which has every bucket of each series, for the rows of `result` on
 * the same buckets. Missing values of counts and sums are 0. Others are skipped; without any value, the result is null.
 */
export function alongBuckets(
  result: Result<object>,
  { kind, plan, count = 0 }: FurtherPlan,
  answer: Result<object>,
  from: string,
): Values {
  const series = plan.series!;
  const axis = plan.columns[series.column]!.key;
  const others = plan.columns
    .filter((column) => column.kind !== 'measure' && column.key !== axis)
    .map(({ key }) => key);
  const { labels } = toSeriesLabels(series, plan);
  const places = new Map(labels.map((label, place) => [label, place]));
  const values = answer.values(from);
  const times = answer.values(axis);
  const measure = plan.measures.find(({ column }) => plan.columns[column]!.key === from)?.measure;
  // Also windows without rows, which are not filled.
  const absent = measure && (isCount(measure.type) || measure.type === 'sum') ? 0 : null;
  const bySeries = new Map<string, Value[]>();
  toRowKeys(answer, others).forEach((key, row) => {
    const place = places.get(String(times[row]));
    if (place === undefined) return;
    const line = bySeries.get(key) ?? new Array<Value>(labels.length).fill(absent);
    bySeries.set(key, line);
    line[place] = values[row] ?? absent;
  });
  const figures = new Map(
    [...bySeries].map(([key, line]) => [key, kind === 'sum' ? runningSums(line) : movingMeans(line, count)]),
  );
  const own = result.values(axis);
  const none = kind === 'sum' ? runningSums([absent])[0]! : absent;
  return toRowKeys(result, others).map((key, row) => {
    const line = figures.get(key);
    const place = places.get(String(own[row]));
    return line === undefined || place === undefined ? none : (line[place] ?? null);
  });
}

function runningSums(line: readonly Value[]): readonly Value[] {
  if (!addsUpFloats(line)) {
    let sum: Value = null;
    return line.map((value) => (sum = sumValues([sum, value])));
  }
  let text: Value = null;
  return line.map((value) => {
    text = sumValues([text, writtenOut(value)]);
    return text === null ? null : Number(text);
  });
}

function movingMeans(line: readonly Value[], count: number): readonly Value[] {
  return line.map((_, place) => {
    const window = line.slice(Math.max(0, place - count + 1), place + 1).filter((value) => value !== null);
    const sum = sumValues(window);
    return sum === null ? null : Number(sum) / window.length;
  });
}

/** Whether numbers add up without rounding only if they are written out as decimals. */
function addsUpFloats(line: readonly Value[]): boolean {
  return (
    line.some((value) => typeof value === 'number' && !Number.isInteger(value)) &&
    line.every((value) => value === null || Number.isFinite(value))
  );
}

function writtenOut(value: Value): Value {
  return value === null ? null : String(value);
}
