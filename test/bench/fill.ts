import { pathToFileURL } from 'node:url';
import { ResultSet } from '@cubejs-client/core';
import { fill } from '../../src/shape/fill/fill.ts';
import { pivot } from '../../src/shape/pivot.ts';
import { type Result, toResult } from '../../src/shape/result/result.ts';
import { days, makePlan, somewhere } from '../shape/plans.ts';
import { median } from './timing.ts';

export interface BenchLine {
  readonly name: string;
  /** Milliseconds, medians. */
  readonly ours: number;
  readonly theirs: number;
  /** How many times faster ours is. */
  readonly ratio: number;
  /** What prevents a better ratio. */
  readonly limit?: string | undefined;
}

const first = Date.UTC(2024, 0, 1);
const dayCount = 365;
const seriesCount = 500;
const range = days('2024-01-01', '2024-12-30');
const plan = makePlan({ granularity: 'day', range, dimensions: { page: 'string' } });
const [page, time, count] = ['E.page', 'E.time.day', 'E.count'] as const;

interface Row {
  readonly page: string;
  readonly day: string;
  readonly count: number;
}

/**
 * Every `nth` cell of 365 days × 500 series, by day and series. The first cell of each series and of each day is always
 * included.
 */
function makeRows(nth: number): readonly Row[] {
  const rows: Row[] = [];
  for (let day = 0; day < dayCount; day += 1) {
    const label = new Date(first + day * 86_400_000).toISOString().slice(0, -1);
    for (let series = 0; series < seriesCount; series += 1) {
      if (day > 0 && series > 0 && (day * 7919 + series * 104_729) % nth !== 0) continue;
      // A new text in each row, as a client that parses JSON has.
      rows.push({
        page: Buffer.from(`/page/${String(series).padStart(3, '0')}`).toString(),
        day: Buffer.from(label).toString(),
        count: 1 + ((day * series) % 97),
      });
    }
  }
  return rows;
}

function askOurs(rows: readonly Row[]): () => Result {
  const data = [rows.map((row) => row.page), rows.map((row) => row.day), Float64Array.from(rows, (row) => row.count)];
  // A result caches the codes of its columns, so each run needs a new one.
  return () =>
    pivot(fill(toResult({ columns: plan.columns, data, provenance: somewhere }), plan), {
      rows: [time],
      columns: page,
      values: [count],
    });
}

function askTheirs(rows: readonly Row[]): () => readonly Readonly<Record<string, unknown>>[] {
  const query = {
    measures: [count],
    dimensions: [page],
    filters: [],
    timezone: 'UTC',
    timeDimensions: [
      { dimension: 'E.time', granularity: 'day', dateRange: ['2024-01-01T00:00:00.000', '2024-12-30T23:59:59.999'] },
    ],
  };
  const data = rows.map((row) => ({
    [page]: row.page,
    [time]: row.day,
    'E.time': row.day,
    [count]: String(row.count),
  }));
  const annotation = {
    measures: { [count]: { title: 'Count', shortTitle: 'Count', type: 'number' } },
    dimensions: { [page]: { title: 'Page', shortTitle: 'Page', type: 'string' } },
    segments: {},
    timeDimensions: { [time]: { title: 'Time', shortTitle: 'Time', type: 'time' } },
  };
  const response = { queryType: 'regularQuery', results: [{ query, data, annotation }], pivotQuery: query };
  // Series are on y, so that x is only the time dimension: it fills dates only then. A set caches its pivots, so each
  // run needs a new one.
  return () =>
    new ResultSet(response as never).tablePivot({ x: [time], y: [page, 'measures'], fillMissingDates: true });
}

/** Throws if the cells of both sides differ: the comparison would be worthless. */
function check(ours: Result, theirs: readonly Readonly<Record<string, unknown>>[]): void {
  if (ours.rowCount !== dayCount || theirs.length !== dayCount)
    throw new Error(`${ours.rowCount} and ${theirs.length} rows`);
  for (let series = 0; series < seriesCount; series += 1) {
    const name = `/page/${String(series).padStart(3, '0')}`;
    const values = ours.values(`${count}["${name}"]`);
    theirs.forEach((row, day) => {
      if (Number(row[`${name},${count}`]) !== values[day])
        throw new Error(`day ${day} of ${name}: ${String(row[`${name},${count}`])} and ${String(values[day])}`);
    });
  }
}

function clock(run: () => unknown): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

/**
 * Zero-fill and pivot of 365 days × 500 series, compared with Cube's client on the same rows and in the same process.
 */
export async function benchFill(): Promise<readonly BenchLine[]> {
  return (
    [
      ['dense', 1],
      ['half', 2],
      ['sparse', 20],
    ] as const
  ).map(([kind, nth]) => {
    const rows = makeRows(nth);
    const ours = askOurs(rows);
    const theirs = askTheirs(rows);
    check(ours(), theirs());
    // Alternate, so that both run under the same load.
    const rounds = Array.from({ length: 9 }, () => ({
      their: clock(theirs),
      our: median([clock(ours), clock(ours), clock(ours)]),
    }));
    const our = median(rounds.map((round) => round.our));
    const their = median(rounds.map((round) => round.their));
    return {
      name: `fill and pivot of ${dayCount} days × ${seriesCount} series, ${kind} (${rows.length} rows)`,
      ours: our,
      theirs: their,
      ratio: their / our,
      limit: `${(dayCount * seriesCount).toLocaleString('en')} cells are filled in any case, and adding a missing cell takes longer than placing an existing one`,
    };
  });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const { name, ours, theirs, ratio } of await benchFill())
    console.log(`${name}: ${ours.toFixed(1)} ms, Cube ${theirs.toFixed(1)} ms: ${ratio.toFixed(1)} times faster`);
}
