import { toInstant as toZonedInstant } from '../../ask/time/zone.ts';
import type { Column, Value } from '../../plan/column.ts';
import { toInstant } from '../../plan/to-instant.ts';
import { withParts } from '../../shape/result/cloneable.ts';
import type { Result } from '../../shape/result/result.ts';

/** What `rows()` has for a value of a column. */
export type ReadValue = (value: Value) => Value | Date;

/** Reads the times of a column as the instants that they name; a bucket of a day and longer begins in its zone. */
export function dateReader({ type, granularity }: Column, zone: string): ReadValue | undefined {
  if (type !== 'time') return undefined;
  return (value) => {
    if (typeof value !== 'string') return value;
    const instant = toInstant(value);
    if (instant === undefined) return value;
    const isLocal = granularity !== undefined && !/(?:Z|[+-]\d\d:\d\d)$/.test(value);
    return new Date(isLocal ? toZonedInstant(instant, zone, 'first') : instant);
  };
}

/** The result with dates in its rows. */
export function withDates(result: Result): Result<Readonly<Record<string, Value | Date>>> {
  const readers = result.columns.flatMap((column) => {
    const read = dateReader(column, result.provenance.zone);
    return read ? [[column.key, read] as const] : [];
  });
  let rows: readonly Readonly<Record<string, Value | Date>>[] | undefined;
  return withParts(result as Result<Readonly<Record<string, Value | Date>>>, {
    toJSON: () => result.toJSON(),
    rows: () =>
      (rows ??= result.rows().map((row) => ({
        ...row,
        ...Object.fromEntries(readers.map(([key, read]) => [key, read(row[key] ?? null)])),
      }))),
  });
}
