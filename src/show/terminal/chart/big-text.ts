import type { Screen } from './screen.ts';

/** Texts of so many pixels and more are written in large figures where they can be. */
export const bigFrom = 40;

export const bigLines = 3;

/** Three lines high and drawn by half blocks: pixels of five rows, the sixth empty. */
const glyphs: Readonly<Record<string, readonly string[]>> = {
  '0': ['###', '#.#', '#.#', '#.#', '###'], '1': ['.#.', '##.', '.#.', '.#.', '###'], '2': ['###', '..#', '###', '#..', '###'], '3': ['###', '..#', '.##', '..#', '###'],
  '4': ['#.#', '#.#', '###', '..#', '..#'], '5': ['###', '#..', '###', '..#', '###'], '6': ['###', '#..', '###', '#.#', '###'], '7': ['###', '..#', '..#', '.#.', '.#.'],
  '8': ['###', '#.#', '###', '#.#', '###'], '9': ['###', '#.#', '###', '..#', '###'], '.': ['.', '.', '.', '.', '#'], ',': ['..', '..', '..', '.#', '#.'],
  '%': ['#..#', '...#', '.##.', '#...', '#..#'], '-': ['..', '..', '##', '..', '..'], '−': ['..', '..', '##', '..', '..'], '+': ['...', '.#.', '###', '.#.', '...'], ' ': ['.', '.', '.', '.', '.'],
  ':': ['.', '#', '.', '#', '.'], '–': ['..', '..', '##', '..', '..'],
};

const halves = [' ', '▄', '▀', '█'] as const;

/** Writes figures three lines high around a line. False where a sign has no large form or there is no room; then nothing is written. */
export function writeBig(screen: Screen, row: number, column: number, text: string): boolean {
  const shapes = [...text].map((character) => (Object.hasOwn(glyphs, character) ? glyphs[character] : undefined));
  const cells = shapes.reduce((sum, shape) => sum + (shape?.[0]?.length ?? 0) + 1, -1);
  if (shapes.includes(undefined) || column + cells > screen.width || row < 1 || row + 1 >= screen.height) return false;
  let at = column;
  for (const shape of shapes) {
    const wide = shape?.[0]?.length ?? 0;
    for (let line = 0; line < bigLines; line += 1) {
      for (let cell = 0; cell < wide; cell += 1) {
        const upper = shape?.[line * 2]?.[cell] === '#' ? 2 : 0;
        const lower = shape?.[line * 2 + 1]?.[cell] === '#' ? 1 : 0;
        screen.put(row - 1 + line, at + cell, halves[upper + lower] as string, {});
      }
    }
    at += wide + 1;
  }
  return true;
}
