import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import * as entry from '../../src/use/query.ts';

const root = new URL('../..', import.meta.url).pathname;
const { query, queryFrom, querySchema, readNotation, readQuery, toCanonicalQuery, writeNotation } = entry;

it('the query entry point builds, reads, checks and writes queries', () => {
  const built = query().measures('TrackedEvents.count').by('TrackedEvents.docPath').range('last 7 days').limit(3);
  const read = readNotation('count by docPath last 7 days limit 3');
  expect(read.ok && toCanonicalQuery(read.value)).toEqual(toCanonicalQuery(built.toQuery()));
  expect(writeNotation(built.toQuery())).toBe('count by docPath last 7 days limit 3');
  expect(readQuery({ measures: ['TrackedEvents.count'], limt: 3 })).toMatchObject({
    ok: false,
    issues: [{ code: 'unknown-key', hint: expect.stringContaining('limit') }],
  });
});

it('provides a schema for libraries that accept schemas', async () => {
  const asked = { measures: ['TrackedEvents.count'], limit: 3 };
  expect(querySchema.parse(asked)).toEqual(asked);
  expect(querySchema.safeParse(asked)).toMatchObject({ success: true, data: asked });
  expect(await querySchema['~standard'].validate(asked)).toEqual({ value: asked });
  const wrong = { measures: ['TrackedEvents.count'], limit: -1 };
  const issues = [expect.objectContaining({ path: ['limit'] })];
  expect(querySchema.safeParse(wrong)).toMatchObject({ success: false, error: { issues } });
  expect(await querySchema['~standard'].validate(wrong)).toMatchObject({ issues });
  expect(() => querySchema.parse(wrong)).toThrow(expect.objectContaining({ issues }));
});

it('continues from a query in any form of its order, and keeps the settings of a saved query', () => {
  const saved = {
    title: 'Top pages',
    fill: 'none' as const,
    query: {
      measures: ['TrackedEvents.count'],
      timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'day' as const, dateRange: 'last 30 days' }],
      order: { 'TrackedEvents.count': 'desc' as const },
    },
  };
  const next = queryFrom(saved).range('yesterday').order('TrackedEvents.utcTime').limit(3);
  expect(next.toSavedQuery()).toEqual({
    title: 'Top pages',
    fill: 'none',
    query: {
      measures: ['TrackedEvents.count'],
      timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'day', dateRange: 'yesterday' }],
      order: [
        ['TrackedEvents.count', 'desc'],
        ['TrackedEvents.utcTime', 'asc'],
      ],
      limit: 3,
    },
  });
  expect(saved.query.timeDimensions[0]?.dateRange).toBe('last 30 days');
  expect(queryFrom(saved.query).toSavedQuery()).toEqual({
    query: { ...saved.query, order: [['TrackedEvents.count', 'desc']] },
  });
});

it('bundles for a browser in less than 68 kB compressed, without any API of Node', async () => {
  const bundle = await rolldown({
    input: `${root}src/use/query.ts`,
    cwd: root,
    platform: 'browser',
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false });
  await bundle.close();
  const [chunk] = output;
  expect(output).toHaveLength(1);
  expect([chunk.imports, chunk.dynamicImports]).toEqual([[], []]);
  expect(chunk.code).not.toMatch(/\bprocess\.|\brequire\(|node:|\bBuffer\b/);
  const { length } = gzipSync(chunk.code);
  expect(length).toBeGreaterThan(5_000);
  expect(length).toBeLessThan(68_000);
});
