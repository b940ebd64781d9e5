import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collect } from '../../src/shape/collect.ts';
import { noteGaps } from '../../src/shape/fill/note-gaps.ts';
import { runs } from '../runs.ts';
import { answerOf, days, makePlan, type PlanWish, someFacts } from './plans.ts';

async function notesOf(wish: PlanWish, dates: readonly number[]): Promise<readonly string[]> {
  const plan = makePlan({ granularity: 'day', dimensions: { type: 'string' }, ...wish });
  const rows = dates.map((date) => ['x', `2024-03-${String(date).padStart(2, '0')}T00:00:00.000`, 1]);
  const result = await collect(plan, answerOf(plan, rows), someFacts);
  return noteGaps(result.provenance, plan, (column) => [...result.codes(column).dictionary]).notes;
}

describe('a series of days without a range', () => {
  it('says how many days between its first and its last one have no rows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 31 }), { maxLength: 12 }), async (dates) => {
        let missing = 0;
        for (let date = Math.min(...dates); date < Math.max(...dates); date += 1)
          if (!dates.includes(date)) missing += 1;
        const [note, ...more] = await notesOf({}, dates);
        expect([more, Number(/^\d+/.exec(note ?? '0')?.[0])]).toEqual([[], missing]);
      }),
      { numRuns: runs(40) },
    );
  });

  it('says so in words', async () => {
    expect(await notesOf({}, [1, 3])).toEqual([
      '1 day without rows is left out, because the question has no range. Add one, such as `last 30 days`, to show such days as 0.',
    ]);
  });

  it('says nothing with a range, or if a limit may hide days', async () => {
    expect(await notesOf({ range: days('2024-03-01', '2024-03-04') }, [1, 3])).toEqual([]);
    expect(await notesOf({ limit: 2 }, [1, 3])).toEqual([]);
    expect(await notesOf({ offset: 1 }, [1, 3])).toEqual([]);
  });
});
