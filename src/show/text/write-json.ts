import type { Result } from '../../shape/result.ts';
import { toChunks } from './chunks.ts';
import { toJsonRows } from './json-rows.ts';

/**
 * An array of row objects keyed by column key, a row a line:
 * `[{"TrackedEvents.eventType":"pageview","TrackedEvents.count":4080}]`.
 * Integers and decimals that a double would bend stand as number literals in all their digits.
 */
export function* writeJson(result: Result): Generator<string> {
  const writeRow = toJsonRows(result);
  yield* toChunks('[', result.rowCount, (row) => (row === 0 ? writeRow(row) : `,\n${writeRow(row)}`), ']\n');
}
