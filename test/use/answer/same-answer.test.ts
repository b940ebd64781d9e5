import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { open, type Sluice } from '../../../src/use/index.ts';
import { openFolder } from '../run-in-folder.ts';

const folder = openFolder();

/** A small seeded random generator. */
let state = 5;
function below(most: number): number {
  state = (state * 1103515245 + 12345) % 2147483648;
  return Math.floor((state / 2147483648) * most);
}

const start = Date.parse('2024-02-01T00:00:00Z');
const events = Array.from({ length: 1500 }, (_, index) => ({
  utcTime: new Date(start + index * 36 * 60_000).toISOString().slice(0, -1),
  eventType: ['pageview', 'pageview', 'signup', 'order'][below(4)],
  userAnonymousId: below(20) === 0 ? undefined : `u${below(90)}`,
  docPath: below(10) === 0 ? undefined : `/p/${below(6)}`,
  agentName: ['Firefox', 'Chrome', undefined][below(3)],
  amount: below(4) === 0 ? undefined : String(below(500) / 4),
}));
const columns = ['utcTime', 'eventType', 'userAnonymousId', 'docPath', 'agentName', 'amount'] as const;
const csv = [columns, ...events.map((event) => columns.map((column) => event[column] ?? ''))]
  .map((cells) => `${cells.join(',')}\n`)
  .join('');

/** The data ends four days before. */
const present = Date.parse('2024-03-13T10:00:00Z');
const forms = ['Parquet', 'NDJSON', 'JSON', 'CSV', 'Parquet with times as text', 'store'] as const;
const asked: Partial<Record<(typeof forms)[number], Sluice>> = {};

beforeAll(async () => {
  folder.write('a.ndjson', events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  folder.write('a.json', JSON.stringify(events));
  folder.write('a.csv', csv);
  await using engine = await openEngine({ threads: 1 });
  const rows = `read_csv('${folder.root}/a.csv', all_varchar = true)`;
  await engine.rows(`COPY (SELECT * REPLACE (CAST(utcTime AS TIMESTAMP) AS utcTime) FROM ${rows})
    TO '${folder.root}/a.parquet'`);
  await engine.rows(`COPY (FROM ${rows}) TO '${folder.root}/text.parquet'`);
  const opened = (file?: string) =>
    open({ workspace: folder.root, events: file, env: {}, now: () => present, onNote: () => {} });
  await using writer = await opened();
  await writer.ingest([`${folder.root}/a.ndjson`]);
  asked['Parquet'] = await opened('a.parquet');
  asked['NDJSON'] = await opened('a.ndjson');
  asked['JSON'] = await opened('a.json');
  asked['CSV'] = await opened('a.csv');
  asked['Parquet with times as text'] = await opened('text.parquet');
  asked['store'] = await opened();
}, 60_000);
afterAll(async () => {
  for (const sluice of Object.values(asked)) await sluice[Symbol.asyncDispose]();
  folder.remove();
});

describe('the same events', () => {
  it.each([
    'count',
    'count by day last 10 days',
    'count, uniqueUsersCount by docPath',
    'count by docPath top 2 last 20 days',
    'count by docPath top 2 with others last 20 days',
    'Sessions.count by day last 7 days',
    'Sessions.averageDurationMinutes by week last 5 weeks',
    'ReturningUsers.returningUserPercentage',
    'sum(props.amount), avg(props.amount) by day last 10 days',
    'uniqueUsersCount rolling 7 days by day last 10 days',
    'count cumulative by day last 10 days',
    'count by first touch docPath last 10 days',
    'retention by week periods 3 last 5 weeks',
    'retention of signup returning order by day periods 3 last 10 days',
    'lifecycle by week last 5 weeks',
    'stickiness by day last 14 days',
    'paths from /p/1 last 10 days',
    'funnel /p/1 then signup within 1 day last 20 days',
    'count by hour last 5 days',
    'count by day last 10 days compare previous period',
    'count where agentName = Firefox by day last 2 days',
    'count where docPath = /nope by day last 10 days',
    'pageViewsCount by utmSource last 10 days',
    'count by sessionId top 3',
    'count by month',
  ])('give the same answer, marks and notes from every kind of file and the store: %s', async (line) => {
    const answers = await Promise.all(
      forms.map(async (form) => {
        const result = await asked[form]!.query(line);
        const { notes, lacking, uncounted, truncated, partialBuckets, endsEarly, freshness, range } = result.provenance;
        const marks = result.columns.map(({ key }) =>
          Array.from({ length: result.rowCount }, (_, row) => result.marks.of(key, row)),
        );
        // Without a range, only statistics tell it.
        const latest = range === null ? undefined : freshness;
        const facts = { notes, lacking, uncounted, truncated, partialBuckets, endsEarly, latest };
        return { rows: result.rows(), types: result.types, marks, facts };
      }),
    );
    for (const [index, answer] of answers.entries()) expect([forms[index], answer]).toEqual([forms[index], answers[0]]);
    expect(answers[0]!.facts.latest).toBe(line.includes('last') ? events.at(-1)!.utcTime.concat('Z') : undefined);
  });
});
