import type { Result } from '../../shape/result/result.ts';
import type { FormatName } from '../../show/format-name.ts';
import type { WriteResultOptions } from '../../show/write-result.ts';
import type { CheckedFunction } from '../workspace/check-options.ts';
import type { PictureOptions } from '../chart/library.ts';

// Results as text or bytes, all in memory; `writeResult` and `write` write the same to files.

/**
 * CSV with a header line; cells that a spreadsheet would run as formulas are made harmless. Throws `InvalidInputError`
 * for what is no result.
 */
export function toCsv(result: Result<object>): Promise<string> {
  return text('toCsv', result, 'csv');
}

/** A Markdown table with a header. Throws as `toCsv`. */
export function toMarkdown(result: Result<object>): Promise<string> {
  return text('toMarkdown', result, 'markdown');
}

/** How to lay out a table. */
export interface TableOptions {
  /** Display cells of a line; columns that do not fit are listed below. All columns by default. */
  readonly width?: number | undefined;
  /** At most so many rows, and how many there are. All rows by default. */
  readonly maxRows?: number | undefined;
}

/** A table for a terminal, without colour, with what is to be known of the answer below it. Throws as `toCsv`. */
export async function toTable(result: Result<object>, options: TableOptions = {}): Promise<string> {
  const { width = Infinity, maxRows } = options ?? {};
  return text('toTable', result, 'table', options, { table: { width, maxRows, colour: false } });
}

/** A page with the chart of the result and its figures; throws `nothing-to-draw` if no column is numeric. */
export async function toHtml(result: Result<object>, options: PictureOptions = {}): Promise<string> {
  const { findFonts } = await import('../output/fonts.ts');
  return text('toHtml', result, 'html', options, { chart: { ...options, fonts: findFonts } });
}

/**
 * A Parquet file. Types are kept; its metadata describes the columns and where the rows come from. Throws as `toCsv`.
 */
export function toParquet(result: Result<object>): Promise<Uint8Array> {
  return bytes('toParquet', result, 'parquet');
}

/** How to write Arrow data. */
export interface ArrowOptions {
  /** `file`, or `stream` for readers that take it piece by piece. `file` by default. */
  readonly form?: 'file' | 'stream' | undefined;
}

/**
 * Arrow's IPC format, as `tableFromIPC` of Arrow's packages reads it. Types and metadata as in Parquet. Throws as
 * `toCsv`.
 */
export function toArrow(result: Result<object>, options: ArrowOptions = {}): Promise<Uint8Array> {
  return bytes('toArrow', result, 'arrow', options, { arrowForm: options?.form });
}

async function text(...given: Parameters<typeof pieces>): Promise<string> {
  let whole = '';
  for await (const piece of await pieces(...given)) whole += piece as string;
  return whole;
}

async function bytes(...given: Parameters<typeof pieces>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  // The bytes of a piece may be others once the next one is asked for.
  for await (const piece of await pieces(...given)) all.push((piece as Uint8Array).slice());
  return Buffer.concat(all);
}

async function pieces(
  name: CheckedFunction | 'toCsv' | 'toMarkdown' | 'toParquet',
  result: Result<object>,
  format: FormatName,
  options?: object,
  writing: WriteResultOptions = {},
): Promise<AsyncGenerator<string | Uint8Array>> {
  const [{ checkOptions, checkResult }, { writeResult }] = await Promise.all([
    import('../workspace/check-options.ts'),
    import('../../show/write-result.ts'),
  ]);
  checkResult(name, result);
  if (options !== undefined) checkOptions(name as CheckedFunction, options);
  return writeResult(result as Result, format, writing);
}
