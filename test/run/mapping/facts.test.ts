import { describe, expect, it } from 'vitest';
import { proposeMapping } from '../../../src/plan/mapping/propose-mapping.ts';
import type { ShapeColumn } from '../../../src/plan/mapping/preset.ts';
import { factsRead } from '../../../src/run/duckdb/reading/recognise-fields.ts';

describe('the facts that a statement reads', () => {
  it('are found in its code, not in its texts', () => {
    const mapped = {
      fields: [{ column: 'event', name: 'event', type: 'text', parts: [] }],
      roots: [],
      consumed: [],
    } as unknown as NonNullable<Parameters<typeof factsRead>[1]>;
    expect(factsRead("SELECT error('an event came, it''s an event')", mapped)).toEqual([]);
    expect(factsRead('SELECT count(e.event)', mapped).map(({ title }) => title)).toEqual(['event']);
  });
});

describe('a proposal', () => {
  const column = (name: string, ...examples: string[]): ShapeColumn =>
    ({ name, type: 'text', filled: 1, distinct: examples.length, examples, fields: [] }) as unknown as ShapeColumn;

  it.each(['url', 'href', 'path'])('takes paths in a column %s for the page', (name) => {
    const { mapping, missing } = proposeMapping({
      kind: 'csv',
      columns: [column('created_at', '2024-03-01 10:00:00'), column(name, '/article/1', '/article/2')],
      has: () => false,
    });
    expect(mapping.columns['docPath']).toBe(name);
    expect(missing).not.toContain('page');
  });
});
