import type { ColumnSource } from '../mapping/mapping.ts';
import type { FileSigns } from '../mapping/preset.ts';

/** What tells that a file is of one kind: columns or JSON paths. */
interface Signs {
  /** At least `least` of these; so that a file that lacks one of them is still known. */
  readonly typical: readonly string[];
  readonly least: number;
  /** At least one of these. */
  readonly own?: readonly string[];
  /** None of these: signs of a kind that is much alike. */
  readonly foreign?: readonly string[];
}

/** 1 if the file shows the signs, else 0. */
export function recogniseBy({ typical, least, own, foreign = [] }: Signs): (signs: FileSigns) => number {
  return ({ has }) => {
    const count = (names: readonly string[]) => names.filter(has).length;
    const holds = count(typical) >= least && (own === undefined || count(own) > 0) && count(foreign) === 0;
    return holds ? 1 : 0;
  };
}

/** Columns of times that are always written as ISO 8601 has it. */
export function isoTimes(...columns: readonly string[]): readonly ColumnSource[] {
  return columns.map((column) => ({ column, format: 'iso' }));
}
