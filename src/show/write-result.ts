import type { Result } from '../shape/result/result.ts';
import { type BinaryFormat, type FormatName, isChartFormat } from './format-name.ts';
import type { WriteTableOptions } from './terminal/write-table.ts';
import type { SeparatedOptions } from './text/write-csv.ts';
import type { WriteChartOptions } from './write-chart.ts';

export interface WriteResultOptions extends SeparatedOptions {
  /** How to draw a table (default: in full, without colour). */
  readonly table?: WriteTableOptions | undefined;
  /** `json` only: include columns, marks and provenance. */
  readonly withProvenance?: boolean | undefined;
  /** `arrow` only (default: file). */
  readonly arrowForm?: 'file' | 'stream' | undefined;
  /** How to draw pictures. */
  readonly chart?: WriteChartOptions | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Writes a result in any format, as chunks of text or bytes, so that large results stream. */
export function writeResult(
  result: Result,
  format: Exclude<FormatName, BinaryFormat>,
  options?: WriteResultOptions,
): AsyncGenerator<string>;
export function writeResult(
  result: Result,
  format: FormatName,
  options?: WriteResultOptions,
): AsyncGenerator<string | Uint8Array>;
export async function* writeResult(
  result: Result,
  format: FormatName,
  options: WriteResultOptions = {},
): AsyncGenerator<string | Uint8Array> {
  if (isChartFormat(format)) {
    const { writeChart } = await import('./write-chart.ts');
    return yield* writeChart(result, format, options.chart);
  }
  switch (format) {
    case 'table': {
      const { writeTable } = await import('./terminal/write-table.ts');
      yield await writeTable(result, options.table ?? { width: Infinity, colour: false });
      return;
    }
    case 'json': {
      const { writeJson, writeJsonWithProvenance } = await import('./text/write-json.ts');
      return yield* options.withProvenance ? writeJsonWithProvenance(result) : writeJson(result);
    }
    case 'ndjson':
      return yield* (await import('./text/write-json.ts')).writeNdjson(result);
    case 'csv':
      return yield* (await import('./text/write-csv.ts')).writeCsv(result, options);
    case 'tsv':
      return yield* (await import('./text/write-csv.ts')).writeTsv(result, options);
    case 'markdown':
      return yield* (await import('./text/write-markdown.ts')).writeMarkdown(result);
    case 'xlsx':
      yield await (await import('./workbook/write-xlsx.ts')).writeXlsx(result);
      return;
    case 'parquet':
    case 'arrow': {
      const [{ rowsOfResult }, { writeRows }] = await Promise.all([
        import('./text/row-source.ts'),
        import('./write-rows.ts'),
      ]);
      return yield* writeRows(rowsOfResult(result), format, options);
    }
  }
}
