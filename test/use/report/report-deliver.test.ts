import { createHmac } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openScriptedServer, type ScriptedServer } from '../../run/http/scripted-server.ts';
import { deliverAll } from '../../../src/use/report/deliver/deliver-all.ts';
import type { DeliveryWorld } from '../../../src/use/report/deliver/outgoing.ts';
import { postReport } from '../../../src/use/report/deliver/post-report.ts';
import type { WebhookDelivery } from '../../../src/tell/delivery/delivery.ts';
import { reportOf } from '../../tell/report/specimen-reports.ts';
import { fewEvents, folderOf, type Folder } from '../run-in-folder.ts';

const report = (deliver: string, more = '') =>
  `---\ntitle: Days\nschedule: daily at 06:00\n${deliver === '' ? '' : `deliver:\n${deliver}`}---\n\n\`\`\`query\nname: d\nquery: {measures: [TrackedEvents.count]}\nrange: yesterday\n\`\`\`\n${more}`;
const files = { 'events.ndjson': fewEvents, 'sluice.yaml': 'events: events.ndjson\n' };
const open = (deliver: string, config = '') =>
  folderOf({ ...files, 'reports/days.md': report(deliver), 'sluice.yaml': `events: events.ndjson\n${config}` });
const due = (folder: Folder, env: Record<string, string> = {}, ...flags: string[]) =>
  folder.sluice(['report', 'run', '--due', ...flags], { env });
const read = (folder: Folder, name: string) => readFileSync(path.join(folder.root, name), 'utf8');

describe('a report is delivered', () => {
  let server: ScriptedServer;
  beforeAll(async () => {
    server = await openScriptedServer(() => ({ status: 204 }));
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('into folders, with the date in the names, and to standard output', async () => {
    const folder = open('  - {folder: a/b, formats: [md, json]}\n  - stdout: md\n');
    const { code, stdout } = await due(folder);
    expect(code).toBe(0);
    expect(readdirSync(path.join(folder.root, 'a/b'))).toEqual(['days-2024-03-08.json', 'days-2024-03-08.md']);
    expect(stdout).toContain('# Days');
    expect((await due(folder)).stdout).toBe('');
  });

  it('into no folder whose name a file has, which is said', async () => {
    const folder = open('  - {folder: out, formats: [md]}\n');
    folder.write('out', 'a file');
    const { code, stderr } = await due(folder);
    expect(code).toBe(4);
    expect(stderr).toContain('out cannot be created: a file has this name (EEXIST).');
  });

  it('without the names of folders of this machine, also where lines could not be read', async () => {
    const folder = folderOf({
      'data/events.ndjson': `${fewEvents}{"half\n`,
      'reports/days.md': report('  - {folder: out, formats: [md, html, json, eml]}\n'),
      'sluice.yaml': 'events: data/events.ndjson\n',
    });
    expect((await due(folder)).code).toBe(5);
    for (const ending of ['md', 'html', 'json', 'eml']) {
      const text = read(folder, `out/days-2024-03-08.${ending}`).replaceAll(/=\r\n/g, '');
      expect(text, ending).not.toContain(path.basename(folder.root));
      if (ending !== 'json') expect(text, ending).toMatch(/The first: data\/events\.ndjson:6,/);
    }
  });

  it('where the configuration says, if it does not say so itself, and by hand only with --deliver', async () => {
    const folder = open('', 'deliver:\n  - {folder: here, formats: [json]}\n');
    await folder.sluice(['report', 'run', 'days']);
    expect(existsSync(path.join(folder.root, 'here'))).toBe(false);
    const byHand = await folder.sluice(['report', 'run', 'days', '--deliver', '--as-of', '2024-03-07']);
    expect(byHand).toMatchObject({ code: 0, stdout: '' });
    await due(folder);
    expect(readdirSync(path.join(folder.root, 'here'))).toEqual(['days-2024-03-07.json', 'days-2024-03-08.json']);
  });

  it('by POST, tried again where that may help, under one key and signed', async () => {
    const folder = open(`  - {webhook: "${server.url}/hook", secretFrom: HOOK_SECRET}\n`);
    const from = server.requests.length;
    server.answer((_, index) =>
      index === from ? { status: 503, headers: { 'Retry-After': '0' } } : { status: 200, text: 'thanks' },
    );
    const { code, stdout, stderr } = await due(folder, { HOOK_SECRET: 'very-secret-indeed' }, '--verbose');
    expect([code, stdout]).toEqual([0, '']);
    const seen = server.requests.slice(from);
    expect(seen).toHaveLength(2);
    expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    const { body, headers, json } = seen[1]!;
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    expect(headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', 'very-secret-indeed').update(signed).digest('base64')}`,
    );
    expect(headers['content-type']).toBe('application/json');
    expect(json).toMatchObject({ sluice: 'report', title: 'Days' });
    expect(stderr).toContain(`Delivered to ${server.url}.`);
    expect(
      stderr +
        readdirSync(path.join(folder.root, '.sluice/reports'))
          .filter((name) => name.endsWith('.ndjson'))
          .map((name) => read(folder, `.sluice/reports/${name}`))
          .join(''),
    ).not.toContain('very-secret');
  });

  it.each([401, 403, 404, 500])(
    'or tells that it was not taken, and nothing of tokens of which there are none (%i)',
    async (status) => {
      const folder = open(`  - {webhook: "${server.url}/hook"}\n`);
      server.answer(() => ({ status, text: 'Bring a signature \u001b[2J', headers: { 'Retry-After': '3600' } }));
      const { code, stderr } = await due(folder);
      expect(code).toBe(4);
      expect(stderr).toContain(
        `Not delivered to ${server.url}: ${server.url}/hook did not accept the report (${status}): "Bring a signature `,
      );
      expect(stderr).toContain(
        status === 500 ? 'hint: The next run sends it again.' : 'hint: Check the URL and what its server requires',
      );
      expect(stderr).not.toMatch(/sluice doctor|\u001b/);
    },
  );

  it('by POST in several bodies to one address, each under a key of its own', async () => {
    const bodies = ['json', 'html', 'slack'];
    await using hook = await openScriptedServer(() => ({ status: 204 }));
    const folder = open(bodies.map((body) => `  - {webhook: "${hook.url}/hook", body: ${body}}\n`).join(''));
    expect((await due(folder)).code).toBe(0);
    const keys = hook.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(bodies.length);
    expect(new Set(keys).size).toBe(bodies.length);
  });

  it('by POST as HTML to an address that is a secret, which is not shown even where it fails', async () => {
    const folder = open('  - {webhookFrom: HOOK, body: html}\n');
    server.answer(() => ({ status: 403, text: 'no' }));
    const env = { HOOK: `${server.url}/services/T0PSECRET?sig=abc` };
    const refused = await due(folder, env, '--verbose');
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('Not delivered to the address in HOOK');
    expect(refused.stderr).not.toMatch(/T0PSECRET|sig=abc/);
    server.answer(() => ({ status: 200 }));
    expect((await due(folder, env, '--verbose')).stderr).not.toMatch(/T0PSECRET|sig=abc/);
    expect(server.requests.at(-1)).toMatchObject({
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: expect.stringContaining('<!') as string,
    });
  });

  it.each([301, 302, 307, 308])('to no other origin, where a %i leads, but anywhere at its own', async (status) => {
    await using other = await openScriptedServer(() => ({ status: 200 }));
    const elsewhere = `${other.url}/hook/T0PSECRET`;
    const folder = open(
      `  - {webhook: "${server.url}/hook", secretFrom: SIGN}\n  - {webhookFrom: HOOK}\n  - {webhook: "${server.url}/moved"}\n`,
    );
    const from = server.requests.length;
    server.answer(({ path: asked }) =>
      asked === '/new' ? { status: 200 } : { status, headers: { location: asked === '/moved' ? '/new' : elsewhere } },
    );
    const { code, stderr } = await due(folder, {
      SIGN: 'very-secret-indeed',
      HOOK: `${server.url}/services/T1PSECRET`,
    });
    expect(code).toBe(4);
    expect(other.requests).toEqual([]);
    expect(stderr).toContain(
      `Not delivered to ${server.url}: ${server.url}/hook redirects to another origin, ${other.url}, which must not receive this request.\n  hint: If that is the right one, configure its URL instead.`,
    );
    expect(stderr).toContain('If that origin is right, set its URL in HOOK.');
    expect(stderr).not.toMatch(/T[01]PSECRET/);
    expect(stderr).toContain(`Delivered to ${server.url}.`);
    expect(
      server.requests.slice(from).map(({ path: asked, method, body }) => [asked, method, body.length > 0]),
    ).toEqual([
      ['/hook', 'POST', true],
      ['/services/T1PSECRET', 'POST', true],
      ['/moved', 'POST', true],
      ['/new', 'POST', true],
    ]);
  });

  it('where a 303 of another origin tells what came of it, which is not sent the report', async () => {
    await using other = await openScriptedServer(() => ({ status: 200, text: 'taken' }));
    const folder = open(`  - {webhook: "${server.url}/hook", secretFrom: SIGN}\n`);
    server.answer(() => ({ status: 303, headers: { location: `${other.url}/result` } }));
    expect((await due(folder, { SIGN: 'very-secret-indeed' })).code).toBe(0);
    expect(other.requests).toMatchObject([{ method: 'GET', body: '' }]);
    expect(other.requests[0]!.headers).not.toHaveProperty('webhook-signature');
  });

  it('again only to where it did not get, and is due until it did', async () => {
    const folder = open(`  - {webhook: "${server.url}/one"}\n  - {webhook: "${server.url}/two"}\n`);
    const from = server.requests.length;
    server.answer(({ path: asked }) => ({ status: asked === '/one' ? 200 : 400 }));
    expect((await due(folder)).code).toBe(4);
    server.answer(() => ({ status: 200 }));
    expect((await due(folder)).code).toBe(0);
    expect((await due(folder)).stderr).toContain('Nothing is due.');
    const seen = server.requests.slice(from);
    expect(seen.map(({ path: asked }) => asked)).toEqual(['/one', '/two', '/two']);
    expect(seen[2]!.headers['idempotency-key']).toBe(seen[1]!.headers['idempotency-key']);
    expect(seen[2]!.body).toBe(seen[1]!.body);
  });

  it('not where it has failures, unless it is taken as it is', async () => {
    const folder = open('');
    folder.write(
      'reports/days.md',
      report(
        `  - {webhook: "${server.url}/hook"}\n`,
        '\n```check\nseverity: stop\nexpect:\n  - {figure: d.count, atLeast: 100}\n```\n',
      ),
    );
    const from = server.requests.length;
    server.answer(() => ({ status: 200 }));
    expect((await due(folder)).code).toBe(1);
    expect((await folder.sluice(['report', 'run', 'days', '--deliver'])).code).toBe(1);
    expect(server.requests.slice(from)).toEqual([]);
    expect((await due(folder, {}, '--force')).code).toBe(1);
    expect(server.requests.slice(from)).toHaveLength(1);
  });

  it('as an email into a folder, or to the command that sends emails', async () => {
    const folder = open(
      '  - {email: [a@example.org, b@example.org], from: us@example.org, into: outbox}\n  - {email: team@example.org}\n',
      'mailer: cat > sent.eml\n',
    );
    expect((await due(folder)).code).toBe(0);
    expect(readdirSync(path.join(folder.root, 'outbox'))).toEqual(['days-2024-03-08.eml']);
    expect(read(folder, 'outbox/days-2024-03-08.eml')).toMatch(/^To: a@example\.org, b@example\.org/m);
    expect(read(folder, 'sent.eml')).toMatch(/^To: team@example\.org/m);
    const plain = open('  - {webhookFrom: HOOK}\n');
    const refused = await due(plain, { HOOK: 'http://hooks.invalid/secret-of-hook' });
    expect(refused.stderr).toContain('The address in HOOK is not used over plain http');
    expect(refused.stderr).not.toMatch(/hooks\.invalid|secret-of/);
    const told = open('  - {email: team@example.org}\n', 'mailer: cat > sent.eml; env > env.txt\n');
    const secrets = [
      'SLUICE_TOKEN',
      'SLUICE_CUBE_TOKEN',
      'SLUICE_CUBE_SECRET',
      'SLUICE_SERVE_TOKEN',
      'GITLAB_TOKEN',
      'CI_JOB_TOKEN',
      'CI_REGISTRY_PASSWORD',
      'CI_JOB_JWT_V2',
      'CI_REPOSITORY_URL',
    ];
    expect(
      (
        await due(told, {
          ...Object.fromEntries(secrets.map((name) => [name, `secret-of-${name}`])),
          PATH: process.env['PATH'] ?? '',
          SMTP_PASSWORD: 'own',
        })
      ).code,
    ).toBe(0);
    expect(read(told, 'env.txt')).toContain('SMTP_PASSWORD=own');
    expect(read(told, 'env.txt')).not.toContain('secret-of');
    const failing = open('  - {email: team@example.org}\n', 'mailer: exit 75\n');
    expect(await due(failing)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('The mailer failed with exit code 75') as string,
    });
    expect((await due(open('  - {email: team@example.org}\n'))).stderr).toContain('mailer: sendmail -t');
  });

  it.each([
    [
      '  - {webhook: https://hooks.example.org/, secret: hunter2}\n',
      'A report is committed, so it must not contain a secret',
    ],
    [
      '  - {webhook: "https://me:hunter2@hooks.example.org/"}\n',
      'A report is committed, so it must not contain a secret',
    ],
    [
      '  - {webhook: "https://hooks.example.org/?token=hunter2"}\n',
      'A report is committed, so it must not contain a secret',
    ],
    ['  - {webhook: "ftp://hooks.example.org/"}\n', 'This URL is not allowed'],
    [
      '  - {webhook: https://hooks.example.org/, secretFrom: "hunter2!"}\n',
      'not a valid name of an environment variable',
    ],
    ['  - {folder: a, stdout: md}\n', 'Each delivery needs exactly one destination.'],
    ['  - {folder: a, into: b}\n', '"into" cannot be used with "folder".'],
    ['  - {email: "a@example.org\\nBcc: all@example.org"}\n', 'not an email address'],
    ['  - {formats: [md]}\n', 'Each delivery needs exactly one destination.'],
  ])('never by %j', async (deliver, words) => {
    const { code, stdout, stderr } = await due(open(deliver));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain('hunter2');
    const inConfig = await folderOf({ ...files, 'sluice.yaml': `events: events.ndjson\ndeliver:\n${deliver}` }).sluice([
      'query',
      'count',
    ]);
    expect([inConfig.code, inConfig.stderr.includes('hunter2')]).toEqual([2, false]);
  });

  it('not without the variable that is named', async () => {
    const { code, stderr } = await due(open(`  - {webhook: "${server.url}/hook", secretFrom: HOOK_SECRET}\n`));
    expect([code, stderr.includes('The variable HOOK_SECRET is not set')]).toEqual([4, true]);
  });
});

const impatient: DeliveryWorld = {
  root: '/',
  env: {},
  stdout: { write: () => Promise.resolve() },
  mailer: undefined,
  clock: { now: Date.now, sleep: () => Promise.resolve() },
  silenceMs: 20,
  allowHttp: false,
  trace: undefined,
  force: false,
  signal: new AbortController().signal,
};

it('a webhook that never answers is given up after its time limit, with a fitting hint and without a secret address', async () => {
  await using server = await openScriptedServer(() => ({ trick: { kind: 'silence' } }));
  const deliver = (url: WebhookDelivery['url']) =>
    postReport(
      { kind: 'webhook', url, body: 'json', secretFrom: undefined, link: undefined },
      { report: reportOf([]), base: 'days', occasion: 'days' },
      { ...impatient, env: { HOOK: `${server.url}/secret` } },
    );
  const hint =
    'Check that its server answers within 0.02 seconds. It may have the report; the next run sends it again.';
  await expect(deliver({ kind: 'text', text: `${server.url}/hook` })).rejects.toMatchObject({
    code: 'timed-out',
    message: expect.stringMatching(/\/hook did not answer in time \(5 tries in .+\)\.$/) as string,
    hint,
  });
  await expect(deliver({ kind: 'variable', name: 'HOOK' })).rejects.toMatchObject({
    code: 'timed-out',
    message: 'The address in HOOK did not answer in time.',
    hint,
  });
});

it('a webhook that did not answer is not asked again for other slots of the same call', async () => {
  await using server = await openScriptedServer(() => ({ trick: { kind: 'silence' } }));
  const hook = (name: string): WebhookDelivery => ({
    ...{ kind: 'webhook', url: { kind: 'text', text: `${server.url}/${name}` } },
    ...{ body: 'json', secretFrom: undefined, link: undefined },
  });
  const silent = new Set<string>();
  const told: string[] = [];
  const tell = async (text: string) => void told.push(text);
  const deliver = (name: string, occasion: string) =>
    deliverAll([hook(name)], { report: reportOf([]), base: 'days', occasion }, impatient, {
      ...{ cwd: '/', voice: { note: tell, alert: tell }, silent },
    });
  await deliver('one', 'monday');
  const asked = server.requests.length;
  const { failures } = await deliver('one', 'tuesday');
  expect(failures).toEqual([expect.stringMatching(/which did not answer before\. The next run tries it again\.$/)]);
  expect(told.at(-1)).toBe(failures[0]);
  expect(server.requests.length).toBe(asked);
  await deliver('other', 'tuesday');
  expect(server.requests.length).toBeGreaterThan(asked);
});
