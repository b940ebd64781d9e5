import type { Parameter } from './expression.ts';

/** SQL ready to send: text with the dialect's placeholders, and the values for them in order. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly Parameter[];
  /**
   * Columns that follow the plan's own in every row: numbers of source rows that a measure could not count.
   * They are added up and told, never shown.
   */
  readonly uncounted: readonly { readonly what: string }[];
}
