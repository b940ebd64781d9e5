import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '@clickhouse/client';
import { open } from '../../src/use/index.ts';
import { openFolder } from '../use/run-in-folder.ts';
import { noClickHouse, onClickHouse, openClickHouseServer, type TestServer } from './open-clickhouse.ts';

const model = `cubes:
  - name: hits
    sql_table: hits
    joins: [{name: people, relationship: many_to_one, sql: "{CUBE}.who = {people}.id"}]
    meta: {sluice: {events: {time: at, user: who, type: kind, country: people.country, properties: {land: people.country}}}}
    measures: [{name: count, type: count}]
    dimensions:
      - {name: id, sql: "{CUBE}.id", type: string, primary_key: true}
      - {name: at, sql: at, type: time}
      - {name: who, sql: who, type: string}
      - {name: kind, sql: kind, type: string}
      - {name: amount, sql: "CAST({CUBE}.id AS INTEGER)", type: number}
  - name: people
    sql_table: people
    measures: [{name: count, type: count}]
    joins: [{name: hits, relationship: one_to_many, sql: "{CUBE}.id = {hits}.who"}]
    dimensions:
      - {name: id, sql: id, type: string, primary_key: true}
      - {name: country, sql: country, type: string}
`;
const hits = [
  ['1', '2024-03-01 10:00:00', 'ann', 'signup'],
  ['2', '2024-03-02 10:00:00', 'ann', 'buy'],
  ['3', '2024-03-03 10:00:00', 'bob', 'signup'],
  ['4', '2024-03-04 10:00:00', 'eve', 'buy'],
];
const people = [
  ['ann', 'DE'],
  ['bob', 'DE'],
  ['cid', 'FR'],
];
const questions = [
  'TrackedEvents.count by country',
  'Sessions.count',
  'funnel signup then buy by country 2024-03',
  'retention of signup returning buy by week 2024-03',
  'lifecycle of any by week where land = DE 2024-03',
  'stickiness by day following land 2024-03',
  'hits.count by people.country',
  'hits.count',
  'people.count, hits.count by people.country',
  'TrackedEvents.sum(amount), TrackedEvents.avg(amount) where cohort = buyers',
  'TrackedEvents.sum(amount) by country where cohort != buyers',
];

describe.skipIf(noClickHouse)(onClickHouse('joined tables'), () => {
  let server: TestServer | undefined;
  const folder = openFolder();
  beforeAll(async () => {
    server = await openClickHouseServer();
    folder.write('model.yaml', model);
    folder.write('queries/buyers.yaml', 'cohort: {did: {event: buy}}\n');
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    folder.remove();
  });

  async function fill(database: string, people: readonly (readonly string[])[]): Promise<void> {
    const { url, user: username, password } = server!;
    await using client = createClient({ url, username, password });
    const command = (query: string) => client.command({ query });
    const rows = (all: readonly (readonly string[])[]) =>
      all.map((row) => `(${row.map((value) => `'${value}'`).join(', ')})`).join(', ');
    await command(`CREATE DATABASE ${database}`);
    await command(
      `CREATE TABLE ${database}.hits (id String, at DateTime, who String, kind String) ENGINE = MergeTree ORDER BY id`,
    );
    await command(`CREATE TABLE ${database}.people (id String, country String) ENGINE = MergeTree ORDER BY id`);
    await command(`INSERT INTO ${database}.hits VALUES ${rows(hits)}`);
    await command(`INSERT INTO ${database}.people VALUES ${rows(people)}`);
    folder.write('hits.csv', `id,at,who,kind\n${hits.map((row) => `${row.join(',')}\n`).join('')}`);
    folder.write('people.csv', `id,country\n${people.map((row) => `${row.join(',')}\n`).join('')}`);
  }

  async function ask(settings: object, question: string) {
    const notes: string[] = [];
    const env = { SLUICE_CLICKHOUSE_PASSWORD: server!.password };
    const onNote = ({ text }: { readonly text: string }) => notes.push(text);
    await using sluice = await open({ workspace: folder.root, env, onNote, ...settings });
    const result = await sluice.query(question);
    return { rows: result.rows(), notes: notes.sort() };
  }

  it.each([
    ['unique_keys', people],
    ['repeated_keys', [...people, ['ann', 'FR']]],
  ])(
    'are joined, and checked for repeated and missing keys, as from files: %s',
    { timeout: 300_000 },
    async (database, people) => {
      await fill(database, people);
      const { url, user } = server!;
      const tables = { hits: 'hits.csv', people: 'people.csv' };
      const there: string[] = [];
      for (const question of questions) {
        folder.write('sluice.yaml', `model: model.yaml\ntables: ${JSON.stringify(tables)}\n`);
        const expected = await ask({}, question);
        folder.write('sluice.yaml', `model: model.yaml\nclickhouse: ${JSON.stringify({ url, user, database })}\n`);
        const answer = await ask({ backend: 'clickhouse' }, question);
        expect(answer, question).toEqual(expected);
        there.push(...answer.notes.filter((text) => text.includes('join')));
      }
      expect(there.length > 0).toBe(database === 'repeated_keys');
    },
  );

  it('in the SQL of a cube have columns that the server names by the table, which the hint says', async () => {
    await fill('named_by_table', people);
    const { url, user } = server!;
    folder.write(
      'model.yaml',
      `cubes:
  - name: visits
    sql: SELECT h.*, p.country FROM hits h JOIN people p ON p.id = h.who JOIN people q ON q.id = h.who
    measures: [{name: count, type: count}]
    dimensions: [{name: id, sql: "{CUBE}.id", type: string, primary_key: true}]
`,
    );
    folder.write(
      'sluice.yaml',
      `model: model.yaml\nclickhouse: ${JSON.stringify({ url, user, database: 'named_by_table' })}\n`,
    );
    await expect(ask({ backend: 'clickhouse' }, 'visits.count by visits.id')).rejects.toMatchObject({
      code: 'sql-refused',
      hint: 'If several tables of a join have this column, ClickHouse calls it `h.id`. Name it in the `sql` of the cube: `h.id AS id`.',
    });
  });
});
