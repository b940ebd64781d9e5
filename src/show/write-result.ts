import type { Result } from '../shape/result.ts';
import type { FormatName } from './format-name.ts';
import type { WriteTableOptions } from './terminal/write-table.ts';
import { writeCsv } from './text/write-csv.ts';
import { writeJson } from './text/write-json.ts';
import { writeJsonWithProvenance } from './text/write-json-with-provenance.ts';
import { writeMarkdown } from './text/write-markdown.ts';
import { writeNdjson } from './text/write-ndjson.ts';
import { writeTsv } from './text/write-tsv.ts';

export interface WriteResultOptions {
  /** How a table is drawn; without it in full, without colour. */
  readonly table?: WriteTableOptions | undefined;
  /** `json` only: columns, marks and provenance beside the rows. */
  readonly withProvenance?: boolean | undefined;
}

/** A result in any of the formats, as chunks of text, so that large ones stream. */
export async function* writeResult(result: Result, format: FormatName, options: WriteResultOptions = {}): AsyncGenerator<string> {
  switch (format) {
    case 'table': {
      const { writeTable } = await import('./terminal/write-table.ts');
      yield await writeTable(result, options.table ?? { width: Infinity, colour: false });
      return;
    }
    case 'json':
      return yield* options.withProvenance ? writeJsonWithProvenance(result) : writeJson(result);
    case 'ndjson':
      return yield* writeNdjson(result);
    case 'csv':
      return yield* writeCsv(result);
    case 'tsv':
      return yield* writeTsv(result);
    case 'markdown':
      return yield* writeMarkdown(result);
  }
}
