import { pathToFileURL } from 'node:url';
import type { Query } from '../../src/ask/query/query.ts';
import { decodeData } from '../../src/run/load/decode-data.ts';
import { readEnvelope } from '../../src/run/load/read-envelope.ts';
import { collect } from '../../src/shape/collect.ts';
import { nothingRejected } from '../../src/run/backend.ts';
import { remotePlan } from '../run/load/remote.ts';
import type { BenchLine } from './fill.ts';
import { median } from './timing.ts';

const rowCount = 50_000;
const rounds = 21;

const events: Query = {
  measures: ['TrackedEvents.count', 'TrackedEvents.uniqueUsersCount'],
  dimensions: ['TrackedEvents.docPath', 'TrackedEvents.agentName', 'TrackedEvents.osFamily'],
  timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'day', dateRange: ['2024-01-01', '2024-03-31'] }],
  limit: rowCount,
};
const sessions: Query = {
  measures: ['Sessions.count', 'Sessions.averageDurationMinutes', 'Sessions.averagePerUser'],
  dimensions: ['Sessions.agentName', 'Sessions.osName'],
  timeDimensions: [{ dimension: 'Sessions.startAt', granularity: 'hour', dateRange: ['2024-01-01', '2024-03-31'] }],
  limit: rowCount,
};

/** A body as servers write it: numbers as text, each bucket twice, rows in time order. */
function makeBody(query: Query): string {
  const plan = remotePlan(query);
  const data = Array.from({ length: rowCount }, (_, row) =>
    Object.fromEntries(
      plan.columns.flatMap(({ key, member, kind }, index) => {
        if (kind === 'dimension')
          return [[key, row % 97 === index ? null : `/value/${(row * (index + 3)) % (40 * (index + 1))}`]];
        if (kind === 'measure')
          return [
            [
              key,
              key.includes('average') ? String(((row * 7919) % 10_007) / 7) : String((row * (index + 7)) % 100_003),
            ],
          ];
        const label = new Date(Date.UTC(2024, 0, 1) + Math.floor(row / 23) * 3_600_000)
          .toISOString()
          .slice(0, key.endsWith('day') ? 10 : 13);
        const time = `${label}${key.endsWith('day') ? 'T00' : ''}:00:00.000`;
        return [
          [key, time],
          [member, time],
        ];
      }),
    ),
  );
  return JSON.stringify({
    queryType: 'regularQuery',
    results: [
      { query, data, lastRefreshTime: '2024-04-01T00:00:00.000Z', annotation: {}, total: null, slowQuery: false },
    ],
    pivotQuery: {},
    slowQuery: false,
  });
}

/** Decoding the text of an answer into columns, compared with parsing the text: 50,000 rows of six members. */
export async function benchDecode(): Promise<readonly BenchLine[]> {
  const lines: BenchLine[] = [];
  for (const [name, query] of Object.entries({ 'counts by day': events, 'averages by hour': sessions })) {
    const plan = remotePlan(query);
    const text = makeBody(query);
    const long = text.match(/(?<=")\d+\.\d{14,}(?=")/g) ?? [];
    const ours: number[] = [];
    const theirs: number[] = [];
    const numbers: number[] = [];
    for (let round = -4; round < rounds; round += 1) {
      const started = performance.now();
      const body = JSON.parse(text) as unknown;
      const parsed = performance.now();
      const { batch } = decodeData(readEnvelope(body).data, plan);
      const result = await collect(
        plan,
        { batches: once(batch), facts: () => ({ uncounted: [], rejected: nothingRejected }) },
        { queryHash: '', backend: 'platform', source: '' },
      );
      const done = performance.now();
      if (result.rowCount !== rowCount) throw new Error(`${result.rowCount} rows`);
      if (round < 0) continue;
      const counting = performance.now();
      for (const digits of long) Number(digits);
      numbers.push(performance.now() - counting);
      theirs.push(parsed - started);
      ours.push(done - started);
    }
    lines.push({
      name: `${name}, ${rowCount} rows (${(text.length / 1e6).toFixed(1)} MB)`,
      ours: median(ours),
      theirs: median(theirs),
      ratio: median(ours.map((time, round) => time / (theirs[round] ?? Number.NaN))),
      limit:
        long.length === 0
          ? undefined
          : `JSON.parse converts no numbers, because they are strings: \`Number()\` of the ${long.length.toLocaleString('en')} with 16 and 17 digits, without a check that it is exact, takes ${median(numbers).toFixed(1)} ms`,
    });
  }
  return lines;
}

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const { name, ours, theirs, ratio } of await benchDecode())
    console.log(
      `${name}: ${ours.toFixed(1)} ms against ${theirs.toFixed(1)} ms of JSON.parse alone: ${ratio.toFixed(2)} times`,
    );
}
