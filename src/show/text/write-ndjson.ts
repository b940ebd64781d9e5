import type { Result } from '../../shape/result.ts';
import { toChunks } from './chunks.ts';
import { toJsonRows } from './json-rows.ts';

/** A row object a line, keyed by column key; nothing at all where there are no rows. Values as in `writeJson`. */
export function* writeNdjson(result: Result): Generator<string> {
  const writeRow = toJsonRows(result);
  yield* toChunks('', result.rowCount, (row) => `${writeRow(row)}\n`);
}
