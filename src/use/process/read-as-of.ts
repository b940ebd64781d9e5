import { bad, badWith, good, type Outcome } from '../../ask/outcome.ts';
import { quote } from '../../ask/text.ts';
import { readWrittenTime } from '../../ask/time/read-written-time.ts';
import { toInstant } from '../../ask/time/zone.ts';

/**
 * The reference time of questions in a zone (canonical name), in epoch milliseconds. A clock gives the same for all
 * zones.
 */
export type Present = (zone: string) => number;

/**
 * Reads a reference time: `2024-03-08T12:00`, `2024-03-08T12:00Z`, or the start of a day, month or year. A time without
 * an offset is in the zone of the question. Issues: `invalid-date`.
 */
export function readAsOf(text: string, source: string): Outcome<Present> {
  const written = readWrittenTime(text.trim());
  if (written === undefined) {
    return badWith('invalid-date', `${quote(text)} is not a date.`, {
      path: [source],
      hint: 'Write 2024-03-08, or 2024-03-08T12:00.',
    });
  }
  if (!written.ok) return bad(written.issues.map((issue) => ({ ...issue, path: [source] })));
  const { local, offset } = written.value;
  return good(offset === undefined ? (zone: string) => toInstant(local, zone, 'first') : () => local - offset);
}
