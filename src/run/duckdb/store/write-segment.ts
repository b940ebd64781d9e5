import { crcOf } from '../../file/crc-of.ts';
import { keepToOwner } from '../../file/owner-only.ts';
import { type StoredProperty, type Segment, segmentPath } from '../../store/store-manifest.ts';
import { isSessionless } from '../../sessionless-events.ts';
import { quoteText } from '../engine/sql-text.ts';
import type { FileWriter } from './file-writer.ts';
import { chooseFromFiles, isOfList, withPropertyColumns } from './property-columns.ts';
import { rowsOf, segmentFormat } from './segment-columns.ts';

/** Segments with fewer rows get no columns for properties: reading their JSON takes no time. */
const fewRows = 5000;

/** The files with rows of `segmentColumns` that make up a segment, and their number of rows. */
export interface SegmentOrigin {
  readonly paths: readonly string[];
  readonly rows: number;
}

/** Writes the rows of a SELECT of `segmentColumns`, in order, to a new file; undefined if there are none. */
export async function writeSegment(
  writer: FileWriter,
  select: string,
  { paths, rows }: SegmentOrigin,
): Promise<Segment | undefined> {
  const name = writer.freshName('.parquet');
  const path = segmentPath(writer.folder, { name });
  const properties = rows < fewRows ? [] : await chooseFromFiles(writer, paths);
  await writer.rows(`COPY (${withPropertyColumns(select, properties)}) TO ${quoteText(path)} ${segmentFormat}`);
  await keepToOwner(path);
  return describeSegment(writer, { name, properties });
}

/** The manifest's description of a written file; undefined if it has no rows. */
export async function describeSegment(
  writer: FileWriter,
  { name, properties }: { readonly name: string; readonly properties: readonly StoredProperty[] },
): Promise<Segment | undefined> {
  const path = segmentPath(writer.folder, { name });
  const [row] = await writer.rows(
    `SELECT count(*), epoch_ms(min(utc_time)), epoch_ms(max(utc_time)), min(source), max(source) FROM ${rowsOf([path])}`,
  );
  const [rows, first, last, lowest, highest] = (row ?? []).map(Number) as [number, number, number, number, number];
  if (rows === 0) return undefined;
  const [ofLists, ofEvents] = [properties.filter(isOfList), properties.filter((one) => !isOfList(one))];
  return {
    name,
    rows,
    ...(await crcOf(path)),
    first,
    last,
    ...(await countByProject(writer, path)),
    sources: [lowest, highest],
    ...(ofEvents.length > 0 && { properties: ofEvents }),
    ...(ofLists.length > 0 && { values: ofLists }),
  };
}

/** Counts the events without a session in segments of earlier versions. */
export async function withSessionless(writer: FileWriter, segments: readonly Segment[]): Promise<readonly Segment[]> {
  const counted: Segment[] = [];
  for (const segment of segments)
    counted.push(
      segment.sessionless
        ? segment
        : { ...segment, ...(await countByProject(writer, segmentPath(writer.folder, segment))) },
    );
  return counted;
}

/** The projects of a segment's events, and how many events of each have neither a session nor a user. */
async function countByProject(writer: FileWriter, path: string): Promise<Pick<Segment, 'projects' | 'sessionless'>> {
  const counted = await writer.rows(
    `SELECT project_id, count(*) FILTER (WHERE ${isSessionless})
    FROM ${rowsOf([path])} GROUP BY project_id ORDER BY project_id NULLS LAST`,
  );
  return {
    projects: counted.map(([project]) => (project === null ? null : String(project))),
    sessionless: counted.map(([, events]) => Number(events)),
  };
}
