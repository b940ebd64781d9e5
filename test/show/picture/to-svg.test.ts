import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../../src/ask/sluice-error.ts';
import type { VegaLiteSpec } from '../../../src/show/chart/chart.ts';
import { toVegaLite } from '../../../src/show/chart/vega-lite/to-vega-lite.ts';
import { toChart } from '../../../src/show/to-chart.ts';
import { toSvg } from '../../../src/show/picture/to-svg.ts';
import { specimens } from '../chart/specimens.ts';
import { dayColumn, exampleResult, hostileTexts, numberColumn, textColumn } from '../example-result.ts';
import { digestPictures } from './draw-child.ts';
import { foreignSpecs, toSpecimenSpec } from './pictures.ts';
import { findClashes, readSvg, toTextBoxes, walk } from './read-svg.ts';
import { runs } from '../../runs.ts';

const names = Object.keys(specimens);

describe('toSvg', () => {
  it.each(names)('draws the specimen %s unchanged', async (name) => {
    const svg = await toSvg(toSpecimenSpec(name));
    await expect(svg.replaceAll('><', '>\n<')).toMatchFileSnapshot(`golden/${name}.svg`);
  });

  it.each(names)('leaves room for each text of the specimen %s, light and dark, wide and narrow', async (name) => {
    for (const options of [{}, { width: 350 }, { width: 500 }, { theme: 'dark', withNotes: false }] as const) {
      expect(findClashes(readSvg(await toSvg(toSpecimenSpec(name, options))))).toEqual([]);
    }
  });

  it.each(['bar', 'grouped', 'heatmap'] as const)('leaves room for long names, legends and notes: %s', async (kind) => {
    const end = 'In a shop of the north with a long name';
    const names = [1, 2, 3].map((number) => `https://www.example.com/a/b/c/d/e/f?x=${number}`);
    const result = exampleResult(
      [
        [textColumn('docPath', 'Page'), names],
        ...(kind === 'bar' ? [] : [[textColumn('city', 'City'), names.map((_, at) => `${end}, ${at}`)] as const]),
        [numberColumn('count', 'Count'), [22, 19, 16]],
      ],
      { provenance: { notes: ['The column "created_at" is read as utcTime, and "distinct_id" is read as the user.'] } },
    );
    for (const width of [720, 350]) {
      const boxes = toTextBoxes(readSvg(await toSvg(toVegaLite(toChart(result, { preference: kind }), { width }))));
      const right = boxes.flatMap(({ corners }) => corners.map(([x]) => x)).reduce((a, b) => Math.max(a, b));
      expect(right).toBeLessThanOrEqual(width);
      const texts = boxes.map(({ text }) => text);
      expect(texts.filter((text) => /x=\d$/.test(text))).toHaveLength(3);
      if (kind !== 'bar') expect(texts.filter((text) => /, \d$/.test(text))).toHaveLength(3);
    }
  });

  it('draws the ellipsis of a name from right to left at its end', async () => {
    const names = [
      'שלום עולם ארוך מאוד שלא נכנס',
      'مرحبا بالعالم هذا نص طويل جدا',
      'A name from left to right that is long',
    ];
    const result = exampleResult([
      [textColumn('docPath', 'Page'), names],
      [numberColumn('count', 'Count'), [3, 2, 1]],
    ]);
    const svg = await toSvg(toVegaLite(toChart(result, { preference: 'bar' }), { width: 350 }));
    const cut = [...svg.matchAll(/<text([^>]*)>([^<]*…)<\/text>/g)];
    expect(cut).toHaveLength(3);
    expect(cut.map(([, attributes]) => attributes?.includes('unicode-bidi="plaintext"'))).toEqual([true, true, false]);
  });

  it('draws times of the first century inside the plot', async () => {
    const times = ['0001-01-01', '1970-01-01', '2024-01-01'].map((date) => `${date}T00:00:00.000`);
    const result = exampleResult([
      [dayColumn('time'), times],
      [numberColumn('count'), [1, 2, 3]],
    ]);
    const svg = await toSvg(toVegaLite(toChart(result, { preference: 'line' })));
    const points = [...svg.matchAll(/<path transform="translate\(([-\d.]+),/g)].map(([, x]) => Number(x));
    expect(points).toHaveLength(3);
    expect(points[0]).toBe(0);
  });

  it('keeps the figures of bars apart from names, at both sides of 0', async () => {
    const result = exampleResult([
      [textColumn('docPath', 'Page'), ['a', 'b']],
      [numberColumn('change', 'Change'), [9, -17]],
    ]);
    const boxes = toTextBoxes(readSvg(await toSvg(toVegaLite(toChart(result)))));
    const ends = (text: string) => boxes.find((box) => box.text === text)!.corners.map(([x]) => x);
    expect(Math.min(...ends('-17')) - Math.max(...ends('b'))).toBeGreaterThan(6);
  });

  it('is the same to the byte every time, whatever else is drawn', async () => {
    const first = await Promise.all(names.map((name) => toSvg(toSpecimenSpec(name))));
    const again = await Promise.all([...names].reverse().map((name) => toSvg(toSpecimenSpec(name))));
    expect(again.reverse()).toEqual(first);
  });

  it('is the same to the byte in every zone and language, and so is the PNG', async () => {
    const drawn = ['labels-of-the-world', 'line-of-series', 'local-axis'];
    const told = [
      ...drawn.slice(0, 2),
      'line-annotated',
      'column-partial',
      'funnel',
      'heatmap-cohorts',
      'panels',
      'hours-of-the-long-day',
      'spike',
      'long-title',
      'hostile',
    ];
    const here = await digestPictures(told, drawn);
    const surroundings = [
      { LANG: 'C', TZ: 'America/Los_Angeles' },
      {
        LANG: 'ar_EG.UTF-8',
        LC_ALL: 'de_DE.UTF-8',
        TZ: 'Asia/Kathmandu',
        FONTCONFIG_FILE: '/nowhere',
        HOME: '/nowhere',
      },
    ];
    const file = new URL('draw-child.ts', import.meta.url).pathname;
    for (const env of surroundings) {
      const { stdout, stderr } = spawnSync(process.execPath, [file, told.join(), drawn.join()], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], ...env },
      });
      expect(stderr).toBe('');
      expect(stdout.trim().split('\n')).toEqual(here);
    }
  });

  it('keeps the specification unchanged', async () => {
    const rows = [
      { name: 'a', n: 1 },
      { name: 'b', n: 2 },
    ];
    const spec = { ...bars(rows), transform: [{ calculate: 'datum.n * 2', as: 'twice' }] };
    const given = structuredClone(spec);
    expect(await toSvg(spec)).toBe(await toSvg(spec));
    expect(Reflect.ownKeys(rows[0]!)).toEqual(['name', 'n']);
    expect(spec).toEqual(given);
  });

  it('counts days and hours in UTC', async () => {
    const texts = await textsOf(foreignSpecs['calculated']!);
    expect(texts.filter((text) => /day$/.test(text)).every((text) => /^(?:0|12)[A-Z][a-z]+day$/.test(text))).toBe(true);
    expect(await textsOf(foreignSpecs['local-hours']!)).toEqual(expect.arrayContaining(['00:00', '12:00']));
  });

  it('has a description as one image for screen readers', async () => {
    const svg = readSvg(
      await toSvg({ ...bars([{ name: 'a', n: 1 }]), title: { text: ['Two', 'lines'] }, description: 'What & why' }),
    );
    expect(svg.attributes.get('role')).toBe('img');
    expect(svg.children.slice(0, 2)).toMatchObject([
      { tag: 'title', children: ['Two lines'] },
      { tag: 'desc', children: ['What & why'] },
    ]);
    expect(
      readSvg(await toSvg(bars([{ name: 'a', n: 1 }]), { title: 'Other', description: 'More' })).children.slice(0, 2),
    ).toMatchObject([{ children: ['Other'] }, { children: ['More'] }]);
    expect(readSvg(await toSvg(bars([{ name: 'a', n: 1 }]))).children[0]).toMatchObject({
      tag: 'title',
      children: ['Chart'],
    });
  });

  it('describes each point as plain text', async () => {
    const svg = readSvg(await toSvg(toSpecimenSpec('scatter-named')));
    const told = [...walk(svg)].flatMap(({ tag, children }) =>
      tag === 'path'
        ? children.flatMap((child) => (typeof child === 'object' && child.tag === 'title' ? child.children : []))
        : [],
    );
    expect(told).toHaveLength(7);
    expect(told).toEqual(
      expect.arrayContaining([
        '/pricing: Count 812, Average Duration Minutes 4.5',
        '</title><b>: Count 98, Average Duration Minutes 2.5',
      ]),
    );
    const named = (await textsOf(toSpecimenSpec('scatter-named'))).filter((text) => /^[/<]/.test(text));
    expect(named).toEqual(expect.arrayContaining(['/pricing', '</title><b>', '/blog']));
    expect((await textsOf(toSpecimenSpec('scatter'))).filter((text) => text.startsWith('/page'))).toEqual([]);
  });

  it('gives parts of different charts different IDs, and equal charts the same', async () => {
    const heat = (n: number): VegaLiteSpec => ({
      data: {
        values: [
          { a: 'x', n },
          { a: 'y', n: 9 },
        ],
      },
      mark: { type: 'rect', clip: true },
      encoding: { x: { field: 'a' }, color: { field: 'n', type: 'quantitative' } },
    });
    const ids = async (n: number) => [...(await toSvg(heat(n))).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    const [one, same, other] = [await ids(1), await ids(1), await ids(2)];
    expect(one.length).toBeGreaterThan(0);
    expect(same).toEqual(one);
    expect(other.filter((id) => one.includes(id))).toEqual([]);
    expect(await toSvg(heat(1), { id: 'mine' })).toMatch(/url\(#mine-1\)/);
  });

  it('leaves the background to the page on request', async () => {
    const spec = { ...bars([{ name: 'a', n: 1 }]), background: '#123456' };
    expect(await toSvg(spec)).toContain('#123456');
    expect(await toSvg(spec, { transparent: true })).not.toContain('#123456');
  });
});

describe('hostile text in a chart', () => {
  const elements = new Set([
    'svg',
    'title',
    'desc',
    'g',
    'path',
    'rect',
    'line',
    'text',
    'tspan',
    'defs',
    'clipPath',
    'linearGradient',
    'stop',
  ]);
  const attributes = new Set([
    'xmlns',
    'width',
    'height',
    'viewBox',
    'role',
    'font-family',
    'font-size',
    'font-weight',
    'fill',
    'fill-opacity',
    'stroke',
    'stroke-width',
    'stroke-opacity',
    'stroke-dasharray',
    'stroke-linecap',
    'stroke-linejoin',
    'stroke-miterlimit',
    'opacity',
    'transform',
    'd',
    'x',
    'y',
    'x1',
    'y1',
    'x2',
    'y2',
    'dy',
    'text-anchor',
    'clip-path',
    'id',
    'offset',
    'stop-color',
  ]);

  async function expectHarmless(spec: VegaLiteSpec): Promise<void> {
    const svg = await toSvg(spec);
    for (const node of walk(readSvg(svg))) {
      expect(elements).toContain(node.tag);
      for (const [name, value] of node.attributes) {
        expect(attributes).toContain(name);
        if (name !== 'xmlns') expect(value).not.toMatch(/url\((?!#)|javascript:|https?:/i);
      }
    }
    // No control characters, and none that change the direction of writing.
    expect(svg).not.toMatch(/[\0-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  }

  it('stays text: known attacks', async () => {
    const texts = [
      ...hostileTexts,
      '</text><script>alert(1)</script>',
      '" onload="alert(1)',
      ']]>',
      '<!--',
      '&amp;&lt;',
      '\ud800',
      '\u0000\ufffe\uffff',
      'javascript:alert(1)',
      '__proto__',
    ];
    await expectHarmless(everywhere(texts));
  });

  it.each(['toString', 'constructor', 'valueOf', 'hasOwnProperty', '__proto__', '__defineGetter__'])(
    'stays text: %s',
    async (text) => {
      await expectHarmless(everywhere([text]));
      // As title, subtitle, and title and label of the legend. As a label and as a mark only if Vega can distinguish it
      // from its own names.
      expect((await textsOf(everywhere([text]))).filter((shown) => shown === text).length).toBeGreaterThanOrEqual(3);
    },
  );

  it('stays text: arbitrary texts', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.string({
        unit: fc.constantFrom(
          '<',
          '>',
          '&',
          '"',
          "'",
          '\u001b',
          '\u202e',
          '\u0001',
          '\ud800',
          '\udc00',
          'a',
          '/',
          ']',
          '-',
          '!',
        ),
        maxLength: 20,
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 6 }), async (texts) =>
        expectHarmless(everywhere(texts)),
      ),
      { numRuns: runs(25) },
    );
  });
});

describe('a chart with external references', () => {
  it.each<[string, VegaLiteSpec]>([
    ['data', { data: { url: 'https://evil.example/data.json' }, mark: 'bar', encoding: {} }],
    ['data of a file', { data: { url: 'file:///etc/passwd', format: { type: 'csv' } }, mark: 'bar', encoding: {} }],
    [
      'data of a lookup',
      {
        data: { values: [{ a: 1 }] },
        transform: [{ lookup: 'a', from: { data: { url: 'data.csv' }, key: 'a', fields: ['b'] } }],
        mark: 'bar',
        encoding: { x: { field: 'b' } },
      },
    ],
    [
      'a picture',
      {
        data: { values: [{ a: 'https://evil.example/x.png' }] },
        mark: { type: 'image', width: 9, height: 9 },
        encoding: { url: { field: 'a', type: 'nominal' } },
      },
    ],
    [
      'a link',
      {
        data: { values: [{ a: 'https://evil.example' }] },
        mark: 'bar',
        encoding: { href: { field: 'a', type: 'nominal' } },
      },
    ],
    [
      'a link of a mark',
      {
        data: { values: [{ a: 1 }] },
        mark: { type: 'bar', href: 'https://evil.example' },
        encoding: { x: { field: 'a', type: 'quantitative' } },
      },
    ],
  ])('is refused: %s', async (_, spec) => {
    await expect(toSvg(spec)).rejects.toMatchObject({ name: 'InvalidInputError', code: 'chart-reaches-outside' });
  });

  it.each<[string, VegaLiteSpec]>([
    ['no mark', { data: { values: [] } }],
    [
      'a broken expression',
      { data: { values: [{ a: 1 }] }, transform: [{ calculate: 'datum.', as: 'b' }], mark: 'bar', encoding: {} },
    ],
    [
      'an unknown function',
      {
        data: { values: [{ a: 1 }] },
        transform: [{ calculate: 'steal(datum)', as: 'b' }],
        mark: 'bar',
        encoding: { x: { field: 'b' } },
      },
    ],
    [
      'an expression that fails',
      {
        data: { values: [{ a: 1 }] },
        transform: [{ calculate: 'datum.x.y.z', as: 'b' }],
        mark: 'bar',
        encoding: { x: { field: 'b' } },
      },
    ],
  ])('or an invalid expression is an error of its author: %s', async (_, spec) => {
    await expect(toSvg(spec)).rejects.toBeInstanceOf(InvalidInputError);
  });
});

function bars(values: readonly { readonly name: string; readonly n: number }[]): VegaLiteSpec {
  return {
    data: { values },
    mark: 'bar',
    encoding: { y: { field: 'name', type: 'nominal' }, x: { field: 'n', type: 'quantitative' } },
  };
}

/** Texts as labels, values, titles, legends, colours and descriptions. */
function everywhere(texts: readonly string[]): VegaLiteSpec {
  const [first = ''] = texts;
  const named = bars(texts.map((name, index) => ({ name, n: index + 1, colour: name })));
  const encoding = named['encoding'] as VegaLiteSpec;
  return {
    ...named,
    title: { text: first, subtitle: [...texts] },
    description: texts.join(' '),
    encoding: { ...encoding, color: { field: 'name', type: 'nominal', title: first } },
    layer: [
      { mark: 'bar' },
      { mark: { type: 'text', fill: first }, encoding: { text: { field: 'name', type: 'nominal' } } },
    ],
  };
}

async function textsOf(spec: VegaLiteSpec): Promise<readonly string[]> {
  return Array.from(walk(readSvg(await toSvg(spec))))
    .filter(({ tag }) => tag === 'text')
    .map(({ children }) => children.join(''));
}
