import { second } from '../../ask/time/duration.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import type { ExportSource } from './export-source.ts';

/**
 * Events that lie between a stretch that ends at an edge and the one that begins there. The last millisecond of a stretch is
 * asked for by its name, and a source with finer instants may take that for its first instant alone; the buckets that it
 * counts have no such gaps.
 */
export async function countFallen(source: ExportSource, { end: edge }: Pick<TimeRange, 'end'>, signal: AbortSignal | undefined): Promise<number> {
  const start = Math.floor((edge - 1) / second) * second;
  const end = start + second;
  const counted = (await source.countBy({ start, end: end + second }, 'second', signal)).get(start) ?? 0;
  if (counted === 0) return 0;
  const first = await source.count({ start, end: edge }, signal);
  const last = edge < end ? await source.count({ start: edge, end }, signal) : 0;
  return Math.max(0, counted - first - last);
}
