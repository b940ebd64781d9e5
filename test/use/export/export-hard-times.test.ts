import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { lockExport } from '../../../src/run/export/files/lock-export.ts';
import { tellExport, toExportJson } from '../../../src/use/cli/actions/export-summary.ts';
import { exportEvents } from '../../../src/use/export/export-events.ts';
import type { ExportOptions } from '../../../src/use/index.ts';
import { openWithSession, type SluiceWithSession } from '../open-session.ts';
import { thisProcess } from '../../../src/use/process/this-process.ts';
import {
  type Manners,
  openScriptedPlatform,
  type PlatformEvent,
  type ScriptedPlatform,
} from '../../run/export/scripted-platform.ts';
import { openFakeClock } from '../../run/http/fake-clock.ts';
import { countRows, readRows } from './export-rows.ts';
import { dataOf, treeOf } from './export-tree.ts';
import { type Folder, folderOf } from '../run-in-folder.ts';

const start = Date.UTC(2024, 2, 1);
const events: readonly PlatformEvent[] = Array.from({ length: 300 }, (_, index) => ({
  at: (start + index * 27 * 60_000) * 1000,
  user: `u${index % 7}`,
  path: `/${index % 3}`,
}));
const range = ['--range', '2024-03-01,2024-03-06'];

let platform: ScriptedPlatform | undefined;
afterEach(async () => {
  await platform?.[Symbol.asyncDispose]();
  platform = undefined;
});

async function openPlatform(manners: Manners = {}): Promise<ScriptedPlatform> {
  return (platform = await openScriptedPlatform(events, manners));
}

const credentials = { SLUICE_TOKEN: 'glpat-abcdefghijklmnop1234' };
const flagsOf = ({ url }: ScriptedPlatform) => ['--backend', 'platform', '--host', url, '--project', '42'];

function whole(folder: Folder, name = 'out'): ReadonlyMap<string, number> {
  return countRows(readRows(path.join(folder.root, name)), ['utcTime', 'userAnonymousId', 'docPath']);
}

const truth = countRows(
  events.map(({ at, user, path: docPath }) => ({
    'TrackedEvents.utcTime': new Date(at / 1000).toISOString().slice(0, -1),
    'TrackedEvents.userAnonymousId': user,
    'TrackedEvents.docPath': docPath,
  })),
  ['utcTime', 'userAnonymousId', 'docPath'],
);

describe('an export from a platform', () => {
  it('stops with exit code 3 if its token expires, and resumes with a new one', async () => {
    const folder = folderOf();
    const server = await openPlatform();
    server.manners.instead = (index) =>
      index >= 6 ? { status: 401, json: { message: '401 Unauthorized' } } : undefined;
    const asking = ['export', ...range, '-o', 'out', '--concurrency', '1', ...flagsOf(server)];
    const { code, stderr } = await folder.sluice(asking, { env: credentials });
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(
        /^The export stopped: \d of 6 windows are in out and stay there\. Run the same command again to resume\.\nsluice: /,
      ),
    ]);
    const before = dataOf(folder.root);
    expect(before.size).toBeGreaterThan(0);
    expect([...treeOf(folder.root).keys()].filter((file) => file.endsWith('.part'))).toEqual([]);
    server.manners.instead = undefined;
    expect(await folder.sluice(asking, { env: credentials })).toMatchObject({ code: 0 });
    expect([...before].filter(([file, hash]) => dataOf(folder.root).get(file) !== hash)).toEqual([]);
    expect(whole(folder)).toEqual(truth);
  });

  it('stops with exit code 4 if a response contains the token in a row, and writes none of it', async () => {
    const token = credentials.SLUICE_TOKEN;
    for (const echo of [token, token.toUpperCase(), Buffer.from(token).toString('base64')]) {
      const folder = folderOf();
      const server = await openPlatform({
        rows: (rows, index) => (index < 2 ? rows : rows.map((row) => row.replace(/"\/[0-2]"/, `"/${echo}"`))),
      });
      const { code, stdout, stderr } = await folder.sluice(
        ['export', ...range, '-o', 'out', '--concurrency', '1', ...flagsOf(server)],
        { env: credentials },
      );
      expect([code, stderr]).toEqual([4, expect.stringContaining('sent back your access token in its data')]);
      const entries = readdirSync(folder.root, { recursive: true, withFileTypes: true }).filter((entry) =>
        entry.isFile(),
      );
      const written = entries
        .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
        .join('\n');
      for (const text of [stdout, stderr, written]) expect(text.toLowerCase()).not.toContain(echo.toLowerCase());
      expect(dataOf(folder.root).size).toBe(2);
      await server[Symbol.asyncDispose]();
    }
  });

  it('is partial if the source keeps changing: unsettled windows are left out and reported', async () => {
    const folder = folderOf();
    const server = await openPlatform();
    let more = 0;
    // Each request for rows adds another event to the third day.
    server.manners.before = async (_, kind) => {
      if (kind === 'rows')
        await server.add([{ at: (start + 2 * 86_400_000 + (more += 1)) * 1000, user: 'late', path: '/' }]);
    };
    await using sluice = await openWithSession({
      workspace: folder.root,
      env: credentials,
      backend: 'platform',
      host: server.url,
      project: 42,
    });
    for (const to of ['out', 'all.csv']) {
      const report = await exportQuietly(sluice, folder, to, { concurrency: 2 });
      expect(report).toMatchObject({
        outcome: 'partial',
        windows: 5,
        unsettled: [{ window: { start: start + 2 * 86_400_000, end: start + 3 * 86_400_000 } }],
      });
      const said: string[] = [];
      const voice = {
        note: async (text: string) => void said.push(text),
        detail: async () => undefined,
        alert: async (text: string) => void said.push(`! ${text}`),
      };
      await tellExport(report, { voice, place: to });
      expect(said[0]).toMatch(/^! 2024-03-03T00:00:00\.000Z to 2024-03-04T00:00:00\.000Z is missing: /);
      expect(said[1]).toContain('1 window kept changing. Run the same command again (exit code 5).');
      expect(JSON.parse(toExportJson(report))).toMatchObject({
        outcome: 'partial',
        complete: false,
        unsettled: [{ start: '2024-03-03T00:00:00.000Z' }],
      });
    }
    expect(existsSync(path.join(folder.root, 'all.csv'))).toBe(false);
    expect((await folder.sluice(['export', '--verify', '-o', 'out'])).code).toBe(5);
    // The source no longer changes.
    server.manners.before = undefined;
    for (const to of ['out', 'all.csv'])
      expect(await exportQuietly(sluice, folder, to, {})).toMatchObject({
        outcome: 'done',
        windows: 6,
        events: 300 + more,
      });
    expect(new Map([...whole(folder)].filter(([key]) => !key.includes('late')))).toEqual(truth);
    expect((await folder.sluice(['export', '--verify', '-o', 'all.csv'])).code).toBe(0);
  });

  it('is complete if the platform returns fewer rows at once than requested, and says so', async () => {
    const folder = folderOf();
    const server = await openPlatform({ cap: 10 });
    const { code, stderr } = await folder.sluice(
      ['export', ...range, '-o', 'out', '-f', 'parquet', ...flagsOf(server)],
      { env: credentials },
    );
    expect([code, stderr]).toEqual([0, expect.stringMatching(/rows[\s\S]*Exported 300 events/)]);
    expect((await folder.sluice(['export', '--verify', '-o', 'out'])).code).toBe(0);
  });
});

function exportQuietly(sluice: SluiceWithSession, folder: Folder, to: string, options: ExportOptions) {
  const asked: ExportOptions = { range: ['2024-03-01', '2024-03-06'], ...options };
  return exportEvents(sluice.session, path.join(folder.root, to), asked, {
    cwd: folder.root,
    clock: openFakeClock('by-itself', Date.UTC(2024, 3, 1)),
  });
}

const lines = events
  .map(
    ({ at, user, path: docPath }) =>
      `${JSON.stringify({ utcTime: new Date(at / 1000).toISOString().slice(0, -1), userAnonymousId: user, docPath })}\n`,
  )
  .join('');

describe('two exports to one folder', () => {
  it('are kept apart: the second has nothing to do', async () => {
    const folder = folderOf({ 'events.ndjson': lines });
    mkdirSync(path.join(folder.root, 'out'));
    const asking = ['export', ...range, '--events', 'events.ndjson', '-o', 'out'];
    const lock = await lockExport(path.join(folder.root, 'out'), thisProcess);
    if (lock.kind !== 'held') throw new Error('nobody else is there');
    expect(await folder.sluice(asking)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Another run (this process) is exporting to out') as string,
    });
    const { stdout, stderr } = inChild(folder, 'out', {});
    expect(stdout + stderr).toContain('"outcome":"locked"');
    expect(dataOf(path.join(folder.root, 'out')).size).toBe(0);
    lock[Symbol.dispose]();
    expect(await folder.sluice(asking)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Exported 300 events') as string,
    });
  });
});

/** An export in a separate process; `before` runs in the shell that becomes it. */
function inChild(folder: Folder, to: string, options: ExportOptions, before = '') {
  const child = new URL('export-child.ts', import.meta.url).pathname;
  const argv = [
    '--disable-warning=ExperimentalWarning',
    child,
    folder.root,
    'events.ndjson',
    to,
    JSON.stringify({ range: ['2024-03-01', '2024-03-06'], ...options }),
  ];
  return spawnSync('bash', ['-c', `${before} exec "$0" "$@"`, process.execPath, ...argv], { encoding: 'utf8' });
}

describe('an output folder', () => {
  // The lock itself takes some space, because it is a small database.
  it.each<[string, ExportOptions]>([
    ['out', {}],
    ['all.parquet', {}],
  ])('that is full is reported as such, and the same call resumes when there is space: %s %j', (to, options) => {
    const big = Array.from(
      { length: 3000 },
      (_, index) =>
        `${JSON.stringify({ utcTime: new Date(start + index * 60_000).toISOString().slice(0, -1), userAnonymousId: `u${(index * 7919) % 100_003}`, docPath: `/${index}`, pageTitle: 'x'.repeat(200 + (index % 40)) + String((index * 104_729) % 999_983) })}\n`,
    ).join('');
    const folder = folderOf({ 'events.ndjson': big });
    const { stdout, stderr } = inChild(folder, to, options, "trap '' XFSZ; ulimit -f 64;");
    expect(stdout + stderr).toContain('disk-full');
    expect([...treeOf(folder.root).keys()].filter((file) => file.endsWith('.part'))).toEqual([]);
    expect(inChild(folder, to, options).stdout).toContain('"outcome":"done","events":3000');
  });

  it('that is not writable is reported as such', () => {
    const folder = folderOf({ 'events.ndjson': lines });
    const out = path.join(folder.root, 'out');
    mkdirSync(out);
    chmodSync(folder.root, 0o755);
    chmodSync(out, 0o555);
    const user =
      process.getuid?.() === 0 ? 'exec setpriv --reuid 65534 --regid 65534 --clear-groups -- "$0" "$@";' : '';
    for (const to of ['out', 'out/all.csv']) {
      const { stdout, stderr } = inChild(folder, to, {}, user);
      expect(stdout + stderr).toMatch(
        /export-unwritable|you may not write there|permission is denied|Permission denied/,
      );
    }
    chmodSync(out, 0o755);
    expect(readdirSync(out)).toEqual([]);
  });
});

describe('late events', () => {
  it('are found by counting again, and replace their window as its next revision, in the store, too', async () => {
    const folder = folderOf();
    const server = await openPlatform();
    const asking = ['export', ...range, '-o', 'out', ...flagsOf(server)];
    expect(await folder.sluice(asking, { env: credentials })).toMatchObject({ code: 0 });
    expect(await folder.sluice(['ingest', 'out'])).toMatchObject({ code: 0 });
    const before = dataOf(folder.root);
    await server.add([{ at: (start + 5) * 1000, user: 'late', path: '/' }]);
    expect(await folder.sluice(asking, { env: credentials })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('The export is already up to date: 300 events') as string,
    });
    expect(await folder.sluice([...asking, '--recheck'], { env: credentials })).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Exported 1 window with \d+ events; out holds 301 events/) as string,
    });
    const after = dataOf(folder.root);
    expect([...after.keys()].filter((file) => !before.has(file))).toEqual([
      expect.stringMatching(/^out\/2024-03-01\/part-.*-r2\.ndjson$/),
    ]);
    expect([...before.keys()].filter((file) => !after.has(file) && file.startsWith('out/'))).toHaveLength(1);
    expect(await folder.sluice(['export', '--verify', '-o', 'out'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('301 events') as string,
    });
    expect(await folder.sluice([...asking, '--recheck'], { env: credentials })).toMatchObject({
      stderr: expect.stringContaining('The export is already up to date') as string,
    });
    const { code, stderr } = await folder.sluice(['ingest', 'out']);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/replaced revision 1 of its window[\s\S]*has 301 events/),
    ]);
  });

  it('are found in windows with the same number of events if the contents are compared', async () => {
    const folder = folderOf();
    const server = await openPlatform();
    const asking = ['export', ...range, '-o', 'out', ...flagsOf(server)];
    await folder.sluice(asking, { env: credentials });
    await folder.sluice(['ingest', 'out']);
    const before = dataOf(folder.root);
    await server.sql(
      "UPDATE events SET path = '/moved' WHERE path = '/1' AND visitor = 'u3' AND instant < '2024-03-02'",
    );
    const upToDate = expect.stringContaining('The export is already up to date: 300 events') as string;
    expect(await folder.sluice([...asking, '--recheck'], { env: credentials })).toMatchObject({ stderr: upToDate });
    expect(dataOf(folder.root)).toEqual(before);
    const again = await folder.sluice([...asking, '--recheck', 'contents'], { env: credentials });
    expect(again).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Exported 1 window with \d+ events/) as string,
    });
    const after = dataOf(folder.root);
    expect([...after.keys()].filter((file) => !before.has(file))).toEqual([
      expect.stringMatching(/^out\/2024-03-01\/part-.*-r2\.ndjson$/),
    ]);
    // A second look finds nothing, and leaves nothing behind.
    expect(await folder.sluice([...asking, '--recheck', 'contents'], { env: credentials })).toMatchObject({
      stderr: upToDate,
    });
    expect(dataOf(folder.root)).toEqual(after);
    await folder.sluice(['ingest', 'out']);
    const asked = await folder.sluice(['query', 'count where docPath = /moved', '-f', 'csv']);
    const [[moved]] = (await server.sql("SELECT count(*) FROM events WHERE path = '/moved'")) as [[unknown]];
    expect(Number(moved)).toBeGreaterThan(0);
    expect(asked.stdout).toBe(`TrackedEvents.count\n${String(moved)}\n`);
    expect((await folder.sluice(['export', '--verify', '-o', 'out'])).code).toBe(0);
    expect(await folder.sluice([...asking, '--recheck', 'all'], { env: credentials })).toMatchObject({ code: 2 });
  });

  it('replace no windows whose events the source discarded after its retention period', async () => {
    const folder = folderOf();
    const server = await openPlatform();
    const asking = ['export', ...range, '-o', 'out', ...flagsOf(server)];
    await folder.sluice(asking, { env: credentials });
    const before = dataOf(folder.root);
    await server.sql("DELETE FROM events WHERE instant < '2024-03-01 05:00'");
    const kept = (until: string) =>
      expect.stringContaining(
        `The source no longer has all events before ${until}, such as after a retention period. Their exported windows are kept.`,
      ) as string;
    const upToDate = { code: 0, stderr: expect.stringContaining('already up to date: 300 events') as string };
    const early = await folder.sluice([...asking, '--recheck'], { env: credentials });
    expect(early).toMatchObject(upToDate);
    expect(early.stderr).toEqual(kept('2024-03-02T00:00:00.000Z'));
    await server.sql("DELETE FROM events WHERE instant < '2024-03-03 05:00'");
    for (const recheck of [['--recheck'], ['--recheck', 'contents']]) {
      const again = await folder.sluice([...asking, ...recheck], { env: credentials });
      expect(again).toMatchObject(upToDate);
      expect(again.stderr).toEqual(kept('2024-03-04T00:00:00.000Z'));
    }
    expect(dataOf(folder.root)).toEqual(before);
    // Events that somebody deleted in between are deleted here, too.
    await server.sql("DELETE FROM events WHERE instant >= '2024-03-05' AND instant < '2024-03-06'");
    expect(await folder.sluice([...asking, '--recheck'], { env: credentials })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Exported 1 window with 0 events') as string,
    });
  });

  it('are not told apart from discarded ones, which the export says', async () => {
    const folder = folderOf();
    const server = await openPlatform();
    const asking = ['export', '--range', '2024-02-27,2024-03-06', '-o', 'out', ...flagsOf(server)];
    expect((await folder.sluice(asking, { env: credentials })).stderr).toContain(
      'The source has no events before 2024-03-01T00:00:00.000Z, or has discarded them.',
    );
    expect((await folder.sluice(asking, { env: credentials })).stderr).not.toContain('discarded');
  });

  it('keep the older revision if a run stops before the newer one is complete', async () => {
    const folder = folderOf();
    const server = await openPlatform();
    const asking = ['export', ...range, '-o', 'out', ...flagsOf(server)];
    await folder.sluice(asking, { env: credentials });
    const before = dataOf(folder.root);
    await server.add([{ at: (start + 5) * 1000, user: 'late', path: '/' }]);
    let rows = 0;
    server.manners.before = (_, kind) => {
      if (kind === 'rows') rows += 1;
    };
    server.manners.instead = () => (rows > 0 ? { status: 401, json: { message: '401 Unauthorized' } } : undefined);
    expect(await folder.sluice([...asking, '--recheck'], { env: credentials })).toMatchObject({ code: 3 });
    expect(dataOf(folder.root)).toEqual(before);
    server.manners.instead = undefined;
    // Both exist, as after a kill between the commit of the newer and the removal of the older one.
    const [older] = [...before.keys()];
    const kept = readFileSync(path.join(folder.root, older!));
    const manifest = readFileSync(path.join(folder.root, `${older!}.manifest.json`));
    expect(await folder.sluice([...asking, '--recheck'], { env: credentials })).toMatchObject({ code: 0 });
    const after = dataOf(folder.root);
    folder.write(older!, kept);
    folder.write(`${older!}.manifest.json`, manifest);
    expect((await folder.sluice(['export', '--verify', '-o', 'out'])).code).toBe(5);
    expect(await folder.sluice(asking, { env: credentials })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('301 events') as string,
    });
    expect(dataOf(folder.root)).toEqual(after);
  });
});
