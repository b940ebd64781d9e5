import { isInstant } from '../../ask/time/range.ts';

/**
 * A reference time for relative ranges: text such as `2024-03-08` or `2024-03-08T12:00` (in the zone of the question
 * unless it has an offset), a `Date`, or milliseconds since 1970.
 */
export type AsOf = string | Date | number;

/** True if a value can be a reference time; texts are parsed later. */
export function isAsOf(value: unknown): value is AsOf {
  return typeof value === 'string' || isInstant(value) || (isDate(value) && isInstant(value.getTime()));
}

/** Avoids `instanceof`: test runners have their own `Date` class. */
function isDate(value: unknown): value is Date {
  return Object.prototype.toString.call(value) === '[object Date]';
}
