import type { Column } from '../../plan/column.ts';
import type { Result } from '../../shape/result.ts';
import { toBatch } from '../to-batch.ts';
import { toChunks, type RowForm } from './chunks.ts';
import { toJsonRows } from './json-rows.ts';

/**
 * An array of row objects keyed by column key, a row a line:
 * `[{"TrackedEvents.eventType":"pageview","TrackedEvents.count":4080}]`.
 * Integers and decimals that a double would bend stand as number literals in all their digits.
 */
export function toJsonForm(columns: readonly Column[]): RowForm {
  return { head: '[', between: ',\n', tail: ']\n', rows: toJsonRows(columns) };
}

/** A result in the form of `toJsonForm`. */
export function writeJson(result: Result): Generator<string> {
  return toChunks(toJsonForm(result.columns), toBatch(result));
}
