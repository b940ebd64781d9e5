import type { Column } from '../../plan/column.ts';
import type { Result } from '../../shape/result/result.ts';
import { type RowForm, toChunks } from './chunks.ts';
import { toBatch } from './to-batch.ts';
import { toJsonRows } from './write-json.ts';

/** A row object a line, keyed by column key; nothing at all where there are no rows. Values as in `toJsonForm`. */
export function toNdjsonForm(columns: readonly Column[]): RowForm {
  const rows = toJsonRows(columns);
  return {
    head: '',
    between: '',
    tail: '',
    rows(data) {
      const writeRow = rows(data);
      return (row) => `${writeRow(row)}\n`;
    },
  };
}

/** A result in the form of `toNdjsonForm`. */
export function writeNdjson(result: Result): Generator<string> {
  return toChunks(toNdjsonForm(result.columns), toBatch(result));
}
