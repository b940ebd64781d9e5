import type { Result } from '../../shape/result/result.ts';
import type { Report, ReportPart, ReportStat } from './report.ts';

/** The direction of a change; undefined if there is none. */
export function trendOf(change: string): 'up' | 'down' | undefined {
  if (!/[1-9∞]/.test(change)) return undefined;
  return /^[-−]/.test(change) ? 'down' : 'up';
}

const arrows = { up: '▲', down: '▼' } as const;

/** Adds an arrow before a change, because colour alone is not accessible. */
export function withArrow(change: string): string {
  const trend = trendOf(change);
  return trend === undefined ? change : `${arrows[trend]} ${change}`;
}

/**
 * `▲ +5% from 1,000 (2024-03-06)`; without a change, such as from an incomplete range, `before: 1,000 (2024-03-06)`.
 */
function describeStatChange({ changePercent, text, label }: NonNullable<ReportStat['previous']>): string {
  const change = changePercent === '' ? 'before: ' : `${withArrow(changePercent)} from `;
  return `${change}${text} (${label})`;
}

/** The text beside a figure: its change, or its note. */
export function describeStat({ previous, note }: Pick<ReportStat, 'previous' | 'note'>): string | undefined {
  return previous ? describeStatChange(previous) : note;
}

/**
 * The values of each stat over time, if another part of the report has the same measure in buckets of the same range;
 * otherwise undefined.
 */
export function seriesOfStats(part: ReportPart & { readonly kind: 'stats' }, { blocks }: Report) {
  const series = blocks
    .flatMap((block) => (block.kind === 'cell' ? block.parts.map(({ result }) => result) : []))
    .filter(isSeries);
  return part.stats.map((_stat, index): readonly number[] | undefined => {
    const column = part.result.columns.filter(({ key }) => !beside.test(key))[index];
    const found = series.find(
      (result) =>
        column !== undefined &&
        isSameQuestion(result, part.result) &&
        result.columns.some(({ key, kind }) => kind === 'measure' && key === column.key),
    );
    if (!column || !found) return undefined;
    const values = Array.from(found.values(column.key))
      .filter((value, row) => value !== null && !found.marks.isPartial(row, column.key))
      .map(Number);
    return values.length >= fewestPoints && values.every(Number.isFinite) ? values : undefined;
  });
}

const fewestPoints = 4;
const beside = /\.(?:previous|change|changePercent)(?:\.\d+)?$/;

/** True for rows by time only. */
function isSeries({ columns, rowCount }: Result): boolean {
  const others = columns.filter(({ kind }) => kind !== 'measure');
  return others.length === 1 && others[0]?.granularity !== undefined && rowCount > 0;
}

/** True if both count the same events: the same range and conditions. For a comparison, its current range. */
function isSameQuestion({ provenance: one }: Result, { provenance: other }: Result): boolean {
  const [compared] = other.query.timeDimensions?.[0]?.compareDateRange ?? [];
  const isSameRange =
    compared === undefined
      ? one.range?.start === other.range?.start && one.range?.end === other.range?.end
      : JSON.stringify(one.query.timeDimensions?.[0]?.dateRange) === JSON.stringify(compared);
  const conditions = ({ query: { filters, segments } }: typeof one) => JSON.stringify([filters ?? [], segments ?? []]);
  return isSameRange && one.zone === other.zone && conditions(one) === conditions(other);
}

/** A bar filled to this percentage, as markup. Values above 100 look different. */
export function drawGauge(percent: number): string {
  const filled = Math.max(0, Math.min(100, percent));
  const bars = `<rect class="whole" width="100" height="6"/><rect width="${filled.toFixed(1)}" height="6"/>`;
  const look = percent > 100 ? 'gauge over' : 'gauge';
  return `<svg class="${look}" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">${bars}</svg>`;
}

const width = 120;
const height = 28;

/** A line without axes, as markup. The figures beside it give the same information as text. */
export function drawSparkline(values: readonly number[]): string {
  const low = Math.min(...values);
  const spread = Math.max(...values) - low || 1;
  const points = values.map((value, index) => {
    const x = 2 + (index / (values.length - 1)) * (width - 4);
    const y = height - 3 - ((value - low) / spread) * (height - 6);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const [x = '0', y = '0'] = points.at(-1)?.split(',') ?? [];
  const drawn = `<polyline points="${points.join(' ')}"/><circle cx="${x}" cy="${y}" r="2.5"/>`;
  const size = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
  return `<svg class="spark" ${size} aria-hidden="true">${drawn}</svg>`;
}
