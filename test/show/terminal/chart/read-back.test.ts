import { Terminal } from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partialByRange, toMarks } from '../../../../src/shape/result/marks.ts';
import { specimens } from '../../chart/specimens.ts';
import { draw, plotOf, readDots, specOf } from './drawn.ts';
import { runs } from '../../../runs.ts';
import { withParts } from '../../../../src/ask/cloneable.ts';

// Independent of Vega: the scale is known, so the position of each value is a multiplication.
const most = 100;
const share = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 9, arbitrary: fc.double({ min: 0.01, max: most, noNaN: true }) },
);
const scale = { domain: [0, most], nice: false };
const widths = fc.constantFrom(40, 57, 80, 120);

describe('drawings show the data', () => {
  it('a line passes each of its points within one dot', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(share, { minLength: 2, maxLength: 25 }), widths, async (values, width) => {
        const spec = {
          data: { values: values.map((v, x) => ({ x, v })) },
          mark: 'line',
          encoding: {
            x: { field: 'x', type: 'quantitative', scale: { domain: [0, values.length - 1], nice: false } },
            y: { field: 'v', type: 'quantitative', scale },
          },
        };
        const lines = await draw(spec, { width });
        const plot = plotOf(lines);
        const dots = readDots(plot);
        const columns = 2 * widthOf(lines);
        values.forEach((value, index) => {
          const column = Math.min(columns - 1, Math.floor((index / (values.length - 1)) * columns));
          const row = (1 - value / most) * plot.length * 4;
          const near = [column - 1, column, column + 1]
            .flatMap((at) => dots.get(at) ?? [])
            .map((dot) => Math.abs(dot + 0.5 - row));
          expect(Math.min(...near)).toBeLessThanOrEqual(1);
        });
        // Between two points it is never above or below both of them.
        for (const [column, rows] of dots) {
          const place = ((column + 0.5) / columns) * (values.length - 1);
          const around = values.slice(
            Math.max(0, Math.floor(place - (values.length - 1) / columns)),
            Math.ceil(place + (values.length - 1) / columns) + 1,
          );
          const [low, high] = [Math.min(...around), Math.max(...around)].map(
            (value) => (1 - value / most) * plot.length * 4,
          ) as [number, number];
          for (const row of rows) {
            expect(row + 0.5).toBeGreaterThanOrEqual(high - 1);
            expect(row + 0.5).toBeLessThanOrEqual(low + 1);
          }
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it('an area goes from 0 to its values within one dot', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(share, { minLength: 2, maxLength: 20 }), widths, async (values, width) => {
        const spec = {
          data: { values: values.map((v, x) => ({ x, v })) },
          mark: { type: 'area', fillOpacity: 1, opacity: 1 },
          encoding: {
            x: { field: 'x', type: 'quantitative', scale: { domain: [0, values.length - 1], nice: false } },
            y: { field: 'v', type: 'quantitative', scale },
          },
        };
        const lines = await draw(spec, { width });
        const plot = plotOf(lines);
        const dots = readDots(plot);
        const columns = 2 * widthOf(lines);
        for (let column = 0; column < columns; column += 1) {
          const place = ((column + 0.5) / columns) * (values.length - 1);
          const [before, after] = [values[Math.floor(place)]!, values[Math.ceil(place)]!];
          const steep = (Math.abs(after - before) / most) * plot.length * 4 * ((values.length - 1) / columns);
          const height = ((before + (after - before) * (place % 1)) / most) * plot.length * 4;
          const set = (dots.get(column) ?? []).length;
          // If two points share a column of dots, the area shows the higher one.
          if (
            values.length - 1 < columns / 2 &&
            place % 1 > (values.length - 1) / columns &&
            place % 1 < 1 - (values.length - 1) / columns
          )
            expect(Math.abs(set - height)).toBeLessThanOrEqual(1 + steep / 2);
          expect(new Set(dots.get(column) ?? [])).toEqual(
            new Set(Array.from({ length: set }, (_, index) => plot.length * 4 - 1 - index)),
          );
        }
      }),
      { numRuns: runs(40) },
    );
  });

  it('columns go from 0 to their values within an eighth of a cell', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(share, { minLength: 1, maxLength: 12 }), widths, async (values, width) => {
        const spec = {
          data: { values: values.map((v, x) => ({ x, v })) },
          mark: 'bar',
          encoding: { x: { field: 'x', type: 'ordinal' }, y: { field: 'v', type: 'quantitative', scale } },
        };
        const lines = await draw(spec, { width });
        const plot = plotOf(lines).map((line) => line.padEnd(width));
        const label = lines.findIndex((line) => line.includes('└'));
        expect(lines[label]).toMatch(/^ *0 └/);
        const starts = barStarts(values.length, widthOf(lines));
        values.forEach((value, index) => {
          const cells = plot.map((line) => line[starts[index]!]!).reverse();
          const eighths = cells.map((cell) => (cell === ' ' ? 0 : '▁▂▃▄▅▆▇█'.indexOf(cell) + 1));
          const filled = eighths.findIndex((part) => part < 8);
          expect(eighths.slice(filled + 1).every((part) => part === 0) || filled === -1).toBe(true);
          const height = eighths.reduce((sum, part) => sum + part, 0);
          expect(Math.abs(height - (value / most) * plot.length * 8)).toBeLessThanOrEqual(1);
          expect(height > 0).toBe(value > 0);
        });
      }),
      { numRuns: runs(60) },
    );
  });

  it('bars go from 0 to their values within an eighth of a cell', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(share, { minLength: 1, maxLength: 12 }), widths, async (values, width) => {
        const spec = {
          data: { values: values.map((v, x) => ({ name: `n${x}`, v })) },
          mark: 'bar',
          encoding: {
            y: { field: 'name', type: 'nominal', sort: null },
            x: { field: 'v', type: 'quantitative', scale, axis: null },
          },
        };
        const lines = (await draw(spec, { width })).filter((line) => /^ *n\d+/.test(line));
        const start = Math.max(...values.map((_, index) => `n${index}`.length)) + 2;
        const plot = width - start;
        values.forEach((value, index) => {
          const bar = lines[index]!.slice(start);
          expect(bar).toMatch(/^█*[▏▎▍▌▋▊▉]?$/);
          const length = [...bar].reduce((sum, cell) => sum + (cell === '█' ? 8 : '▏▎▍▌▋▊▉'.indexOf(cell) + 1), 0);
          expect(Math.abs(length - (value / most) * plot * 8)).toBeLessThanOrEqual(1);
          expect(length > 0).toBe(value > 0);
        });
      }),
      { numRuns: runs(60) },
    );
  });

  it('bars below 0 extend down from it, within an eighth of a cell if there is colour', async () => {
    const signed = fc.double({ min: -most, max: most, noNaN: true });
    await fc.assert(
      fc.asyncProperty(fc.array(signed, { minLength: 1, maxLength: 10 }), async (values) => {
        const spec = {
          data: { values: values.map((v, x) => ({ x, v })) },
          mark: 'bar',
          encoding: {
            x: { field: 'x', type: 'ordinal' },
            y: {
              field: 'v',
              type: 'quantitative',
              scale: { domain: [-most, most], nice: false },
              axis: { values: [-most, 0, most] },
            },
          },
        };
        const width = 80;
        const lines = await draw(spec, { width, colours: 24 });
        const bare = await draw(spec, { width });
        const rows = bare.findIndex((line) => line.includes('└'));
        const first = bare.findIndex((line) => line.includes('┤'));
        const left = bare[rows]!.indexOf('└') + 1;
        const terminal = new Terminal({ cols: width, rows: lines.length, allowProposedApi: true });
        await new Promise<void>((resolve) => {
          terminal.write(lines.join('\r\n'), resolve);
        });
        const height = rows - first;
        const starts = barStarts(values.length, widthOf(bare));
        values.forEach((value, index) => {
          let above = 0;
          let below = 0;
          for (let row = first; row < rows; row += 1) {
            const cell = terminal.buffer.active.getLine(row)!.getCell(left + starts[index]!)!;
            const block = '▁▂▃▄▅▆▇█'.indexOf(cell.getChars() || ' ') + 1;
            const filled = cell.isInverse() ? 8 - block : block;
            if (row - first < height / 2) above += filled;
            else below += filled;
          }
          expect(Math.abs(above - (Math.max(0, value) / most) * height * 4)).toBeLessThanOrEqual(1);
          expect(Math.abs(below - (Math.max(0, -value) / most) * height * 4)).toBeLessThanOrEqual(1);
        });
        terminal.dispose();
      }),
      { numRuns: runs(40) },
    );
  });

  it('parts of a stack are adjacent within an eighth of a cell, each in its colour', async () => {
    const parts = fc.array(fc.double({ min: 5, max: 30, noNaN: true }), { minLength: 2, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(parts, async (values) => {
        const colours = ['#ff0000', '#00ff00', '#0000ff'];
        const spec = {
          data: { values: values.map((v, s) => ({ x: 'x', v, s })) },
          mark: 'bar',
          encoding: {
            y: { field: 'x', type: 'nominal', axis: null },
            x: { field: 'v', type: 'quantitative', scale, axis: null },
            order: { field: 's' },
            color: {
              field: 's',
              type: 'nominal',
              scale: { domain: values.map((_, s) => s), range: colours.slice(0, values.length) },
              legend: null,
            },
          },
        };
        const [line] = await draw(spec, { width: 80, colours: 24 });
        const terminal = new Terminal({ cols: 80, rows: 2, allowProposedApi: true });
        await new Promise<void>((resolve) => {
          terminal.write(line!, resolve);
        });
        const lengths = new Map<number, number>();
        const add = (colour: number, length: number) => lengths.set(colour, (lengths.get(colour) ?? 0) + length);
        for (let column = 0; column < 80; column += 1) {
          const cell = terminal.buffer.active.getLine(0)!.getCell(column)!;
          const block = cell.getChars() === '█' ? 8 : '▏▎▍▌▋▊▉'.indexOf(cell.getChars() || ' ') + 1;
          if (block > 0) add(cell.getFgColor(), block);
          if (cell.isBgRGB()) add(cell.getBgColor(), 8 - block);
        }
        values.forEach((value, index) =>
          expect(
            Math.abs((lengths.get(Number(colours[index]!.replace('#', '0x'))) ?? 0) - (value / most) * 80 * 8),
          ).toBeLessThanOrEqual(1),
        );
        terminal.dispose();
      }),
      { numRuns: runs(40) },
    );
  });
});

describe('parts that are too small for a cell', () => {
  const names = ['one', 'two', 'three'];
  const stack = (rows: readonly (readonly number[])[]) => ({
    data: { values: rows.flatMap((values, x) => values.map((v, s) => ({ x: `row ${x}`, v, s: names[s] }))) },
    mark: 'bar',
    encoding: {
      y: { field: 'x', type: 'nominal', sort: null },
      x: { field: 'v', type: 'quantitative', axis: null },
      color: {
        field: 's',
        type: 'nominal',
        sort: null,
        scale: { domain: names, range: ['#ff0000', '#00ff00', '#0000ff'] },
      },
    },
  });
  const told = (lines: readonly string[]) =>
    [...lines.join(' ').matchAll(/ in (\d+) bars?/g)].reduce((sum, [, count]) => sum + Number(count), 0);

  it('are listed by series: all hidden parts and no visible ones', async () => {
    const amount = fc.oneof(
      fc.constant(0),
      fc.double({ min: 0.1, max: 3, noNaN: true }),
      fc.double({ min: 3, max: 300, noNaN: true }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(amount, amount, amount), { minLength: 1, maxLength: 5 }),
        widths,
        async (rows, width) => {
          fc.pre(rows.flat().some((value) => value > 0));
          const lines = await draw(stack(rows), { width, ascii: true });
          const seen = rows.map((_, x) => {
            const [bar = ''] = /[ABC|]*$/.exec(lines.find((line) => line.startsWith(`row ${x} `)) ?? '') ?? [];
            // A mark alone belongs to the bar; behind a letter it could belong to any.
            return bar === '|' ? 1 : new Set(bar.replaceAll('|', '')).size;
          });
          expect(told(lines)).toBe(
            rows.flat().filter((value) => value > 0).length - seen.reduce((sum, each) => sum + each, 0),
          );
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('are named, and do not occur with colours and enough room', async () => {
    const rows = [
      [100, 20, 1],
      [50, 20, 0.5],
    ];
    expect((await draw(stack(rows), { width: 60 })).at(-1)).toMatch(/^Too small to show here: three in \d bars?\.$/);
    expect(told(await draw(stack(rows), { width: 200, colours: 24 }))).toBe(0);
  });

  it('and hidden by similar pale shades are listed, too', async () => {
    const { result, ...options } = specimens['column-stacked']!;
    const whole = await draw(specOf({ result, ...options }));
    expect(whole.join('\n')).not.toContain('Pale bars');
    const marks = toMarks(
      new Map(
        result.columns.map(({ key }) => [
          key,
          Uint8Array.from({ length: result.rowCount }, (_, row) => (row < 4 ? partialByRange : 0)),
        ]),
      ),
    );
    expect((await draw(specOf({ result: withParts(result, { marks }), ...options }))).at(-1)).toBe(
      'Pale bars show only the sum of their parts.',
    );
  });
});

function widthOf(lines: readonly string[]): number {
  return /└([─┬]*)/.exec(lines.find((line) => line.includes('└'))!)![1]!.length;
}

/** Bands have equal sizes and gaps; returns the middle of each. */
function barStarts(count: number, width: number): readonly number[] {
  const gaps = [2, 1, 0].map((gap) => [gap, (width + gap) / count - gap] as const);
  const [gap, band] = gaps.find(([, size]) => Number.isInteger(size) && size >= 1)!;
  return Array.from({ length: count }, (_, index) => index * (band + gap) + Math.floor(band / 2));
}
