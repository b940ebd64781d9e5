import { type Granularity, isCalendarUnit } from '../../../ask/time/granularity.ts';
import { writeLocal, writeUtc } from '../../../ask/time/local-time.ts';
import type { Result } from '../../../shape/result/result.ts';
import { formatNumber } from '../../../shape/format/format-number.ts';
import { noValue } from '../../../shape/format/format.ts';
import type { Chart } from '../../../show/chart/chart.ts';
import { toColumnRoles } from '../../../show/chart/column-roles.ts';
import { toName } from '../../../show/chart/names.ts';
import { toAxes } from '../../../show/chart/result-shape.ts';
import { type TimePlaces, toTimePlaces } from '../../../show/chart/time-places.ts';
import { type MarkKind, toMarkLegend } from '../../../show/labels/mark-legend.ts';
import type { DrawnPlot } from '../../../show/terminal/chart/draw-chart.ts';
import type { ChartReading, ReadSeries } from '../state/chart-reading.ts';

/** Kinds whose series have a value at each place of the axis. */
const read: ReadonlySet<Chart['kind']> = new Set(['line', 'area', 'column', 'bar', 'grouped', 'stacked', 'heatmap']);

/** Short names of the marks; the chart explains them below. */
const marks: Readonly<Record<MarkKind, string>> = {
  filled: 'filled',
  filledOrZero: 'filled or zero',
  partial: 'partial',
};

/** The values of a chart, place by place; undefined if its kind has no such places. */
export function readChart(
  result: Result,
  { kind, x, panels }: Chart,
  plots: readonly DrawnPlot[],
  hidden: ReadonlySet<string>,
): ChartReading | undefined {
  if (!read.has(kind) || x.labels.length === 0) return undefined;
  const { time, buckets, rowsOf } = findRows(result, x.labels);
  const series = panels.flatMap(({ series: each, format }) =>
    each.map(
      ({ label, role, values, flags }): ReadSeries => ({
        label,
        hidden: hidden.has(label),
        values,
        texts: values.map((value, place) =>
          [
            value === null ? noValue : formatNumber(value, format),
            ...toMarkLegend((x.flags[place] ?? 0) | (flags[place] ?? 0)).map(({ kind: mark }) => `(${marks[mark]})`),
          ].join(' '),
        ),
        rows: role === 'plain' ? rowsOf(label) : [],
      }),
    ),
  );
  return series.length === 0
    ? undefined
    : { places: x.labels.map((label, place) => ({ label, bucket: buckets[place] })), series, plots, time };
}

/** The bucket at each place, named as in the rows; includes buckets without a row. */
function toBucketNames(
  texts: readonly string[],
  { positions, placeOf }: TimePlaces,
  granularity: Granularity,
): readonly string[] {
  const [known] = texts;
  // Places are wall times, or instants with a common offset.
  const moved = known === undefined ? 0 : (positions[placeOf(known)] ?? 0) - Date.parse(known);
  const names = positions.map((position) =>
    isCalendarUnit(granularity) ? writeLocal(position) : writeUtc(position - moved),
  );
  for (const text of texts) names[placeOf(text)] = text;
  return names;
}

interface FoundRows {
  readonly time: string | undefined;
  /** Names of the buckets, by place. */
  readonly buckets: readonly string[];
  readonly rowsOf: (label: string) => readonly number[];
}

const noRows: FoundRows = { time: undefined, buckets: [], rowsOf: () => [] };

/** The rows behind a chart over time: the name of each bucket, and the rows of each series. */
function findRows(result: Result, labels: readonly string[]): FoundRows {
  const roles = toColumnRoles(result);
  const { along, across } = toAxes(result, roles);
  if (roles.funnel || along?.kind !== 'time' || along.granularity === undefined) return noRows;
  const texts = result.values(along.key);
  const distinct = [...new Set(Array.from(texts))].filter((text) => typeof text === 'string');
  const places = toTimePlaces(distinct, along, result.provenance.zone);
  if (places.labels.length !== labels.length) return noRows;
  const buckets = toBucketNames(distinct, places, along.granularity);
  const byName = new Map<string, number[]>();
  for (let row = 0; row < result.rowCount; row += 1) {
    const place = places.placeOf(String(texts[row] ?? ''));
    const name = across.map((column) => toName(result.values(column.key)[row] ?? null, column)).join(' · ');
    const rows = byName.get(name) ?? labels.map(() => -1);
    // If two rows share a place, neither is used.
    if (place >= 0) rows[place] = rows[place] === -1 ? row : -2;
    byName.set(name, rows);
  }
  const [only] = byName.size === 1 ? [...byName.values()] : [];
  return { time: along.key, buckets, rowsOf: (label) => byName.get(label) ?? only ?? [] };
}
