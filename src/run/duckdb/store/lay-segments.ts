import { type Segment, segmentPath } from '../../store/store-manifest.ts';
import { quotePaths } from '../engine/sql-text.ts';
import { type RowsToDrop, type LeftOut, notOf, type Part } from './rows-to-drop.ts';
import type { StoreWriter } from './open-writer.ts';
import { rowsOf, segmentColumns } from './segment-columns.ts';
import { describeSegment, writeSegment } from './write-segment.ts';

/** Segments of so many rows and more are left as they are. */
const large = 500_000;

/** So many segments of a size, and they are put together. */
const crowd = 8;

/**
 * The store's segments with the rows of the parts that stay, and without those of the replaced sources. Parts that are
 * large become segments as they are; small ones are put together, with older small segments where these have piled up,
 * so that every row is written again only as often as the store grows eightfold.
 */
export async function laySegments(
  writer: StoreWriter,
  parts: readonly Part[],
  doomed: RowsToDrop,
  replaced: readonly number[],
): Promise<readonly Segment[]> {
  const touched = await touchedSegments(writer, replaced);
  const segments: Segment[] = [];
  let old: Segment[] = [];
  for (const segment of writer.manifest.segments) {
    if (!touched.has(segment)) segments.push(segment);
    else if (segment.rows < large) old.push(segment);
    else {
      const origin = { paths: [segmentPath(writer.folder, segment)], rows: segment.rows };
      segments.push(...listed(await writeSegment(writer, selectOf(writer, [segment], [], doomed, replaced), origin)));
    }
  }
  const small: Part[] = [];
  for (const part of parts) {
    const left = part.numbers.reduce((rows, number) => rows - leftOutOf(doomed.bySource.get(number)), part.rows);
    if (left === 0) continue;
    if (left < large) small.push(part);
    else segments.push(...listed(await layLargePart(writer, part, doomed, left === part.rows)));
  }
  if (small.length === 0 && old.length === 0) return segments;
  let rows = [...small, ...old].reduce((sum, one) => sum + one.rows, 0);
  for (;;) {
    const peers = segments.filter((segment) => sizeOf(segment.rows) <= sizeOf(rows) && segment.rows < large);
    if (peers.length < crowd - 1) break;
    old = [...old, ...peers];
    for (const peer of peers) segments.splice(segments.indexOf(peer), 1);
    rows += peers.reduce((sum, one) => sum + one.rows, 0);
  }
  const only = small.length === 1 && old.length === 0 ? small[0] : undefined;
  if (only && only.numbers.every((number) => !doomed.bySource.has(number)))
    segments.push(...listed(await layLargePart(writer, only, doomed, true)));
  else {
    const paths = [...old.map((segment) => segmentPath(writer.folder, segment)), ...small.map(({ path }) => path)];
    const select = await inTimeOrder(writer, selectOf(writer, old, small, doomed, replaced), paths);
    segments.push(...listed(await writeSegment(writer, select, { paths, rows })));
  }
  return segments;
}

/** Powers of eight, from a thousand rows on. */
function sizeOf(rows: number): number {
  return Math.max(0, Math.floor(Math.log(rows / 1000) / Math.log(8)));
}

function leftOutOf(counts: LeftOut | undefined): number {
  return counts === undefined ? 0 : counts.known + counts.forgotten;
}

function listed(segment: Segment | undefined): readonly Segment[] {
  return segment ? [segment] : [];
}

async function layLargePart(
  writer: StoreWriter,
  part: Part,
  doomed: RowsToDrop,
  isWhole: boolean,
): Promise<Segment | undefined> {
  if (isWhole && !(await isTangled(writer, [part.path]))) return describeSegment(writer, part);
  const select = await inTimeOrder(writer, selectOf(writer, [], [part], doomed, []), [part.path]);
  return writeSegment(writer, select, { paths: [part.path], rows: part.rows });
}

function selectOf(
  writer: StoreWriter,
  segments: readonly Segment[],
  parts: readonly Part[],
  doomed: RowsToDrop,
  replaced: readonly number[],
): string {
  const columns = segmentColumns.join(', ');
  const byTime = segments
    .toSorted((one, other) => one.first - other.first)
    .map((segment) => segmentPath(writer.folder, segment));
  return [
    ...(byTime.length > 0 ? [`SELECT ${columns} FROM ${rowsOf(byTime)} WHERE ${notOf(replaced)}`] : []),
    ...(parts.length > 0
      ? [
          `SELECT ${columns} FROM ${rowsOf(
            parts.map(({ path }) => path),
            true,
          )} AS written WHERE ${doomed.bySource.size > 0 ? doomed.stays : 'true'}`,
        ]
      : []),
  ].join(' UNION ALL ');
}

/** Sorted only where the files do not follow each other in time by themselves: that costs as much again as reading. */
async function inTimeOrder(writer: StoreWriter, select: string, paths: readonly string[]): Promise<string> {
  return (await isTangled(writer, paths)) ? `SELECT * FROM (${select}) ORDER BY utc_time` : select;
}

/**
 * Whether a moment lies, beside the row group that it must lie in, in more than a quarter of the others: a range of
 * time would be looked for in many.
 */
async function isTangled(writer: StoreWriter, paths: readonly string[]): Promise<boolean> {
  const [row] = await writer.rows(`SELECT count(*), sum(stop - start), max(stop) - min(start) FROM (
    SELECT epoch_ms(CAST(stats_min_value AS TIMESTAMP)) AS start, epoch_ms(CAST(stats_max_value AS TIMESTAMP)) AS stop
    FROM parquet_metadata(${quotePaths(paths)}) WHERE path_in_schema = 'utc_time')`);
  const [groups, together, whole] = (row ?? []).map(Number);
  return groups! > 1 && (together! - whole!) / (groups! - 1) > whole! / 4;
}

async function touchedSegments(writer: StoreWriter, replaced: readonly number[]): Promise<ReadonlySet<Segment>> {
  const touched = new Set<Segment>();
  for (const segment of writer.manifest.segments) {
    const [lowest, highest] = segment.sources;
    const among = replaced.filter((number) => number >= lowest && number <= highest);
    if (among.length === 0) continue;
    const [row] = await writer.rows(
      `SELECT count(*) > 0 FROM ${rowsOf([segmentPath(writer.folder, segment)])} WHERE source IN (${among.join(', ')})`,
    );
    if (row?.[0] === true) touched.add(segment);
  }
  return touched;
}
