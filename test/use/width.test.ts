import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fewEvents, openFolder, type Folder, type World } from './run-in-folder.ts';

const wide = [
  'query',
  '-m',
  'count',
  '-m',
  'uniqueUsersCount',
  '-m',
  'pageViewsCount',
  '-m',
  'linkClicksCount',
  '-d',
  'docPath',
  '-d',
  'eventType',
  '--quiet',
];
const widest = (text: string) => Math.max(...text.split('\n').map((line) => [...line].length));

let folder: Folder;
beforeAll(() => {
  folder = openFolder({ 'events.ndjson': fewEvents, 'sluice.yaml': 'events: events.ndjson\n' });
});
afterAll(() => folder.remove());

async function said(argv: readonly string[], world?: World): Promise<string> {
  const { code, stdout, stderr } = await folder.sluice(argv, world);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

describe('output width', () => {
  it('is unlimited on a pipe, so that no column is dropped', async () => {
    expect(widest(await said(wide))).toBe(64);
  });

  it('comes from --width, then COLUMNS, then the terminal', async () => {
    const terminal = { columns: 75, rows: 40 };
    const at = async (world: World, ...flags: readonly string[]) =>
      widest(await said([...wide, '--no-color', ...flags], world));
    const [byTerminal, byColumns, byFlag] = [
      await at({ terminal }),
      await at({ terminal, env: { COLUMNS: '50' } }),
      await at({ terminal, env: { COLUMNS: '50' } }, '--width', '40'),
    ];
    expect([byTerminal <= 75, byTerminal > 50, byColumns <= 50, byColumns > 40, byFlag <= 40]).toEqual(
      Array(5).fill(true),
    );
    expect([await at({ env: { COLUMNS: '50' } }), await at({}, '--width', '40')]).toEqual([byColumns, byFlag]);
  });

  it('of --width on a pipe names the dropped columns, too', async () => {
    expect(await said([...wide, '--width', '40'])).toContain('1 column does not fit: Link clicks');
  });

  it('applies to the text below the tables of usage', async () => {
    const usage = await said(['usage', '--width', '70', '--quiet']);
    expect(usage).toMatch(/in\s+the\s+time\s+zone\s+of\s+the\s+report\./);
    expect(widest(usage)).toBeLessThanOrEqual(70);
  });

  it.each(['', '0', '-5', 'wide', '12', '9999', '80.5', '8e1'])('ignores the invalid COLUMNS=%j', async (columns) => {
    expect(await said(wide, { env: { COLUMNS: columns } })).toBe(await said(wide));
  });

  it.each(['0', '19', '1001', '-80', 'wide', '80.5', '8e1', ''])('is refused as --width %j', async (width) => {
    const { code, stdout, stderr } = await folder.sluice([...wide, `--width=${width}`]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Use a whole number from 20 to 1000, e.g. 80.');
  });

  it('is filled by charts', async () => {
    const chart = ['query', 'count by docPath', '-f', 'chart', '--quiet'];
    const at = async (env: Record<string, string>, ...flags: readonly string[]) =>
      widest(await said([...chart, ...flags], { env }));
    const asked = [80, 50, 300, 60, 150];
    // Scales end a little above the largest value, so the longest bar leaves a fiftieth free.
    const widths = [
      await at({}),
      await at({ COLUMNS: '50' }),
      await at({ COLUMNS: '300' }),
      await at({}, '--width', '60'),
      await at({}, '--width', '150'),
    ];
    expect(widths.filter((width, index) => width > asked[index]! || width < asked[index]! * 0.98)).toEqual([]);
    expect(await folder.sluice([...chart, '--width', '30'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('at least 40') as string,
    });
  });

  it('applies to the model, help and setup', async () => {
    expect(widest(await said(['model', 'TrackedEvents', '--width', '72']))).toBeLessThanOrEqual(72);
    expect(widest(await said(['model', 'TrackedEvents'], { env: { COLUMNS: '72' } }))).toBeLessThanOrEqual(72);
    expect(
      widest((await said(['query', '--help'], { env: { COLUMNS: '60' } })).split('\nExamples:')[0]!),
    ).toBeLessThanOrEqual(60);
  });

  it('of help is 80 on a pipe, but for commands to copy', async () => {
    const main = await said(['--help']);
    const names = [
      ...main
        .split('\nCommands:')[1]!
        .split('\n\n')[0]!
        .matchAll(/^ {2}([a-z]+)/gm),
    ].map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(20);
    const helps = [main];
    for (const name of [...names, 'report run', 'report schedule', 'store forget'])
      helps.push(await said([...name.split(' '), '--help']));
    const long = helps.flatMap((help) => help.split('\n')).filter((line) => widest(line) > 80);
    expect(long.filter((line) => !/^ {2}\$ (?!.* {2})/.test(line))).toEqual([]);
  });

  it('of a file comes only from the flag, and no file has colours', async () => {
    const terminal = { columns: 50, rows: 40 };
    const written = async (name: string, ...argv: readonly string[]) => {
      const { code } = await folder.sluice([...argv, '--quiet', '-o', name], {
        terminal,
        env: { COLUMNS: '40', TERM: 'xterm-256color' },
      });
      const text = readFileSync(path.join(folder.root, name), 'utf8');
      expect([code, text.includes('\u001b')]).toEqual([0, false]);
      return widest(text);
    };
    expect(await written('a.txt', ...wide)).toBe(64);
    expect(await written('b.txt', ...wide, '--width', '60')).toBeLessThanOrEqual(60);
    expect(await written('c.chart.txt', 'query', 'count by docPath', '--width', '66')).toBe(66);
    expect(await written('d.txt', 'usage', '--months', '12')).toBeGreaterThan(100);
  });
});
