import { gzipSync, zstdCompressSync } from 'node:zlib';
import * as arrow from '@uwdata/flechette';
import type { Engine } from '../../../src/run/duckdb/engine/engine.ts';
import { snowplowColumns } from '../../../src/run/duckdb/reading/layouts/snowplow-columns.ts';

/** An event with the names to write. Null is written, a missing field is not. */
export type WrittenEvent = Readonly<Record<string, unknown>>;

export const packings = ['none', 'gzip', 'zstd'] as const;
export type Packing = (typeof packings)[number];

export const tableFormats = ['csv', 'tsv', 'parquet', 'arrow', 'arrows'] as const;
export const eventFormats = ['ndjson', 'json', ...tableFormats] as const;
export type WrittenFormat = (typeof eventFormats)[number];

/** Converts values to cells of a table: texts stay, other values become JSON text. */
export function cellOf(value: unknown): string | null {
  return value === null || value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value);
}

export async function writeEvents(
  engine: Engine,
  folder: { readonly path: string; write(name: string, content: string | Uint8Array): string },
  name: string,
  format: WrittenFormat,
  packing: Packing,
  events: readonly WrittenEvent[],
  columns: readonly string[],
): Promise<string> {
  const ending = { none: '', gzip: '.gz', zstd: '.zst' }[packing];
  const write = (content: string | Uint8Array) =>
    folder.write(
      `${name}.${format}${ending}`,
      packing === 'gzip' ? gzipSync(content) : packing === 'zstd' ? zstdCompressSync(content) : content,
    );
  switch (format) {
    case 'ndjson':
      return write(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    case 'json':
      return write(JSON.stringify(events, null, 1));
    case 'csv':
    case 'tsv': {
      const mark = format === 'csv' ? ',' : '\t';
      const line = (fields: readonly string[]) =>
        `${fields.map((field) => (/[",\t\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(mark)}\n`;
      return write(
        [columns, ...events.map((event) => columns.map((column) => cellOf(event[column]) ?? ''))].map(line).join(''),
      );
    }
    case 'arrow':
    case 'arrows': {
      const values = Object.fromEntries(
        columns.map((column) => [column, events.map((event) => cellOf(event[column]))]),
      );
      const types = Object.fromEntries(
        columns.map((column, index) => [column, index % 2 === 0 ? arrow.utf8() : arrow.dictionary(arrow.utf8())]),
      );
      return write(
        arrow.tableToIPC(arrow.tableFromArrays(values, { types }), { format: format === 'arrow' ? 'file' : 'stream' })!,
      );
    }
    case 'parquet': {
      const path = `${folder.path}/${name}.parquet`;
      const rows = events.map(
        (event) =>
          `(${columns
            .map((column) => {
              const cell = cellOf(event[column]);
              return cell === null ? 'NULL' : `'${cell.replaceAll("'", "''")}'`;
            })
            .join(', ')})`,
      );
      const names = columns.map((column) => `"${column.replaceAll('"', '""')}"`);
      await engine.rows(
        `COPY (SELECT ${names.map((each) => `CAST(${each} AS VARCHAR) AS ${each}`).join(', ')} FROM (VALUES ${rows.join(', ')}) AS v(${names.join(', ')})) TO '${path}'`,
      );
      return path;
    }
  }
}

/** Enriched events, with the fields that have a column there. */
export function writeEnriched(events: readonly Readonly<Record<string, string>>[]): string {
  return events.map((event) => `${snowplowColumns.map((column) => event[column] ?? '').join('\t')}\n`).join('');
}
