import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { toDecimal } from '../../src/shape/values/decimal.ts';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { open } from '../../src/use/index.ts';
import { sumExactly } from '../exact-floats.ts';
import { runs } from '../runs.ts';
import { now, openFolder } from './run-in-folder.ts';

const folder = openFolder();
const engine = await openEngine({ threads: 1 });
afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  folder.remove();
});

const timeOf = (index: number) => `2024-03-${String(1 + (index % 4)).padStart(2, '0')}T00:00:0${index % 10}Z`;

const sources: Readonly<Record<string, (name: string, values: readonly number[]) => Promise<string>>> = {
  NDJSON: async (name, values) => {
    const lines = values.map(
      (value, index) => `{"utcTime":"${timeOf(index)}","userAnonymousId":"u${index % 2}","n":${value},"m":4}\n`,
    );
    return folder.write(`${name}.ndjson`, lines.join(''));
  },
  CSV: async (name, values) => {
    const lines = values.map((value, index) => `${timeOf(index)},u${index % 2},${value},4\n`);
    return folder.write(`${name}.csv`, `utcTime,userAnonymousId,n,m\n${lines.join('')}`);
  },
  Parquet: async (name, values) => {
    const rows = values.map((value, index) => `(TIMESTAMP '${timeOf(index)}', 'u${index % 2}', '${value}'::DOUBLE, 4)`);
    const path = `${folder.root}/${name}.parquet`;
    const columns = '"utcTime", "userAnonymousId", "n", "m"';
    await engine.rows(`COPY (SELECT * FROM (VALUES ${rows.join(', ')}) v(${columns})) TO '${path}'`);
    return path;
  },
};

const decimals = fc
  .tuple(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), fc.integer({ min: 0, max: 9 }))
  .map(([digits, places]) => Number(`${digits}e-${places}`) + 0);
const floats = fc.oneof(
  fc.constantFrom(1e17, 3, 1e34, -1e34, 1e20, 1.5, 1e40, -1e40, 1e-30, 2 ** -90, -1e300),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 }),
);
const isDecimal = (value: number) => Math.abs(value) < 1e15 && (toDecimal(value)?.scale ?? 99) <= 9;

/** Exact for decimals; else the exact sum of the floats, rounded once. */
function sumOf(values: readonly number[]): number {
  if (!values.every(isDecimal)) return sumExactly(values);
  const units = values.reduce((sum, value) => {
    const { units, scale } = toDecimal(value)!;
    return sum + units * 10n ** BigInt(9 - scale);
  }, 0n);
  return Number(`${units}e-9`);
}

describe.each(Object.entries(sources))('sums of numbers in %s', (name, write) => {
  it('are exact for decimals, and else rounded once', { timeout: 300_000 }, async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(decimals, { minLength: 1, maxLength: 12 }),
        fc.array(floats, { maxLength: 6 }),
        async (some, more) => {
          const values = [...some, ...more];
          number += 1;
          const events = await write(`sums-${name}-${number}`, values);
          await using sluice = await open({ workspace: folder.root, env: {}, now: () => now, events });
          const total = sumOf(values);
          const [row] = (await sluice.query('sum(n), avg(n), sum(n * m)')).rows();
          const [sum, average, product] = Object.values(row!).map(Number) as [number, number, number];
          expect(sum + 0).toBe(total + 0);
          expect(Math.abs(average - total / values.length)).toBeLessThanOrEqual(Math.abs(total) * 1e-15);
          if (values.every(isDecimal))
            expect(Math.abs(product - 4 * total)).toBeLessThanOrEqual(Math.abs(total) * 1e-15);
          else expect(product + 0).toBe(4 * sumExactly(values) + 0);
          const users = [0, 1]
            .map((user) => values.filter((_, index) => index % 2 === user))
            .filter((own) => own.length > 0);
          // Each group counts as text or as a float, as the property of all events does.
          const sumOfGroup = values.every(isDecimal) ? sumOf : sumExactly;
          const ofUsers = (await sluice.query('sum(n) by userAnonymousId order by userAnonymousId')).rows();
          expect(ofUsers.map((each) => Number(Object.values(each)[1]) + 0)).toEqual(
            users.map((own) => sumOfGroup(own) + 0),
          );
        },
      ),
      { numRuns: runs(24) },
    );
  });
});

it('running sums and moving averages of decimals do not round in between', async () => {
  const values = [0.1, 0.2, 0.7, 1.1, 0.3, -2.4, 1e-7];
  const lines = values.map((value, index) => `2024-03-0${index + 1}T00:00:00Z,${value}\n`);
  const events = folder.write('running.csv', `utcTime,n\n${lines.join('')}`);
  await using sluice = await open({ workspace: folder.root, env: {}, now: () => now, events });
  const line = 'sum(n) cumulative, sum(n) moving average 2 by day 2024-03-01..2024-03-07';
  const rows = (await sluice.query(line)).rows().map((row) => Object.values(row).slice(1));
  expect(rows.map(([sum]) => sum)).toEqual([0.1, 0.3, 1, 2.1, 2.4, 0, 1e-7]);
  expect(rows.map(([, mean]) => mean)).toEqual([0.05, 0.15, 0.45, 0.9, 0.7, -1.05, -2.3999999 / 2]);
});

it('sums and averages of session durations do not depend on the order of the rows', async () => {
  const durations = Array.from({ length: 200 }, (_, index) => 1 + ((index * 7919) % 100_003));
  const lines = durations.flatMap((duration, index) =>
    [0, duration].map((at) => `${new Date(Date.UTC(2024, 2, 1) + at).toISOString()},u${index},s${index}\n`),
  );
  const sums: unknown[] = [];
  for (const rows of [lines, lines.toReversed()]) {
    const events = folder.write(`sessions-${sums.length}.csv`, `utcTime,userAnonymousId,sessionId\n${rows.join('')}`);
    await using sluice = await open({ workspace: folder.root, env: {}, now: () => now, events });
    const result = await sluice.query('Sessions.sum(durationMinutes), Sessions.avg(durationMinutes)');
    sums.push(Object.values(result.rows()[0]!));
  }
  const total = sumExactly(durations.map((duration) => duration / 60000));
  expect(sums).toEqual([
    [total, total / durations.length],
    [total, total / durations.length],
  ]);
});

describe('the sum of no values is 0', () => {
  const rows = ['1T10:00:00Z,a,buy,30', '2T10:00:00Z,a,pageview,', '4T10:00:00Z,a,buy,30'];
  const events = folder.write(
    'nothing.csv',
    `utcTime,userAnonymousId,eventType,amount\n${rows.map((row) => `2024-03-0${row}\n`).join('')}`,
  );
  const ask = async (line: string) => {
    await using sluice = await open({ workspace: folder.root, env: {}, now: () => now, events });
    return (await sluice.query(line)).rows().map((row) => Object.values(row).slice(1));
  };

  it('in buckets, windows and formulas', async () => {
    const sums = ['sum(amount)', 'sum(amount) moving average 2', 'sum(amount) moving average 4'];
    const others = ['sum(amount) rolling 2 days', 'sum(amount) cumulative', 'sum(amount) - count', 'avg(amount)'];
    expect(await ask(`${[...sums, ...others].join(', ')} by day 2024-03-01..2024-03-05`)).toEqual([
      [30, 15, 7.5, 30, 30, 29, 30],
      [0, 15, 7.5, 30, 30, -1, null],
      [0, 0, 7.5, 0, 30, 0, null],
      [30, 15, 15, 30, 60, 29, 30],
      [0, 15, 7.5, 30, 60, 0, null],
    ]);
  });

  it('in groups, and for users without a value, who have no average', async () => {
    expect(await ask('sum(amount), avg(amount), sum(amount) avg per user by eventType')).toEqual([
      [60, 30, 60],
      [0, null, null],
    ]);
  });

  it('in changes', async () => {
    await using sluice = await open({ workspace: folder.root, env: {}, now: () => now, events });
    const line = 'sum(amount) by day 2024-03-02..2024-03-04 compare with -1d';
    const rows = (await sluice.query(line, { ranges: 'beside' })).rows();
    expect(rows.map((row) => (row as Record<string, unknown>)['TrackedEvents.sum(props.amount).change'])).toEqual([
      -30, 0, 30,
    ]);
  });
});
