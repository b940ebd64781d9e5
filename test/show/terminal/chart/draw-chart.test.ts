import { Terminal } from '@xterm/headless';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { toChart } from '../../../../src/show/to-chart.ts';
import { toVegaLite } from '../../../../src/show/chart/vega-lite/to-vega-lite.ts';
import type { ColourDepth } from '../../../../src/show/terminal/chart/draw-chart-options.ts';
import { anyResult } from '../../arbitrary-result.ts';
import { specimens } from '../../chart/specimens.ts';
import { draw, plotOf, readDots, specOf } from './drawn.ts';

const escape = '\u001B';
const rendition = /\u001B\[[\d;]*m/g;

async function drawAll(width: number, options: Parameters<typeof draw>[1] = {}): Promise<string> {
  const drawn = await Promise.all(
    Object.entries(specimens).map(async ([name, specimen]) =>
      [`── ${name} ──`, ...(await draw(specOf(specimen), { width, ...options })), ''].join('\n'),
    ),
  );
  return drawn.join('\n');
}

describe('the chart of every specimen', () => {
  it.each([80, 40])('is readable at %i columns', async (width) => {
    await expect(await drawAll(width)).toMatchFileSnapshot(`golden/charts-${width}.txt`);
  });

  it('is readable in ASCII', async () => {
    const text = await drawAll(60, { ascii: true });
    await expect(text).toMatchFileSnapshot('golden/charts-60-ascii.txt');
    expect(text).not.toMatch(/[\u2501-\u25ff\u2800-\u28ff]/u);
  });

  it.each<ColourDepth>([24, 8, 4])('uses the colours of the terminal: %i bits', async (colours) => {
    const names = [
      'line-of-series',
      'area-stacked',
      'column-stacked',
      'column-partial',
      'negative-bars',
      'heatmap-cohorts',
      'stat-with-change',
    ];
    const drawn = await Promise.all(
      names.map(async (name) => (await draw(specOf(specimens[name]!), { width: 60, colours })).join('\n')),
    );
    await expect(`${drawn.join('\n\n').replaceAll(escape, '␛')}\n`).toMatchFileSnapshot(
      `golden/colours-${colours}.txt`,
    );
  });

  it('never exceeds the requested width, and contains no control sequences except colours', async () => {
    for (const [name, specimen] of Object.entries(specimens)) {
      for (const [width, colours] of [
        [40, 0],
        [47, 24],
        [61, 4],
        [133, 8],
        [300, 0],
      ] as const) {
        const lines = await draw(specOf(specimen), { width, colours, ascii: width === 61 });
        for (const line of lines) {
          expect(stringWidth(line), `${name} ${width}: ${line}`).toBeLessThanOrEqual(width);
          expect(line.replace(rendition, ''), name).not.toMatch(/\p{Cc}/u);
        }
      }
    }
  });
});

describe('charts of arbitrary data', () => {
  const anyOptions = fc.record({
    width: fc.integer({ min: 40, max: 300 }),
    height: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
    colours: fc.constantFrom<ColourDepth>(0, 4, 8, 24),
    ascii: fc.boolean(),
    dark: fc.boolean(),
  });

  it('never exceed the requested width', async () => {
    await fc.assert(
      fc.asyncProperty(anyResult, anyOptions, async (result, options) => {
        let chart;
        try {
          chart = toChart(result);
        } catch {
          return;
        }
        let lines: readonly string[];
        try {
          lines = await draw(toVegaLite(chart), options);
        } catch (error) {
          // Scales end where floating-point numbers do; realistic numbers all have a position.
          expect(error).toMatchObject({ name: 'InvalidInputError' });
          const numbers = result.columns
            .flatMap(({ key }) => [...result.values(key)])
            .map(Number)
            .filter((value) => !Number.isNaN(value));
          expect(numbers.some((value) => Math.abs(value) > 1e15 || (value !== 0 && Math.abs(value) < 1e-15))).toBe(
            true,
          );
          return;
        }
        for (const line of lines) {
          expect(stringWidth(line)).toBeLessThanOrEqual(options.width);
          expect(line.replace(rendition, '')).not.toMatch(/\p{Cc}/u);
          if (options.colours === 0) expect(line).not.toContain(escape);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('from arbitrary marks of others are drawn within the width, or refused by name', async () => {
    const channel = fc.record({
      field: fc.constantFrom('a', 'b', 'c', 't'),
      type: fc.constantFrom('nominal', 'ordinal', 'quantitative', 'temporal'),
    });
    const view = fc.record({
      mark: fc.constantFrom(
        'bar',
        'line',
        'area',
        'point',
        'rect',
        'rule',
        'text',
        'tick',
        'circle',
        'square',
        'boxplot',
        'errorband',
        'trail',
        'arc',
        { type: 'line', point: true, interpolate: 'monotone' },
        { type: 'area', line: true, interpolate: 'step' },
      ),
      encoding: fc.record(
        { x: channel, y: channel, color: channel, xOffset: channel, shape: channel, text: channel },
        { requiredKeys: ['x'] },
      ),
    });
    const rows = fc.array(
      fc.record({
        a: fc.oneof(fc.integer({ min: -50, max: 50 }), fc.constant(null)),
        b: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        c: fc.constantFrom('x', '价', 'a long name of it', '\u001B[2J'),
        t: fc.integer({ min: 1, max: 40 }).map((day) => day * 86_400_000),
      }),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(view, rows, anyOptions, async (spec, values, options) => {
        let lines: readonly string[];
        try {
          lines = await draw({ ...spec, data: { values } }, options);
        } catch (error) {
          expect(error).toMatchObject({
            name: 'InvalidInputError',
            code: expect.stringMatching(/^chart-(?:undrawable|invalid)$/),
          });
          return;
        }
        for (const line of lines) {
          expect(stringWidth(line)).toBeLessThanOrEqual(options.width);
          expect(line.replace(rendition, '')).not.toMatch(/\p{Cc}/u);
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe('drawing', () => {
  const days = Array.from({ length: 20 }, (_, day) => ({ t: Date.UTC(2024, 0, 1 + day), v: day * 5 }));
  const line = {
    data: { values: days },
    mark: 'line',
    encoding: { x: { field: 't', type: 'temporal', scale: { type: 'utc' } }, y: { field: 'v', type: 'quantitative' } },
  };

  it('keeps the specification unchanged, and is repeatable', async () => {
    const spec = specOf(specimens['line-annotated']!);
    const before = structuredClone(spec);
    const first = await draw(freeze(spec));
    expect(spec).toEqual(before);
    expect(Object.getOwnPropertySymbols((spec['data'] as { values: object[] }).values[0]!)).toEqual([]);
    expect(await draw(spec)).toEqual(first);
  });

  it('ends a line at a missing value', async () => {
    const values = days.map((row, index) => (index > 7 && index < 12 ? { ...row, v: null } : row));
    const dots = readDots(plotOf(await draw({ ...line, data: { values } })));
    const columns = [...dots.keys()].sort((a, b) => a - b);
    const gap = columns.findIndex((column, index) => index > 0 && column - columns[index - 1]! > 1);
    const width = Math.max(...columns) + 1;
    expect(columns[gap - 1]! / width).toBeCloseTo(7 / 19, 1);
    expect(columns[gap]! / width).toBeCloseTo(12 / 19, 1);
  });

  it('keeps the grid aligned under wide characters', async () => {
    const values = ['a', '价格与套餐', '👩‍👩‍👧‍👦', 'e\u0301'].map((name, index) => ({ name, v: index + 2 }));
    const lines = await draw({
      data: { values },
      mark: 'bar',
      encoding: {
        y: { field: 'name', type: 'nominal', sort: null, axis: { title: null } },
        x: { field: 'v', type: 'quantitative', axis: null },
      },
    });
    const starts = lines
      .filter((text) => text.includes('█'))
      .map((text) => stringWidth(text.slice(0, text.indexOf('█'))));
    expect(starts).toEqual([12, 12, 12, 12]);
  });

  it('turns columns into bars if there are too many', async () => {
    const values = Array.from({ length: 60 }, (_, index) => ({ name: `n${index}`, v: index }));
    const spec = {
      data: { values },
      mark: 'bar',
      encoding: { x: { field: 'name', type: 'nominal', sort: null }, y: { field: 'v', type: 'quantitative' } },
    };
    const lines = await draw(spec, { width: 40 });
    const bars = lines.filter((text) => /^ *n\d+ /.test(text));
    expect(bars.map((text) => text.trim().split(' ')[0])).toEqual(values.map(({ name }) => name));
    expect(bars.at(-1)!.length).toBeGreaterThan(bars[20]!.length);
    expect((await draw(spec, { width: 300 })).filter((text) => /^ *n\d+ [│█]/.test(text))).toEqual([]);
  });

  it('never exceeds the requested height, except for lists', async () => {
    for (const height of [12, 20, 33]) {
      const lines = await draw({ ...line, title: 'A title' }, { height });
      expect(lines.length).toBeLessThanOrEqual(height);
      expect(lines.length).toBeGreaterThan(height * 0.6);
    }
  });

  it('distinguishes series without colour', async () => {
    const values = days.flatMap((row) => [
      { ...row, s: 'one' },
      { ...row, v: 95 - row.v, s: 'two' },
    ]);
    const both = {
      ...line,
      data: { values },
      encoding: { ...line.encoding, color: { field: 's', type: 'nominal', title: null } },
    };
    const lines = await draw(both);
    expect(lines[0]).toBe('A one  B two');
    expect(lines.join('\n').match(/A/g)!.length).toBeGreaterThan(2);
    const bars = await draw({
      ...both,
      mark: 'bar',
      encoding: { ...both.encoding, x: { field: 's', type: 'nominal' } },
    });
    expect(bars[0]).toBe('██ one  ▒▒ two');
  });

  it('names points if there is room for the whole name, and covers none', async () => {
    for (const width of [120, 80, 47, 40]) {
      const lines = plotOf(await draw(specOf(specimens['scatter-named']!), { width }));
      const named = lines.flatMap((line) => [...line.matchAll(/(?<=● )[/<]\S*|[/<]\S*(?= ●)/g)].map(([name]) => name));
      const texts = lines.flatMap((line) => line.replaceAll('●', ' ').trim().split(/ +/)).filter((text) => text !== '');
      expect(texts.toSorted()).toEqual(named.toSorted());
      for (const name of named)
        expect(['/', '/pricing', '/docs', '/docs/install', '/blog', '</title><b>', '/far-out']).toContain(name);
      expect(named.length).toBeGreaterThan(2);
      // The two points in the corner share a cell if cells are large.
      expect(lines.join('').match(/●/g)?.length).toBeGreaterThanOrEqual(4);
    }
  });

  it('uses the colours of the chart, and no line wraps on the screen', async () => {
    const width = 80;
    const lines = await draw(specOf(specimens['column-stacked']!), { width, colours: 24 });
    const terminal = new Terminal({ cols: width, rows: lines.length + 1, allowProposedApi: true });
    await new Promise<void>((resolve) => {
      terminal.write(lines.join('\r\n'), resolve);
    });
    const seen = new Set<number>();
    for (let row = 0; row < lines.length; row += 1) {
      const shown = terminal.buffer.active.getLine(row)!;
      expect(shown.isWrapped).toBe(false);
      for (let column = 0; column < width; column += 1) {
        const cell = shown.getCell(column)!;
        if (/[▁-█■]/u.test(cell.getChars()) && cell.isFgRGB()) seen.add(cell.getFgColor());
      }
    }
    expect([...seen].map((rgb) => `#${rgb.toString(16).padStart(6, '0')}`).sort()).toEqual([
      '#56b4e9',
      '#be1274',
      '#e69f00',
      '#f0ef84',
    ]);
    terminal.dispose();
  });

  it.each([
    ['a pie', { mark: 'arc', encoding: { theta: { field: 'v', type: 'quantitative' } } }, 'arcs'],
    ['a map', { mark: 'geoshape', projection: { type: 'albersUsa' } }, 'maps'],
    ['pictures', { mark: 'image', encoding: { url: { field: 'u', type: 'nominal' } } }, 'pictures'],
    [
      'a trail',
      {
        mark: 'trail',
        encoding: {
          x: { field: 't', type: 'temporal' },
          y: { field: 'v', type: 'quantitative' },
          size: { field: 'v', type: 'quantitative' },
        },
      },
      'trails',
    ],
    [
      'turned texts',
      { mark: { type: 'text', angle: 45 }, encoding: { ...line.encoding, text: { field: 'v' } } },
      'turned texts',
    ],
    [
      'sizes',
      { mark: 'point', encoding: { ...line.encoding, size: { field: 'v', type: 'quantitative' } } },
      'the sizes of points',
    ],
    [
      'custom shapes',
      { mark: { type: 'point', shape: 'M0,0L1,1Z' }, encoding: line.encoding },
      'points with custom shapes',
    ],
    [
      'gradients',
      {
        mark: {
          type: 'bar',
          color: {
            gradient: 'linear',
            stops: [
              { offset: 0, color: 'red' },
              { offset: 1, color: 'blue' },
            ],
          },
        },
        encoding: { x: { field: 'v', type: 'ordinal' }, y: { field: 'v', type: 'quantitative' } },
      },
      'gradients',
    ],
    [
      'facets',
      { mark: 'line', encoding: { ...line.encoding, row: { field: 'v', type: 'nominal' } } },
      'a facet of rows',
    ],
    [
      'views side by side',
      { hconcat: [{ mark: 'line', encoding: line.encoding }] },
      'several views in one chart (hconcat)',
    ],
    [
      'a facet below another view',
      { vconcat: [{ facet: { field: 'v' }, spec: { mark: 'line', encoding: line.encoding } }] },
      'several views in one chart (facet)',
    ],
    [
      'values outside the axes',
      {
        mark: 'bar',
        encoding: {
          x: { field: 't', type: 'ordinal' },
          y: { field: 'v', type: 'quantitative', scale: { domain: [0, 20] } },
        },
      },
      'values outside its axes',
    ],
  ])('refuses %s by name', async (_, view, name) => {
    await expect(draw({ data: { values: days }, ...view })).rejects.toMatchObject({
      name: 'InvalidInputError',
      code: 'chart-undrawable',
      message: `A terminal cannot draw ${name}.`,
      hint: expect.any(String),
    });
  });

  it('fetches nothing', async () => {
    await expect(draw({ ...line, data: { url: 'https://example.org/rows.json' } })).rejects.toMatchObject({
      name: 'InvalidInputError',
    });
  });

  it('reports invalid specifications, and terminals that are too narrow', async () => {
    await expect(
      draw({
        mark: 'bar',
        data: { values: days },
        encoding: { x: { field: 'v', bin: true } },
        transform: [{ calculate: ')', as: 'z' }],
      }),
    ).rejects.toMatchObject({ code: 'chart-invalid' });
    await expect(draw(line, { width: 39 })).rejects.toMatchObject({ code: 'chart-too-narrow' });
  });
});

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
}
