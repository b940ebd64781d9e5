import { describe, expect, it } from 'vitest';
import type { Value } from '../../src/plan/column.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { fill } from '../../src/shape/fill/fill.ts';
import { markServerFill } from '../../src/shape/fill/mark-server-fill.ts';
import { filled, filledOrZero } from '../../src/shape/result/marks.ts';
import { type Result, toResult } from '../../src/shape/result/result.ts';
import { days, makePlan, type PlanWish, somewhere } from './plans.ts';
import { withParts } from '../../src/ask/cloneable.ts';

const midnight = (date: string) => `${date}T00:00:00.000`;

function planOf(preference: PlanWish): Plan {
  const plan = makePlan({ granularity: 'day', range: days('2024-03-08', '2024-03-10'), ...preference });
  return { ...plan, query: { filters: [inRange] } };
}

/** By such a filter the platform knows which days to fill. */
const inRange = { member: 'E.time', operator: 'inDateRange', values: ['2024-03-08', '2024-03-10'] } as const;

function resultOf(plan: Plan, rows: readonly (readonly Value[])[]): Result {
  return toResult({
    columns: plan.columns,
    data: plan.columns.map((_, index) => rows.map((row) => row[index] ?? null)),
    provenance: somewhere,
  });
}

describe('markServerFill', () => {
  it('takes out days that lack their dimensions, so that each series gets them once', () => {
    const plan = planOf({ dimensions: { type: 'string' } });
    const answer = resultOf(plan, [
      ['a', midnight('2024-03-09'), 5],
      [null, midnight('2024-03-08'), 0],
      [null, midnight('2024-03-10'), 0],
    ]);
    const result = fill(markServerFill(answer, plan), plan);
    expect(result.rows().map((row) => Object.values(row))).toEqual([
      ['a', midnight('2024-03-08'), 0],
      ['a', midnight('2024-03-09'), 5],
      ['a', midnight('2024-03-10'), 0],
    ]);
    expect([0, 1, 2].map((row) => result.marks.of('E.count', row))).toEqual([filled, 0, filled]);
  });

  it('keeps a group of missing values that was counted', () => {
    const plan = planOf({ dimensions: { type: 'string' } });
    const answer = resultOf(plan, [[null, midnight('2024-03-09'), 5]]);
    expect(markServerFill(answer, plan)).toBe(answer);
  });

  it('marks zeros at the end that may be counted or filled, puts them in their place, and none of them is doubled', () => {
    const plan = planOf({});
    const answer = resultOf(plan, [
      [midnight('2024-03-09'), 5],
      [midnight('2024-03-08'), 0],
      [midnight('2024-03-10'), 0],
    ]);
    const marked = markServerFill(answer, plan);
    expect([0, 1, 2].map((row) => marked.marks.of('E.count', row))).toEqual([filledOrZero, 0, filledOrZero]);
    expect(marked.values('E.time.day')).toEqual(['2024-03-08', '2024-03-09', '2024-03-10'].map(midnight));
    expect(fill(marked, plan).rowCount).toBe(3);
  });

  it('does not count filled rows against the limit', () => {
    const plan = planOf({ limit: 2 });
    const answer = resultOf(plan, [
      [midnight('2024-03-09'), 5],
      [midnight('2024-03-08'), 0],
      [midnight('2024-03-10'), 0],
    ]);
    expect(
      markServerFill(withParts(answer, { provenance: { ...somewhere, truncated: { limit: 2 } } }), plan).provenance
        .truncated,
    ).toBeNull();
  });

  it('takes out as many rows as the wire told, and no counted one of missing values', () => {
    const plan = planOf({ dimensions: { type: 'string' } });
    const answer = resultOf(plan, [
      ['a', midnight('2024-03-09'), 5],
      [null, midnight('2024-03-09'), 0],
      [null, midnight('2024-03-08'), 0],
      [null, midnight('2024-03-10'), 0],
    ]);
    expect(
      markServerFill(answer, plan, 2)
        .rows()
        .map((row) => Object.values(row)),
    ).toEqual([
      ['a', midnight('2024-03-09'), 5],
      [null, midnight('2024-03-09'), 0],
    ]);
    expect(markServerFill(answer, plan, 0)).toBe(answer);
  });

  it('knows the filter also beside a range of the time dimension', () => {
    const plan = {
      ...makePlan({ granularity: 'day', range: days('2024-03-08', '2024-03-10'), dimensions: { type: 'string' } }),
      query: { filters: [inRange] },
    };
    const answer = resultOf(plan, [
      ['a', midnight('2024-03-09'), 5],
      [null, midnight('2024-03-08'), 0],
    ]);
    expect(markServerFill(answer, plan).rowCount).toBe(1);
  });

  it('leaves out days beyond a range that the time dimension has itself', () => {
    const plan = {
      ...makePlan({ granularity: 'day', range: days('2024-03-08', '2024-03-09') }),
      query: { filters: [inRange] },
    };
    const answer = resultOf(plan, [
      [midnight('2024-03-09'), 5],
      [midnight('2024-03-08'), 0],
      [midnight('2024-03-10'), 0],
    ]);
    expect(markServerFill(answer, plan).values('E.time.day')).toEqual([midnight('2024-03-08'), midnight('2024-03-09')]);
  });

  it('looks for nothing where the platform does not fill', () => {
    const plan = makePlan({ granularity: 'day', range: days('2024-03-08', '2024-03-10') });
    const answer = resultOf(plan, [[midnight('2024-03-09'), 0]]);
    expect(markServerFill(answer, plan)).toBe(answer);
  });
});
