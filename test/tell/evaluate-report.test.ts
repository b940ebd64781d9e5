import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { AbortedError, BackendError } from '../../src/ask/sluice-error.ts';
import type { Value } from '../../src/plan/column.ts';
import { type FunnelGroup, toFunnelResult } from '../../src/shape/funnel-result.ts';
import { partialByPresent, partialByRange } from '../../src/shape/result/marks.ts';
import { fillProse } from '../../src/tell/evaluate/find-figure.ts';
import { writeReportHtml } from '../../src/tell/report/report-to-html.ts';
import { writeReportJson } from '../../src/tell/report/report-to-json.ts';
import { writeReportMarkdown } from '../../src/tell/report/report-to-markdown.ts';
import type { Report, ReportProse } from '../../src/tell/report/report.ts';
import { anyResult, anyText } from '../show/arbitrary-result.ts';
import { dayColumn, emptyProvenance, exampleResult, numberColumn, textColumn } from '../show/example-result.ts';
import { answer } from './notebook-world.ts';
import { withParts } from '../../src/ask/cloneable.ts';

const cell = (yaml: string, kind = 'query') => `\`\`\`${kind}\n${yaml}\n\`\`\`\n`;
const daily = (more = '') =>
  `query: {measures: [TrackedEvents.count, TrackedEvents.uniqueUsersCount], timeDimensions: [{dimension: TrackedEvents.utcTime, granularity: day, dateRange: last 3 days}]}${more}`;
const users = numberColumn('uniqueUsersCount', 'Users', { additive: false });

/** Three days, or one row without buckets, with the change if two ranges are compared. */
const site = (query: {
  readonly timeDimensions?:
    | readonly { readonly granularity?: string | undefined; readonly compareDateRange?: unknown }[]
    | undefined;
}) => {
  const [time] = query.timeDimensions ?? [];
  if (time?.granularity === 'day') {
    return exampleResult([
      [dayColumn('utcTime'), ['2024-03-05', '2024-03-06', '2024-03-07'].map((day) => `${day}T00:00:00.000`)],
      [numberColumn('count', 'Count'), [10, 0, 5]],
      [users, [3, 0, 2]],
    ]);
  }
  const beside = (name: string, values: readonly Value[]) =>
    ['', '.previous', '.change', '.changePercent'].map(
      (suffix, index) =>
        [{ ...numberColumn(name), key: `TrackedEvents.${name}${suffix}` }, [values[index] ?? null]] as const,
    );
  if (time?.compareDateRange)
    return exampleResult([...beside('count', [15, 12, 3, 25]), ...beside('uniqueUsersCount', [4, 5, -1, -20])]);
  return exampleResult([
    [numberColumn('count', 'Count'), [15]],
    [users, [4]],
  ]);
};
const ports = { query: ({ query }: { readonly query: Parameters<typeof site>[0] }) => Promise.resolve(site(query)) };

function proseOf({ blocks }: Report): string {
  return blocks
    .filter((block): block is ReportProse => block.kind === 'prose')
    .map(({ markdown }) => markdown.trim())
    .join('\n');
}

describe('figures', () => {
  it.each([
    ['d.count.total', '15'],
    ['d.uniqueUsersCount.total', '4'],
    ['d.count.first', '10'],
    ['d.count.last', '5'],
    ['d.count.max', '10'],
    ['d.count.min', '0'],
    ['d.count.mean', '5'],
    ['d.count.sum', '15'],
    ['d.rows', '3'],
    ['d.utcTime.last', '2024-03-07'],
    ['d.count.total | change', '+25%'],
    ['d.uniqueUsersCount.total | change', '-20%'],
    ['d.count.total.previous', '12'],
    ['d.count.total.change | signed', '+3'],
    ['d.count.mean | percent', '5%'],
    ['report.title', 'r'],
    ['report.asOf', '2024-03-08 12:00'],
  ])('%s is written as %s', async (path, text) => {
    const { report } = await answer(`{{ ${path} }}\n\n${cell(daily('\nname: d'))}`, ports);
    expect(proseOf(report)).toBe(text.replace(/^([+-])(?=\s)/, '\\$1'));
  });

  it('that follow from rows need no query; others are queried once', async () => {
    const { asked } = await answer(
      `{{ d.count.total }} {{ d.uniqueUsersCount.total }} {{ d.uniqueUsersCount.total | change }} {{ d.count.total | change }}\n\n${cell(daily('\nname: d'))}`,
      ports,
    );
    expect(asked.map(({ query }) => query.timeDimensions?.[0])).toEqual([
      expect.objectContaining({ granularity: 'day' }),
      { dimension: 'TrackedEvents.utcTime', dateRange: 'last 3 days' },
      { dimension: 'TrackedEvents.utcTime', compareDateRange: ['last 3 days', ['2024-03-02', '2024-03-04']] },
    ]);
    const { asked: sums } = await answer(`{{ d.count.total }}\n\n${cell(daily('\nname: d'))}`, ports);
    expect(sums).toHaveLength(1);
  });

  it('that would follow from rows are queried if the result is cut', async () => {
    const cut = (query: Parameters<typeof site>[0]) => {
      const result = site(query);
      return query.timeDimensions?.[0]?.granularity
        ? withParts(result, { provenance: { ...result.provenance, truncated: { limit: 3 } } })
        : exampleResult([
            [numberColumn('count'), [99]],
            [users, [4]],
          ]);
    };
    const { report, asked } = await answer(`{{ d.count.total }} of {{ d.count.sum }}\n\n${cell(daily('\nname: d'))}`, {
      query: ({ query }) => Promise.resolve(cut(query)),
    });
    expect(asked).toHaveLength(2);
    expect(proseOf(report)).toBe('99 of 15');
  });

  it('of funnels come from their steps, with readable durations', async () => {
    const steps: FunnelGroup = {
      key: [],
      reached: [100, 40, 10],
      toConvert: [0, 62_380, 277_200_000].map((median) => ({ median, mean: median, p90: median })),
    };
    const funnel = () =>
      Promise.resolve(
        toFunnelResult({
          funnel: { name: 'buy', steps: ['see', 'cart', 'pay'].map((name) => ({ name })) } as never,
          leading: [],
          groups: [steps],
          provenance: emptyProvenance,
        }),
      );
    const { report } = await answer(
      [
        '{{ f.cart }}, {{ f.pay.conversion }}, {{ f.conversion.last }}, {{ f.conversion.min }}, {{ f.cart.medianSeconds }}, {{ f.pay.medianSeconds }}, {{ f.cart.medianSeconds | number }}\n\n',
        cell('name: f\nfunnel: buy', 'funnel'),
        cell('expect: [{figure: f.cart.medianSeconds, atMost: 60}]', 'check'),
      ].join(''),
      { funnel },
    );
    expect(proseOf(report)).toBe('40, 10%, 10%, 10%, 1 min 02 s, 3 d 05 h, 62.38');
    expect(report.blocks.at(-1)).toMatchObject({
      checks: [
        { state: 'failed', expectation: 'f.cart.medianSeconds is at most 60', finding: 'It is 62.38 s, 1 min 02 s.' },
      ],
    });
    const [html, markdown, json] = [
      await writeReportHtml(report),
      writeReportMarkdown(report),
      writeReportJson(report),
    ];
    for (const text of [html, markdown]) expect(text).toMatch(/3 d 05 h/);
    expect(markdown).toContain('| 2 | cart | 40 | 40% | 40% | 60 | 1 min 02 s | 1 min 02 s | 1 min 02 s |');
    expect(json).toContain('"buy.medianSeconds":62.38');
  });
});

describe('running a report', () => {
  it('asks equal queries once, with a limit on concurrency', async () => {
    let running = 0;
    let most = 0;
    const query = async ({ query: asked }: { readonly query: Parameters<typeof site>[0] }) => {
      most = Math.max(most, (running += 1));
      await pause(2);
      running -= 1;
      return site(asked);
    };
    const different = [3, 4, 5, 6, 7].map((days) => cell(daily().replace('last 3', `last ${days}`)));
    const { asked } = await answer(
      [...different, cell(daily()), cell(daily('\ntitle: again'))].join('\n'),
      { query },
      { concurrency: 3 },
    );
    expect(asked).toHaveLength(5);
    expect(most).toBe(3);
  });

  it('shows a failed cell in its place, and all other cells', async () => {
    const failing = {
      query: ({ query }: { readonly query: Parameters<typeof site>[0] }) =>
        query.timeDimensions?.[0]?.granularity
          ? Promise.reject(
              new BackendError('The engine\u001b[31m is ill.', { code: 'engine-refused', hint: 'Wait `a` bit.' }),
            )
          : Promise.resolve(site(query)),
    };
    const { report } = await answer(
      `{{ d.count.total }} and {{ w.count }}\n\n${cell(daily('\nname: d\ntitle: Days'))}\n${cell('name: w\nquery: {measures: [TrackedEvents.count]}')}\n${cell('expect: [{figure: d.count.total, atLeast: 1}, {figure: w.count, atLeast: 1}]', 'check')}`,
      failing,
    );
    expect(report.status).toBe('failed-cell');
    expect(report.blocks.map(({ kind }) => kind)).toEqual(['prose', 'failure', 'cell', 'checks']);
    expect(proseOf(report)).toBe('(not available) and 15');
    expect(report.blocks.at(-1)).toMatchObject({ checks: [{ state: 'unknown' }, { state: 'passed' }] });
    expect(writeReportMarkdown(report)).toContain(
      '**✗ failed: Days**\n\n```text\nThe engine␛[31m is ill.\nhint: Wait `a` bit.\n```',
    );
  });

  it('rejects if it is aborted, and asks nothing more', async () => {
    const stop = new AbortController();
    const asked: number[] = [];
    const query = ({ query: one }: { readonly query: Parameters<typeof site>[0] }) => {
      asked.push(1);
      stop.abort();
      return Promise.resolve(site(one));
    };
    const text = [3, 4, 5].map((days) => cell(daily().replace('last 3', `last ${days}`))).join('\n');
    await expect(answer(text, { query }, { signal: stop.signal, concurrency: 1 })).rejects.toThrow(AbortedError);
    expect(asked).toHaveLength(1);
  });

  it('gives the same bytes for the same answers', async () => {
    const text = `{{ d.count.total }}\n\n${cell(daily('\nname: d'))}\n${cell('expect: [{every: d.count, atLeast: 0}]', 'check')}`;
    const write = async () => {
      const { report } = await answer(text, {
        query: async ({ query }) => (await pause(Math.random() * 3), site(query)),
      });
      return writeReportMarkdown(report) + writeReportJson(report);
    };
    expect(await write()).toBe(await write());
  });
});

describe('checks', () => {
  const value = fc.option(
    fc.oneof(
      fc.integer({ min: -20, max: 20 }),
      fc.double({ noNaN: true, min: -20, max: 20 }),
      fc.bigInt({ min: -20n, max: 20n }),
    ),
  );
  const bound = fc.integer({ min: -10, max: 10 });
  const oracle: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
    atLeast: (a, b) => a >= b,
    atMost: (a, b) => a <= b,
    above: (a, b) => a > b,
    below: (a, b) => a < b,
    equals: (a, b) => a === b,
    not: (a, b) => a !== b,
  };

  it('pass if every bound holds for every complete value', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(value, fc.constantFrom(0, 0, partialByPresent, partialByRange)), { maxLength: 5 }),
        fc.dictionary(fc.constantFrom(...Object.keys(oracle)), bound, { minKeys: 1 }),
        async (rows, bounds) => {
          const result = exampleResult(
            [
              [dayColumn('utcTime'), rows.map((_, index) => `2024-03-0${index + 1}T00:00:00.000`)],
              [numberColumn('count'), rows.map(([one]) => one)],
            ],
            {
              marks: { 'TrackedEvents.count': rows.map(([, flag]) => flag) },
            },
          );
          const { report } = await answer(
            `${cell(daily('\nname: d'))}\n${cell(
              `expect: [{every: d.count, ${Object.entries(bounds)
                .map(([key, one]) => `${key}: ${one}`)
                .join(', ')}}]`,
              'check',
            )}`,
            { query: () => Promise.resolve(result) },
          );
          const over = rows.filter(([, flag]) => flag === 0).map(([one]) => one);
          const holds =
            over.length > 0 &&
            over.every(
              (one) => one !== null && Object.entries(bounds).every(([key, by]) => oracle[key]?.(Number(one), by)),
            );
          expect(report.status).toBe(holds ? 'good' : 'failed-check');
        },
      ),
      { numRuns: 150 },
    );
  });

  it.each([
    ['{figure: d.count.total, within: 20 %, of: previous}', 'failed', 'It is 15, compared with 12.'],
    ['{figure: d.count.total, within: 25 %, of: previous}', 'passed', 'It is 15, compared with 12.'],
    ['{figure: d.uniqueUsersCount.total, within: 10, of: 4.4}', 'passed', 'It is 4, compared with 4.4.'],
    ['{figure: d.count.total, within: 0 %, of: d.count.sum}', 'passed', 'It is 15, compared with 15.'],
    ['{figure: d.count.total, atLeast: 20, because: Too little.}', 'failed', 'It is 15.'],
    ['{every: d.count, above: 0}', 'failed', '1 of 3 rows does not pass: 2024-03-06 (0).'],
    ['{every: d.count, above: 6}', 'failed', '2 of 3 rows do not pass: 2024-03-06 (0), 2024-03-07 (5).'],
    ['{every: d.count, atLeast: 0}', 'passed', '3 rows pass.'],
  ])('%s is %s', async (expectation, state, finding) => {
    const { report } = await answer(`${cell(daily('\nname: d'))}\n${cell(`expect: [${expectation}]`, 'check')}`, ports);
    expect(report.blocks.at(-1)).toMatchObject({
      checks: [{ state, finding }],
    });
  });
});

describe('text from events', () => {
  it('stays text in prose, wherever it is quoted', () => {
    const frames = [
      '{{ x }}',
      'a {{ x }} b',
      '- {{ x }}',
      '# {{ x }}',
      '> {{ x }}',
      '*{{ x }}*',
      '1. {{ x }}',
      '    \n{{ x }}\nmore',
      '| a |\n| - |\n| {{ x }} |',
    ];
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          fc.constantFrom(
            '- a',
            '1. a',
            '# a',
            '---',
            '===',
            '+',
            '<b>x</b>',
            '[a](javascript:x)',
            '![x](y)',
            '`',
            '| b | c |',
            'https://evil.example',
            '@all',
            '#1',
          ),
        ),
        fc.constantFrom(...frames),
        (hostile, frame) => {
          const render = (value: string) => {
            const start = frame.indexOf('{{');
            const quote = {
              start,
              end: start + '{{ x }}'.length,
              path: { text: 'x', name: 'x', steps: [] },
              figure: { kind: 'known', path: { text: 'x', name: 'x', steps: [] }, text: value, value },
            } as const;
            return micromark(fillProse({ kind: 'prose', source: frame, quotes: [quote] }, new Map()).markdown, {
              extensions: [gfm()],
              htmlExtensions: [gfmHtml()],
              allowDangerousHtml: true,
            });
          };
          const tags = (html: string) => html.match(/<[^>]*>/g);
          expect(tags(render(hostile))).toEqual(tags(render('x')));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('does not change tables and captions, in Markdown and in JSON', async () => {
    await fc.assert(
      fc.asyncProperty(anyResult, anyText, async (result, title) => {
        const { report } = await answer(cell(`title: ${JSON.stringify(`t${title}`)}\n${daily('\nshow: both')}`), {
          query: () => Promise.resolve(result),
        });
        const html = micromark(writeReportMarkdown(report), {
          extensions: [gfm()],
          htmlExtensions: [gfmHtml()],
          allowDangerousHtml: true,
        });
        expect(
          [...new Set(html.match(/<\/?[a-z]+/g))].filter(
            (tag) => !/^<\/?(?:h|p$|table|t[rhd]|thead|tbody|ul|li|strong|em)/.test(tag),
          ),
        ).toEqual([]);
        expect(html.match(/<table>/g)).toHaveLength(1);
        const json = JSON.parse(writeReportJson(report)) as { blocks: { parts: { result: { rows: unknown[] } }[] }[] };
        expect(json.blocks[0]?.parts.map((part) => part.result.rows.length)).toEqual([
          result.rowCount,
          result.rowCount,
        ]);
      }),
      { numRuns: 100 },
    );
  });

  it('shows a table on request even for one row without dimensions', async () => {
    const one = exampleResult([[textColumn('docPath'), ['/']]]);
    const { report } = await answer(cell(`query: {dimensions: [TrackedEvents.docPath]}`), {
      query: () => Promise.resolve(one),
    });
    expect(writeReportMarkdown(report)).toContain('| docPath |\n| --- |\n| / |');
  });
});

describe('a series', () => {
  const days = (count: number, more: Parameters<typeof exampleResult>[0] = []) =>
    exampleResult([
      [
        dayColumn('utcTime'),
        Array.from({ length: count }, (_, day) => new Date(Date.UTC(2023, 0, 1 + day)).toISOString().slice(0, -1)),
      ],
      ...more,
      [numberColumn('count', 'Count'), Array.from({ length: count }, (_, day) => day)],
    ]);
  const kinds = async (rows: ReturnType<typeof days>, more = '') => {
    const { report } = await answer(cell(daily(more)), { query: () => Promise.resolve(rows) });
    const [block] = report.blocks;
    return block?.kind === 'cell' ? block.parts.map(({ kind }) => kind) : [];
  };

  it('of many rows is a chart, whose page has the figures and whose print is not many pages', async () => {
    expect(await kinds(days(100))).toEqual(['table']);
    expect(await kinds(days(101))).toEqual(['chart']);
    expect(await kinds(days(101), '\nshow: table')).toEqual(['table']);
    expect(await kinds(days(101), '\nchart: none')).toEqual(['table']);
    expect(await kinds(days(101), '\nchart: bar')).toEqual(['chart', 'table']);
    const { report } = await answer(cell(daily()), { query: () => Promise.resolve(days(1096)) });
    const html = await writeReportHtml(report);
    expect(html).toContain('The figures: 1,096 rows');
    expect(html).toContain('<details class="offered">');
    expect(writeReportMarkdown(report).match(/^\| 20/gm)).toHaveLength(1096);
  });

  it('of a few groups is a chart, of many a table', async () => {
    const groups = (count: number) => Array.from({ length: 200 }, (_, row) => `g${row % count}`);
    expect(await kinds(days(200, [[textColumn('agentName'), groups(6)]]))).toEqual(['chart']);
    expect(await kinds(days(200, [[textColumn('agentName'), groups(7)]]))).toEqual(['table']);
  });
});
