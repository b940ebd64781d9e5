import { second } from '../../ask/time/duration.ts';
import type { ExportSource } from './export-source.ts';

/**
 * Whether events lie between a window that ends here and the one that begins here. The last millisecond of a stretch is
 * asked for by its name, and a source with finer instants may take that for its first instant alone; the buckets that it
 * counts have no such gaps.
 */
export async function fallsBetween(source: ExportSource, edge: number, signal: AbortSignal | undefined): Promise<boolean> {
  const start = Math.floor((edge - 1) / second) * second;
  const end = start + second;
  const buckets = await source.countBy({ start, end: end + second }, 'second', signal);
  const first = await source.count({ start, end: edge }, signal);
  const last = edge < end ? await source.count({ start: edge, end }, signal) : 0;
  return (buckets.get(start) ?? 0) > first + last;
}
