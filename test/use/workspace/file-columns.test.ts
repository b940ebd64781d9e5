import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { settingsOfText } from '../../../src/use/config/read-config-file.ts';
import { open } from '../../../src/use/index.ts';
import { writeZip } from '../../run/write-zip.ts';
import { withProposedColumns } from '../../../src/use/workspace/with-proposed-columns.ts';
import { folderOf, now } from '../run-in-folder.ts';

const rows = Array.from({ length: 60 }, (_, index) => ({
  event_time: new Date(Date.UTC(2024, 2, 1) + index * 3_600_000).toISOString(),
  customer: `c${index % 7}`,
  action: ['view', 'buy', 'search'][index % 3]!,
  price: index,
}));
const csvOf = (some: readonly (typeof rows)[number][]) =>
  `event_time,customer,action,price\n${some.map((row) => `${Object.values(row).join(',')}\n`).join('')}`;
const ndjsonOf = (some: readonly object[]) => some.map((row) => `${JSON.stringify(row)}\n`).join('');

const lines = [
  'count by eventType',
  'uniqueUsersCount by day',
  'sum(price) by eventType',
  'pageViewsCount',
  'funnel pageview then buy',
  'retention by day last 5 days',
];

describe('a file with unknown column names', () => {
  const files: Readonly<Record<string, string | Uint8Array>> = {
    'a.csv': csvOf(rows),
    'a.ndjson': ndjsonOf(rows),
    'nested.ndjson': ndjsonOf(rows.map(({ customer, ...row }) => ({ ...row, actor: { customer_id: customer } }))),
    'list.json': JSON.stringify({ next: null, items: rows }),
    'a.zip': writeZip([{ name: 'part.csv', content: Buffer.from(csvOf(rows)) }]),
  };

  it.each(Object.keys(files))('%s answers as a workspace of init does', async (name) => {
    const adHoc = folderOf({ [name]: files[name]! });
    const setUp = folderOf({ [name]: files[name]! });
    expect((await setUp.sluice(['init', name, '--yes', '--timezone', 'UTC'])).code).toBe(0);
    for (const line of lines) {
      const asked = await setUp.sluice(['query', line, '-f', 'csv']);
      expect([line, asked.code, asked.stdout]).toEqual([line, 0, expect.stringMatching(/\n.+\n/)]);
      const { code, stdout, stderr } = await adHoc.sluice(['query', line, '-f', 'csv', '--events', name]);
      expect([line, code, stdout]).toEqual([line, 0, asked.stdout]);
      expect(stderr.match(/Unknown column names/g)).toHaveLength(1);
    }
  });

  it('keeps what the configuration says of the file: its zone and encoding', async () => {
    const local = 'created,who,act\n2024-03-01 00:30:00,zo\u00eb,view\n2024-03-01 23:30:00,bob,buy\n';
    const folder = folderOf({ 'a.csv': Buffer.from(local, 'latin1') });
    const counted = async () => {
      const { code, stdout } = await folder.sluice(['query', 'count by day', '--events', 'a.csv', '-f', 'csv']);
      return [code, stdout.split('\n').slice(1, -1)];
    };
    folder.write('sluice.yaml', 'timezone: Europe/Berlin\nencoding: windows-1252\n');
    expect(await counted()).toEqual([0, ['2024-03-01T00:00:00.000,1', '2024-03-02T00:00:00.000,1']]);
    const source = 'files: a.csv, timezone: Europe/Berlin, encoding: windows-1252';
    folder.write('sluice.yaml', `timezone: Europe/Berlin\nsources: [{${source}}]\n`);
    expect(await counted()).toEqual([0, ['2024-03-01T00:00:00.000,2']]);
    const users = await folder.sluice(['query', 'count by userId', '--events', 'a.csv', '-f', 'csv']);
    expect(users.stdout).toContain('zo\u00eb,1');
  });

  it('is read beside the tables of a model', async () => {
    const folder = folderOf({
      'a.csv': csvOf(rows),
      'orders.csv': 'id,total\n1,10\n2,20\n',
      'model.yaml':
        'cubes: [{name: Orders, sql_table: orders, measures: [{name: total, sql: total, type: sum}], dimensions: []}]\n',
      'sluice.yaml': 'model: model.yaml\ntables: {orders: orders.csv}\n',
    });
    const ask = async (line: string) => (await folder.sluice(['query', line, '-f', 'csv', '--events', 'a.csv'])).stdout;
    expect(await ask('TrackedEvents.count by TrackedEvents.eventType')).toContain('buy,20\n');
    expect(await ask('Orders.total')).toBe('Orders.total\n30\n');
  });

  it('is named, with the columns, the values that are renamed, and the way to change them', async () => {
    const folder = folderOf({ 'a.csv': csvOf(rows) });
    const { stdout } = await folder.sluice(['query', 'count', '--events', 'a.csv']);
    expect(stdout).toContain(
      'Unknown column names in a.csv, read as follows: "event_time" as utcTime, "customer" as userId, "action" as eventType ("view" as pageview). To change or save this: sluice init a.csv\n',
    );
    const again = await folder.sluice(['query', 'count by action', '--events', 'a.csv', '--map', 'utcTime=event_time']);
    expect([again.stderr, again.stdout]).toEqual([
      expect.not.stringContaining('nknown column'),
      expect.stringMatching(/^view +20$/m),
    ]);
    const doctor = await folder.sluice(['doctor', '--events', 'a.csv']);
    expect([doctor.stderr, doctor.stdout]).toEqual([
      expect.stringContaining('"event_time" as utcTime'),
      expect.stringContaining('60 events, 2024-03-01 to 2024-03-03'),
    ]);
  });

  it('in an archive is named after it, and hints name the archive itself', async () => {
    const zipOf = (text: string) => writeZip([{ name: 'pages.csv', content: Buffer.from(text) }]);
    const folder = folderOf({
      'known.zip': files['a.zip']!,
      'timeless.zip': zipOf('a,b\n1,2\n'),
      'figures.zip': zipOf('date,visitors,pageviews,visits,bounces\n2024-01-01,1,2,3,4\n'),
    });
    const told = async (name: string) => {
      const { stdout, stderr } = await folder.sluice(['query', 'count', '--events', name]);
      return stdout + stderr;
    };
    expect(await told('known.zip')).toMatch(/in known\.zip\/part\.csv, .*: sluice init known\.zip$/m);
    expect(await told('timeless.zip')).toMatch(
      /timeless\.zip\/pages\.csv has no column .*\n.*`sluice init \S*timeless\.zip`/,
    );
    expect(await told('figures.zip')).toMatch(/^sluice: \S*\/figures\.zip\/pages\.csv contains figures/);
  });

  it('needs a mapping in the configuration', async () => {
    const folder = folderOf({ 'a.csv': csvOf(rows), 'sluice.yaml': 'events: a.csv\n' });
    expect(await folder.sluice(['query', 'count'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('a.csv has no column for the time of its events.') as string,
    });
    expect((await folder.sluice(['query', 'count', '--events', 'a.csv', '-f', 'csv'])).stdout).toMatch(/60\n$/);
  });

  it('is refused if its time can only be guessed, and if its rows are figures', async () => {
    const folder = folderOf({
      'guess.csv': 'paid,shipped,customer\n2024-03-01,2024-03-04,a\n2024-03-02,2024-03-05,b\n',
      'figures.csv': 'date,pageviews,sessions\n2024-03-01,5,2\n2024-03-02,7,3\n',
    });
    for (const name of ['guess.csv', 'figures.csv'])
      expect(await folder.sluice(['query', 'count', '--events', name])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(new RegExp(`Run \`sluice init .*${name}\` to map these names`)) as string,
      });
  });

  it('may have its time in the only column with times, or in two columns, and no rows yet', async () => {
    const folder = folderOf({
      'orders.csv': 'order_id,order_date,total\n#1,2024-03-01 10:00:00,20\n#2,2024-03-02 11:00:00,15\n',
      'two.csv': 'Datum;Uhrzeit;Kunde\n01.03.2024;10:15;a\n14.03.2024;23:59;b\n',
      'none.csv': 'timestamp,user,event\n',
    });
    const ask = async (name: string, line: string) => {
      const { code, stdout } = await folder.sluice(['query', line, '-f', 'csv', '--events', name]);
      return [code, ...stdout.trim().split('\n').slice(1)];
    };
    expect(await ask('orders.csv', 'sum(total) by day')).toEqual([
      0,
      '2024-03-01T00:00:00.000,20',
      '2024-03-02T00:00:00.000,15',
    ]);
    expect(await ask('two.csv', 'count by hour')).toEqual(
      expect.arrayContaining([0, '2024-03-01T10:00:00.000Z,1', '2024-03-14T23:00:00.000Z,1']),
    );
    expect(await ask('none.csv', 'count')).toEqual([0, '0']);
    expect((await folder.sluice(['query', 'count', '--events', 'two.csv'])).stdout).toContain(
      '"Datum" and "Uhrzeit" as utcTime, "Kunde" as userId.',
    );
  });

  it('may be one of many, of the same or of other kinds', async () => {
    const parts = Object.fromEntries(
      Array.from({ length: 24 }, (_, part) => [
        `parts/${String(part).padStart(2, '0')}.csv`,
        // Views are only in the first part.
        csvOf(rows.filter(({ action }, index) => index % 24 === part && (part === 0 || action !== 'view'))),
      ]),
    );
    const folder = folderOf({
      ...parts,
      'b.ndjson': ndjsonOf([{ utcTime: '2024-03-01T00:00:00Z', eventType: 'pageview', userId: 'x' }]),
      'c.csv': 'timestamp,who,what\n2024-03-01,ann,buy\n',
    });
    const count = async (...events: readonly string[]) => {
      const flags = events.flatMap((one) => ['--events', one]);
      const { stdout, stderr } = await folder.sluice(['query', 'count, distinct(props.price)', '-f', 'csv', ...flags]);
      return [stdout.trim().split('\n').at(-1), ...(stderr.match(/^Unknown column names in .*?(?=,)/gm) ?? [])];
    };
    const kept = Object.values(parts).reduce((sum, text) => sum + text.trim().split('\n').length - 1, 0);
    expect(await count('parts/*.csv')).toEqual([`${kept},${kept}`, 'Unknown column names in parts/00.csv and 23 more']);
    expect(await count('parts/00.csv', 'parts/01.csv', 'b.ndjson', 'c.csv')).toEqual([
      '8,6',
      'Unknown column names in parts/00.csv and 1 more',
      'Unknown column names in c.csv',
    ]);
  });

  it('can come from standard input, from a pipe of a program, and with another header the next time', async () => {
    const folder = folderOf({ 'a.csv': csvOf(rows) });
    const piped = await folder.sluice(['query', 'count by eventType', '--events', '-'], { stdin: csvOf(rows) });
    expect([piped.code, piped.stdout]).toEqual([
      0,
      expect.stringContaining('Unknown column names in stdin, read as follows: "event_time" as utcTime'),
    ]);
    expect(piped.stdout).toContain('To change this: --map FIELD=COLUMN\n');
    const ask = async () => (await folder.sluice(['query', 'count', '--events', 'a.csv'])).stdout;
    expect(await ask()).toContain('"customer" as userId');
    folder.write('a.csv', csvOf(rows).replace('customer', 'visitor_id'));
    expect(await ask()).toContain('"visitor_id" as userAnonymousId');
  });

  it('tells columns whose names are hostile without their control characters', async () => {
    const folder = folderOf({ 'a.csv': csvOf(rows).replace('customer', 'user\u001b[31m id') });
    const { code, stdout } = await folder.sluice(['query', 'count', '--events', 'a.csv']);
    expect(code).toBe(0);
    expect(stdout).not.toContain('\u001b');
  });

  it('works in code, with a note', async () => {
    const folder = folderOf({ 'a.csv': csvOf(rows) });
    const notes: string[] = [];
    await using sluice = await open({
      workspace: folder.root,
      events: 'a.csv',
      onNote: ({ text }) => void notes.push(text),
    });
    const answer = await sluice.query('count where eventType = buy');
    expect(answer.rows()).toEqual([{ 'TrackedEvents.count': 20 }]);
    expect(answer.provenance.notes).toEqual([expect.stringContaining('Unknown column names in a.csv, ')]);
    expect(notes).toEqual(answer.provenance.notes);
  });
});

it('lists the files of `sources:` once to propose columns', async () => {
  const folder = folderOf({ 'a.csv': csvOf(rows), 'b.csv': csvOf(rows.slice(0, 3)) });
  const asked: string[] = [];
  const settings = settingsOfText(
    {
      text: 'events: a.csv\ncache: false\nsources: [{files: "https://example.org/b.csv", timezone: Europe/Berlin}]\n',
      file: 'sluice.yaml',
      folder: folder.root,
    },
    {},
  );
  const { notes } = await withProposedColumns(settings, {
    cwd: folder.root,
    clock: () => now,
    download: (address) => {
      asked.push(address);
      return Promise.resolve(path.join(folder.root, 'b.csv'));
    },
  });
  expect(notes).toHaveLength(2);
  // Once among the events, and once for what the source declares.
  expect(asked).toEqual(Array.from({ length: 2 }, () => 'https://example.org/b.csv'));
});
