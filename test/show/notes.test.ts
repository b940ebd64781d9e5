import { describe, expect, it } from 'vitest';
import { toNotes } from '../../src/show/labels/notes.ts';
import { emptyProvenance } from './example-result.ts';

const notes = (more: Partial<typeof emptyProvenance>) =>
  toNotes({ ...emptyProvenance, ...more }).map(({ text }) => text);

describe('toNotes', () => {
  it('is empty if there is nothing to report', () => {
    expect(notes({ rows: 12, total: 12 })).toEqual([]);
  });

  it('reports a reached limit, and the number of all rows if known', () => {
    expect(notes({ truncated: { limit: 10_000 } })).toEqual(['Limit of 10,000 rows reached: there may be more.']);
    expect(notes({ truncated: { limit: 10 }, total: 1234 })).toEqual([
      'Limit of 10 rows reached: there are 1,234 rows in all.',
    ]);
    expect(notes({ rows: 10, total: 1234 })).toEqual(['10 rows of 1,234 in all.']);
  });

  it('reports what no figure includes', () => {
    expect(notes({ rejected: { count: 1, examples: [{ file: 'a.ndjson', line: 3, reason: 'not JSON' }] } })).toEqual([
      '1 line could not be read and is not included. The first: a.ndjson:3, not JSON',
    ]);
    expect(
      notes({
        uncounted: [
          { what: 'events without a user', rows: 1204 },
          { what: 'users whose attempts were excluded by an event', rows: 1 },
          { what: 'page views without a path', rows: 1 },
        ],
      }),
    ).toEqual([
      '1,204 events without a user are not counted.',
      '1 user whose attempts were excluded by an event is not counted.',
      '1 page view without a path is not counted.',
    ]);
  });

  it('reports repeated IDs as a kind of their own', () => {
    expect(toNotes({ ...emptyProvenance, repeated: ['1 event repeats an ID.'] })).toEqual([
      { kind: 'repeated', text: '1 event repeats an ID.', alert: false },
    ]);
  });

  it('ends with the notes of the result itself', () => {
    expect(notes({ truncated: { limit: 1 }, notes: ['Missing buckets are not filled.'] }).at(-1)).toBe(
      'Missing buckets are not filled.',
    );
  });
});
