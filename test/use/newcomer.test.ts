import { describe, expect, it } from 'vitest';
import { writeZip } from '../run/write-zip.ts';
import { folderOf } from './run-in-folder.ts';

const rows = Array.from({ length: 60 }, (_, index) => ({
  time: new Date(Date.UTC(2024, 2, 1) + index * 3_600_000).toISOString().slice(0, 19).replace('T', ' '),
  user: `u${index % 7}`,
  page: ['/', '/preise', '/größe'][index % 3]!,
}));
const csv = (from = 0, to = rows.length) =>
  `Zeitpunkt;Besucher;Seite\r\n${rows
    .slice(from, to)
    .map(({ time, user, page }) => `${time};${user};${page}\r\n`)
    .join('')}`;
const perPage = { '/': '20', '/preise': '20', '/größe': '20' };

/** Does what the proposal says, and asks. */
async function follow(name: string, content: string | Uint8Array, flags: readonly string[] = []) {
  const folder = folderOf({ [name]: content });
  const proposed = await folder.sluice(['init', name, ...flags]);
  expect([proposed.code, proposed.stderr]).toEqual([2, expect.stringContaining(`${name}`)]);
  expect(proposed.stderr).not.toContain('/tmp/');
  folder.write('sluice.yaml', proposed.stdout);
  const taken = await folder.sluice(['ingest', name, ...flags]);
  expect(taken.code, taken.stderr).toBe(0);
  const answer = async (more: readonly string[]) => {
    const { stdout } = await folder.sluice(['query', 'count by docPath', '-f', 'json', ...flags, ...more]);
    return Object.fromEntries((JSON.parse(stdout) as object[]).map((row) => Object.values(row).map(String)));
  };
  expect(await answer([])).toEqual(perPage);
  folder.write('sluice.yaml', 'timezone: UTC\n');
  expect(await answer(['--store', '.sluice/store'])).toEqual(perPage);
}

describe('what init proposes is read by ingest and query alike', () => {
  it('for a zip of several files', () =>
    follow(
      'shop.zip',
      writeZip([
        { name: 'a.csv', content: Buffer.from(csv(0, 25)) },
        { name: 'b.csv', content: Buffer.from(csv(25)) },
      ]),
    ));
  it('for UTF-16, as Excel writes it', () =>
    follow(
      'excel.txt',
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(csv().replaceAll(';', '\t'), 'utf16le')]),
    ));
  it('for windows-1252', () =>
    follow(
      'alt.csv',
      Buffer.from(
        csv()
          .replace('Seite', 'Seite;Größe')
          .replaceAll(/(\/\S*)\r/g, '$1;1\r'),
        'latin1',
      ),
      ['--encoding', 'windows-1252'],
    ));
});

describe('a column that a mapping names and a file lacks', () => {
  const columns = {
    utcTime: 'at',
    userId: 'who',
    eventType: 'what',
    docPath: 'page',
    referer: 'from',
    sessionId: 'visit',
    pageTitle: 'title',
  };
  const cells = ['2024-03-01 10:00:00', 'ann', 'pageview', '/a', 'https://x.example/', 's1', 'A'];
  it.each(Object.entries(columns))('%s is named by ingest', async (field, column) => {
    const kept = Object.values(columns).flatMap((name, index) => (name === column ? [] : [[name, cells[index]!]]));
    const folder = folderOf({
      'a.csv': `${kept.map(([name]) => name).join(',')}\n${kept.map(([, cell]) => cell).join(',')}\n`,
      'sluice.yaml': `columns: ${JSON.stringify(columns)}\n`,
    });
    const { code, stderr } = await folder.sluice(['ingest', 'a.csv']);
    expect(code !== 0 || stderr.includes(`${column} (${field})`), stderr).toBe(true);
    expect(stderr).toContain(column);
  });
});
