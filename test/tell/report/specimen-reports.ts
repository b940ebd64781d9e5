import type { Report, ReportBlock, ReportCell, ReportPart } from '../../../src/tell/report/report.ts';
import {
  emptyProvenance,
  exampleResult,
  hostileTexts,
  dayColumn,
  numberColumn,
  textColumn,
} from '../../show/example-result.ts';

export function reportOf(blocks: readonly ReportBlock[], more: Partial<Report> = {}): Report {
  return {
    name: 'specimen',
    title: 'A specimen',
    params: [],
    asOf: '2024-03-10T12:00:00.000Z',
    zone: 'Europe/Berlin',
    status: 'good',
    blocks,
    ...more,
  };
}

export function cellOf(parts: readonly ReportPart[], more: Partial<ReportCell> = {}): ReportCell {
  return { kind: 'cell', cell: 'query', parts, footnotes: [], failures: [], ...more };
}

export function proseOf(markdown: string): ReportBlock {
  return { kind: 'prose', markdown, figures: [] };
}

const march = { start: '2024-03-06T23:00:00.000Z', end: '2024-03-10T23:00:00.000Z' };

/** Four days: the third is filled, and the last is partial. */
export const days = exampleResult(
  [
    [
      dayColumn('utcTime', 'Day'),
      ['2024-03-07T00:00:00.000', '2024-03-08T00:00:00.000', '2024-03-09T00:00:00.000', '2024-03-10T00:00:00.000'],
    ],
    [numberColumn('count', 'Visits'), [1200, 1431, 0, 312]],
  ],
  {
    marks: { 'TrackedEvents.utcTime.day': [0, 0, 1, 8], 'TrackedEvents.count': [0, 0, 1, 8] },
    provenance: { range: march, zone: 'Europe/Berlin', uncounted: [{ what: 'events without a user', rows: 7 }] },
  },
);

/** Pages whose names are attacks. */
export const hostile = exampleResult(
  [
    [
      textColumn('path', 'Page'),
      [
        ...hostileTexts,
        '/close',
        '| a | b |',
        '</td><script>alert(1)</script>',
        '<img src=x onerror=alert(1)>',
        '@all !1 #2 ~bug',
        '``` \n/assign @me',
      ],
    ],
    [numberColumn('count', 'Visits'), [6, 5, 4, 3, 2, 1, 9, 8, 7, 6, 5, 4]],
  ],
  {
    provenance: {
      range: march,
      zone: 'UTC',
      source: 'events-<b>.ndjson',
      truncated: { limit: 12 },
      notes: ['<script>note</script>'],
    },
  },
);

const totals = exampleResult([[numberColumn('count', 'Visits'), [2943]]], {
  provenance: { range: march, zone: 'Europe/Berlin' },
});
const nothing = exampleResult([[textColumn('path', 'Page'), ['/']]], { provenance: { range: march } });

/** Everything that a report can contain. */
export const everything = reportOf(
  [
    proseOf(
      '# Everything\n\nIntroduction with a [link](https://example.org) and a footnote[^1].\n\n### Too deep\n\n| a | b |\n| - | -: |\n| 1 | 2 |\n\n- [x] done\n- [ ] open\n\n```sql\nselect 1\n```\n',
    ),
    cellOf(
      [
        {
          kind: 'stats',
          result: totals,
          stats: [
            {
              label: 'Visits',
              text: '2,943',
              value: 2943,
              previous: { text: '2,500', label: '2024-03-03 to 2024-03-06', changePercent: '+17.72%' },
            },
          ],
        },
      ],
      { title: 'In all', description: 'Of all pages.' },
    ),
    proseOf('## Day by day\n'),
    cellOf(
      [
        { kind: 'chart', result: days, preference: 'line', annotations: [{ date: '2024-03-08', title: 'Launch' }] },
        { kind: 'table', result: days },
      ],
      { title: 'Visits a day', footnotes: ['A sentence below.'] },
    ),
    proseOf('## Pages\n'),
    cellOf([{ kind: 'chart', result: hostile, preference: 'bar', annotations: [] }], { title: 'Pages' }),
    cellOf([{ kind: 'chart', result: nothing, annotations: [] }], { title: 'Undrawable' }),
    {
      kind: 'failure',
      cell: 'query',
      title: 'Elsewhere',
      code: 'backend',
      errorKind: 'remote',
      message: 'It did not answer.\nTwice.',
      hint: 'Ask again.',
    },
    cellOf([{ kind: 'table', result: days }], { title: 'In part', failures: ['Project 7 could not be counted.'] }),
    proseOf('## All well?\n'),
    {
      kind: 'checks',
      title: 'Checks',
      checks: [
        { state: 'passed', expectation: 'a is at least 1', finding: 'It is 2.' },
        { state: 'failed', expectation: 'b is at least 1', finding: 'It is 0.', because: 'It is a busy site.' },
        { state: 'unknown', expectation: 'c is at least 1', finding: 'There is none.' },
      ],
    },
    {
      kind: 'prose',
      markdown: '## The end\n\nThere were 2,943 visits.\n\n[^1]: A note at the end.\n',
      figures: [
        {
          path: 'all.count',
          text: '2,943',
          value: 2943,
          provenance: { ...emptyProvenance, range: march, zone: 'Europe/Berlin' },
        },
      ],
    },
  ],
  {
    description: 'What a report can hold.',
    params: [{ name: 'month', title: 'Month', text: '2024-03' }],
    status: 'failed-check',
  },
);

/** A report with attacks wherever it shows text from events, errors and parameters. */
export const attack = reportOf(
  [
    ...hostileTexts.map(
      (text): ReportBlock => ({
        kind: 'failure',
        cell: 'query',
        title: text,
        code: 'x',
        errorKind: 'internal',
        message: `${text}\n\`\`\`\n/close`,
        hint: text,
      }),
    ),
    cellOf(
      [
        { kind: 'table', result: hostile, title: hostileTexts[4] },
        { kind: 'chart', result: hostile, annotations: [], title: hostileTexts[4] },
      ],
      { title: hostileTexts[4], description: '/close', footnotes: hostileTexts, failures: hostileTexts },
    ),
    {
      kind: 'checks',
      checks: hostileTexts.map((text) => ({ state: 'failed', expectation: text, finding: text, because: text })),
    },
  ],
  {
    title: hostileTexts[4] ?? '',
    description: '/assign @me',
    params: hostileTexts.map((text) => ({ name: 'x', title: text, text })),
    status: 'failed-check',
  },
);
