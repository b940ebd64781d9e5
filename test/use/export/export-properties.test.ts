import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExportStage, open, type Query } from '../../../src/use/index.ts';
import { folderOf, openFolder, type Folder } from '../run-in-folder.ts';

const orders = [
  { utcTime: '2024-03-01T10:00:00', userId: 'ann', eventType: 'order', amount: 12.5, tags: ['a', 'b'], 'a b%c': 1 },
  { utcTime: '2024-03-01T11:00:00', userId: 'bob', eventType: 'order', amount: 7, cart: { total: 9 }, country: 'AT' },
  { utcTime: '2024-03-02T11:00:00', userId: 'bob', eventType: 'pageview', utm_source: 'news', userAgent2: null },
];
const lines = orders.map((event) => `${JSON.stringify(event)}\n`).join('');

const questions: readonly Query[] = [
  { measures: ['TrackedEvents.sum(props.amount)', 'TrackedEvents.sum(props.cart.total)'] },
  { measures: ['TrackedEvents.count'], dimensions: ['TrackedEvents.props.tags[]'] },
  { measures: ['TrackedEvents.count'], dimensions: ['TrackedEvents.props.a%20b%25c', 'TrackedEvents.country'] },
  { measures: ['TrackedEvents.count'], dimensions: ['TrackedEvents.utmSource', 'TrackedEvents.props.country'] },
  { measures: ['TrackedEvents.sum(props.amount)'], filters: [{ member: 'props.cart.total', operator: 'set' }] },
];

let folder: Folder;
beforeAll(() => {
  folder = openFolder({ 'events.ndjson': lines });
});
afterAll(() => folder.remove());

const range = ['--range', '2024-03-01,2024-03-03', '--events', 'events.ndjson'];

async function answers(events: string): Promise<readonly unknown[]> {
  await using sluice = await open({ workspace: folder.root, events });
  const all = [];
  for (const question of questions) all.push((await sluice.query(question)).rows());
  return all;
}

describe('an export of own files', () => {
  it.each(['ndjson', 'json', 'csv', 'parquet'])(
    'as %s answers as the files do, also about properties',
    async (form) => {
      const { code, stderr } = await folder.sluice(['export', ...range, '-f', form, '-o', form]);
      expect([code, stderr]).toEqual([0, expect.stringContaining('Exported 3 events')]);
      expect(await answers(form)).toEqual(await answers('events.ndjson'));
      await folder.sluice(['ingest', form, '--store', `store-${form}`]);
      const stored = await folder.sluice(['query', 'sum(amount) by tags', '--store', `store-${form}`, '-f', 'csv']);
      const given = await folder.sluice(['query', 'sum(amount) by tags', '--events', 'events.ndjson', '-f', 'csv']);
      expect(stored.stdout).toBe(given.stdout);
    },
  );

  it.each(['amount', 'props.amount', 'TrackedEvents.props.amount'])('has %s under its own name', async (name) => {
    const to = `of-${name}`;
    const { code, stderr } = await folder.sluice(['export', ...range, '-d', name, '-f', 'csv', '-o', to]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Exported 3 events')]);
    const { stdout } = await folder.sluice(['query', 'sum(amount)', '--events', to, '-f', 'csv']);
    expect(stdout).toContain('19.5');
  });

  it.each(['tags[]', 'props.tags[]', 'TrackedEvents.props.tags[]'])(
    'refuses %s, the values of a list',
    async (name) => {
      const { code, stderr } = await folder.sluice(['export', ...range, '-d', name, '-o', 'never']);
      expect(code).toBe(2);
      expect(stderr).toContain(`"${name}" cannot be exported, because an event can have several values in a list.`);
      expect(stderr).not.toContain('has no effect');
    },
  );

  it('tells only what is wrong with a name', async () => {
    const { stderr } = await folder.sluice(['export', ...range, '-d', 'docPaht', '-o', 'never']);
    expect(stderr).toBe(
      'sluice: This cannot be exported.\nerror  There is no member "docPaht".\n  hint: Did you mean "docPath"?\n',
    );
  });

  it('has columns that depend neither on earlier questions nor on cohorts', async () => {
    const power = readFileSync(path.join(import.meta.dirname, '../../../queries/power-users.yaml'), 'utf8');
    const own = openFolder({ 'events.ndjson': lines, 'queries/power-users.yaml': power });
    await using sluice = await open({ workspace: own.root, events: 'events.ndjson' });
    const to = () => sluice.export('to', { range: ['2024-03-01', '2024-03-03'] });
    const first = await to();
    expect([first.outcome, first.events]).toEqual(['done', 3]);
    await sluice.query('count by tags[]');
    await sluice.query('count by amount');
    expect(await to()).toMatchObject({ outcome: 'done', query: first.query, added: { windows: 0 } });
    own.remove();
  });
});

it('a number that Parquet would change stops the export at its window, and nothing is left behind', async () => {
  const rows = [1, 2, 3, 4, 5, 6].map(
    (day) => `{"at":"2024-03-0${day}T10:00:00","id":${day === 2 ? '9007199254740993' : day}}`,
  );
  const own = folderOf({
    'orders.ndjson': rows.join('\n'),
    'sluice.yaml': 'model: model.yaml\ntables: {orders: orders.ndjson}\n',
    'model.yaml':
      'cubes:\n  - name: Orders\n    sql_table: orders\n    measures: [{name: count, type: count}]\n    dimensions:\n      - {name: at, sql: at, type: time}\n      - {name: id, sql: id, type: number}\n',
  });
  const reached: number[] = [];
  const options = {
    range: '2024-03',
    cube: 'Orders',
    dimensions: ['at', 'id'],
    concurrency: 1,
    onProgress: (stage: ExportStage) => void reached.push(stage.kind === 'fetching' ? stage.windows : Infinity),
  };
  await using sluice = await open({ workspace: own.root, asOf: '2024-05-01' });
  await expect(sluice.export('all.parquet', options)).rejects.toMatchObject({ code: 'value-unfit' });
  expect(Math.max(0, ...reached)).toBeLessThan(3);
  expect(readdirSync(own.root).filter((name) => name.includes('all'))).toEqual([]);
  const asked = ['export', '--range', '2024-03-01,2024-03-06', '--cube', 'Orders', '-d', 'at,id'];
  const { code, stderr } = await own.sluice([...asked, '-o', 'all.parquet']);
  expect([code, stderr]).toEqual([
    2,
    'sluice: "9007199254740993" of Orders.id cannot be written as parquet without a change.\n  hint: Export as ndjson or csv, which keep every value unchanged, to another place.\n',
  ]);
  expect((await own.sluice([...asked, '-o', 'all.csv'])).code).toBe(0);
  // A folder without a window can be used for another export.
  const late = ['export', '--range', '2024-03-02,2024-03-06', '--cube', 'Orders', '-d', 'at,id', '-o', 'all'];
  expect((await own.sluice([...late, '-f', 'parquet', '--concurrency', '1'])).code).toBe(2);
  expect((await own.sluice([...late, '-f', 'csv'])).code).toBe(0);
});
