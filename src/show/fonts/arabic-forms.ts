import { arabicForms } from './font-widths.ts';

interface Letter {
  readonly widths: readonly [alone: number, atEnd: number, atStart: number, inside: number];
  /** Whether it changes its form when a letter stands before it, or after it. */
  readonly joinsBefore: boolean;
  readonly joinsAfter: boolean;
}

const joiner = 0x640;
const zeroWidthJoiner = 0x200d;

let letters: ReadonlyMap<number, Letter> | undefined;

function readLetters(): ReadonlyMap<number, Letter> {
  return new Map(
    arabicForms
      .trim()
      .split(/\s/)
      .map((entry) => {
        const [code = 0, alone = 0, atEnd = 0, atStart = 0, inside = 0] = entry
          .split('.')
          .map((digits) => parseInt(digits, 36));
        const joins = code === joiner;
        return [
          code,
          {
            widths: [alone, atEnd, atStart, inside],
            joinsBefore: joins || atEnd !== alone,
            joinsAfter: joins || atStart !== alone,
          },
        ];
      }),
  );
}

/** Whether the font has forms for this letter: their widths depend on what stands around it. */
export function isArabicLetter(code: number): boolean {
  return (letters ??= readLetters()).has(code);
}

/** Width of the letter in thousandths of an em between two others; marks are no letters. */
export function arabicWidth(code: number, before: number | undefined, after: number | undefined): number {
  letters ??= readLetters();
  const letter = letters.get(code);
  if (!letter) return 0;
  const joinedBefore =
    letter.joinsBefore && (before === zeroWidthJoiner || letters.get(before ?? 0)?.joinsAfter === true);
  const joinedAfter = letter.joinsAfter && (after === zeroWidthJoiner || letters.get(after ?? 0)?.joinsBefore === true);
  return letter.widths[(joinedBefore ? 1 : 0) + (joinedAfter ? 2 : 0)] ?? 0;
}
