import type { Result } from '../../shape/result/result.ts';
import type { ToChartOptions } from '../../show/to-chart.ts';
import type { FormatName } from '../../show/format-name.ts';

export interface WriteOptions {
  /** Where not set, the file's ending tells: `.csv`, `.csv.gz`, `.parquet`, `.arrow` … */
  readonly format?: FormatName | undefined;
  /** `json` only: columns, marks and provenance beside the rows. */
  readonly withProvenance?: boolean | undefined;
  /** How pictures are drawn. */
  readonly chart?: (ToChartOptions & { readonly theme?: 'light' | 'dark' | undefined }) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes a result to a file, which appears whole or not at all: as a table, JSON, NDJSON, CSV, TSV or Markdown (`.gz`
 * and `.zst` pack them), Parquet (`.parquet`) or Arrow (`.arrow` a file, `.arrows` a stream), or as a picture (`.svg`,
 * `.png`, `.html`, `.vl.json` a specification of Vega-Lite, `.chart.txt`). Parquet and Arrow keep the types: whole
 * numbers of 64 bits, decimals, times; what the columns mean and where the rows come from stands in their metadata.
 * Throws `InvalidInputError` where nothing names a format, `SluiceError`, `AbortedError`.
 */
export async function writeResult(result: Result<object>, file: string, options: WriteOptions = {}): Promise<void> {
  const { checkOptions, checkResult, checkText } = await import('../workspace/check-options.ts');
  checkResult('writeResult', result);
  checkText('writeResult', 'The file', file);
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
