import { stripVTControlCharacters } from 'node:util';
import chalk from 'chalk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeTable } from '../../../src/show/terminal/write-table.ts';
import { anyResult } from '../arbitrary-result.ts';
import { exampleResult, hostileTexts, numberColumn, textColumn } from '../example-result.ts';

const result = exampleResult(
  [
    [textColumn('a', 'A'), ['x', null]],
    [numberColumn('n', 'N'), [1, 2]],
  ],
  { provenance: { truncated: { limit: 2 } } },
);

describe('writeTable', () => {
  it('draws exactly the lines of the layout through Ink', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyResult,
        fc.oneof(fc.integer({ min: 1, max: 120 }), fc.constant(Infinity)),
        async (any, width) => {
          const plain = await writeTable(any, { width, colour: false });
          expect(stripVTControlCharacters(await writeTable(any, { width, colour: true }))).toBe(plain);
        },
      ),
    );
  });

  it('draws long tables in parts that join', async () => {
    for (const rowCount of [37, 38, 39, 77, 78, 79, 200]) {
      const long = exampleResult(
        [[numberColumn('n', 'N'), Float64Array.from({ length: rowCount }, (_, row) => row * 100)]],
        { provenance: { notes: ['Noted.'] } },
      );
      const plain = await writeTable(long, { width: 80, colour: false });
      expect(plain.split('\n')).toHaveLength(2 + rowCount + 2 + 1);
      expect(stripVTControlCharacters(await writeTable(long, { width: 80, colour: true }))).toBe(plain);
    }
  });

  it('colours on request whatever the environment says, and restores the setting', async () => {
    const { level } = chalk;
    chalk.level = 0;
    try {
      const coloured = await writeTable(result, { width: 80, colour: true });
      expect(coloured).toContain('\u001b[1mA  N\u001b[22m');
      expect(coloured).toContain('\u001b[33mLimit of 2 rows reached: there may be more.\u001b[39m');
      expect(chalk.level).toBe(0);
    } finally {
      chalk.level = level;
    }
  });

  it('writes no escape sequence without colour, whatever the environment says', async () => {
    const { level } = chalk;
    chalk.level = 3;
    try {
      const hostile = exampleResult([[textColumn('a', hostileTexts[0]), hostileTexts]], {
        provenance: { notes: [...hostileTexts] },
      });
      expect(await writeTable(hostile, { width: 80, colour: false })).not.toMatch(/(?!\n)\p{Cc}/u);
    } finally {
      chalk.level = level;
    }
  });

  it('styles only its own parts: values bring no colour', async () => {
    const hostile = exampleResult([[textColumn('a', 'A'), hostileTexts]]);
    const coloured = await writeTable(hostile, { width: 80, colour: true });
    expect(
      coloured.match(/\u001b\[[^m]*m|\u001b/g)?.every((sequence) => /^\u001b\[(?:1|2|22|33|39)m$/.test(sequence)),
    ).toBe(true);
  });
});
