import { toInstant as toZonedInstant } from '../../ask/time/zone.ts';
import type { Column, Value } from '../../plan/column.ts';
import { toInstant } from '../../plan/to-instant.ts';
import { withParts } from '../../ask/cloneable.ts';
import type { Result } from '../../shape/result/result.ts';
import { wrongArgument } from '../../ask/document/check-argument.ts';
import type { RowOptions, ZonedTime } from './options.ts';

/** Converts one value of a column for `rows()`. */
export type ReadValue = (value: Value) => Value | Date | ZonedTime;

/** Returns a converter for a column, or undefined to keep its values. */
export type TimeReaders = ((column: Column, zone: string) => ReadValue | undefined) | undefined;

/** Throws `InvalidInputError` if `times` is `temporal` and the runtime has no `Temporal`. */
export function timeReaders(called: string, { times }: RowOptions): TimeReaders {
  if (times !== 'date' && times !== 'temporal') return undefined;
  const make = times === 'date' ? (instant: number) => new Date(instant) : zonedTimes(called);
  return ({ type, granularity }, zone) => {
    if (type !== 'time') return undefined;
    return (value) => {
      if (typeof value !== 'string') return value;
      const instant = toInstant(value);
      if (instant === undefined) return value;
      // Labels of buckets of a day or longer have no offset; the bucket starts at local midnight of the zone.
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
