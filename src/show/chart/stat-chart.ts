import type { Result } from '../../shape/result/result.ts';
import { isPartial } from '../labels/mark-legend.ts';
import { toSinglePlace, toTimeAxis } from './axis-places.ts';
import type { Chart, ChartPanel, ChartSeries } from './chart.ts';
import { type ColumnRoles, toDrawable } from './column-roles.ts';
import { toName, toShownText } from './names.ts';

export type ChartBody = Pick<Chart, 'kind' | 'x' | 'panels' | 'annotations' | 'notes'>;

/** More numbers than these are a table. */
const mostStats = 8;

/**
 * A number for each measure, with the one before it where there is one: of the range before, or, where the answer runs over
 * time, of the bucket before the last whole one.
 */
export function toStatChart(result: Result<object>, { measures, time, dimensions }: ColumnRoles, headings: ReadonlyMap<string, string>): ChartBody {
  const compared = dimensions.find(({ kind }) => kind === 'compare');
  const rows = time ? latestRows(result, time) : { current: 0, previous: compared && result.rowCount > 1 ? 1 : -1 };
  const at = (key: string, row: number) => (row < 0 ? null : toDrawable(result.values(key)[row] ?? null));
  const nameOf = (row: number) => {
    const column = time ?? compared;
    return column && row >= 0 ? toName(result.values(column.key)[row] ?? null, column) : undefined;
  };
  const panels = measures.slice(0, mostStats).map(({ column, previous: [before] }): ChartPanel => {
    const heading = toShownText(headings.get(column.key) ?? column.shortTitle);
    const title = before ? withoutRange(heading) : heading;
    const series = (role: ChartSeries['role'], label: string, value: number | null, key: string, row: number): ChartSeries => ({ label, role, values: [value], flags: [row < 0 ? 0 : result.marks.of(key, row)] });
    const current = series('plain', nameOf(rows.current) ?? title, at(column.key, rows.current), column.key, rows.current);
    const earlier = before
      ? series('previous', rangeIn(toShownText(before.shortTitle)), at(before.key, 0), before.key, 0)
      : rows.previous >= 0 ? series('previous', nameOf(rows.previous) ?? '', at(column.key, rows.previous), column.key, rows.previous) : undefined;
    return { title, format: column.format, additive: column.additive, series: earlier ? [current, earlier] : [current] };
  });
  const left = measures.slice(mostStats).map(({ column }) => toShownText(headings.get(column.key) ?? column.shortTitle));
  const notes = left.length === 0 ? [] : [`Not drawn, for want of room: ${left.join(', ')}.`];
  return { kind: 'stat', x: toSinglePlace(result.rowCount).axis, panels, annotations: [], notes };
}

/** `compare` writes the range in brackets behind the title. */
export function withoutRange(title: string): string {
  return title.replace(/ \([^()]*\)$/, '');
}

export function rangeIn(title: string): string {
  return /\(([^()]*)\)$/.exec(title)?.[1] ?? title;
}

function latestRows(result: Result<object>, time: Parameters<typeof toTimeAxis>[1]): { readonly current: number; readonly previous: number } {
  const { axis, places } = toTimeAxis(result, time, []);
  const whole = axis.flags.findLastIndex((flags) => !isPartial(flags));
  const last = whole < 0 ? axis.positions.length - 1 : whole;
  return { current: places.indexOf(last), previous: last > 0 ? places.indexOf(last - 1) : -1 };
}
