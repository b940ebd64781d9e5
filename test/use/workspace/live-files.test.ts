import { appendFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openServer } from '../../../src/use/server/open-server.ts';
import { writeZip } from '../../run/write-zip.ts';
import { openWithSession } from '../open-session.ts';
import { folderOf, now } from '../run-in-folder.ts';
import { ask } from '../server/open-served.ts';

const line = (at: number, further: object = {}) =>
  `${JSON.stringify({ utcTime: `2024-03-06T10:00:${String(at).padStart(2, '0')}.000`, userAnonymousId: `u${at}`, ...further })}\n`;
const lines = (count: number, from = 0) => Array.from({ length: count }, (_, at) => line(from + at)).join('');
const csvRow = (at: number) => `2024-03-06T10:00:${String(at).padStart(2, '0')}.000,u${at},/p${at}\n`;
const csvHead = 'utcTime,userAnonymousId,docPath\n';

/** Files that the library and a server have open. */
async function openLive(files: Readonly<Record<string, string | Uint8Array>>, events: readonly string[]) {
  const folder = folderOf(files);
  const sluice = await openWithSession({ workspace: folder.root, env: {}, events, now: () => now });
  const server = await openServer({ session: sluice.session });
  onTestFinished(async () => {
    await server[Symbol.asyncDispose]();
    await sluice[Symbol.asyncDispose]();
  });
  const served = async (measure: string) => {
    const query = { measures: [`TrackedEvents.${measure}`] };
    const { status, body } = await ask(`${server.url}/cubejs-api/v1/load`, { body: { query } });
    return status === 200 ? Number(body.data[0][`TrackedEvents.${measure}`]) : body.error;
  };
  const asked = async (question: string) => {
    const result = await sluice.query(question);
    return [Number(Object.values(result.rows()[0]!)[0]), result.provenance.rejected.count];
  };
  return {
    folder,
    sluice,
    at: (name: string) => path.join(folder.root, name),
    append: (name: string, text: string) => appendFileSync(path.join(folder.root, name), text),
    asked,
    /** The count, the same from the library and the server, and the number of lines that could not be read. */
    async count() {
      const [own, rejected] = await asked('count');
      expect(await served('count')).toBe(own);
      return [own, rejected];
    },
    served,
  };
}

describe('event files that an engine has open', () => {
  it('are counted as they are after a line was half written and completed', async () => {
    const live = await openLive({ 'a.ndjson': lines(3) }, ['a.ndjson']);
    expect(await live.count()).toEqual([3, 0]);
    live.append('a.ndjson', lines(1, 3));
    expect(await live.count()).toEqual([4, 0]);
    const half = line(4);
    live.append('a.ndjson', half.slice(0, 20));
    expect(await live.count()).toEqual([4, 1]);
    live.append('a.ndjson', half.slice(20) + lines(2, 5));
    expect(await live.count()).toEqual([7, 0]);
    live.append('a.ndjson', 'broken\n');
    expect(await live.count()).toEqual([7, 1]);
    live.append('a.ndjson', lines(1, 7));
    expect(await live.count()).toEqual([8, 1]);
    writeFileSync(live.at('a.ndjson'), lines(8));
    expect(await live.count()).toEqual([8, 0]);
  });

  it('report lines that were appended, wherever they lie', async () => {
    const live = await openLive({ 'a.ndjson': lines(3) }, ['a.ndjson']);
    const ranged = 'count from 2024-03-06 to 2024-03-06 where userAnonymousId = u1';
    expect(await live.asked(ranged)).toEqual([1, 0]);
    live.append('a.ndjson', '{"userAnonymousId": "u9", "utcTime": "soon"}\n');
    expect(await live.asked(ranged)).toEqual([1, 1]);
  });

  it('may be cut, written anew and replaced', async () => {
    const live = await openLive({ 'a.ndjson': lines(5), 'b.csv': csvHead + csvRow(1) }, ['a.ndjson', 'b.csv']);
    expect(await live.count()).toEqual([6, 0]);
    truncateSync(live.at('a.ndjson'), lines(2).length);
    expect(await live.count()).toEqual([3, 0]);
    // The columns have another order, and the file is longer than before.
    writeFileSync(live.at('b.csv'), `userAnonymousId,docPath,utcTime\n${'u1,/a,2024-03-06T10:00:00.000\n'.repeat(4)}`);
    expect(await live.count()).toEqual([6, 0]);
    expect(await live.asked('count where docPath = /a')).toEqual([4, 0]);
    live.folder.write('new', gzipSync(lines(9)));
    renameSync(live.at('new'), live.at('a.ndjson'));
    expect(await live.count()).toEqual([13, 0]);
  });

  it('are counted when a program writes them anew over the same bytes', async () => {
    const live = await openLive({ 'a.ndjson': lines(3) }, ['a.ndjson']);
    expect(await live.count()).toEqual([3, 0]);
    const seconds = Array.from({ length: 9 }, (_, at) =>
      JSON.stringify({ time: 1_709_719_200 + at, who: `u${at}` }),
    ).join('\n');
    writeFileSync(live.at('a.ndjson'), `${seconds}\n${' '.repeat(400)}\n`);
    expect(await live.count()).toEqual([9, 0]);
  });

  it('of CSV may have rows that are not closed', async () => {
    const live = await openLive({ 'a.csv': csvHead + csvRow(1) }, ['a.csv']);
    expect(await live.count()).toEqual([1, 0]);
    live.append('a.csv', csvRow(2));
    expect(await live.count()).toEqual([2, 0]);
    live.append('a.csv', '2024-03-06T10:00:00.000,u3,"/half');
    expect(await live.count()).toEqual([2, 1]);
    live.append('a.csv', `"\n${csvRow(4)}${csvRow(5)}`);
    expect(await live.count()).toEqual([5, 0]);
  });

  it('may come and go in folders and patterns', async () => {
    const live = await openLive({ 'ev/a.ndjson': lines(3), 'logs/1.ndjson': lines(1) }, ['ev', 'logs/*.ndjson']);
    expect(await live.count()).toEqual([4, 0]);
    live.folder.write('ev/deep/b.ndjson', lines(2));
    live.folder.write('logs/2.ndjson', lines(5));
    expect(await live.count()).toEqual([11, 0]);
    rmSync(live.at('ev/a.ndjson'));
    renameSync(live.at('logs/1.ndjson'), live.at('logs/1.old'));
    expect(await live.count()).toEqual([7, 0]);
    rmSync(live.at('logs/2.ndjson'));
    await expect(live.asked('count')).rejects.toMatchObject({ code: 'events-not-found' });
    expect(await live.served('count')).toContain('No events found');
    live.folder.write('logs/2.ndjson', lines(6));
    expect(await live.count()).toEqual([8, 0]);
  });

  it('may be away for a while', async () => {
    const live = await openLive({ 'a.ndjson': lines(3) }, ['a.ndjson']);
    expect(await live.count()).toEqual([3, 0]);
    renameSync(live.at('a.ndjson'), live.at('a.1'));
    await expect(live.asked('count')).rejects.toMatchObject({ code: 'events-not-found' });
    writeFileSync(live.at('a.ndjson'), lines(1));
    expect(await live.count()).toEqual([1, 0]);
  });

  const logged = (at: number) => `time=2024-03-06T10:00:0${at}Z user=u${at} path=/p\n`;
  const w3c = (at: number) => `2024-03-06 10:00:0${at} 10.0.0.${at} GET /p 200\n`;
  const w3cHead = '#Version: 1.0\n#Fields: date time c-ip cs-method cs-uri-stem sc-status\n';
  const wrapped = (count: number) =>
    JSON.stringify({ results: Array.from({ length: count }, (_, at) => JSON.parse(line(at)) as object) });
  const zip = (count: number) => writeZip([{ name: 'a.ndjson', content: Buffer.from(lines(count)) }]);
  const utf16 = (count: number) =>
    Buffer.from(`\ufeff${csvHead}${Array.from({ length: count }, (_, at) => csvRow(at)).join('')}`, 'utf16le');
  const repeated = (count: number, row: (at: number) => string, head = '') =>
    head + Array.from({ length: count }, (_, at) => row(at)).join('');

  it.each<[string, (count: number) => string | Uint8Array]>([
    ['a.log', (count) => repeated(count, logged)],
    ['w3c.log', (count) => repeated(count, w3c, w3cHead)],
    ['a.json', wrapped],
    ['a.zip', zip],
    ['a.csv', utf16],
    ['a.ndjson.gz', (count) => gzipSync(lines(count))],
  ])('are counted as they are if they are read from a copy: %s', async (name, content) => {
    const live = await openLive({ [name]: content(3) }, [name]);
    expect(await live.count()).toEqual([3, 0]);
    writeFileSync(live.at(name), content(5));
    expect(await live.count()).toEqual([5, 0]);
    writeFileSync(live.at(name), content(2));
    expect(await live.count()).toEqual([2, 0]);
  });

  it('may have unknown columns, also in files that come later', async () => {
    const rows = (count: number) => `created_at,visitor,what\n${'2024-03-06 10:00:00,u1,open\n'.repeat(count)}`;
    const live = await openLive({ 'ev/a.csv': rows(2) }, ['ev/*.csv']);
    expect(await live.count()).toEqual([2, 0]);
    live.folder.write('ev/b.csv', rows(3));
    expect(await live.count()).toEqual([5, 0]);
  });

  it('may get properties, and values of other kinds', async () => {
    const live = await openLive({ 'a.ndjson': line(1, { amount: 2 }) }, ['a.ndjson']);
    expect(await live.asked('sum(amount)')).toEqual([2, 0]);
    await expect(live.asked('sum(price)')).rejects.toMatchObject({ code: 'invalid-input' });
    live.append('a.ndjson', line(2, { amount: 3, price: 7, plan: 1 }));
    expect(await live.asked('sum(amount)')).toEqual([5, 0]);
    expect(await live.asked('sum(price)')).toEqual([7, 0]);
    expect((await live.sluice.query('count by plan where plan is set')).rows()).toMatchObject([
      { 'TrackedEvents.props.plan': 1 },
    ]);
    live.append('a.ndjson', `${line(3, { plan: 'pro' })}${line(4).slice(0, 9)}`);
    expect((await live.sluice.query('count by plan where plan is set')).rows()).toMatchObject([
      { 'TrackedEvents.props.plan': '1' },
      { 'TrackedEvents.props.plan': 'pro' },
    ]);
    live.append('a.ndjson', line(4, { amount: 4 }).slice(9));
    expect(await live.asked('sum(amount)')).toEqual([9, 0]);
  });

  it('of tables are followed, too', async () => {
    const folder = folderOf({
      'model.yml':
        'cubes:\n  - name: pages\n    sql_table: pages\n    measures:\n      - {name: count, type: count}\n      - {name: total, type: sum, sql: n}\n',
      'sluice.yaml': 'model: model.yml\ntables: {pages: pages/*.csv}\n',
      'pages/1.csv': 'n\n1\n',
    });
    await using sluice = await openWithSession({ workspace: folder.root, env: {} });
    const total = async () => (await sluice.query('pages.total')).rows();
    expect(await total()).toEqual([{ 'pages.total': 1 }]);
    folder.write('pages/2.csv', 'n\n2.5\n');
    expect(await total()).toEqual([{ 'pages.total': 3.5 }]);
  });

  it('are never seen half by two questions at once', async () => {
    const live = await openLive({ 'ev/a.ndjson': lines(3) }, ['ev']);
    for (let round = 1; round <= 6; round += 1) {
      live.folder.write(`ev/${round}.ndjson`, lines(2));
      const counts = await Promise.all(Array.from({ length: 5 }, () => live.asked('count')));
      expect(new Set(counts.map(([first]) => first)).size).toBe(1);
      expect(await live.count()).toEqual([3 + 2 * round, 0]);
    }
  });
});
