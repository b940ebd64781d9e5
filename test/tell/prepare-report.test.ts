import { describe, expect, it } from 'vitest';
import { issuesOf, prepare } from './notebook-world.ts';

const days =
  'query: {measures: [TrackedEvents.count, TrackedEvents.uniqueUsersCount], timeDimensions: [{dimension: TrackedEvents.utcTime, granularity: day, dateRange: last 7 days}]}';
const cell = (yaml: string, kind = 'query') => `\`\`\`${kind}\n${yaml}\n\`\`\`\n`;

/** The figures that a hint suggests: `Specify which value: d.count.total, .first or .last.` */
function suggested(hint: string): readonly string[] {
  const [first = '', ...more] = (/: (.*)\.$/.exec(hint)?.[1] ?? '').split(/, | or /);
  return [first, ...more.map((one) => (one.startsWith('.') ? first.slice(0, first.lastIndexOf('.')) + one : one))];
}

it.each(['query', 'compare'])(
  'suggests figures of a %s cell that can be typed, however often they are followed',
  async (kind) => {
    const alert = (figure: string) =>
      cell(`name: d\n${days}\nalert: ${figure} < -10${figure.endsWith('change') ? '%' : ''}`, kind);
    const quote = (figure: string) => `{{ d.${figure} }}\n\n${cell(`name: d\n${days}`, kind)}`;
    const whole = (figure: string) => quote(figure.replace(/^d\./, ''));
    let followed = 0;
    for (const [write, figures] of [
      [alert, ['change', 'total', 'previous', 'count', 'total.change', 'count.change']],
      [whole, ['change', 'total', 'count', 'total.change', 'count.change', 'max']],
    ] as const) {
      const toType: string[] = [...figures];
      for (const figure of toType) {
        const { issues } = await prepare(write(figure));
        for (const { code, hint = '' } of issues.filter(({ severity }) => severity === 'error')) {
          expect(code, figure).toMatch(/^several-/);
          followed += 1;
          expect(toType.length).toBeLessThan(100);
          toType.push(...suggested(hint));
        }
      }
    }
    expect(followed).toBeGreaterThan(10);
  },
);

it.each([
  ['query: count by docPth', 'docPth'],
  ['query: "count, conut by day"', 'conut'],
  ['query: count by day last moon', 'last moon'],
  ['query: count by day where docPath = x and docHst = y', 'docHst'],
  // Its characters are not those of the line.
  ['query: >-\n  count\n  by docPth', '>-\n  count\n  by docPth'],
])('marks the wrong word of a line: %s', async (yaml, word) => {
  const text = cell(yaml);
  const { issues } = await prepare(text);
  expect(issues.map(({ span }) => text.slice(span?.start, span?.end).trimEnd())).toEqual([word]);
});

describe('preparing a report', () => {
  it.each<[string, string, string[]]>([
    ['an unknown member', cell('query:\n  measures: [TrackedEvents.conut]'), ['3:14 unknown-member']],
    ['an unknown saved query', cell('from: top-page'), ['2:7 no-such-query']],
    ['an invalid saved query', cell('from: broken'), ['2:7 broken-query', '2:7 broken-query']],
    ['an unreadable range', cell('from: top-pages\nrange: last moon'), ['3:8 unreadable-range']],
    [
      'a condition of its own',
      cell('from: top-pages\nfilters:\n  - {member: TrackedEvents.docPth, operator: set}'),
      ['4:14 unknown-member'],
    ],
    [
      'a condition by a short name',
      cell('query: pageViewsCount by docPath\nfilters:\n  - {member: docPth, operator: set}'),
      ['4:14 unknown-member'],
    ],
    ['a zone', cell('from: top-pages\ntimezone: Mars'), ['3:11 unknown-zone']],
    ['a comparison without a range', cell('query: {measures: [TrackedEvents.count]}', 'compare'), ['2:1 no-range']],
    [
      'an unreadable range to compare with',
      cell('from: top-pages\nwith: last moon', 'compare'),
      ['3:7 unreadable-range'],
    ],
    [
      'a comparison of a comparison',
      cell(
        'query: {measures: [TrackedEvents.count], timeDimensions: [{dimension: TrackedEvents.utcTime, compareDateRange: [today, yesterday]}]}\nwith: previous',
        'compare',
      ),
      ['3:7 two-comparisons'],
    ],
    ['an unknown funnel', cell('funnel: by', 'funnel'), ['2:9 unknown-funnel']],
    ['an unknown group', cell('groups: [amce]', 'usage'), ['2:10 unknown-group']],
    ['a mark without a date', cell('marks: [{date: soon, title: x}]', 'annotations'), ['2:16 invalid-date']],
    ['marks of a file that there is not', cell('from: marks.yaml', 'annotations'), ['2:7 file-unreadable']],
    ['a figure of several rows', `{{ d.count }}\n\n${cell(`name: d\n${days}`)}`, ['1:1 several-rows']],
    ['a figure of several measures', `{{ d.total }}\n\n${cell(`name: d\n${days}`)}`, ['1:1 several-measures']],
    ['an unknown measure of a cell', `{{ d.cuont.total }}\n\n${cell(`name: d\n${days}`)}`, ['1:1 unknown-figure']],
    [
      'a sum of a measure that is not additive',
      `{{ d.uniqueUsersCount.sum }}\n\n${cell(`name: d\n${days}`)}`,
      ['1:1 no-total'],
    ],
    ['a change of a row', `{{ d.count.last | change }}\n\n${cell(`name: d\n${days}`)}`, ['1:1 no-change']],
    [
      'a change without a range',
      `{{ d.count | change }}\n\n${cell('name: d\nquery: {measures: [TrackedEvents.count]}')}`,
      ['4:1 no-range'],
    ],
    ['an unknown figure of usage', `{{ u.totl }}\n\n${cell('name: u', 'usage')}`, ['1:1 unknown-figure']],
    ['an unknown step of a funnel', `{{ f.sea }}\n\n${cell('name: f\nfunnel: buy', 'funnel')}`, ['1:1 unknown-figure']],
    [
      'a filter of a parameter',
      '---\nparams: {m: {type: month, default: last month}}\n---\n{{ m | number }}\n',
      ['4:1 unknown-filter'],
    ],
    [
      'an expectation of an unknown figure',
      `${cell(`name: d\n${days}`)}${cell('expect: [{figure: d.cout.total, atLeast: 1}]', 'check')}`,
      ['6:19 unknown-figure'],
    ],
    [
      'a total over omitted groups',
      `{{ d.uniqueUsersCount.total }}\n\n${cell(`name: d\n${days.replace('last 7 days}]', 'last 7 days}], filters: [{member: TrackedEvents.count, operator: gt, values: [1]}]')}`)}`,
      ['1:1 no-total'],
    ],
  ])('reports %s', async (_, text, issues) => {
    expect(await issuesOf(text)).toEqual(issues);
  });

  it('reports missing and invalid parameters', async () => {
    const text = '---\nparams: {m: {type: month}}\n---\n';
    expect(await issuesOf(text)).toEqual(['2:13 missing-param']);
    expect(await issuesOf(text, { m: '2024-13', n: '1' })).toEqual(['unknown-param', 'invalid-date']);
  });

  it('applies parameters to saved queries, in its own zone', async () => {
    const prepared = await prepare(
      `---\nparams: {m: {type: month, default: last month}}\ntimezone: europe/berlin\n---\n${cell('from: top-pages\nrange: "{{ m }}"\nlimit: 3')}`,
      { m: '2023-12' },
    );
    const [block] = prepared.ok ? prepared.value.blocks : [];
    expect(block).toMatchObject({
      kind: 'question',
      question: { query: { timeDimensions: [{ dateRange: '2023-12' }], limit: 3, timezone: 'Europe/Berlin' } },
    });
  });

  it('applies the range of a bare query to the time of its cube', async () => {
    const prepared = await prepare(cell('query: {measures: [Sessions.count]}\nrange: last week'));
    const [block] = prepared.ok ? prepared.value.blocks : [];
    expect(block).toMatchObject({
      question: { query: { timeDimensions: [{ dimension: 'Sessions.startAt', dateRange: 'last week' }] } },
    });
  });
});
