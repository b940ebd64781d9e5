import { eventFields } from '../../../src/plan/model/event-fields.ts';
import type { Engine } from '../../../src/run/duckdb/engine/engine.ts';
import { readEventFile } from '../../../src/run/duckdb/reading/event-reading.ts';
import type { MappingOf } from '../../../src/run/duckdb/reading/recognise/map-files.ts';
import { type MendedReading, mendEventFile } from '../../../src/run/duckdb/reading/mend-event-file.ts';
import type { RejectedRecord } from '../../../src/run/duckdb/reading/rejected-records.ts';

/** A row of a reading: the present values by column, as text. */
export type ReadRow = Readonly<Record<string, string>>;

export interface ReadAll {
  readonly reading: MendedReading;
  /** Sorted, because only the multiset counts. */
  readonly rows: readonly ReadRow[];
  readonly rejected: readonly RejectedRecord[];
  readonly mended: boolean;
}

const columns = [...eventFields.map(({ column }) => column), 'further'];

/** Reads a file as ingestion does: mends it only if the first reading is refused, or its packing is damaged. */
export async function readAll(engine: Engine, path: string, mappingOf?: MappingOf): Promise<ReadAll> {
  const rejected: RejectedRecord[] = [];
  const first = await readEventFile(engine, path, { mappingOf });
  try {
    if (!first.isPlain) throw new Error('not plain');
    const rows = await rowsOf(engine, first);
    if (!(await first.isWhole())) throw new Error('its packing is damaged');
    return { reading: first, rows, rejected, mended: false };
  } catch {
    const reading = await mendEventFile(engine, path, (record) => void rejected.push(record), { mappingOf });
    return { reading, rows: await rowsOf(engine, reading), rejected, mended: true };
  }
}

async function rowsOf(engine: Engine, { select }: MendedReading): Promise<readonly ReadRow[]> {
  const rows = await engine.rows(
    `SELECT ${columns.map((column) => `CAST(${column} AS VARCHAR)`).join(', ')} FROM (${select})`,
  );
  const read = rows.map((row) =>
    Object.fromEntries(columns.flatMap((column, index) => (row[index] === null ? [] : [[column, String(row[index])]]))),
  );
  return read.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}
