import type { ColumnTable } from 'arquero';
import { describe, expect, it } from 'vitest';
import { collect } from '../../src/shape/collect.ts';
import { partialByPresent, partialByRange } from '../../src/shape/result/marks.ts';
import { toSteadyProvenance } from '../../src/shape/result/provenance.ts';
import { answerOf, day, days, makePlan, noFacts, someFacts } from './plans.ts';

const midnight = (date: string) => `${date}T00:00:00.000`;

describe('collect', () => {
  it('joins batches column by column and keeps the types of values', async () => {
    const plan = makePlan({
      dimensions: { type: 'string', flag: 'boolean' },
      measures: { count: 'count', sum: 'sum' },
    });
    const rows = [
      ['a', true, 1, '1.10'],
      [null, false, 2n ** 60n, null],
      ['b', null, 3, 0.5],
    ];
    const result = await collect(plan, answerOf(plan, rows, 2), someFacts);
    expect(result.rows()).toEqual([
      { 'E.type': 'a', 'E.flag': true, 'E.count': 1, 'E.sum': '1.10' },
      { 'E.type': null, 'E.flag': false, 'E.count': 2n ** 60n, 'E.sum': null },
      { 'E.type': 'b', 'E.flag': null, 'E.count': 3, 'E.sum': 0.5 },
    ]);
    expect(result.rows()).toBe(result.rows());
  });

  it('keeps typed arrays typed, and shares a single batch', async () => {
    const plan = makePlan({ measures: { sum: 'sum' } });
    const parts = [Float64Array.of(1, 2), Float64Array.of(3)];
    const answer = (all: readonly Float64Array[]) => ({
      batches: (async function* () {
        for (const part of all) yield { rowCount: part.length, columns: [part] };
      })(),
      facts: () => noFacts,
    });
    expect((await collect(plan, answer(parts), someFacts)).values('E.sum')).toEqual(Float64Array.of(1, 2, 3));
    expect((await collect(plan, answer(parts.slice(0, 1)), someFacts)).values('E.sum')).toBe(parts[0]);
  });

  it('hands out an arquero table of the very same columns', async () => {
    const plan = makePlan({ dimensions: { type: 'string' } });
    const result = await collect(
      plan,
      answerOf(plan, [
        ['a', 1],
        ['b', 2],
      ]),
      someFacts,
    );
    const table = result.toArquero<ColumnTable>();
    expect(table.columnNames()).toEqual(['E.type', 'E.count']);
    expect(table.column('E.type')).toBe(result.values('E.type'));
    expect(table.objects()).toEqual(result.rows());
  });

  it('tells what is known about the answer', async () => {
    const plan = makePlan({
      granularity: 'day',
      range: days('2024-03-08', '2024-03-09'),
      now: day('2024-04-01'),
      zone: 'UTC',
      limit: 5,
    });
    const facts = {
      total: 2,
      uncounted: [{ what: 'events without a user', rows: 3 }],
      rejected: { count: 1, examples: [{ file: 'a.ndjson', line: 7, reason: 'no JSON' }] },
      freshness: '2024-03-09T10:00:00.000Z',
    };
    const result = await collect(plan, answerOf(plan, [[midnight('2024-03-08'), 1]], 10, facts), {
      ...someFacts,
      elapsedMs: () => 12,
    });
    expect(result.provenance).toMatchObject({
      queryHash: 'hash',
      backend: 'embedded',
      source: 'events.ndjson',
      zone: 'UTC',
      asOf: '2024-04-01T00:00:00.000Z',
      rows: 1,
      truncated: null,
      elapsedMs: 12,
      range: { start: '2024-03-08T00:00:00.000Z', end: '2024-03-10T00:00:00.000Z' },
      ...facts,
    });
    expect(toSteadyProvenance(result.provenance)).not.toHaveProperty('elapsedMs');
  });

  it('says that a range without buckets is not over', async () => {
    const unfinished = 'The range is not over: the current time is 2024-04-01 00:00.';
    const noteOf = async (now: number, granularity?: 'day') => {
      const range = days('2024-03-08', '2024-04-09');
      const plan = makePlan({ granularity: 'day', range, now });
      const asked = granularity
        ? plan
        : { ...plan, series: undefined, times: plan.times.map((time) => ({ ...time, granularity: undefined })) };
      return (await collect(asked, answerOf(asked, []), someFacts)).provenance.notes;
    };
    expect(await noteOf(day('2024-04-01'))).toEqual([unfinished]);
    expect(await noteOf(day('2024-04-01'), 'day')).toEqual([]);
    expect(await noteOf(day('2024-04-10'))).toEqual([]);
    expect(await noteOf(day('2024-03-01'))).toEqual([]);
  });

  it('says that a limit was reached, unless the total proves that nothing is missing', async () => {
    const plan = makePlan({ dimensions: { type: 'string' }, limit: 2 });
    const rows = [
      ['a', 1],
      ['b', 2],
    ];
    expect((await collect(plan, answerOf(plan, rows), someFacts)).provenance.truncated).toEqual({ limit: 2 });
    expect(
      (await collect(plan, answerOf(plan, rows, 9, { ...noFacts, total: 3 }), someFacts)).provenance.truncated,
    ).toEqual({ limit: 2 });
    expect(
      (await collect(plan, answerOf(plan, rows, 9, { ...noFacts, total: 2 }), someFacts)).provenance.truncated,
    ).toBeNull();
    expect((await collect({ ...plan, limit: 3 }, answerOf(plan, rows), someFacts)).provenance.truncated).toBeNull();
  });

  it('marks buckets that are cut by the range or the present, once for time and all measures', async () => {
    const plan = makePlan({
      granularity: 'week',
      range: days('2024-03-06', '2024-03-20'),
      now: day('2024-03-19'),
      dimensions: { type: 'string' },
      measures: { count: 'count', sum: 'sum' },
    });
    const rows = ['2024-03-04', '2024-03-11', '2024-03-18'].map((date) => ['a', midnight(date), 1, 1]);
    const result = await collect(plan, answerOf(plan, rows), someFacts);
    expect([0, 1, 2].map((row) => result.marks.of('E.sum', row))).toEqual([
      partialByRange,
      0,
      partialByRange | partialByPresent,
    ]);
    expect(result.marks.flags('E.sum')).toBe(result.marks.flags('E.count'));
    expect(result.marks.flags('E.sum')).toBe(result.marks.flags('E.time.week'));
    expect(result.marks.of('E.type', 0)).toBe(0);
    expect(result.provenance.partialBuckets).toBe(2);
  });

  it('marks the present bucket of a series without a range, and nothing in the past', async () => {
    const plan = makePlan({ granularity: 'day', now: day('2024-03-09') + 1 });
    const result = await collect(
      plan,
      answerOf(plan, [
        [midnight('2024-03-08'), 1],
        [midnight('2024-03-09'), 1],
      ]),
      someFacts,
    );
    expect([0, 1].map((row) => result.marks.of('E.count', row))).toEqual([0, partialByPresent]);
  });

  it('keeps the columns of an empty answer', async () => {
    const plan = makePlan({ dimensions: { type: 'string' } });
    const result = await collect(plan, answerOf(plan, []), someFacts);
    expect(result.columns.map((column) => column.key)).toEqual(['E.type', 'E.count']);
    expect(result.rows()).toEqual([]);
    expect(result.toArquero<ColumnTable>().numRows()).toBe(0);
  });
});
