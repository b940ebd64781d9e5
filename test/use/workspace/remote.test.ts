import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  openScriptedServer,
  type Reply,
  type ScriptedServer,
  type SeenRequest,
} from '../../run/http/scripted-server.ts';
import { answered, token } from '../../run/load/remote.ts';
import { now, openFolder, type Folder, type Outcome } from '../run-in-folder.ts';

const meta = (...dimensions: readonly string[]): Reply => ({
  json: {
    cubes: [
      {
        name: 'TrackedEvents',
        measures: [{ name: 'TrackedEvents.count', aggType: 'count' }],
        dimensions: [
          { name: 'TrackedEvents.derivedTstamp', type: 'time' },
          ...dimensions.map((name) => ({ name: `TrackedEvents.${name}`, type: 'string' })),
        ],
      },
    ],
  },
});
const one = answered([{ 'TrackedEvents.count': '335' }]);

let server: ScriptedServer;
let folder: Folder;
let metaReply: Reply | (() => Reply) = meta('pageTitle');
let loadReply: Reply | ((request: SeenRequest) => Reply) = one;

beforeAll(async () => {
  server = await openScriptedServer((request) => {
    if (request.path.endsWith('/meta')) return typeof metaReply === 'function' ? metaReply() : metaReply;
    if (request.path.endsWith('/load')) return typeof loadReply === 'function' ? loadReply(request) : loadReply;
    return { status: 404, json: { error: '404 Not Found' } };
  });
});
afterAll(() => server[Symbol.asyncDispose]());
afterEach(() => folder.remove());

/** Runs a command in a fresh workspace for the server. */
function workspace(more = ''): (argv: readonly string[], env?: Readonly<Record<string, string>>) => Promise<Outcome> {
  folder = openFolder({ 'sluice.yaml': `backend: platform\nplatform: {url: "${server.url}", project: 42}\n${more}` });
  metaReply = meta('pageTitle');
  loadReply = one;
  seen = server.requests.length;
  return (argv, env = { SLUICE_TOKEN: token }) => folder.sluice(argv, { env });
}
let seen = 0;
/** The requests since the last call. */
function asked(): readonly string[] {
  const fresh = server.requests.slice(seen).map(({ path: at }) => at.split('/').at(-1) ?? '');
  seen = server.requests.length;
  return fresh;
}

describe('a command on the platform', () => {
  it('answers, and caches the metadata for the next one', async () => {
    const sluice = workspace();
    const first = await sluice(['query', 'count', '-f', 'json']);
    expect(first.code).toBe(0);
    expect(JSON.parse(first.stdout)).toEqual([{ 'TrackedEvents.count': 335 }]);
    expect(asked()).toEqual(['meta', 'load']);
    expect(readdirSync(path.join(folder.root, '.sluice/meta'))).toEqual([`127.0.0.1_${server.port}-42.json`]);
    await sluice(['query', 'count']);
    expect(asked()).toEqual(['load']);
  });

  it('repeats the request with the answer to a CAPTCHA in the two headers of the platform', async () => {
    const sluice = workspace();
    loadReply = ({ headers }) =>
      headers['x-service-captcha-response'] === 'solved' && headers['x-service-spam-log-id'] === '17'
        ? one
        : {
            status: 409,
            json: { needs_captcha_response: true, spam_log_id: 17, captcha_site_key: 'k', message: { error: 'Spam.' } },
          };
    const refused = await sluice(['query', 'count']);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('SLUICE_SPAM_LOG_ID=17')]);
    const env = { SLUICE_TOKEN: token, SLUICE_CAPTCHA_RESPONSE: 'solved' };
    const half = await sluice(['query', 'count'], env);
    expect([half.code, half.stderr]).toEqual([2, expect.stringContaining('Set both SLUICE_CAPTCHA_RESPONSE')]);
    const again = await sluice(['query', 'count', '-f', 'json'], { ...env, SLUICE_SPAM_LOG_ID: '17' });
    expect([again.code, JSON.parse(again.stdout)]).toEqual([0, [{ 'TrackedEvents.count': 335 }]]);
    expect(again.stderr).not.toContain('not a setting');
  });

  it('requests the metadata again if it is a day old, or broken', async () => {
    const sluice = workspace();
    await sluice(['query', 'count']);
    const [name = ''] = readdirSync(path.join(folder.root, '.sluice/meta'));
    const file = path.join(folder.root, '.sluice/meta', name);
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { readonly fetched: string };
    expect(kept.fetched).toBe(new Date(now).toISOString());
    for (const text of [
      JSON.stringify({ ...kept, fetched: new Date(now - 86_400_000).toISOString() }),
      '{"fetched":',
      JSON.stringify({ ...kept, fetched: new Date(now + 1).toISOString() }),
    ]) {
      writeFileSync(file, text);
      asked();
      await sluice(['query', 'count']);
      expect(asked(), text).toEqual(['meta', 'load']);
    }
  });

  it('requests metadata once more before it refuses a member, and sends no query with an unknown one', async () => {
    const sluice = workspace();
    await sluice(['query', 'count']);
    asked();
    metaReply = meta('pageTitle', 'brandNew');
    loadReply = answered([{ 'TrackedEvents.brandNew': 'x', 'TrackedEvents.count': '1' }]);
    for (const argv of [
      ['query', 'count by brandNew', '-f', 'json'],
      ['query', '-m', 'count', '-d', 'brandNew', '-f', 'json'],
    ]) {
      expect(JSON.parse((await sluice(argv)).stdout)).toEqual([
        { 'TrackedEvents.brandNew': 'x', 'TrackedEvents.count': 1 },
      ]);
    }
    expect(asked()).toEqual(['meta', 'load', 'load']);
    const refused = await sluice(['query', '-m', 'TrackedEvents.count', '-d', 'TrackedEvents.utcTime']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('TrackedEvents.derivedTstamp');
    expect(asked()).toEqual(['meta']);
  });

  it('uses the built-in names if the platform provides none, and says so', async () => {
    const sluice = workspace();
    metaReply = { status: 404, json: { error: '404 Not Found' } };
    const { code, stderr } = await sluice(['query', 'count by docHost', '-f', 'json']);
    expect(code).toBe(4);
    expect(stderr).toMatch(/built-in cubes/);
    expect(stderr).toMatch(/"TrackedEvents.docHost"/);
    expect(asked()).toEqual(['meta', 'meta', 'load']);
  });

  it('never shows or stores its token, whatever the platform repeats of it', async () => {
    const sluice = workspace();
    const holdsToken = (text: string) =>
      text.toLowerCase().includes(token) || text.includes(Buffer.from(`x:${token}`).toString('base64').slice(4, -4));
    const files = (at: string): readonly string[] =>
      readdirSync(at, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'));
    const echo = `${token.toUpperCase()} ${Buffer.from(`x:${token}`).toString('base64')}`;
    metaReply = {
      json: {
        cubes: [
          {
            name: 'TrackedEvents',
            title: echo,
            measures: [{ name: 'TrackedEvents.count', title: echo, aggType: 'count' }],
            dimensions: [{ name: 'TrackedEvents.pageTitle', type: 'string', title: echo }],
          },
        ],
      },
    };
    folder.write(
      'reports/mine.md',
      '---\ntitle: Mine\n---\n\n```query\nquery:\n  measures: [TrackedEvents.count]\n  dimensions: [TrackedEvents.pageTitle]\n```\n',
    );
    for (const reply of [
      answered([{ 'TrackedEvents.pageTitle': echo, 'TrackedEvents.count': '1' }]),
      { status: 400, json: { error: echo } },
      { status: 500, text: `<title>${echo}</title>` },
      { text: echo },
    ] satisfies Reply[]) {
      loadReply = reply;
      for (const argv of [
        ['query', 'count by pageTitle'],
        ['query', 'count by pageTitle', '-f', 'json', '--verbose'],
        ['doctor', '-f', 'json'],
        ['doctor'],
        ['model', 'TrackedEvents', '-f', 'json'],
        ['report', 'run', 'mine', '-f', 'md,html,json', '-o', 'out'],
      ]) {
        const { stdout, stderr, code } = await sluice(argv, {
          SLUICE_TOKEN: token,
          SLUICE_DEBUG: '1',
          SLUICE_WAIT: '1s',
        });
        expect([holdsToken(stdout), holdsToken(stderr)], argv.join(' ')).toEqual([false, false]);
        if (argv[0] === 'query') expect(code).not.toBe(0);
      }
      expect(files(folder.root).filter(holdsToken)).toEqual([]);
    }
    expect(files(path.join(folder.root, '.sluice/meta')).join()).toContain('[redacted]');
  });

  it('does not take text for a number', async () => {
    const sluice = workspace();
    loadReply = answered([{ 'TrackedEvents.count': '12 events' }]);
    const { code, stdout, stderr } = await sluice(['query', 'count', '-f', 'json']);
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toContain('Row 1 has "12 events" for "TrackedEvents.count", which takes a number.');
  });

  it('sends its query to no other origin, and says which address to configure', async () => {
    await using other = await openScriptedServer(() => one);
    const sluice = workspace();
    loadReply = { status: 307, headers: { location: `${other.url}/load` } };
    const { code, stderr } = await sluice(['query', "count where pageTitle = 'user-42'"]);
    expect([code, other.requests]).toEqual([4, []]);
    expect(stderr).toContain(`hint: If ${other.url} is the right server, configure its URL instead of ${server.url}.`);
  });

  it('lists the current metadata of the platform', async () => {
    const sluice = workspace();
    await sluice(['query', 'count']);
    metaReply = meta('brandNew');
    const { code, stdout } = await sluice(['model']);
    expect(code).toBe(0);
    expect(stdout).toContain('TrackedEvents');
    expect(await sluice(['model', 'TrackedEvents', '-f', 'json'])).toMatchObject({
      stdout: expect.stringContaining('TrackedEvents.brandNew'),
    });
  });

  it('reports that the platform is working, that an answer reached its limit, and how to get the rest', async () => {
    const sluice = workspace();
    let polls = 0;
    loadReply = () =>
      polls++ < 2
        ? { json: { error: 'Continue wait' } }
        : answered(
            Array.from({ length: 10_000 }, (_, row) => ({
              'TrackedEvents.pageTitle': String(row),
              'TrackedEvents.count': '1',
            })),
          );
    const { code, stdout, stderr } = await sluice(['query', 'count by pageTitle', '-f', 'ndjson']);
    expect(code).toBe(0);
    expect(stdout.split('\n')).toHaveLength(10_001);
    expect(stderr.match(/still computing/g)).toHaveLength(1);
    expect(stderr).toMatch(/10,000 rows/);
    expect(stderr).toMatch(/sluice export/);
  });

  it('stops at its timeout, and says how to wait longer', async () => {
    const sluice = workspace('wait: 1s\n');
    loadReply = { json: { error: 'Continue wait' } };
    const { code, stderr } = await sluice(['query', 'count']);
    expect(code).toBe(4);
    expect(stderr).toMatch(/did not answer within .*\n.*--wait/);
    expect(await sluice(['query', 'count', '--wait', 'long'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('10m'),
    });
  });

  it('reports retries of a failing server and their duration, except with --quiet', async () => {
    const sluice = workspace();
    let tries = 0;
    loadReply = () => (tries++ < 2 ? { status: 429, headers: { 'Retry-After': '1' }, text: 'Retry later' } : one);
    const [loud, quiet] = await Promise.all([sluice(['query', 'count']), sluice(['query', 'count', '--quiet'])]);
    expect([loud.code, quiet.code, tries, quiet.stderr]).toEqual([0, 0, 4, '']);
    expect(loud.stderr).toMatch(
      /^127\.0\.0\.1:\d+ says that it received too many requests: retrying in [12]\.\d s, for at most [56]\d\.\d s or 10 tries\.$/m,
    );
  });

  it('refuses a limit above the maximum before it sends a query', async () => {
    const sluice = workspace();
    const { code, stderr } = await sluice(['query', 'count by pageTitle', '--limit', '50001']);
    expect([code, asked()]).toEqual([2, ['meta']]);
    expect(stderr).toMatch(/sluice export/);
  });

  it('shows the request, also if the platform has no dry run', async () => {
    const sluice = workspace();
    const { code, stdout } = await sluice(['query', 'count', '--explain']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^POST http.*\/projects\/42\/product_analytics\/request\/load\?queryType=multi\n\{\n {2}"queryType": "multi",/,
    );
    expect(asked()).toEqual(['meta', 'dry-run']);
  });

  it('shows requests with --verbose, without the token', async () => {
    const sluice = workspace();
    loadReply = { status: 400, json: { message: `no ${token}` } };
    const { code, stdout, stderr } = await sluice(['query', 'count', '--verbose']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/POST .*request\/load/);
    expect(stdout + stderr).not.toContain(token);
  });
});

describe('the token of a platform', () => {
  const headerOf = async (sluice: ReturnType<typeof workspace>, env?: Readonly<Record<string, string>>) => {
    const { code, stderr } = await sluice(['query', 'count'], env);
    const { headers } = server.requests.at(-1)!;
    return { code, stderr, header: headers['private-token'] ?? headers['authorization'] };
  };

  it('comes from the environment, a file or a command', async () => {
    expect(await headerOf(workspace(), { GITLAB_TOKEN: ` ${token}\n` })).toMatchObject({ code: 0, header: token });
    folder.remove();
    const file = workspace();
    folder.write('token.txt', `${token}\n`);
    writeFileSync(
      path.join(folder.root, 'sluice.yaml'),
      `backend: platform\nplatform: {url: "${server.url}", project: 42, tokenFile: token.txt}\n`,
    );
    expect(await headerOf(file, {})).toMatchObject({ code: 0, stderr: '', header: token });
    folder.remove();
    const command = workspace();
    writeFileSync(
      path.join(folder.root, 'sluice.yaml'),
      `backend: platform\nplatform: {url: "${server.url}", project: 42, tokenCommand: cat token.txt}\n`,
    );
    folder.write('token.txt', token);
    expect(await headerOf(command, {})).toMatchObject({ code: 0, stderr: '', header: token });
  });

  it('uses Authorization for OAuth tokens, or if configured', async () => {
    expect(await headerOf(workspace(), { SLUICE_TOKEN: 'ab12'.repeat(16) })).toMatchObject({
      header: `Bearer ${'ab12'.repeat(16)}`,
    });
    folder.remove();
    const sluice = workspace();
    writeFileSync(
      path.join(folder.root, 'sluice.yaml'),
      `backend: platform\nplatform: {url: "${server.url}", project: 42, tokenHeader: bearer}\n`,
    );
    expect(await headerOf(sluice)).toMatchObject({ header: `Bearer ${token}` });
  });

  it.each([
    ['is missing', {}, '', /SLUICE_TOKEN/],
    ['is empty', { SLUICE_TOKEN: '  ' }, '', /SLUICE_TOKEN is empty/],
    ['has a line break', { SLUICE_TOKEN: 'glpat-a\nb' }, '', /does not contain a valid token/],
    ['has no file', {}, 'tokenFile: none.txt', /none\.txt cannot be read/],
    ['has a failing command', {}, 'tokenCommand: "exit 3"', /exit code 3/],
  ] as const)('is requested if it %s', async (_, env, setting, told) => {
    const sluice = workspace();
    writeFileSync(
      path.join(folder.root, 'sluice.yaml'),
      `backend: platform\nplatform: {url: "${server.url}", project: 42${setting === '' ? '' : `, ${setting}`}}\n`,
    );
    const { code, stderr } = await sluice(['query', 'count'], env);
    expect(stderr).toMatch(told);
    expect([code, asked()]).toEqual([3, []]);
  });

  it('exits with 3 if it is refused, and with 2 for an unknown project', async () => {
    const sluice = workspace();
    metaReply = { status: 401, json: { message: '401 Unauthorized' } };
    expect((await sluice(['query', 'count'])).code).toBe(3);
    metaReply = { status: 404, json: { message: '404 Project Not Found' } };
    expect((await sluice(['query', 'count'])).code).toBe(2);
  });
});

it('needs the address of the platform and a project', async () => {
  folder = openFolder();
  const run = (yaml: string) => {
    folder.write('sluice.yaml', yaml);
    return folder.sluice(['query', 'count'], { env: { SLUICE_TOKEN: token } });
  };
  expect(await run('backend: platform\n')).toMatchObject({ code: 2, stderr: expect.stringContaining('SLUICE_HOST') });
  expect(await run(`backend: platform\nplatform: {url: "${server.url}"}\n`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('SLUICE_PROJECT'),
  });
  expect(await run('backend: cube\n')).toMatchObject({ code: 2, stderr: expect.stringContaining('SLUICE_CUBE_URL') });
});
