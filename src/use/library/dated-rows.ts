import { toInstant as toZonedInstant } from '../../ask/time/zone.ts';
import type { Column, Value } from '../../plan/column.ts';
import { toInstant } from '../../plan/to-instant.ts';
import { withParts } from '../../shape/result/cloneable.ts';
import type { Result } from '../../shape/result/result.ts';
import { wrongArgument } from '../../ask/document/check-argument.ts';
import type { RowOptions, ZonedTime } from './options.ts';

/** What `rows()` has for a value of a column. */
export type ReadValue = (value: Value) => Value | Date | ZonedTime;

/** Makes readers of columns; undefined if they are to be as they are. */
export type TimeReaders = ((column: Column, zone: string) => ReadValue | undefined) | undefined;

/** Throws `InvalidInputError` if the runtime lacks what the times are to be. */
export function timeReaders(called: string, { times }: RowOptions): TimeReaders {
  if (times !== 'date' && times !== 'temporal') return undefined;
  const make = times === 'date' ? (instant: number) => new Date(instant) : zonedTimes(called);
  return ({ type, granularity }, zone) => {
    if (type !== 'time') return undefined;
    return (value) => {
      if (typeof value !== 'string') return value;
      const instant = toInstant(value);
      if (instant === undefined) return value;
      // A bucket of a day and longer begins in its zone.
      const isLocal = granularity !== undefined && !/(?:Z|[+-]\d\d:\d\d)$/.test(value);
      return make(isLocal ? toZonedInstant(instant, zone, 'first') : instant, zone);
    };
  };
}

function zonedTimes(called: string): (instant: number, zone: string) => ZonedTime {
  const { Temporal } = globalThis as {
    readonly Temporal?: { readonly ZonedDateTime: new (nanoseconds: bigint, zone: string) => ZonedTime };
  };
  if (!Temporal)
    throw wrongArgument(
      called,
      '`times` is "temporal", and this runtime has no Temporal.',
      'Load a polyfill, start Node with its flag harmony-temporal, or use `times: "date"`.',
    );
  return (instant, zone) => new Temporal.ZonedDateTime(BigInt(instant) * 1_000_000n, zone);
}

/** The result with its times read. */
export function withTimes(result: Result, readerOf: TimeReaders): Result {
  if (!readerOf) return result;
  const readers = result.columns.flatMap((column) => {
    const read = readerOf(column, result.provenance.zone);
    return read ? [[column.key, read] as const] : [];
  });
  let rows: readonly object[] | undefined;
  const changed: Result<object> = withParts(result as Result<object>, {
    toJSON: () => result.toJSON(),
    rows: () =>
      (rows ??= result.rows().map((row) => ({
        ...row,
        ...Object.fromEntries(readers.map(([key, read]) => [key, read(row[key] ?? null)])),
      }))),
  });
  return changed as Result;
}
