import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  hashQuery,
  inColumnOrder,
  toCanonicalQuery,
  writeCanonicalQuery,
} from '../../../src/ask/query/canonical-query.ts';
import { readQuery } from '../../../src/ask/query/query-schema.ts';
import { arbitraryQuery } from './arbitrary-query.ts';

/** The same value with the keys of every mapping in another order. Orders stay as they are, because their keys rank. */
function reversed(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((part) => reversed(part));
  if (value === null || typeof value !== 'object' || key === 'order') return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, part]) => [name, reversed(part, name)]),
  );
}

describe('the canonical form', () => {
  test('is idempotent', () => {
    fc.assert(
      fc.property(arbitraryQuery, (query) => {
        const once = toCanonicalQuery(query);
        expect(JSON.stringify(toCanonicalQuery(once))).toBe(JSON.stringify(once));
      }),
    );
  });

  test('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(arbitraryQuery, (query) => {
        expect(writeCanonicalQuery(reversed(query) as typeof query)).toBe(writeCanonicalQuery(query));
      }),
    );
  });

  test('is a valid query', () => {
    fc.assert(
      fc.property(arbitraryQuery, (query) => {
        expect(readQuery(JSON.parse(writeCanonicalQuery(query)))).toMatchObject({ ok: true });
      }),
    );
  });

  test('keeps the order of columns in the shortest form', () => {
    const group = fc.constantFrom('A.a', 'A.b', 'A.c', 'A.t.day', 'A.t.week', 'B.t.day');
    fc.assert(
      fc.property(fc.uniqueArray(group), fc.array(group), (groups, asked) => {
        const isTime = (key: string) => key.includes('.t.');
        const usual = [...groups.filter((key) => !isTime(key)), ...groups.filter(isTime)];
        const query = {
          measures: ['A.n'],
          dimensions: groups.filter((key) => !isTime(key)),
          timeDimensions: groups.filter(isTime).map((key) => {
            const [cube, time, granularity] = key.split('.');
            return { dimension: `${cube}.${time}`, granularity: granularity as 'day' };
          }),
        };
        const order = (columns: readonly string[]) => inColumnOrder(columns, usual);
        const known = [...new Set(asked.filter((key) => groups.includes(key)))];
        const { columns = [] } = toCanonicalQuery({ ...query, columns: asked });
        expect(order(columns)).toEqual([...known, ...usual.filter((key) => !known.includes(key))]);
        for (let fewer = 0; fewer < columns.length; fewer += 1)
          expect(order(columns.slice(0, fewer))).not.toEqual(order(columns));
        // Dimensions with buckets among them have the same form.
        const { columns: said = [] } = toCanonicalQuery({ measures: ['A.n'], dimensions: groups });
        expect(order(said)).toEqual(groups);
      }),
    );
  });

  test('is the same text for equal queries', () => {
    expect(
      writeCanonicalQuery({
        order: { 'A.n': 'desc' },
        filters: [
          { values: [5, true, null, 'x'], operator: 'equals', member: 'A.b' },
          { member: 'A.b', operator: 'set', values: [] },
        ],
        segments: [],
        measures: ['A.n', 'A.n'],
        dimensions: ['A.b', 'A.t.day', 'A.t.week'],
        timeDimensions: [{ dateRange: ['2024-03-08'], dimension: 'A.t' }],
        total: false,
      }),
    ).toBe(
      JSON.stringify({
        measures: ['A.n'],
        dimensions: ['A.b'],
        timeDimensions: [
          { dimension: 'A.t', granularity: 'day', dateRange: ['2024-03-08'] },
          { dimension: 'A.t', granularity: 'week' },
        ],
        filters: [
          { member: 'A.b', operator: 'equals', values: ['5', 'true', null, 'x'] },
          { member: 'A.b', operator: 'set' },
        ],
        order: [['A.n', 'desc']],
      }),
    );
  });

  test('keeps an explicit request for no order', () => {
    expect(toCanonicalQuery({ measures: ['A.n'], order: {} })).toEqual({ measures: ['A.n'], order: [] });
    expect(toCanonicalQuery({ measures: ['A.n'] })).toEqual({ measures: ['A.n'] });
  });

  test('does not change the original query', () => {
    fc.assert(
      fc.property(arbitraryQuery, (query) => {
        const before = structuredClone(query);
        toCanonicalQuery(query);
        expect(query).toEqual(before);
      }),
    );
  });
});

describe('the hash', () => {
  test('has 16 hex digits that depend only on the meaning', () => {
    const hash = hashQuery({ measures: ['TrackedEvents.count'] });
    expect(hash).toMatch(/^[0-9a-f]{16}$/);
    expect(hashQuery({ measures: ['TrackedEvents.count', 'TrackedEvents.count'], filters: [] })).toBe(hash);
    expect(hashQuery({ measures: ['TrackedEvents.count'], limit: 1 })).not.toBe(hash);
  });

  test('stays stable across releases', () => {
    // FNV-1a of 64 bits over {"measures":["TrackedEvents.count"]}, computed by a few lines of Python.
    expect(hashQuery({ measures: ['TrackedEvents.count'] })).toBe('c3ea3c73d2b37b96');
  });
});
