import { type Segment, segmentPath } from '../../store/store-manifest.ts';
import { quotePaths } from '../engine/sql-text.ts';
import { type RowsToDrop, type LeftOut, notOf, type Part } from './rows-to-drop.ts';
import type { StoreWriter } from './open-writer.ts';
import { rowsOf, segmentColumns } from './segment-columns.ts';
import { describeSegment, writeSegment } from './write-segment.ts';

/** Segments with at least this many rows are not merged. */
const large = 500_000;

/** The number of segments of one size class that triggers a merge. */
const crowd = 8;

/**
 * The store's segments with the kept rows of the new parts, and without the rows of replaced sources. Large parts
 * become segments as they are. Small parts are merged, together with older small segments once enough have accumulated,
 * so that each row is rewritten only once for every eightfold growth of the store.
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

/** Size classes: powers of eight from a thousand rows. */
function sizeOf(rows: number): number {
  return Math.max(0, Math.floor(Math.log(rows / 1000) / Math.log(8)));
}

function leftOutOf(counts: LeftOut | undefined): number {
  return counts === undefined ? 0 : counts.known + counts.forgotten + counts.pruned;
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
  if (isWhole && part.label === undefined && !(await isTangled(writer, [part.path])))
    return describeSegment(writer, part);
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
  const stays = doomed.bySource.size > 0 ? doomed.stays : 'true';
  const byTime = segments
    .toSorted((one, other) => one.first - other.first)
    .map((segment) => segmentPath(writer.folder, segment));
  return [
    ...(byTime.length > 0 ? [`SELECT ${columns} FROM ${rowsOf(byTime)} WHERE ${notOf(replaced)}`] : []),
    ...[...Map.groupBy(parts, ({ label }) => label)].map(([label, some]) => {
      const paths = some.map(({ path }) => path);
      const labelled = label === undefined ? columns : columns.replace(/\bsource$/, `${label} AS source`);
      return `SELECT ${labelled} FROM ${rowsOf(paths, 'file_row_number')} AS written WHERE ${stays}`;
    }),
  ].join(' UNION ALL ');
}

/** Sort only if the files are not in order of time already: sorting costs as much as reading. */
async function inTimeOrder(writer: StoreWriter, select: string, paths: readonly string[]): Promise<string> {
  return (await isTangled(writer, paths)) ? `SELECT * FROM (${select}) ORDER BY utc_time` : select;
}

/**
 * Whether an average instant lies within the time span of more than a quarter of the other row groups, so that a time
 * range would read many of them.
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
