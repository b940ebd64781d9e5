import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { open } from '../../../src/use/index.ts';
import { openFolder } from '../run-in-folder.ts';

const folder = openFolder();
afterAll(() => folder.remove());

/** Events of ten days before the present, by four users. */
const events = Array.from({ length: 400 }, (_, index) => ({
  at: new Date(Date.parse('2024-03-01T00:00:00Z') + index * 36 * 60_000).toISOString(),
  type: ['pageview', 'pageview', 'signup', 'order'][index % 4]!,
  user: `u${(index * 7) % 5}`,
  path: `/p/${index % 3}`,
  amount: String(index % 9),
}));
type Row = Readonly<Record<keyof (typeof events)[number], string>>;
/** Rows that are no events: nothing else in them tells the ranges apart from the others. */
const timeless: readonly Row[] = ['', 'yesterday', '2024-13-01'].map((at) => ({ ...events[7]!, at }));
const columns = ['utcTime', 'eventType', 'userAnonymousId', 'docPath', 'amount'];
const cellsOf = ({ at, type, user, path, amount }: Row) => [at, type, user, path, amount];
const csv = (rows: readonly Row[], names = columns) =>
  [names, ...rows.map(cellsOf)].map((cells) => `${cells.join(',')}\n`).join('');
const json = (row: Row) =>
  JSON.stringify(Object.fromEntries(cellsOf(row).map((cell, index) => [columns[index], cell])));
const ndjson = (rows: readonly Row[]) => rows.map((row) => `${json(row)}\n`).join('');
const mapping = { utcTime: 'when', eventType: 'what', userAnonymousId: 'who', docPath: 'where' };
const mixed = [...events.slice(0, 100), ...timeless, ...events.slice(100)];

async function parquet(name: string): Promise<string> {
  folder.write(`${name}.csv`, csv(mixed));
  await using engine = await openEngine({ threads: 1 });
  const to = `${folder.root}/${name}.parquet`;
  await engine.rows(`COPY (FROM read_csv('${folder.root}/${name}.csv', all_varchar = true)) TO '${to}'`);
  return `${name}.parquet`;
}

const log = (rows: readonly Row[]) =>
  rows
    .map(({ at, user, path }) => {
      const [, month] = /^\d{4}-(\d\d)/.exec(at) ?? [];
      const time = month === '03' ? `${at.slice(8, 10)}/Mar/2024:${at.slice(11, 19)} +0000` : at;
      return `10.0.0.${user.slice(1)} - - [${time}] "GET ${path} HTTP/1.1" 200 12 "-" "Mozilla/5.0"\n`;
    })
    .join('');

/** Files with the same events and three rows that are none. */
const files: Readonly<Record<string, () => Promise<string> | string>> = {
  NDJSON: () => (folder.write('a.ndjson', ndjson(mixed)), 'a.ndjson'),
  'packed NDJSON': () => (folder.write('a.ndjson.gz', gzipSync(ndjson(mixed))), 'a.ndjson.gz'),
  'a JSON list': () => (folder.write('a.json', `[${mixed.map(json).join(',\n')}]`), 'a.json'),
  CSV: () => (folder.write('a.csv', csv(mixed)), 'a.csv'),
  'CSV whose first line is none': () => (folder.write('b.csv', csv([...timeless, ...events])), 'b.csv'),
  'CSV with a mapping': () => (folder.write('m.csv', csv(mixed, ['when', 'what', 'who', 'where', 'amount'])), 'm.csv'),
  'UTF-16': () => (folder.write('u.csv', Buffer.from(`\uFEFF${csv(mixed)}`, 'utf16le')), 'u.csv'),
  'Parquet with times as text': () => parquet('p'),
  'an access log': () => (folder.write('access.log', log(mixed)), 'access.log'),
};

const lines = [
  'count',
  'count last 3 days',
  'count by day last 3 days',
  'count, uniqueUsersCount by docPath last 2 days top 2',
  'count where docPath = /p/1 last 3 days',
  'count by day where uniqueUsersCount > 100 last 3 days',
  'count where docPath = /nowhere',
  'pageViewsCount by week from 2030-01-01 to 2030-02-01',
  'Sessions.count by day last 3 days',
  'ReturningUsers.count last 3 days',
  'uniqueUsersCount rolling 3 days by day last 3 days',
  'count cumulative by day last 3 days',
  'count by first touch docPath last 3 days',
  'count by docPath top 1 with others last 3 days',
  'retention by day periods 2 last 3 days',
  'lifecycle by day last 3 days',
  'stickiness by day last 3 days',
  'paths from /p/1 last 3 days',
  'funnel /p/1 then /p/2 within 1 day last 3 days',
  'funnel signup then order within 1 day last 3 days',
];

describe('lines that are not events', () => {
  it.each(Object.keys(files))('of %s are told of by the first answer', async (kind) => {
    const file = await files[kind]!();
    const asked =
      kind === 'NDJSON' || kind === 'CSV' ? [...lines, 'sum(props.amount) by day last 3 days'] : lines.slice(0, 4);
    for (const line of asked) {
      // What an answer finds out, the later ones of a session know.
      await using sluice = await open({
        workspace: folder.root,
        events: file,
        ...(kind === 'CSV with a mapping' && { columns: mapping }),
        env: {},
        now: () => Date.parse('2024-03-11T00:00:00Z'),
        onNote: () => {},
      });
      const { provenance } = await sluice.query(line).catch((cause: unknown) => {
        throw new Error(line, { cause });
      });
      expect([line, provenance.rejected.count]).toEqual([line, timeless.length]);
    }
  });
});
