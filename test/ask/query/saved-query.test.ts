import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chartKinds } from '../../../src/ask/chart/chart-preference.ts';
import { readSavedQuery, writeSavedQuery } from '../../../src/ask/query/read-saved-query.ts';
import type { SavedQuery } from '../../../src/ask/query/saved-query.ts';
import { arbitraryQuery } from './arbitrary-query.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('yes', '2024', '- a', 'a: b', '# no', 'two\nlines\n', '  indented', '~', '\ttab', '\r\n', '---'),
);
const fragment = fc.dictionary(
  fc.string({ unit: 'grapheme' }).filter((key) => key !== '__proto__'),
  fc.oneof(
    text,
    fc.boolean(),
    fc.integer(),
    fc.array(text, { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('scale', 'type', 'a.b'), text, { noNullPrototype: true }),
  ),
  { maxKeys: 4, noNullPrototype: true },
);
const chart = fc.oneof(fc.constantFrom(...chartKinds, 'none' as const), fragment);
const arbitrarySaved: fc.Arbitrary<SavedQuery> = fc.record(
  {
    title: text,
    description: text,
    query: arbitraryQuery,
    fill: fc.constantFrom('auto', 'all', 'none'),
    fillWith: fc.constant(0),
    chart,
  },
  { requiredKeys: ['query'] },
);

describe('query files', () => {
  test('are read with title, display settings and query', () => {
    const file =
      'title: Top pages\nfill: none\nfillWith: 0\nchart: bar\nquery:\n  measures: [TrackedEvents.pageViewsCount]\n';
    expect(readSavedQuery(file)).toMatchObject({
      ok: true,
      value: {
        title: 'Top pages',
        fill: 'none',
        fillWith: 0,
        chart: 'bar',
        query: { measures: ['TrackedEvents.pageViewsCount'] },
      },
    });
  });

  test('list all charts if the name is unknown', () => {
    const outcome = readSavedQuery('query:\n  measures: [A.count]\nchart: lines\n');
    expect(outcome.ok).toBe(false);
    expect(outcome.issues).toMatchObject([
      { path: ['chart'], message: expect.stringContaining('"line"') as string, span: { line: 3 } },
    ]);
  });

  test('read back what was written', () => {
    fc.assert(
      fc.property(arbitrarySaved, (saved) => {
        const outcome = readSavedQuery(writeSavedQuery(saved));
        expect(outcome.issues).toEqual([]);
        expect(outcome.ok && asText(outcome.value)).toEqual(asText(saved));
      }),
      { numRuns: 500 },
    );
  });

  test('write a negative zero as zero', () => {
    const query = {
      measures: ['A.count'],
      filters: [{ member: 'A.count', operator: 'equals', values: [-0] }],
    } as const;
    const outcome = readSavedQuery(writeSavedQuery({ query }));
    expect(outcome.ok && outcome.value.query.filters).toEqual([{ member: 'A.count', operator: 'equals', values: [0] }]);
  });

  test('are written in a readable form', () => {
    expect(
      writeSavedQuery({
        title: 'Top pages',
        query: {
          limit: 10,
          measures: ['TrackedEvents.count'],
          timeDimensions: [{ dimension: 'TrackedEvents.utcTime', dateRange: ['2024-03-01', '2024-03-31'] }],
          order: { 'TrackedEvents.count': 'desc' },
        },
      }),
    ).toBe(
      [
        'title: Top pages',
        'query:',
        '  measures:',
        '    - TrackedEvents.count',
        '  timeDimensions:',
        '    - dimension: TrackedEvents.utcTime',
        '      dateRange:',
        '        - 2024-03-01',
        '        - 2024-03-31',
        '  order:',
        '    TrackedEvents.count: desc',
        '  limit: 10',
        '',
      ].join('\n'),
    );
  });

  test('accept the body of a load request', () => {
    const body = JSON.stringify({ query: { measures: ['A.n'] }, queryType: 'multi' }, null, '\t');
    expect(readSavedQuery(body)).toMatchObject({ ok: true, value: { query: { measures: ['A.n'] } } });
  });

  test('accept a bare query', () => {
    expect(readSavedQuery('measures: [A.n]\nlimit: 5')).toMatchObject({
      ok: true,
      value: { query: { measures: ['A.n'], limit: 5 } },
    });
    expect(readSavedQuery('measures: [A.n]\nlimits: 5')).toMatchObject({
      ok: false,
      issues: [{ code: 'unknown-key', span: { line: 2, column: 1 } }],
    });
  });

  test('locate the parts of the query in any form', () => {
    const wrapped = 'query:\n  measures: [A.n]\n  filters:\n    - {member: A.b, operator: set}\n';
    const bare = 'measures: [A.n]\nfilters:\n  - {member: A.b, operator: set}\n';
    const pointed = (source: string) => {
      const span = readSavedQuery(source).locateInQuery(['filters', 0, 'member']);
      return span && source.slice(span.start, span.end);
    };
    expect(pointed(wrapped)).toBe('A.b');
    expect(pointed(bare)).toBe('A.b');
  });

  test('suggest the intended key', () => {
    expect(readSavedQuery('qurey: {measures: [A.n]}').issues).toMatchObject([
      { code: 'missing-key' },
      { code: 'unknown-key' },
    ]);
    expect(readSavedQuery('query: {measures: [A.n]}\nfil: all').issues).toMatchObject([
      { hint: 'Did you mean "fill"?', span: { line: 2 } },
    ]);
    expect(readSavedQuery('query: {measures: [A.n]}\nfillWith: 1').issues).toMatchObject([
      { code: 'unknown-value', hint: 'It can be 0.' },
    ]);
  });

  test('never throw', () => {
    const pieces = fc.constantFrom(
      'query',
      'measures',
      'filters',
      'and',
      'member',
      'operator',
      ': ',
      '- ',
      '\n',
      '  ',
      '[',
      ']',
      '{',
      '}',
      ',',
      'A.n',
      'set',
      '*a',
      '&a ',
      '"',
      '\u0000',
      '1',
      '~',
      '|\n',
    );
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 25 }).map((parts) => parts.join('')),
        (source) => {
          const outcome = readSavedQuery(source);
          expect(outcome.ok || outcome.issues.length > 0).toBe(true);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

/** Compares JSON text: -0 is written as 0, in load bodies, too. */
function asText({ title, description, query, fill, fillWith, chart }: SavedQuery): unknown {
  return JSON.parse(JSON.stringify({ title, description, query, fill, fillWith, chart }));
}
