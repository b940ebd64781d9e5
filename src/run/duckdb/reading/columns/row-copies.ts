import { quoteName } from '../../engine/sql-text.ts';

/** The gathered count as text, and later the number read from it. */
export const copiesColumn = 'sluice copies';

/** The maximum count of a grouped row. The row becomes a list of this length. */
const mostCopies = 10_000_000;

/** The number of events in a row; NULL if its count is not valid. */
export function copiesOf(): string {
  const text = quoteName(copiesColumn);
  return `CASE WHEN ${text} IS NULL THEN 1
    WHEN TRY_CAST(${text} AS DOUBLE) BETWEEN 1 AND ${mostCopies}
    AND TRY_CAST(${text} AS DOUBLE) % 1 = 0
    THEN CAST(CAST(${text} AS DOUBLE) AS BIGINT) END`;
}

/** Why a row's count is invalid. */
export function countFault(text: string): string {
  return Number(text) > mostCopies
    ? `a count above ${mostCopies}: ${text}`
    : `a count that is not a whole number above 0: ${text}`;
}
