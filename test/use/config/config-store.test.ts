import { rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ingestFiles } from '../../../src/run/duckdb/store/ingest.ts';
import { openSettings } from '../../../src/use/config/open-settings.ts';
import type { SettingFlags } from '../../../src/use/config/read-flags.ts';
import { open } from '../../../src/use/index.ts';
import { fewEvents, type Folder, folderOf, now } from '../run-in-folder.ts';

/** Loads a file into a store, as `ingest` does. */
async function ingest(folder: Folder, file: string, store = '.sluice/store'): Promise<void> {
  let count = 0;
  await ingestFiles({
    folder: path.join(folder.root, store),
    files: [path.join(folder.root, file)],
    now: () => now,
    holder: 'this test',
    randomText: () => `text-${count++}-${file.replaceAll(/\W/g, '')}`,
  });
}

const counted = async (folder: Folder, ...flags: readonly string[]) => {
  const { code, stdout, stderr } = await folder.sluice(['query', 'count', '-f', 'json', '--quiet', ...flags]);
  return code === 0 ? Number((JSON.parse(stdout) as Record<string, unknown>[])[0]?.['TrackedEvents.count']) : stderr;
};

describe('the event store', () => {
  it('answers if no events are named, before the sample, and the result says so', async () => {
    const folder = folderOf({ 'e.ndjson': fewEvents, 'other.csv': 'utcTime\n2024-03-06T10:00:00\n' });
    await folder.sluice(['sample', '-n', '1000']);
    expect(await counted(folder)).toBe(1000);
    await ingest(folder, 'e.ndjson');
    expect(await counted(folder)).toBe(5);
    expect(await counted(folder, '--events', 'other.csv')).toBe(1);
    const { stdout, stderr } = await folder.sluice(['query', 'count', '-f', 'json', '--with-provenance']);
    expect([stderr, stdout]).toEqual(['', expect.stringContaining('the store .sluice/store')]);
  });

  it('is selected by flag, variable or configuration', async () => {
    const folder = folderOf({ 'e.ndjson': fewEvents, 'sluice.yaml': 'store: kept\n' });
    await ingest(folder, 'e.ndjson', 'kept');
    expect(await counted(folder)).toBe(5);
    expect(await counted(folder, '--store', 'kept')).toBe(5);
    expect((await folder.sluice(['query', 'count', '-f', 'json'], { env: { SLUICE_STORE: 'gone' } })).stderr).toMatch(
      /gone" \(from SLUICE_STORE\) does not contain a store\.\n.*sluice ingest/,
    );
  });

  it('is asked instead of configured events if a flag or variable names it, and ingest tells what is asked', async () => {
    for (const config of ['events: other.csv\n', 'sources: [{files: other.csv}]\n']) {
      const folder = folderOf({
        'e.ndjson': fewEvents,
        'other.csv': 'utcTime\n2024-03-06T10:00:00\n',
        'sluice.yaml': config,
      });
      const taken = await folder.sluice(['ingest', 'e.ndjson']);
      expect(taken.stderr).toContain(
        "Queries read the files that sluice.yaml:1 names, not the store. To query the store, write `store: .sluice/store` in place of `events:` there.\nTry: sluice query 'count by eventType' --store .sluice/store",
      );
      expect(await counted(folder)).toBe(1);
      expect(await counted(folder, '--store', '.sluice/store')).toBe(5);
      const env = { SLUICE_STORE: '.sluice/store' };
      const { stdout } = await folder.sluice(['query', 'count', '-f', 'csv'], { env });
      expect(stdout).toContain('\n5\n');
      expect(await counted(folder, '--store', '.sluice/store', '--events', 'other.csv')).toContain(
        '--events and --store both name the events of the question.',
      );
      await using sluice = await open({ workspace: folder.root, env: {}, store: '.sluice/store', now: () => now });
      expect((await sluice.query('count')).rows()).toEqual([{ 'TrackedEvents.count': 5 }]);
    }
  });

  it('refuses flags for event files, which would change nothing, also if the answer is cached', async () => {
    const folder = folderOf({ 'e.ndjson': fewEvents });
    await ingest(folder, 'e.ndjson');
    expect(await counted(folder)).toBe(5);
    for (const flag of [
      ['--map', 'eventType=kind'],
      ['--preset', 'none'],
    ]) {
      const said = `The flag ${flag[0]} applies to event files, but the question reads the store in`;
      for (const store of [[], ['--store', '.sluice/store']])
        expect(await counted(folder, ...flag, ...store)).toContain(said);
      expect(await counted(folder, ...flag, '--events', 'e.ndjson')).toBe(5);
      expect((await folder.sluice(['ingest', 'e.ndjson', ...flag])).stderr).not.toContain('applies to');
    }
  });

  it('tells if files were loaded with another mapping than the configured one', async () => {
    const config = (column: string) => `columns: {utcTime: at, eventType: ${column}}\n`;
    const folder = folderOf({
      'a.csv': 'at,one,two\n2024-03-06T10:00:00,x,y\n',
      'b c.csv': 'at,one,two\n2024-03-07T10:00:00,x,y\n',
      'gone.csv': 'at,one,two\n2024-03-07T11:00:00,x,y\n',
      'sluice.yaml': config('one'),
    });
    const asked = async (...more: readonly string[]) =>
      (await folder.sluice(['query', 'count by eventType', ...more])).stdout;
    await folder.sluice(['ingest', '*.csv']);
    rmSync(path.join(folder.root, 'gone.csv'));
    expect(await asked()).not.toContain('mapping');
    folder.write('sluice.yaml', config('two'));
    const said =
      "2 files of the store were loaded with another mapping than the configured one. To apply it: sluice ingest a.csv 'b c.csv'";
    for (const _ of [1, 2]) expect(await asked()).toMatch(/x +3\n/);
    expect(await asked()).toContain(said);
    expect((await folder.sluice(['doctor'])).stdout).toContain(said);
    await folder.sluice(['ingest', 'a.csv', 'b c.csv']);
    expect(await asked()).toMatch(/y +2\n/);
    expect(await asked()).not.toContain('mapping');
    // Without a configured mapping, every file was loaded as someone wanted.
    folder.write('sluice.yaml', '');
    expect(await asked()).not.toContain('mapping');
    folder.write('sluice.yaml', 'sources: [{files: a.csv, columns: {utcTime: at, eventType: one}}]\n');
    expect(await asked('--store', '.sluice/store')).toContain('1 file of the store was loaded with another mapping');
  });

  it('tells if it has no event of the asked project', async () => {
    const event = (project: string) => `{"utcTime":"2024-03-06T10:00:00Z","projectId":"${project}","eventType":"a"}\n`;
    const folder = folderOf({ 'e.ndjson': event('7') + event('42') });
    await ingest(folder, 'e.ndjson');
    const asked = async (...args: readonly string[]) => (await folder.sluice(['query', ...args])).stdout;
    for (const line of ['count', 'count by day', 'count by eventType where eventType = a'])
      expect(await asked(line, '--project', '9')).toContain('No event is of project "9". Projects are "42", "7".');
    expect(await asked('count where eventType = b', '--project', '7')).not.toContain('No event is of');
    expect(await asked('count', '--project', '7')).not.toContain('No event is of');
  });

  it('is an error with a command to run if the named one does not exist, even with a sample', async () => {
    const folder = folderOf();
    await folder.sluice(['sample', '-n', '1000']);
    const { code, stderr } = await folder.sluice(['query', 'count', '--store', 'gone']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/gone" \(from flag --store\) does not contain a store\.\n.*sluice ingest/),
    ]);
    const doctor = await folder.sluice(['doctor', '--store', 'gone']);
    expect([doctor.code, doctor.stdout]).toEqual([2, expect.stringMatching(/FAIL +store .*gone/)]);
  });

  it('provides the events table of a model along with its other tables, unless the model has its own', async () => {
    const folder = folderOf({
      'e.ndjson': fewEvents,
      'orders.csv': 'id\n1\n',
      'sluice.yaml': 'model: shop.yaml\ntables: {orders: orders.csv}\n',
      'shop.yaml':
        'cubes:\n  - name: Orders\n    sql_table: orders\n    measures: [{name: count, type: count}]\n  - name: Events\n    sql_table: events\n    measures: [{name: count, type: count}]\n',
    });
    await ingest(folder, 'e.ndjson');
    expect((await folder.sluice(['query', 'Orders.count', '-f', 'json'])).stdout).toBe('[{"Orders.count":1}]\n');
    for (const flags of [[], ['--store', '.sluice/store']])
      expect((await folder.sluice(['query', 'Events.count', '-f', 'json', ...flags])).stdout).toBe(
        '[{"Events.count":5}]\n',
      );
    folder.write('bad.ndjson', '{broken\n{"utcTime":"2024-03-07T10:00:00Z"}\n');
    await ingest(folder, 'bad.ndjson');
    const unread = '1 line could not be read when files were loaded into the store';
    expect((await folder.sluice(['query', 'Events.count'])).stdout).toContain(unread);
    expect((await folder.sluice(['query', 'Orders.count'])).stdout).not.toContain(unread);
    await writeFile(
      path.join(folder.root, 'sluice.yaml'),
      'model: shop.yaml\ntables: {orders: orders.csv, events: orders.csv}\n',
    );
    expect((await folder.sluice(['query', 'Events.count', '-f', 'json'])).stdout).toBe('[{"Events.count":1}]\n');
  });

  it('is the table of a model whose cube over it defines the events, with columns of joined tables', async () => {
    const plans = 'id,plan\nann,pro\nbob,free\n';
    const folder = folderOf({
      'e.ndjson': fewEvents,
      'more.ndjson':
        '{"utcTime":"2024-03-07T10:00:00Z","userAnonymousId":"bob","eventType":"pageview","docPath":"/docs"}\n',
      'plans.csv': plans,
      'sluice.yaml': 'model: hits.yaml\ntables: {plans: plans.csv}\n',
      'hits.yaml': `cubes:
  - name: hits
    sql_table: events
    joins: [{name: plans, relationship: many_to_one, sql: "{CUBE}.user_anonymous_id = {plans.id}"}]
    meta: {sluice: {events: {time: at, user: who, type: kind, page: page, properties: {plan: plans.plan}}}}
    dimensions:
      - {name: at, sql: utc_time, type: time}
      - {name: who, sql: user_anonymous_id, type: string}
      - {name: kind, sql: event_type, type: string}
      - {name: page, sql: doc_path, type: string}
    measures: [{name: count, type: count}]
  - name: plans
    sql_table: plans
    dimensions: [{name: id, sql: id, type: string, primary_key: true}, {name: plan, sql: plan, type: string}]
`,
    });
    const ask = async (line: string, ...flags: readonly string[]) => {
      const { code, stdout, stderr } = await folder.sluice(['query', line, '-f', 'csv', ...flags]);
      return code === 0 ? stdout.trim().split('\n').slice(1) : stderr;
    };
    expect(await ask('TrackedEvents.count')).toMatch(/no table "events", which the model reads\.\n.*sluice ingest/);
    await ingest(folder, 'e.ndjson');
    expect(await ask('TrackedEvents.count by plan')).toEqual(['free,3', 'pro,2']);
    expect(await ask('hits.count by plans.plan')).toEqual(['free,3', 'pro,2']);
    expect(await ask('TrackedEvents.count by plan', '--store', '.sluice/store')).toEqual(['free,3', 'pro,2']);
    expect(await ask('funnel / then /docs by plan')).toEqual(['free,1,1', 'free,2,0', 'pro,1,1', 'pro,2,1']);
    expect((await folder.sluice(['query', 'hits.count', '-f', 'json', '--with-provenance'])).stdout).toContain(
      'the store .sluice/store',
    );
    expect(await ask('TrackedEvents.count', '--events', 'e.ndjson')).toMatch(
      /already defines the events, but flag --events specifies others\.\n.*Load the files with `sluice ingest`/,
    );
    await using sluice = await open({ workspace: folder.root, env: {}, now: () => now });
    const free = async () => (await sluice.query('TrackedEvents.count where plan = free')).rows()[0];
    expect(await free()).toEqual({ 'TrackedEvents.count': 3 });
    await ingest(folder, 'more.ndjson');
    expect(await free()).toEqual({ 'TrackedEvents.count': 4 });
  });

  it('is used by the library, too, before the sample', async () => {
    const folder = folderOf({ 'e.ndjson': fewEvents });
    await folder.sluice(['sample', '-n', '1000']);
    await using without = await open({ workspace: folder.root, env: {}, now: () => now });
    expect((await without.query('count')).rows()).toEqual([{ 'TrackedEvents.count': 1000 }]);
    await ingest(folder, 'e.ndjson');
    await using sluice = await open({ workspace: folder.root, env: {}, now: () => now });
    const result = await sluice.query('count');
    expect([result.rows(), result.provenance.source]).toEqual([
      [{ 'TrackedEvents.count': 5 }],
      'the store .sluice/store',
    ]);
  });

  it('is shown by doctor and by sluice without arguments', async () => {
    const folder = folderOf({ 'e.ndjson': fewEvents });
    await ingest(folder, 'e.ndjson');
    expect((await folder.sluice(['doctor'])).stdout).toMatch(/ok +store +5 events, 2024-03-06 to 2024-03-07/);
    expect((await folder.sluice([])).stdout).toContain('from the store .sluice/store');
  });
});

describe('event files as a flag', () => {
  it('are asked, whatever server the configuration names, and contradict a server as a flag', async () => {
    for (const backend of ['platform', 'cube', 'clickhouse']) {
      const folder = folderOf({ 'e.ndjson': fewEvents, 'sluice.yaml': `backend: ${backend}\n` });
      expect(await counted(folder, '--events', 'e.ndjson')).toBe(5);
      expect(await counted(folder, '--events', 'e.ndjson', '--backend', backend)).toContain(
        `--events names files, which --backend ${backend} does not read.`,
      );
    }
    const folder = folderOf({ 'sluice.yaml': 'backend: clickhouse\nclickhouse: {url: "http://127.0.0.1:9"}\n' });
    expect(await counted(folder, '--map', 'eventType=kind')).toContain(
      'The flag --map applies to event files, but the question goes to the backend "clickhouse".',
    );
  });
});

describe('the default backend', () => {
  const backendOf = async (file: string, env: Readonly<Record<string, string>> = {}, flags: SettingFlags = {}) => {
    const folder = folderOf(file === '' ? {} : { 'sluice.yaml': file });
    const { settings } = await openSettings({ cwd: folder.root, env, flags, nameOf: (flag) => `flag --${flag}` });
    return `${settings.backend.value} (${settings.backend.origin})`;
  };
  const platform = 'platform: {url: "https://code.example.org", project: 42}\n';

  it('is the platform if configured, else the embedded one', async () => {
    expect(await backendOf('')).toBe('embedded (default)');
    expect(await backendOf(platform)).toBe('platform (the platform of sluice.yaml:1)');
    expect(await backendOf('', { SLUICE_HOST: 'code.example.org' })).toBe('platform (the platform of SLUICE_HOST)');
    expect(await backendOf('events: e.csv\n', {}, { host: 'code.example.org' })).toBe(
      'platform (the platform of flag --host)',
    );
    expect(await backendOf(`${platform}events: e.csv\n`)).toBe('platform (the platform of sluice.yaml:1)');
    expect(await backendOf(`${platform}backend: embedded\n`)).toBe('embedded (sluice.yaml:2)');
  });

  it('is the embedded one if files have priority over the platform', async () => {
    expect(await backendOf(platform, {}, { events: 'e.csv' })).toBe('embedded (default)');
    expect(await backendOf(platform, { SLUICE_STORE: 's' })).toBe('embedded (default)');
    for (const backend of ['platform', 'cube', 'clickhouse']) {
      expect(await backendOf(`backend: ${backend}\n`)).toBe(`${backend} (sluice.yaml:1)`);
      expect(await backendOf(`backend: ${backend}\nevents: e.csv\n`)).toBe(`${backend} (sluice.yaml:1)`);
      for (const flags of [{ events: 'e.csv' }, { store: 's' }])
        expect(await backendOf(`backend: ${backend}\n`, {}, flags)).toBe('embedded (default)');
      expect(await backendOf(`backend: ${backend}\n`, { SLUICE_EVENTS: 'e.csv' })).toBe('embedded (default)');
      expect(await backendOf('events: e.csv\n', {}, { backend })).toBe(`${backend} (flag --backend)`);
    }
    const env = { SLUICE_EVENTS: 'e.csv', SLUICE_HOST: 'code.example.org' };
    expect(await backendOf('backend: embedded\n', env)).toBe('embedded (default)');
    expect(await backendOf('backend: embedded\nevents: e.csv\n', { SLUICE_HOST: 'code.example.org' })).toBe(
      'embedded (sluice.yaml:1)',
    );
    for (const backend of ['embedded', 'cube'])
      expect(await backendOf(`backend: ${backend}\nevents: e.csv\n`, {}, { host: 'code.example.org' })).toBe(
        'platform (the platform of flag --host)',
      );
  });

  it('is not the platform if only its own tools or jobs configure it', async () => {
    expect(
      await backendOf('', {
        GITLAB_HOST: 'code.example.org',
        CI_API_V4_URL: 'https://code.example.org/api/v4',
        CI_PROJECT_ID: '42',
      }),
    ).toBe('embedded (default)');
    expect(await backendOf('', { GITLAB_HOST: 'code.example.org', SLUICE_HOST: 'code.example.org' })).toBe(
      'platform (the platform of SLUICE_HOST)',
    );
  });
});
