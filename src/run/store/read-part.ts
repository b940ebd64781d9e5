import { eventFields } from '../../plan/model/event-fields.ts';
import { SluiceError } from '../../ask/sluice-error.ts';
import { mendEventFile, readEventFile, type MendedReading } from '../embedded/reading/event-reading.ts';
import { quoteText } from '../embedded/sql-text.ts';
import { toBackendError } from '../embedded/to-backend-error.ts';
import type { Part } from './doomed-rows.ts';
import type { StoreWriter } from './open-writer.ts';
import { openRejectedFile, namesForgotten, type RejectedFile } from './rejected-file.ts';
import { isOfThePlace } from './store-error.ts';
import { segmentPath } from './store-manifest.ts';
import { segmentFormat } from './write-segment.ts';
import { keepToOwner } from '../file/owner-only.ts';

export interface ReadPart {
  readonly part: Part;
  readonly format: string;
  readonly entities: readonly string[];
  readonly rejected: RejectedFile;
}

/** Reads a file into a file of rows of its own, and its rejected lines into another. Neither is part of the store yet. */
export async function readPart(writer: StoreWriter, file: string, number: number, project: string | undefined, randomText: () => string): Promise<ReadPart> {
  const { engine, folder, manifest } = writer;
  const rejected = openRejectedFile(folder, file, randomText, namesForgotten(manifest.salt, manifest.forgotten));
  const name = writer.freshName('.parquet');
  const path = segmentPath(folder, { name });
  const copy = async ({ select, format }: MendedReading) => {
    const [row] = await writer.rows(`COPY (${storedRows(select, number, project)}) TO ${quoteText(path)} ${segmentFormat}`);
    await keepToOwner(path);
    return { part: { name, path, number, rows: Number(row?.[0]) }, format, rejected };
  };
  const sayWhy = async (error: unknown): Promise<never> => {
    throw isOfThePlace(error) || !(error instanceof Error) || error instanceof SluiceError ? error : await toBackendError(error, { files: [file], tables: [], hasEvents: true });
  };
  const mend = async () => {
    const mended = await mendEventFile(engine, file, (record) => rejected.add(record));
    return copy(mended).catch(sayWhy);
  };
  const reading = await readEventFile(engine, file).catch(sayWhy);
  const whole = reading.isWhole().catch(sayWhy);
  whole.catch(() => undefined);
  const refused = (error: unknown): undefined => {
    if (isOfThePlace(error)) throw error;
  };
  const first = reading.isPlain ? await copy(reading).catch(refused) : undefined;
  const read = first && (await whole) ? first : await mend();
  await rejected.close();
  return { ...read, entities: reading.entities };
}

/** An event without a project of its own is of the given one. */
function storedRows(select: string, number: number, project: string | undefined): string {
  const own = "nullif(project_id, '')";
  const columns = eventFields.map(({ column }) => (column !== 'project_id' ? column : `${project === undefined ? own : `coalesce(${own}, ${quoteText(project)})`} AS project_id`));
  return `SELECT ${columns.join(', ')}, further, CAST(${number} AS INTEGER) AS source FROM (${select}) AS events_read`;
}
