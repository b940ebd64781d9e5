import type { PropertyProfile } from '../../plan/model/property-members.ts';
import { mostDigits } from '../../plan/model/property-sql.ts';

/** The number of events that are sampled for property names, and the number of names to keep. */
export const mostSampled = 10_000;
export const mostNames = 500;

/** The result of a statement such as `profileStatement`. */
export function toProfile(path: readonly string[], row: readonly unknown[]): PropertyProfile {
  const [events = 0, numbers = 0, booleans = 0, large = 0, rounded = 0, beyond = 0, decimals = 0, ...more] = row
    .slice(0, 13)
    .map((value) => Number(value ?? 0));
  const [wholeDigits = 0, texts = 0, loose = 0, exponents = 0, least = 0, most = 0] = more;
  const notFinite = Number(row[20] ?? 0);
  // Texts in this canonical form have as many distinct numbers as distinct texts.
  const areApart = texts === 0 || loose === 0 || (exponents === 0 && least === most && least > 0 && texts === numbers);
  const type =
    events > 0 && booleans === events
      ? 'boolean'
      : numbers > 0 && numbers + notFinite === events && large === 0 && areApart
        ? 'number'
        : 'string';
  return {
    path,
    type,
    events,
    numbers,
    large,
    rounded,
    scale: beyond === 0 && numbers > 0 && wholeDigits + decimals <= mostDigits ? decimals : undefined,
    wholeDigits,
    times: Number(row[15] ?? 0),
    localTimes: Number(row[16] ?? 0),
    ...(typeof row[17] === 'string' && { zones: row[17].split(' ').sort() }),
    ...(typeof row[18] === 'number' && typeof row[19] === 'number' && { ends: [row[18], row[19]] }),
    example: row[13] === null || row[13] === undefined ? undefined : String(row[13]),
    ...(Number(row[14]) > 0 && { inLists: true }),
  };
}
