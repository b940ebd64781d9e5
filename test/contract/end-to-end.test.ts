import fc from 'fast-check';
import { expect, it } from 'vitest';
import { filled, partialByPresent, partialByRange } from '../../src/shape/result/marks.ts';
import type { Result } from '../../src/shape/result/result.ts';
import type { Query } from '../../src/use/index.ts';
import { localAsking as asking, type Asking, ranges, world, type World } from './arbitrary-world.ts';
import { clockOf, openWorlds, whileAsking } from './in-world.ts';
import { bucketsOf, rangeOf, type Size, wallTime } from './oracle-clock.ts';
import { toStore } from './oracle-rows.ts';
import { answerSlowly, type OracleAnswer, type OracleRow } from './oracle.ts';
import { expectTable, tableOf } from './tables.ts';
import { runs } from '../runs.ts';

const inWorld = openWorlds();

function expectMarks({ columns, marks }: Result<object>, { rows }: OracleAnswer): void {
  for (const { key, kind } of columns) {
    if (kind === 'dimension') expect(marks.flags(key), key).toBeUndefined();
    else
      expect(
        rows.map((_, row) => marks.of(key, row)),
        key,
      ).toEqual(
        rows.map(
          (row) =>
            (row.filled ? filled : 0) + (row.cutByRange ? partialByRange : 0) + (row.unfinished ? partialByPresent : 0),
        ),
      );
  }
}

function expectProvenance(
  { provenance }: Result<object>,
  answer: OracleAnswer,
  { query }: Asking,
  setting: World,
): void {
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
  if (answer.whole && countsUsers)
    expect(provenance.uncounted.find(({ what }) => what.endsWith('without a user'))?.rows).toBe(answer.withoutUser);
}

it('answers any question as a slow count by hand does', async () => {
  await fc.assert(
    fc.asyncProperty(world, fc.array(asking, { minLength: 40, maxLength: 40 }), async (setting, questions) => {
      const store = toStore(setting.events, setting);
      await inWorld(setting, async (sluice) => {
        // Concurrent questions of one session must not interfere.
        const results = await Promise.all(questions.map(({ query, ...options }) => sluice.query(query, options)));
        questions.forEach((question, index) =>
          whileAsking(question, setting, () => {
            const result = results[index]!;
            const answer = answerSlowly(question.query, store, { ...clockOf(setting), ...question });
            expect(result.columns.map((column) => column.key)).toEqual(answer.keys);
            expectTable(
              tableOf(result),
              answer.rows.map(({ cells }) => answer.keys.map((key) => cells[key]!)),
            );
            expectMarks(result, answer);
            expectProvenance(result, answer, question, setting);
          }),
        );
      });
    }),
    { numRuns: runs(8), endOnFailure: true },
  );
});

it('answers a comparison range by range, the groups chosen by the first one', async () => {
  await fc.assert(
    fc.asyncProperty(
      world,
      fc.array(fc.tuple(asking, ranges), { minLength: 10, maxLength: 10 }),
      async (setting, pairs) => {
        const store = toStore(setting.events, setting);
        await inWorld(setting, async (sluice) => {
          for (const [
            {
              query: { timeDimensions: [time, ...further] = [], ...rest },
              ...options
            },
            compared,
          ] of pairs) {
            const axis = {
              dimension: time?.dimension ?? timeOf(rest),
              ...(time?.granularity && { granularity: time.granularity }),
            };
            const query: Query = { ...rest, timeDimensions: [{ ...axis, compareDateRange: compared }, ...further] };
            const result = await sluice.query(query, options);
            const clock = { ...clockOf(setting), zone: query.timezone ?? setting.zone };
            const answers = chooseSlowly(
              query,
              compared.map((dateRange): ComparedAnswer => {
                const range = rangeOf(dateRange, clock);
                // As written, also if the range ends before it begins.
                const until = rangeOf(typeof dateRange === 'string' ? dateRange : dateRange.slice(-1), clock);
                const label = [range.start, Math.max(until.start, until.end - 1)]
                  .map((instant) => wallTime(instant, clock.zone))
                  .join(' - ');
                const alone = { ...rest, timeDimensions: [{ ...axis, dateRange }, ...further] };
                const { limit: _, offset: __, ...whole } = alone;
                const ask = (asked: Query) =>
                  answerSlowly({ limit: 100_000, ...asked }, store, { ...clockOf(setting), ...options });
                const places = () =>
                  axis.granularity === undefined
                    ? []
                    : bucketsOf(range, axis.granularity as Size, clock.zone, clock.weekStart).map(
                        (bucket) => bucket.label,
                      );
                return {
                  label,
                  ...ask(alone),
                  whole: () => ({ rows: ask(whole).rows, places: toPlaces(places(), axis.granularity) }),
                };
              }),
            );
            whileAsking({ query, ...options }, setting, () => {
              expectTable(
                tableOf(result),
                answers.flatMap(({ label, keys, rows }) =>
                  rows.map(({ cells }) => [label, ...keys.map((key) => cells[key]!)]),
                ),
              );
              expect(result.provenance.total).toBe(
                query.total ? answers.reduce((sum, { total }) => sum + total, 0) : undefined,
              );
            });
          }
        });
      },
    ),
    { numRuns: runs(4), endOnFailure: true },
  );
});

/**
 * The places of buckets: days and longer by index; hours and shorter by elapsed clock time, because a repeated hour
 * occurs twice.
 */
function toPlaces(labels: readonly string[], granularity: string | undefined): ReadonlyMap<string, number> {
  if (!['second', 'minute', 'hour'].includes(granularity ?? ''))
    return new Map(labels.map((label, place) => [label, place]));
  const walls = labels.map((label) => Date.parse(`${label.slice(0, 23)}Z`));
  const seen = new Map<number, readonly number[]>();
  return new Map(
    labels.map((label, index) => {
      const wall = walls[index]!;
      const before = seen.get(wall) ?? [];
      seen.set(wall, [...before, index]);
      return [label, 2 * (wall - (walls[0] ?? 0)) + before.filter((place) => place >= index - 3600).length];
    }),
  );
}

interface ComparedAnswer extends Omit<OracleAnswer, 'whole'> {
  readonly label: string;
  /** Its rows without limit and offset, and the places of its buckets by label. */
  readonly whole: () => { readonly rows: readonly OracleRow[]; readonly places: ReadonlyMap<string, number> };
}

/** The rows that a comparison takes from each range: those of the first range's groups, then others up to the limit. */
function chooseSlowly(query: Query, answers: readonly ComparedAnswer[]): readonly ComparedAnswer[] {
  const { dimensions = [], limit, offset = 0 } = query;
  const axis = answers[0]!.keys.find((key) => key.split('.').length === 3);
  const isGrouped = !query.ungrouped && (dimensions.length > 0 || axis !== undefined);
  if (!isGrouped || limit === 0 || (limit === undefined && offset === 0)) return answers;
  const [current, ...earlier] = answers.map((answer) => ({
    ...answer,
    ...(({ rows, places }) => ({ all: rows, places }))(answer.whole()),
  }));
  const seriesOf = ({ cells }: OracleRow) => JSON.stringify(dimensions.map((name) => cells[name]));
  const placeOf = (row: OracleRow, { places }: { readonly places: ReadonlyMap<string, number> }) =>
    axis === undefined ? 0 : (places.get(String(row.cells[axis])) ?? -1);
  const keyOf = (row: OracleRow, answer: Parameters<typeof placeOf>[1]) => `${placeOf(row, answer)} ${seriesOf(row)}`;
  const chosen = new Set(current!.rows.map((row) => keyOf(row, current!)));
  const isCut = offset > 0 || current!.truncated;
  if (!isCut) {
    const others = earlier
      .flatMap((answer) => answer.all.map((row) => ({ key: keyOf(row, answer), place: placeOf(row, answer), row })))
      .filter(({ key }) => !chosen.has(key));
    const counted = new Map(others.filter(({ row }) => !row.filled).map((other) => [other.key, other]));
    // By place, then by first appearance from top to bottom.
    const ordered = [...new Set(others.map(({ key }) => key))]
      .filter((key) => counted.has(key))
      .toSorted((a, b) => parseInt(a, 10) - parseInt(b, 10));
    const more = ordered.slice(0, Math.max(0, (limit ?? 0) - current!.rows.filter((row) => !row.filled).length));
    const left = new Set(ordered.slice(more.length).map((key) => seriesOf(counted.get(key)!.row)));
    more.forEach((key) => chosen.add(key));
    const kept = new Set([...current!.rows.map(seriesOf), ...more.map((key) => seriesOf(counted.get(key)!.row))]);
    for (const { key, row } of others)
      if (!counted.has(key) && (kept.has(seriesOf(row)) || !left.has(seriesOf(row)))) chosen.add(key);
  }
  return [
    current!,
    ...earlier.map((answer) => ({ ...answer, rows: answer.all.filter((row) => chosen.has(keyOf(row, answer))) })),
  ];
}

function timeOf({ measures = [], dimensions = [] }: Query): string {
  const cube = [...measures, ...dimensions][0]!.split('.')[0]!;
  return `${cube}.${{ TrackedEvents: 'utcTime', Sessions: 'startAt', ReturningUsers: 'first_timestamp' }[cube]}`;
}
