import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type OpenedSettings, openSettings, readSettings } from '../../../src/use/config/open-settings.ts';
import { readConfigFile } from '../../../src/use/config/read-config-file.ts';
import { readEnvironment } from '../../../src/use/config/read-environment.ts';
import type { SettingFlags } from '../../../src/use/config/read-flags.ts';
import { openFolder } from '../run-in-folder.ts';

async function settingsIn(
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
  flags: SettingFlags = {},
  cwd = '.',
): Promise<OpenedSettings & { folder: string }> {
  const folder = openFolder(files);
  try {
    return {
      ...(await openSettings({ cwd: path.join(folder.root, cwd), env, flags, nameOf: (flag) => `flag --${flag}` })),
      folder: folder.root,
    };
  } finally {
    folder.remove();
  }
}

const read = (text: string) => readConfigFile({ file: 'sluice.yaml', folder: '/w', text });

describe('configuration', () => {
  it('applies the file, then the environment, then flags, and every setting knows its origin', async () => {
    const { settings, root, folder } = await settingsIn(
      { 'sluice.yaml': 'timezone: Europe/Berlin\nweekStart: sunday\nuser: known\nevents: [a.ndjson, b/*.csv]\n' },
      { SLUICE_TIMEZONE: 'Asia/Tokyo', SLUICE_WEEK_START: 'Saturday' },
      { weekStart: 'monday' },
    );
    expect(root).toBe(folder);
    expect(settings.timezone).toEqual({ value: 'Asia/Tokyo', origin: 'SLUICE_TIMEZONE' });
    expect(settings.weekStart).toEqual({ value: 'monday', origin: 'flag --weekStart' });
    expect(settings.user).toEqual({ value: 'known', origin: 'sluice.yaml:3' });
    expect(settings.events).toEqual({
      value: [path.join(folder, 'a.ndjson'), path.join(folder, 'b/*.csv')],
      origin: 'sluice.yaml:4',
    });
    expect(settings.fill).toEqual({ value: 'auto', origin: 'default' });
  });

  it('can be the sluice key of a package.json; sluice.yaml in the same folder has priority', async () => {
    const manifest = '{\n  "name": "x",\n  "sluice": {\n    "timezone": "Europe/Rome"\n  }\n}\n';
    expect((await settingsIn({ 'package.json': manifest })).settings.timezone).toEqual({
      value: 'Europe/Rome',
      origin: 'package.json:4',
    });
    expect(
      (await settingsIn({ 'package.json': manifest, 'sluice.yaml': 'timezone: Europe/Oslo' })).settings.timezone.value,
    ).toBe('Europe/Oslo');
  });

  it('is searched upward; a package.json without the key is skipped', async () => {
    const { root, folder } = await settingsIn(
      { 'sluice.yaml': '# nothing set\n', 'a/package.json': '{"name": "a"}', 'a/b/x': '' },
      {},
      {},
      'a/b',
    );
    expect(root).toBe(folder);
  });

  it('resolves paths in the file from its folder, and paths of flags from the current one', async () => {
    const files = { 'sluice.yaml': 'events: e.ndjson\nmodel: m.yaml\n', 'sub/x': '' };
    const { settings, folder } = await settingsIn(files, {}, { events: 'e.ndjson' }, 'sub');
    expect(settings.events.value).toEqual([path.join(folder, 'sub', 'e.ndjson')]);
    expect(settings.model.value).toBe(path.join(folder, 'm.yaml'));
  });

  it('suggests the nearest key for an unknown one, and reports all issues at once', () => {
    const { issues } = read('timezon: UTC\nplatform:\n  projct: 42\nfill: som\n');
    expect(issues.map(({ code, hint, span }) => [code, span?.line, hint])).toEqual([
      ['unknown-key', 1, expect.stringContaining('timezone')],
      ['unknown-key', 3, expect.stringContaining('project')],
      [expect.any(String), 4, expect.any(String)],
    ]);
  });

  it('refuses a token in a file, under any key, and does not show it', async () => {
    const secret = 'glpat-0123456789abcdefghij';
    for (const text of [
      `platform: {token: ${secret}}`,
      `token: ${secret}`,
      `platform: {tokenFile: ${secret}}`,
      `cube: {api_key: abc}`,
    ]) {
      const files = { 'sluice.yaml': `${text}\n` };
      const message = await settingsIn(files).then(
        () => 'taken',
        (error: Error) => error.message,
      );
      expect(message, text).toMatch(/token does not belong in sluice\.yaml/);
      expect(message).toMatch(
        text.startsWith('cube') ? /SLUICE_CUBE_TOKEN .* cube\.tokenFile/ : /SLUICE_TOKEN .* platform\.tokenFile/,
      );
      expect(message).not.toContain(secret);
    }
  });

  it.each([
    [
      'deliver: [{webhook: https://hooks.example.org/, secret: hunter2}]',
      'deliver[0].secret: A secret does not belong',
      'environment variable, and specify the variable: deliver[0].secretFrom.',
    ],
    [
      'deliver: [{stdout: md}, {webhook: "https://me:hunter2@hooks.example.org/"}]',
      'deliver[1].webhook: A URL with a credential does not belong',
      'deliver[1].webhookFrom.',
    ],
    [
      'platform: {url: "https://me:hunter2@code.example.org"}',
      'platform.url: A URL with a credential does not belong',
      'Set SLUICE_TOKEN instead',
    ],
    [
      'cube: {url: "https://cube.example.org/?token=hunter2"}',
      'cube.url: A URL with a credential does not belong',
      'Set SLUICE_CUBE_TOKEN',
    ],
    [
      'events: "https://files.example.org/e.parquet?signature=hunter2"',
      'events: A URL with a credential does not belong',
      'Write "events" without it.',
    ],
    [
      'usage: {groups: [{name: a, password: hunter2}]}',
      'usage.groups[0].password: A secret does not belong',
      'Write "password" without it.',
    ],
  ])('names the correct key for the secret in %j', async (text, what, instead) => {
    const message = await settingsIn({ 'sluice.yaml': `${text}\n` }).then(
      () => 'taken',
      (error: Error) => error.message,
    );
    expect(message).toContain(`${what} in sluice.yaml, which is committed.`);
    expect(message).toContain(instead);
    expect(message).not.toContain('hunter2');
  });

  it('prefers tokens of the environment to a configured file or command, and stores only their place', async () => {
    const files = { 'sluice.yaml': 'platform: {tokenFile: secrets/token}\ncube: {tokenCommand: pass cube}\n' };
    const named = await settingsIn(files);
    expect(named.settings.token).toEqual({
      value: { kind: 'file', file: path.join(named.folder, 'secrets/token') },
      origin: 'sluice.yaml:1',
    });
    expect(named.settings.cubeToken.value).toEqual({ kind: 'command', command: 'pass cube' });
    const set = await settingsIn(files, { GITLAB_TOKEN: 'open-sesame', SLUICE_TOKEN: 'mellon' });
    expect(set.settings.token).toEqual({ value: { kind: 'variable', name: 'SLUICE_TOKEN' }, origin: 'SLUICE_TOKEN' });
    expect(JSON.stringify(set.settings)).not.toMatch(/sesame|mellon/);
  });

  it("reads variables of the platform's own tools and CI jobs", async () => {
    const ci = await settingsIn({}, { CI_API_V4_URL: 'https://code.example.org/api/v4', CI_PROJECT_ID: '42' });
    expect(ci.settings.platformUrl).toEqual({ value: 'https://code.example.org', origin: 'CI_API_V4_URL' });
    expect(ci.settings.platformProject).toEqual({ value: '42', origin: 'CI_PROJECT_ID' });
    // A CI job's own project must not select events in files.
    expect(ci.settings.project.value).toBeUndefined();
    expect((await settingsIn({}, { GITLAB_HOST: 'code.example.org' })).settings.platformUrl.value).toBe(
      'https://code.example.org',
    );
    const flag = await settingsIn({}, { CI_PROJECT_ID: '42' }, { project: '7' });
    expect([flag.settings.project.value, flag.settings.platformProject.value]).toEqual(['7', '7']);
  });

  it('warns about an unknown variable, and refuses a wrong value with the name of the variable', async () => {
    expect((await settingsIn({}, { SLUICE_TIMEZON: 'UTC' })).warnings.join()).toMatch(
      /SLUICE_TIMEZON" is not.*SLUICE_TIMEZONE/s,
    );
    await expect(settingsIn({}, { SLUICE_FILL: 'some' })).rejects.toThrow(/SLUICE_FILL/);
    expect((await settingsIn({}, { SLUICE_EVENTS: '' })).settings.events).toEqual({ value: [], origin: 'default' });
  });
});

describe('the environment of the tests', () => {
  // Commands in tests inherit it, and a warning about it would be part of what they print.
  it('sets no variable that sluice takes for a setting', () => {
    const root = new URL('../../..', import.meta.url).pathname;
    const read = globSync(['test/**/*.ts', '.config/*.ts', '.ci/run'], { cwd: root }).flatMap((file) => [
      ...readFileSync(path.join(root, file), 'utf8').matchAll(/(?:process\.env\['|export )(\w+)/g),
    ]);
    const names = new Set(read.map(([, name = '']) => name));
    expect(names).toContain('TEST_CHDB');
    expect(readEnvironment(Object.fromEntries([...names].map((name) => [name, '1'])), root).warnings).toEqual([]);
  });
});

describe('a setting with a wrong value', () => {
  const messageOf = (opening: Promise<unknown>) =>
    opening.then(
      () => 'taken',
      (error: Error) => error.message,
    );

  it('is located in its file, or named by its variable or flag', async () => {
    const inFile = await messageOf(settingsIn({ 'sluice.yaml': '# zone\ntimezone: Europe/Berln\nweekStart: mondy\n' }));
    expect(inFile).toMatch(
      /sluice\.yaml:2:11 {2}error .*"Europe\/Berln" is not a time zone\.\n.*\n +\^{12}\n.*Did you mean .?Europe\/Berlin/,
    );
    expect(inFile).toMatch(/sluice\.yaml:3:12[^]*monday/);
    expect(await messageOf(settingsIn({}, { SLUICE_TIMEZONE: 'Mars/X' }))).toMatch(
      /SLUICE_TIMEZONE: "Mars\/X" is not a time zone/,
    );
    expect(await messageOf(settingsIn({}, {}, { timezone: 'Mars/X' }))).toMatch(/flag --timezone.*Mars\/X/);
    expect(await messageOf(settingsIn({}, { SLUICE_TIMEZONE: 'europe/berlin' }))).toBe('taken');
  });

  it('is reported together with those from other places', async () => {
    const message = await messageOf(
      settingsIn({ 'sluice.yaml': 'timezone: Mars/X\n' }, { SLUICE_FILL: 'some' }, { weekStart: 'noday' }),
    );
    for (const part of ['sluice.yaml:1:11', 'SLUICE_FILL', 'flag --weekStart']) expect(message).toContain(part);
  });

  it('does not affect other settings if partial settings are allowed', async () => {
    const folder = openFolder({
      'sluice.yaml': 'timezone: Mars/X\nuser: known\nplatform: {projct: 1, url: "https://code.example.org"}\n',
    });
    const { settings, faults } = await readSettings({ cwd: folder.root, env: {}, flags: {}, nameOf: (flag) => flag });
    folder.remove();
    expect(faults).toHaveLength(1);
    expect(settings.timezone).toEqual({ value: 'UTC', origin: 'default' });
    expect(settings.user).toEqual({ value: 'known', origin: 'sluice.yaml:2' });
    expect(settings.platformUrl.value).toBeUndefined();
  });
});

describe('sluice doctor', () => {
  const doctor = async (files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) => {
    const folder = openFolder(files);
    try {
      return await folder.sluice(['doctor'], { env });
    } finally {
      folder.remove();
    }
  };

  it('continues after each fault, so that none hides another', async () => {
    const { code, stdout, stderr } = await doctor({
      'sluice.yaml':
        'timezone: Mars/X\nmodel: shop.yaml\ntables: {users: users.csv, orders: gone.parquet}\nevents: "gone/*.ndjson"\n',
      'shop.yaml': 'cubes:\n  - name: Orders\n    sql_table: orders\n    mesures: []\n',
      'users.csv': 'id,city\n1,Bonn\n',
    });
    expect([code, stderr]).toEqual([2, '']);
    expect(stdout).toMatch(/ {2}user {2,}anonymous {2,}default\n/);
    expect(stdout).toMatch(/FAIL +configuration [^]*sluice\.yaml:1:11 [^]*\^{6}/);
    expect(stdout).toMatch(/FAIL +model [^]*shop\.yaml:4:5 [^]*\^{7}[^]*measures/);
    expect(stdout).toMatch(/ok +engine +DuckDB/);
    expect(stdout).toMatch(/ok +table users +users\.csv\n/);
    expect(stdout).toMatch(/FAIL +table orders +No files of the table "orders" found at gone\.parquet.*\n +.*tables:/);
    expect(stdout).toMatch(/FAIL +events .*gone\/\*\.ndjson/);
  });

  it('finds a table that only lacks its file, and one that has the name of the events', async () => {
    const files = {
      'shop.yaml': 'cubes:\n  - name: Orders\n    sql_table: events\n    measures: [{name: count, type: count}]\n',
      'e.csv': 'utcTime\n2024-03-06\n',
    };
    const gone = await doctor({ ...files, 'sluice.yaml': 'model: shop.yaml\ntables: {events: gone.parquet}\n' });
    expect([gone.code, gone.stdout]).toEqual([
      2,
      expect.stringMatching(/ok +model +1 cube, of shop\.yaml\n[^]*FAIL +table events .*gone\.parquet/),
    ]);
    const taken = await doctor({
      ...files,
      'sluice.yaml': 'model: shop.yaml\ntables: {events: e.csv}\nevents: e.csv\n',
    });
    expect([taken.code, taken.stdout]).toEqual([
      2,
      expect.stringMatching(/ok +table events[^]*FAIL +events +.*conflicts with the event files/),
    ]);
  });

  it('reports no problem if tables, model and events can be read', async () => {
    const { code, stdout } = await doctor({
      'sluice.yaml': 'model: shop.yaml\ntables: {orders: orders.csv}\nevents: e.csv\n',
      'orders.csv': 'id\n1\n',
      'e.csv': 'utcTime\n2024-03-06T10:00:00\n',
      'shop.yaml': 'cubes:\n  - name: Orders\n    sql_table: orders\n    measures: [{name: count, type: count}]\n',
    });
    expect(stdout).not.toContain('FAIL');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/ok +events +1 event, 2024-03-06/)]);
  });

  it('lists every setting with its origin, and what works', async () => {
    const folder = openFolder({
      'sluice.yaml': 'events: "*.ndjson"\nplatform: {tokenCommand: pass x}\n',
      'e.ndjson': '{"utcTime":"2024-03-06T10:00:00","eventType":"pageview"}\n',
    });
    const { code, stdout } = await folder.sluice(['doctor'], { env: { SLUICE_TIMEZONE: 'Europe/Berlin' } });
    expect(code).toBe(0);
    expect(stdout).toMatch(/timezone\s+Europe\/Berlin\s+SLUICE_TIMEZONE/);
    expect(stdout).toMatch(/events\s+\*\.ndjson\s+sluice\.yaml:1/);
    expect(stdout).toMatch(/ok\s+events\s+1 event, 2024-03-06 to 2024-03-06/);
    folder.remove();
  });

  it('fails if the events are missing, with a hint; a token is never shown', async () => {
    const folder = openFolder({ 'sluice.yaml': 'events: "*.ndjson"\n' });
    const { code, stdout, stderr } = await folder.sluice(['doctor'], { env: { SLUICE_TOKEN: 'sesame' } });
    expect(code).toBe(2);
    expect(stdout).toMatch(/FAIL\s+events .*\*\.ndjson/);
    expect(stdout).toContain('sluice sample');
    expect(stdout + stderr).not.toContain('sesame');
    folder.remove();
  });
});
