import type { Engine } from '../../embedded/engine.ts';
import { runToEnd } from '../../embedded/run-statement.ts';
import { jsonCompression, quoteName, quotePaths, textColumns } from '../../embedded/sql-text.ts';
import { hashFile } from '../../store/file-identity.ts';
import type { DataShape, ExportManifest } from '../export-manifest.ts';

/**
 * What is wrong with a data file, by all that its manifest tells of it, as the end of a sentence; undefined: nothing. Reads all of it.
 * Rejects with the engine's own error where the file is what its manifest tells of, and still cannot be read.
 */
export async function checkDataFile(
  engine: Engine, { file, manifest }: { readonly file: string; readonly manifest: ExportManifest }, shape: DataShape, signal?: AbortSignal, onBytes?: (count: number) => void,
): Promise<string | undefined> {
  const { sha256 } = await hashFile(file, signal, onBytes);
  if (sha256 !== manifest.sha256) return 'is not the file that its manifest tells of: its SHA-256 is another';
  const count = quoteName(shape.columns.at(-1)!);
  const text = `SELECT count(*), coalesce(sum(CAST(${count} AS BIGINT)), 0) FROM ${relationOf(file, shape)}`;
  const [row] = await (await runToEnd(engine, { text, parameters: [] }, signal)).getRows();
  const [rows, events] = (row ?? []).map(Number);
  if (rows !== manifest.rows) return `has ${rows} rows, and ${manifest.rows} by its manifest`;
  return events === manifest.events ? undefined : `has ${events} events, and ${manifest.events} by its manifest`;
}

function relationOf(file: string, { format, packing, columns }: DataShape): string {
  const paths = quotePaths([file]);
  switch (format) {
    case 'ndjson':
    case 'json': {
      const form = `format = '${format === 'json' ? 'array' : 'newline_delimited'}', records = true, compression = '${jsonCompression(packing ?? 'none')}'`;
      return `read_json(${paths}, ${form}, columns = ${textColumns(columns.slice(-1))}, hive_partitioning = false)`;
    }
    case 'csv':
      return `read_csv(${paths}, header = true, auto_detect = false, delim = ',', quote = '"', escape = '"', compression = '${packing ?? 'none'}', columns = ${textColumns(columns)}, hive_partitioning = false)`;
    case 'parquet':
      return `read_parquet(${paths}, hive_partitioning = false)`;
  }
}
