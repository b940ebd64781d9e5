import { invariant } from '../ask/invariant.ts';
import type { ValueType, Column } from '../plan/column.ts';
import { type Provenance, toSteadyProvenance } from '../shape/result/provenance.ts';
import type { RowFormat } from './format-name.ts';
import type { RowForm } from './text/chunks.ts';
import type { SeparatedOptions } from './text/write-csv.ts';
import { toSafeJson } from './text/json-value.ts';
import type { RowSource } from './text/row-source.ts';

interface WriteRowsOptions extends SeparatedOptions {
  /** `arrow` only (default: file). */
  readonly arrowForm?: 'file' | 'stream' | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Writes rows in a streaming format, as chunks. */
export async function* writeRows(
  rows: RowSource,
  format: RowFormat,
  options: WriteRowsOptions = {},
): AsyncGenerator<string | Uint8Array> {
  const { signal } = options;
  if (format === 'arrow') return yield* writeArrowRows(rows, options);
  if (format === 'parquet') return yield* writeParquetRows(rows, options);
  const { streamChunks } = await import('./text/chunks.ts');
  const form = await toForm(rows, format, options);
  const isUsual = format === 'ndjson' || (format === 'csv' && !options.rawCells);
  const text = isUsual ? rows.text?.(format, signal) : undefined;
  if (text === undefined) return yield* streamChunks(form, rows.batches(signal));
  if (form.head !== '') yield form.head;
  yield* text;
}

async function toForm(
  { columns }: RowSource,
  format: Exclude<RowFormat, 'arrow' | 'parquet'>,
  options: SeparatedOptions,
): Promise<RowForm> {
  switch (format) {
    case 'json':
      return (await import('./text/write-json.ts')).toJsonForm(columns);
    case 'ndjson':
      return (await import('./text/write-json.ts')).toNdjsonForm(columns);
    case 'csv':
      return (await import('./text/write-csv.ts')).toCsvForm(columns, options);
    case 'tsv':
      return (await import('./text/write-csv.ts')).toTsvForm(columns, options);
  }
}

/** A dictionary of more texts, or for fewer rows, saves little. */
const mostTexts = 4096;
const fewestRows = 1024;

async function* writeArrowRows(
  rows: RowSource,
  { arrowForm = 'file', signal }: WriteRowsOptions,
): AsyncGenerator<Uint8Array> {
  const { writeArrow } = await import('./arrow/write-arrow.ts');
  const { columns, provenance } = rows;
  const types = typesOf(rows);
  // It pays if each text occurs twice on average.
  const most = Math.min(mostTexts, Math.floor(provenance.rows / 2));
  const dictionaries = [];
  for (const [index, { kind }] of types.entries())
    dictionaries.push(
      kind === 'text' && provenance.rows >= fewestRows
        ? (await rows.distinctTexts(index, most))?.toSorted()
        : undefined,
    );
  yield* writeArrow(columns, rows.batches(signal), {
    form: arrowForm,
    types,
    dictionaries,
    zone: provenance.zone,
    metadata: toFileMetadata(columns, provenance),
  });
}

async function* writeParquetRows(rows: RowSource, { signal }: WriteRowsOptions): AsyncGenerator<Uint8Array> {
  const { columns, provenance } = rows;
  const metadata = toFileMetadata(columns, provenance);
  if (rows.parquet) return yield* rows.parquet(metadata, signal);
  const { writeParquet } = await import('../run/duckdb/parquet/write-parquet.ts');
  yield* writeParquet(columns, rows.batches(signal), { types: typesOf(rows), metadata, signal });
}

function typesOf(rows: RowSource): readonly ValueType[] {
  const types = rows.types();
  invariant(types, 'rows for a format with types have them');
  return types;
}

/** The metadata of a file with a schema, as JSON: the columns and the provenance. Equal inputs give equal metadata. */
function toFileMetadata(columns: readonly Column[], provenance: Provenance): ReadonlyMap<string, string> {
  return new Map([
    ['sluice.columns', toSafeJson(columns)],
    ['sluice.provenance', toSafeJson(toSteadyProvenance(provenance))],
  ]);
}
