import { isTimePart } from '../../../plan/column.ts';
import { narrowestChart } from '../../../show/terminal/chart/draw-chart-options.ts';
import type { Room } from './screen-rooms.ts';
import type { CellAnswer } from './state.ts';

/** Fewer buckets than these are read faster as figures. */
const leastBuckets = 3;

/**
 * Whether an answer is drawn without being asked for: figures over time, or by hour or weekday, that are not all zero.
 */
export function showsBetterAsChart(
  { head, rowCount, saved }: Pick<CellAnswer, 'head' | 'rowCount' | 'saved'>,
  { width }: Room,
): boolean {
  if (width < narrowestChart || saved.chart === 'none' || saved.query.ungrouped || head.rowCount < rowCount)
    return false;
  const time = head.columns.find(
    (column) => (column.kind === 'time' && column.granularity !== undefined) || isTimePart(column),
  );
  if (!time || new Set(Array.from(head.values(time.key))).size < leastBuckets) return false;
  return head.columns.some(
    ({ kind, type, key }) =>
      kind === 'measure' && type === 'number' && Array.from(head.values(key)).some((value) => Number(value) !== 0),
  );
}
