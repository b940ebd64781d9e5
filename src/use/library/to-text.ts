import type { Result } from '../../shape/result/result.ts';
import type { FormatName } from '../../show/format-name.ts';
import type { WriteResultOptions } from '../../show/write-result.ts';
import type { CheckedFunction } from '../workspace/check-options.ts';
import type { PictureOptions } from '../chart/library.ts';

// These functions return whole texts or bytes. `writeResult` and `write` write the same content to files.

/**
 * Formats a result as CSV with a header line. Cells that a spreadsheet would run as formulas are escaped. Throws
 * `InvalidInputError` if the argument is not a result.
 */
export function toCsv(result: Result<object>): Promise<string> {
  return text('toCsv', result, 'csv');
}

/** Formats a result as a Markdown table. Throws as `toCsv`. */
export function toMarkdown(result: Result<object>): Promise<string> {
  return text('toMarkdown', result, 'markdown');
}

/** Options of `toTable`. */
export interface TableOptions {
  /**
   * Maximum width of a line in terminal cells. Columns that do not fit are listed below the table. Unlimited by
   * default.
   */
  readonly width?: number | undefined;
  /** Maximum number of rows. If rows are left out, the table shows the total number. Unlimited by default. */
  readonly maxRows?: number | undefined;
}

/** Formats a result as a plain-text table without colours, with notes about the answer below. Throws as `toCsv`. */
export async function toTable(result: Result<object>, options: TableOptions = {}): Promise<string> {
  const { width = Infinity, maxRows } = options ?? {};
  return text('toTable', result, 'table', options, { table: { width, maxRows, colour: false } });
}

/**
 * Formats a result as an HTML page with its chart and figures. Throws `nothing-to-draw` if no column is numeric, and as
 * `toCsv`.
 */
export async function toHtml(result: Result<object>, options: PictureOptions = {}): Promise<string> {
  const { findFonts } = await import('../output/fonts.ts');
  return text('toHtml', result, 'html', options, { chart: { ...options, fonts: findFonts } });
}

/**
 * Formats a result as a Parquet file. Types are kept, and the metadata describes the columns and the provenance. Throws
 * as `toCsv`.
 */
export function toParquet(result: Result<object>): Promise<Uint8Array> {
  return bytes('toParquet', result, 'parquet');
}

/**
 * Formats a result as an Excel workbook: typed cells with headings for people, and a sheet with the source, the range
 * and the notes. Throws `too-many-rows` for more rows than a sheet holds, and as `toCsv`.
 */
export function toXlsx(result: Result<object>): Promise<Uint8Array> {
  return bytes('toXlsx', result, 'xlsx');
}

/** Options of `toArrow`. */
export interface ArrowOptions {
  /** `file` (default), or `stream` for incremental readers. */
  readonly form?: 'file' | 'stream' | undefined;
}

/**
 * Formats a result in Arrow's IPC format, as `tableFromIPC` of `apache-arrow` reads it. Types and metadata are those of
 * `toParquet`. Throws as `toCsv`.
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
  // Copy, because the buffer of a piece may be reused for the next one.
  for await (const piece of await pieces(...given)) all.push((piece as Uint8Array).slice());
  return Buffer.concat(all);
}

async function pieces(
  name: CheckedFunction | 'toCsv' | 'toMarkdown' | 'toParquet' | 'toXlsx',
  result: Result<object>,
  format: FormatName,
  options?: object,
  writing: WriteResultOptions = {},
): Promise<AsyncGenerator<string | Uint8Array>> {
  const [{ checkOptions }, { checkResult }, { writeResult }] = await Promise.all([
    import('../workspace/check-options.ts'),
    import('../../shape/result/result.ts'),
    import('../../show/write-result.ts'),
  ]);
  checkResult(name, result);
  if (options !== undefined) checkOptions(name as CheckedFunction, options);
  return writeResult(result as Result, format, writing);
}
