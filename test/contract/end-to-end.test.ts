import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Query } from '../../src/use/index.ts';
import type { Result } from '../../src/shape/result.ts';
import { filled, partialByPresent, partialByRange } from '../../src/shape/marks.ts';
import { asking, ranges, world, type Asking, type World } from './arbitrary-world.ts';
import { clockOf, openWorlds, whileAsking } from './in-world.ts';
import { answerSlowly, type OracleAnswer } from './oracle.ts';
import { rangeOf, wallTime } from './oracle-clock.ts';
import { toStore } from './oracle-rows.ts';
import { expectTable, tableOf } from './tables.ts';

const inWorld = openWorlds();

function expectMarks({ columns, marks }: Result<object>, { rows }: OracleAnswer): void {
  for (const { key, kind } of columns) {
    if (kind === 'dimension') expect(marks.flags(key), key).toBeUndefined();
    else expect(rows.map((_, row) => marks.of(key, row)), key).toEqual(rows.map((row) => (row.filled ? filled : 0) + (row.cutByRange ? partialByRange : 0) + (row.unfinished ? partialByPresent : 0)));
  }
}

function expectProvenance({ provenance }: Result<object>, answer: OracleAnswer, { query }: Asking, setting: World): void {
  const { keys, rows, range } = answer;
  const axis = keys.find((key) => key.split('.').length === 3) ?? '';
  expect(provenance).toMatchObject({
    rows: rows.length,
    zone: query.timezone ?? setting.zone,
    asOf: new Date(setting.now).toISOString(),
    range: range && { start: new Date(range.start).toISOString(), end: new Date(range.end).toISOString() },
    filled: answer.filled,
    filledCells: rows.filter((row) => row.filled).length * (query.measures?.length ?? 0),
    partialBuckets: new Set(rows.filter((row) => row.cutByRange || row.unfinished).map((row) => row.cells[axis])).size,
    truncated: answer.truncated ? { limit: query.limit } : null,
    rejected: { count: 0 },
  });
  expect(provenance.total).toBe(query.total ? answer.total : undefined);
  const countsUsers = query.measures?.some((name) => name.endsWith('uniqueUsersCount')) && !query.ungrouped;
  if (answer.whole && countsUsers) expect(provenance.uncounted.map((one) => one.rows)).toEqual([answer.withoutUser]);
}

it('answers any question as a slow count by hand does', async () => {
  await fc.assert(fc.asyncProperty(world, fc.array(asking, { minLength: 40, maxLength: 40 }), async (setting, questions) => {
    const store = toStore(setting.events, setting);
    await inWorld(setting, async (sluice) => {
      // All at once: questions of one session must not get into each other's way.
      const results = await Promise.all(questions.map(({ query, ...options }) => sluice.query(query, options)));
      questions.forEach((question, index) => whileAsking(question, setting, () => {
        const result = results[index]!;
        const answer = answerSlowly(question.query, store, { ...clockOf(setting), ...question });
        expect(result.columns.map((column) => column.key)).toEqual(answer.keys);
        expectTable(tableOf(result), answer.rows.map(({ cells }) => answer.keys.map((key) => cells[key]!)));
        expectMarks(result, answer);
        expectProvenance(result, answer, question, setting);
      }));
    });
  }), { numRuns: 8, endOnFailure: true });
});

it('answers a comparison range by range, each as if it had been asked alone', async () => {
  await fc.assert(fc.asyncProperty(world, fc.array(fc.tuple(asking, ranges), { minLength: 10, maxLength: 10 }), async (setting, pairs) => {
    const store = toStore(setting.events, setting);
    await inWorld(setting, async (sluice) => {
      for (const [{ query: { timeDimensions: [time, ...further] = [], ...rest }, ...options }, compared] of pairs) {
        const axis = { dimension: time?.dimension ?? timeOf(rest), ...(time?.granularity && { granularity: time.granularity }) };
        const query: Query = { ...rest, timeDimensions: [{ ...axis, compareDateRange: compared }, ...further] };
        const result = await sluice.query(query, options);
        const clock = clockOf(setting);
        const answers = compared.map((dateRange) => {
          const { start, end } = rangeOf(dateRange, { ...clock, zone: query.timezone ?? clock.zone });
          const label = [start, Math.max(start, end - 1)].map((instant) => wallTime(instant, query.timezone ?? clock.zone)).join(' - ');
          return { label, ...answerSlowly({ ...rest, timeDimensions: [{ ...axis, dateRange }, ...further] }, store, { ...clock, ...options }) };
        });
        whileAsking({ query, ...options }, setting, () => {
          expectTable(tableOf(result), answers.flatMap(({ label, keys, rows }) => rows.map(({ cells }) => [label, ...keys.map((key) => cells[key]!)])));
          expect(result.provenance.total).toBe(query.total ? answers.reduce((sum, { total }) => sum + total, 0) : undefined);
        });
      }
    });
  }), { numRuns: 4, endOnFailure: true });
});

function timeOf({ measures = [], dimensions = [] }: Query): string {
  const cube = [...measures, ...dimensions][0]!.split('.')[0]!;
  return `${cube}.${{ TrackedEvents: 'utcTime', Sessions: 'startAt', ReturningUsers: 'first_timestamp' }[cube]}`;
}
