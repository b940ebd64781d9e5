import { eventFields, spellingsOf } from '../../../plan/model/event-fields.ts';
import { demandSegments, type Segment, segmentPath, type StoreManifest } from '../../store/store-manifest.ts';
import { quoteName, quoteText } from '../engine/sql-text.ts';
import type { FileWriter } from './file-writer.ts';
import { rowsOf, segmentColumns } from './segment-columns.ts';
import { writeSegment } from './write-segment.ts';

const keptFields = new Map(eventFields.flatMap((field) => (field.kept ? [[field.column, field]] : [])));

/**
 * A column of the present layout over segments of layout 1, which had no columns for campaigns, countries and device
 * classes. Their values are among the other properties, under the name that they had in the file.
 */
export function firstLayoutColumn(column: string): string {
  const field = keptFields.get(column);
  if (!field) return quoteName(column);
  const values = spellingsOf(field).map((name) => `further ->> ${quoteText(`$.${JSON.stringify(name)}`)}`);
  return `coalesce(${values.join(', ')}) AS ${quoteName(column)}`;
}

/**
 * Writes all segments of a store of layout 1 again, in the present layout. The caller commits them. Throws
 * `store-damaged` if one is missing.
 */
export async function upgradeSegments(writer: FileWriter, manifest: StoreManifest): Promise<readonly Segment[]> {
  await demandSegments(writer.folder, manifest);
  const columns = segmentColumns.map(firstLayoutColumn).join(', ');
  const upgraded: Segment[] = [];
  for (const segment of manifest.segments) {
    const path = segmentPath(writer.folder, segment);
    const origin = { paths: [path], rows: segment.rows };
    const written = await writeSegment(writer, `SELECT ${columns} FROM ${rowsOf([path])}`, origin);
    if (written) upgraded.push(written);
  }
  return upgraded;
}
