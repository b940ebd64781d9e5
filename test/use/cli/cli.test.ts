import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AbortedError, BackendError, ConfigError, InvalidInputError } from '../../../src/use/index.ts';
import type { Effects } from '../../../src/use/process/effects.ts';
import { exitCodeOf, reportError } from '../../../src/use/process/report-error.ts';
import { type Folder, openFolder } from '../run-in-folder.ts';

const commands = [
  'query',
  'explore',
  'load',
  'model',
  'funnel',
  'retention',
  'lifecycle',
  'stickiness',
  'paths',
  'cohort',
  'usage',
  'report',
  'api',
  'serve',
  'schema',
  'sample',
  'export',
  'ingest',
  'store',
  'sync',
  'clickhouse',
  'init',
  'doctor',
  'completion',
];

describe('the command line', () => {
  let folder: Folder;
  beforeAll(() => {
    folder = openFolder();
  });
  afterAll(() => folder.remove());

  it('alone says what to type next', async () => {
    const { code, stdout, stderr } = await folder.sluice([]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/sluice sample[\s\S]*sluice query/);
  });

  it.each([60, 80])('keeps help and the model within %s columns of a terminal', async (columns) => {
    const terminal = { columns, rows: 40 };
    for (const args of [['--help'], ['query', '--help'], ['sample', '--help']]) {
      const { stdout } = await folder.sluice(args, { terminal });
      const [prose = ''] = stdout.split('\nExamples:');
      expect(prose.split('\n').filter((line) => line.length > columns)).toEqual([]);
    }
    const { stdout } = await folder.sluice(['model'], { terminal });
    const members = stdout.split('\n').filter((line) => /^ {2}(measures|dimensions|segments):|^ {14}/.test(line));
    expect(members.length).toBeGreaterThan(8);
    expect(members.filter((line) => line.length > columns)).toEqual([]);
  });

  it('gives help on stdout, for each command with examples', async () => {
    const { code, stdout } = await folder.sluice(['--help']);
    expect(code).toBe(0);
    for (const command of commands) {
      expect(stdout).toContain(`  ${command} `);
      const help = await folder.sluice([command, '--help']);
      expect([help.code, help.stderr]).toEqual([0, '']);
      const examples = help.stdout.slice(help.stdout.indexOf('\nExamples:')).match(/^ {2}\$ .*sluice .*$/gm) ?? [];
      expect(examples.length, command).toBeGreaterThanOrEqual(3);
      for (const line of help.stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(110);
    }
    expect(stdout.match(/^ {2}[a-z]+(?= \[| <| {2})/gm)?.map((line) => line.trim())).toEqual([...commands, 'help']);
    expect((await folder.sluice(['help', 'query'])).stdout).toBe((await folder.sluice(['query', '--help'])).stdout);
  });

  it('tells who asks without a command which one takes questions', async () => {
    for (const argv of [['count by day'], ['count', 'by', 'day'], ['--quiet', 'count by day']]) {
      const { code, stdout, stderr } = await folder.sluice(argv);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain("sluice query 'count by day'\n");
    }
    expect((await folder.sluice(["count where docPath = 'a'"])).stderr).toContain(
      "sluice query 'count where docPath = '\\''a'\\'''",
    );
    expect((await folder.sluice(['count \u001b[2J by day'])).stderr).not.toContain('\u001b');
    expect((await folder.sluice(['qurey'])).stderr).not.toContain('To run a query');
  });

  it('tells who asks an analysis in several words how a line is asked', async () => {
    for (const words of ['lifecycle by week last 4 weeks', 'lifecycle run by week last 4 weeks']) {
      const { code, stderr } = await folder.sluice(words.split(' '));
      expect(code).toBe(2);
      expect(stderr).toContain("type: sluice query 'lifecycle by week last 4 weeks'\n");
    }
    const { stderr } = await folder.sluice(['lifecycle', 'list', 'one', 'two']);
    expect(stderr).toContain('For all options, run: sluice lifecycle list --help');
  });

  it('prints its version', async () => {
    expect(await folder.sluice(['--version'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('takes flags of all commands before and after the command', async () => {
    const before = await folder.sluice(['--config', 'gone.yaml', 'model']);
    const after = await folder.sluice(['model', '--config', 'gone.yaml']);
    expect(before).toEqual(after);
    expect(before.stderr).toContain('gone.yaml');
  });

  it('lists the model, one cube of it, and both as types and JSON', async () => {
    const { stdout } = await folder.sluice(['model']);
    expect(stdout).toMatch(/TrackedEvents[\s\S]*Sessions[\s\S]*ReturningUsers/);
    const one = (await folder.sluice(['model', 'sessions'])).stdout;
    expect(one).toContain('averageDurationMinutes');
    expect(one).not.toContain('linkClicksCount');
    expect((await folder.sluice(['model', '-f', 'ts'])).stdout).toContain("'TrackedEvents.count': number;");
    const meta = JSON.parse((await folder.sluice(['model', '-f', 'json'])).stdout) as { cubes: { name: string }[] };
    expect(meta.cubes.map((cube) => cube.name)).toContain('TrackedEvents');
  });

  it('prints JSON Schemas of the files that it reads', async () => {
    for (const [file, key] of [
      ['query', 'query'],
      ['config', 'timezone'],
      ['model', 'cubes'],
    ] as const) {
      expect(JSON.parse((await folder.sluice(['schema', file])).stdout)).toHaveProperty(['properties', key]);
    }
    expect(JSON.parse((await folder.sluice(['schema', 'annotations'])).stdout)).toMatchObject({
      type: 'array',
      items: { required: ['date', 'title'], properties: { kind: { type: 'string' } }, additionalProperties: false },
    });
  });

  it('writes a file by -o and --output wherever it writes one, and offers no backend that is not there', async () => {
    for (const [command, output] of [
      [['sample', '-n', '10', '--days', '1'], 'a.ndjson'],
      [['sample', '-n', '10', '--days', '1'], 'b.csv'],
    ] as const) {
      expect((await folder.sluice([...command, '--output', output])).code).toBe(0);
      expect((await folder.sluice([...command, '--out', `x-${output}`])).code).toBe(0);
    }
    expect((await folder.sluice(['--help'])).stdout.replaceAll(/\s+/g, ' ')).toContain(
      '(choices: "embedded", "platform", "cube", "clickhouse")',
    );
    const { code, stderr } = await folder.sluice(['doctor'], { env: { SLUICE_BACKEND: 'clickhose' } });
    expect([code, stderr]).toEqual([2, '']);
  });

  it('breaks the lines of a description only where a sentence ends', async () => {
    for (const command of [['export'], ['usage'], ['ingest'], ['store', 'prune']]) {
      const { stdout } = await folder.sluice([...command, '--help'], { env: { COLUMNS: '100' } });
      const lines = (stdout.split('\n\n')[1] ?? '').split('\n');
      const short = lines.slice(0, -1).filter((line) => line.length < 80 && !line.endsWith('.'));
      expect([command, short]).toEqual([command, []]);
    }
  });

  it('tells each kind of failure by its exit code', () => {
    expect(exitCodeOf(new InvalidInputError('x', []))).toBe(2);
    expect(exitCodeOf(new ConfigError('x', { code: 'invalid-config' }))).toBe(2);
    expect(exitCodeOf(new BackendError('x', { code: 'events-not-found' }))).toBe(2);
    expect(exitCodeOf(new BackendError('x', { code: 'file-vanished' }))).toBe(1);
    expect(exitCodeOf(new AbortedError())).toBe(130);
    expect(exitCodeOf(new Error('x'))).toBe(1);
  });

  it('tells a bug in one line and how to report it, with a stack trace only for who asks', async () => {
    const report = async (error: unknown, env: Effects['env'] = {}) => {
      let stderr = '';
      const sink = {
        write: (text: string | Uint8Array) => {
          stderr += String(text);
          return Promise.resolve();
        },
        isTerminal: false,
      };
      const effects: Effects = {
        stdout: sink,
        stderr: sink,
        env,
        cwd: '/',
        now: () => 0,
        readStdin: () => Promise.resolve(new Uint8Array()),
        signal: new AbortController().signal,
      };
      return { code: await reportError(error, effects), stderr };
    };
    const bug = new Error('boom \u001b[2J');
    expect(await report(bug)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^sluice: .*bug.*boom [^\u001b]*\n.*report.*\n$/) as string,
    });
    expect((await report(bug, { SLUICE_DEBUG: '1' })).stderr).toContain('    at ');
    expect(await report(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))).toEqual({ code: 0, stderr: '' });
  });
});
