import type { ColumnSource } from '../mapping/mapping.ts';
import type { Fallback, FileSigns } from '../mapping/preset.ts';

/** The columns or JSON paths by which a kind of file is recognised. */
interface Signs {
  /** The file must have at least `least` of these, so that one may be missing. */
  readonly typical: readonly string[];
  readonly least: number;
  /** The file must have at least one of these. */
  readonly own?: readonly string[];
  /** The file must have none of these, which belong to a similar kind. */
  readonly foreign?: readonly string[];
}

/** Returns 1 if the file has the signs, otherwise 0. */
export function recogniseBy({ typical, least, own, foreign = [] }: Signs): (signs: FileSigns) => number {
  return ({ has }) => {
    const count = (names: readonly string[]) => names.filter(has).length;
    const holds = count(typical) >= least && (own === undefined || count(own) > 0) && count(foreign) === 0;
    return holds ? 1 : 0;
  };
}

/** Time columns that are always in ISO 8601 format. */
export function isoTimes(...columns: readonly string[]): readonly ColumnSource[] {
  return columns.map((column) => ({ column, format: 'iso' }));
}

/** What happens without the column of the session. */
export const derivedSessions: Fallback = { text: 'sessions are derived from users and times' };

/** What happens without one of two columns with users. */
export function usersBy(needs: string): Fallback {
  return { text: `users are counted by ${needs}`, needs };
}
