import { checkPath } from '../../ask/document/check-argument.ts';
import type { Result } from '../../shape/result/result.ts';
import type { ToChartOptions } from '../../show/to-chart.ts';
import type { FormatName } from '../../show/format-name.ts';

/** How to write a result. */
export interface WriteOptions {
  /** Defaults to the format of the file extension: `.csv`, `.csv.gz`, `.parquet`, `.arrow` … */
  readonly format?: FormatName | undefined;
  /** `json` only: also write columns, marks and provenance. */
  readonly withProvenance?: boolean | undefined;
  /**
   * `csv` and `tsv` only: keep every character of a cell, for programs. By default, cells are safe to open in a
   * spreadsheet: an apostrophe stands before formulas, and control characters are removed.
   */
  readonly rawCells?: boolean | undefined;
  /** How pictures are drawn. `theme`: the background (default: light). */
  readonly chart?: (ToChartOptions & { readonly theme?: 'light' | 'dark' | undefined }) | undefined;
  /** Aborts the call, which then throws `AbortedError`. Nothing is written then. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes a result to a file, atomically. Formats: table, JSON, NDJSON, CSV, TSV and Markdown (add `.gz` or `.zst` to
 * compress), Parquet (`.parquet`), Arrow (`.arrow` for a file, `.arrows` for a stream), and pictures (`.svg`, `.png`,
 * `.html`, `.vl.json` for Vega-Lite, `.chart.txt`). Parquet and Arrow keep types (64-bit integers, decimals, times),
 * and describe columns and provenance in their metadata. Throws `InvalidInputError` if neither the options nor the file
 * name specify a format, `SluiceError` if the file cannot be written, and `AbortedError`.
 */
export async function writeResult(result: Result<object>, file: string, options: WriteOptions = {}): Promise<void> {
  const [{ checkOptions }, { checkResult }] = await Promise.all([
    import('../workspace/check-options.ts'),
    import('../../shape/result/result.ts'),
  ]);
  checkResult('writeResult', result);
  checkPath('writeResult', 'The file', file);
  checkOptions('writeResult', options);
  const [{ formatToWrite }, { writeAnswerFile }, { findFonts }] = await Promise.all([
    import('./format-to-write.ts'),
    import('./write-answer-file.ts'),
    import('./fonts.ts'),
  ]);
  const { format, chart, ...rest } = options;
  await writeAnswerFile(result as Result, formatToWrite(file, format, '`format`'), file, {
    ...rest,
    chart: { ...chart, fonts: findFonts },
  });
}
