import { toInstant as toZonedInstant } from '../../ask/time/zone.ts';
import type { Column, Value } from '../../plan/column.ts';
import { toInstant } from '../../plan/to-instant.ts';

/** A `Temporal.ZonedDateTime`. */
type Zoned = object;

/** Returns what `rows()` makes of a value of a column, or undefined to keep its values. */
export function toTimeReader(
  { type, granularity, times }: Pick<Column, 'type' | 'granularity' | 'times'>,
  zone: string,
): ((value: Value) => Value | Date | Zoned) | undefined {
  if (type !== 'time' || times === undefined) return undefined;
  const make = times === 'date' ? (instant: number) => new Date(instant) : toZoned;
  return (value) => {
    if (typeof value !== 'string') return value;
    const instant = toInstant(value);
    if (instant === undefined) return value;
    // Labels of buckets of a day or longer have no offset; the bucket starts at local midnight of the zone.
    const isLocal = granularity !== undefined && !/(?:Z|[+-]\d\d:\d\d)$/.test(value);
    return make(isLocal ? toZonedInstant(instant, zone, 'first') : instant, zone);
  };
}

function toZoned(instant: number, zone: string): Zoned {
  const { Temporal } = globalThis as unknown as {
    readonly Temporal: { readonly ZonedDateTime: new (nanoseconds: bigint, zone: string) => Zoned };
  };
  return new Temporal.ZonedDateTime(BigInt(instant) * 1_000_000n, zone);
}
