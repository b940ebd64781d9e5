import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Value } from '../../../src/plan/column.ts';
import { writeJson, writeJsonWithProvenance, writeNdjson } from '../../../src/show/text/write-json.ts';
import { anyResult } from '../arbitrary-result.ts';
import { dayColumn, exampleResult, hostileTexts, numberColumn, textColumn } from '../example-result.ts';

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** Parses JSON and keeps the digits of numbers as written. */
function parse(text: string): unknown {
  const withDigits: Reviver = (_, value, { source }) => (typeof value === 'number' ? { digits: source } : value);
  return (JSON.parse as (text: string, reviver: Reviver) => unknown)(text, withDigits);
}

function expected(value: Value, type: string): unknown {
  if (typeof value === 'number') return { digits: String(value) };
  if (typeof value === 'bigint' || (type === 'number' && typeof value === 'string')) return { digits: String(value) };
  return value;
}

describe('JSON', () => {
  it('is an array of row objects keyed by column key', () => {
    const result = exampleResult([
      [textColumn('eventType'), ['pageview']],
      [numberColumn('count'), [4080]],
    ]);
    expect([...writeJson(result)].join('')).toBe(
      '[{"TrackedEvents.eventType":"pageview","TrackedEvents.count":4080}]\n',
    );
  });

  it('reads back to the same values with every digit', () => {
    fc.assert(
      fc.property(anyResult, (result) => {
        const rows = result
          .rows()
          .map((row) =>
            Object.fromEntries(result.columns.map(({ key, type }) => [key, expected(row[key] ?? null, type)])),
          );
        expect(parse([...writeJson(result)].join(''))).toEqual(rows);
        const lines = [...writeNdjson(result)].join('').split('\n');
        expect(lines.pop()).toBe('');
        expect(lines.map(parse)).toEqual(rows);
      }),
    );
  });

  it('contains no control character except its own line feeds', () => {
    fc.assert(
      fc.property(anyResult, (result) => {
        expect([...writeJson(result)].join('')).not.toMatch(/(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
    expect([...writeNdjson(exampleResult([[textColumn('a'), hostileTexts]]))].join('')).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  it('is an empty array, or no line at all, if there are no rows', () => {
    const result = exampleResult([[textColumn('a'), []]]);
    expect([...writeJson(result)].join('')).toBe('[]\n');
    expect([...writeNdjson(result)].join('')).toBe('');
  });

  it('writes NaN and infinities as text, because null means no value, and non-numeric text in a number column as text', () => {
    const result = exampleResult([
      [numberColumn('a'), Float64Array.of(NaN, Infinity, 1.5)],
      [numberColumn('b'), ['007', '1e3', 'n/a']],
    ]);
    expect(JSON.parse([...writeJson(result)].join(''))).toEqual([
      { 'TrackedEvents.a': 'NaN', 'TrackedEvents.b': '007' },
      { 'TrackedEvents.a': 'Infinity', 'TrackedEvents.b': 1000 },
      { 'TrackedEvents.a': 1.5, 'TrackedEvents.b': 'n/a' },
    ]);
  });

  it('comes in chunks, so that a large result is never one string', () => {
    const result = exampleResult([[numberColumn('n'), Float64Array.from({ length: 50_000 }, (_, row) => row)]]);
    const chunks = [...writeJson(result)];
    expect(chunks.length).toBeGreaterThan(10);
    expect(Math.max(...chunks.map((chunk) => chunk.length))).toBeLessThan(70_000);
    expect(JSON.parse(chunks.join(''))).toHaveLength(50_000);
  });
});

describe('JSON with provenance', () => {
  const result = exampleResult(
    [
      [dayColumn('utcTime'), ['2024-03-08T00:00:00.000', '2024-03-09T00:00:00.000']],
      [numberColumn('count'), [0, 3]],
    ],
    {
      marks: { 'TrackedEvents.count': [1, 8] },
      provenance: { notes: ['A \u001b[31mnote.'], elapsedMs: 17 },
    },
  );
  const text = [...writeJsonWithProvenance(result)].join('');
  const parsed = JSON.parse(text) as Record<string, unknown>;

  it('contains the columns, the rows and the marked rows of each column', () => {
    expect(parsed['columns']).toEqual(result.columns);
    expect(parsed['rows']).toEqual(result.rows());
    expect(parsed['marks']).toEqual({ 'TrackedEvents.count': { filled: [0], partialByPresent: [1] } });
  });

  it('contains the provenance without what varies from run to run', () => {
    expect(parsed['provenance']).toMatchObject({ backend: 'embedded', rows: 2, notes: ['A \u001b[31mnote.'] });
    expect(text).not.toContain('elapsedMs');
    expect(text).not.toContain('\u001b');
  });
});
