import { createHmac } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Issue } from '../../../src/ask/outcome.ts';
import { openScriptedServer, type ScriptedServer } from '../../run/http/scripted-server.ts';
import { fewEvents, type Folder, folderOf } from '../run-in-folder.ts';

/** A real mail server: records accepted emails, and refuses some recipients. */
const mail = {
  taken: [] as { readonly to: readonly string[]; readonly text: string }[],
  refusing: new Set<string>(),
  refusal: 550,
  down: false,
};
let smtp: SMTPServer;
let port = 0;
let hook: ScriptedServer;

beforeAll(async () => {
  smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _, done) =>
      username === 'reports' && password === 'right' ? done(null, { user: username }) : done(new Error('no')),
    onRcptTo: ({ address }, _, done) =>
      mail.refusing.has(address) ? done(Object.assign(new Error('nobody'), { responseCode: mail.refusal })) : done(),
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (mail.down) return done(Object.assign(new Error('later'), { responseCode: 451 }));
        mail.taken.push({ to: envelope.rcptTo.map(({ address }) => address), text: Buffer.concat(chunks).toString() });
        return done();
      });
    },
  });
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  port = (smtp.server.address() as AddressInfo).port;
  hook = await openScriptedServer(() => ({ status: 200 }));
});
afterAll(async () => {
  await new Promise<void>((resolve) => smtp.close(resolve));
  await hook[Symbol.asyncDispose]();
});
beforeEach(() => {
  mail.taken = [];
  mail.refusing.clear();
  mail.refusal = 550;
  mail.down = false;
});

const open = (deliver: string, config = `smtp: {host: 127.0.0.1, port: ${port}, tls: none, from: us@example.org}\n`) =>
  folderOf({
    'events.ndjson': fewEvents,
    'reports/days.md': `---\ntitle: "Days <&> *here*"\nschedule: daily at 06:00\ndeliver:\n${deliver}---\n\n\`\`\`query\nname: d\nquery: {measures: [TrackedEvents.count]}\nrange: yesterday\n\`\`\`\n`,
    'sluice.yaml': `events: events.ndjson\n${config}`,
  });
const due = (folder: Folder, env: Record<string, string> = {}) =>
  folder.sluice(['report', 'run', '--due'], { env: { PATH: process.env['PATH'] ?? '', ...env } });
const check = async (folder: Folder) =>
  (JSON.parse((await folder.sluice(['report', 'check', '-f', 'json'])).stdout) as [{ issues: Issue[] }])[0].issues;

describe('an email by SMTP', () => {
  it('goes to all recipients once, names shown, hidden copies hidden', async () => {
    const folder = open(
      '  - {email: ["Ann B <ann@example.org>", bob@example.org], cc: c@example.org, bcc: boss@example.org, unsubscribe: "mailto:off@example.org", link: "https://r.example.org/days"}\n',
    );
    expect(await check(folder)).toEqual([]);
    expect((await due(folder)).code).toBe(0);
    expect((await due(folder)).stderr).toContain('Nothing is due.');
    expect(mail.taken.map(({ to }) => to)).toEqual([
      ['ann@example.org', 'bob@example.org', 'c@example.org', 'boss@example.org'],
    ]);
    const { text } = mail.taken[0]!;
    expect(text).toContain('To: Ann B <ann@example.org>, bob@example.org\r\n');
    expect(text).toContain('Cc: c@example.org\r\n');
    expect(text).toContain('List-Unsubscribe: <mailto:off@example.org>\r\n');
    expect(text.replaceAll('=\r\n', '')).toContain('On the web: https://r.example.org/days/days-2024-03-08.html');
    expect(text).not.toContain('boss@');
  });

  it('is sent again to those alone whom the server refused', async () => {
    const folder = open('  - {email: [ann@example.org, bob@example.org]}\n');
    mail.refusing.add('bob@example.org');
    const first = await due(folder);
    expect(first.code).toBe(4);
    expect(first.stderr).toContain(
      'Delivered to ann@example.org.\ndays of 2024-03-08 06:00: Not delivered to bob@example.org: The mail server',
    );
    expect(first.stderr).toMatch(/refused bob@example\.org \("5\d\d nobody"\)\.\n {2}hint: /);
    // All who are left are refused.
    expect((await due(folder)).stderr).toMatch(
      /^days of 2024-03-08 06:00: Not delivered to bob@example\.org: .* refused bob@/m,
    );
    mail.refusing.clear();
    const last = await due(folder);
    expect(last).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Delivered to bob@example.org.\n') as string,
    });
    expect(mail.taken.map(({ to }) => to)).toEqual([['ann@example.org'], ['bob@example.org']]);
  });

  it.each(['', ', each: true'])('is not lost for a refused address with capitals in its domain: %s', async (each) => {
    const folder = open(`  - {email: [ann@example.org, "Bo <Bob@Example.ORG>"]${each}}\n`);
    mail.refusing.add('Bob@example.org');
    const first = await due(folder);
    expect(first.code).toBe(4);
    expect(first.stderr).toMatch(/^Delivered to ann@example\.org\.\ndays .*: Not delivered to Bob@example\.org: /m);
    expect((await due(folder)).code).toBe(4);
    mail.refusing.clear();
    expect((await due(folder)).code).toBe(0);
    expect(mail.taken.map(({ to }) => to)).toEqual([['ann@example.org'], ['Bob@example.org']]);
  });

  it('says of a refusal whether it is temporary', async () => {
    const folder = open('  - {email: [ann@example.org, bob@example.org]}\n');
    mail.refusing.add('bob@example.org');
    mail.refusal = 450;
    expect((await due(folder)).stderr).toContain('hint: This is temporary. The next scheduled run sends it again');
    mail.refusal = 550;
    expect((await due(folder)).stderr).toContain('hint: Correct the address');
  });

  it('goes to each recipient apart where that is asked for, and again to who lacks it', async () => {
    const folder = open('  - {email: [ann@example.org, bob@example.org], each: true}\n');
    mail.refusing.add('bob@example.org');
    expect((await due(folder)).code).toBe(4);
    mail.refusing.clear();
    expect((await due(folder)).code).toBe(0);
    expect(mail.taken.map(({ to }) => to)).toEqual([['ann@example.org'], ['bob@example.org']]);
    for (const { to, text } of mail.taken) expect(/^To: (.*)\r$/m.exec(text)?.[1]).toBe(to[0]);
  });

  it.each(['', ', each: true'])('reaches everybody once, though wrong addresses are corrected: %s', async (each) => {
    const folder = open(`  - {email: [bo@example.org, ann@example.org, x@example.org]${each}}\n`);
    for (const wrong of ['bo@example.org', 'x@example.org']) mail.refusing.add(wrong);
    const first = await due(folder);
    expect(first.stderr).toMatch(
      /^Delivered to ann@example\.org\.\ndays .*: Not delivered to bo@example\.org, x@example\.org: /m,
    );
    const file = path.join(folder.root, 'reports/days.md');
    const correct = (from: string, to: string) =>
      folder.write('reports/days.md', readFileSync(file, 'utf8').replace(from, to));
    correct('bo@', 'bob@');
    expect((await due(folder)).code).toBe(4);
    correct(', x@example.org', '');
    expect((await due(folder)).code).toBe(0);
    expect(mail.taken.flatMap(({ to }) => to)).toEqual(['ann@example.org', 'bob@example.org']);
  });

  it('stays due while the server is down, and its password is no part of what is said', async () => {
    const config = (more: string) => `smtp: {host: 127.0.0.1, port: ${port}, tls: none, from: us@example.org${more}}\n`;
    const folder = open('  - {email: ann@example.org}\n', config(', user: reports, passwordFrom: MAIL_PASSWORD'));
    mail.down = true;
    expect(await due(folder, { MAIL_PASSWORD: 'right' })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('did not take the email ("451 later")') as string,
    });
    mail.down = false;
    const wrong = await due(folder, { MAIL_PASSWORD: 'wrong-secret' });
    expect([wrong.code, wrong.stderr.includes('wrong-secret')]).toEqual([4, false]);
    expect(wrong.stderr).toContain('did not take the email (login failed, 535)');
    expect((await due(folder)).stderr).toContain('The variable MAIL_PASSWORD is not set');
    expect((await due(folder, { MAIL_PASSWORD: 'right' })).code).toBe(0);
    expect(mail.taken).toHaveLength(1);
  });

  it('goes nowhere without encryption beyond this machine, or without a sender', async () => {
    const email = '  - {email: ann@example.org}\n';
    expect((await due(open(email, 'smtp: {host: mail.invalid, tls: none, from: a@example.org}\n'))).stderr).toContain(
      'is not sent to mail.invalid without encryption',
    );
    expect((await due(open(email, `smtp: {host: 127.0.0.1, port: ${port}, tls: none}\n`))).stderr).toContain(
      'The email has no sender.',
    );
    // The server offers no encryption, which is required by default.
    expect((await due(open(email, `smtp: {host: 127.0.0.1, port: ${port}, from: a@example.org}\n`))).code).toBe(4);
    expect(mail.taken).toEqual([]);
  });
});

it('keeps hidden copies in emails for a mailer that reads them', async () => {
  const folder = open('  - {email: ann@example.org, bcc: boss@example.org, into: outbox}\n', '');
  expect((await due(folder)).code).toBe(0);
  expect(readFileSync(path.join(folder.root, 'outbox/days-2024-03-08.eml'), 'utf8')).toContain('Bcc: boss@example.org');
});

describe('a message', () => {
  const send = async (body: string, env: Record<string, string> = {}) => {
    const from = hook.requests.length;
    const folder = open(`  - {webhook: "${hook.url}/hook", ${body}}\n`);
    expect(await check(folder)).toEqual([]);
    expect((await due(folder, env)).code).toBe(0);
    return hook.requests[from]!;
  };

  it('for Slack has headline, figures and link, and no markup of anybody else', async () => {
    const { json } = await send('body: slack, link: "https://r.example.org"');
    const { text, blocks } = json as { text: string; blocks: Record<string, unknown>[] };
    expect(text).toBe('Days &lt;&amp;&gt; \u200b*\u200bhere\u200b*\u200b');
    expect(blocks).toMatchObject([
      { type: 'header', text: { type: 'plain_text', text: 'Days <&> *here*' } },
      { type: 'section', fields: [{ type: 'mrkdwn', text: '*Events*\n2' }] },
      { type: 'actions', elements: [{ type: 'button', url: 'https://r.example.org/days-2024-03-08.html' }] },
      { type: 'context' },
    ]);
  });

  it('for Teams is an adaptive card', async () => {
    const { json } = await send('body: teams, link: "https://r.example.org/"');
    expect(json).toMatchObject({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            type: 'AdaptiveCard',
            body: [{ text: 'Days <&> \\*here\\*' }, { type: 'FactSet', facts: [{ title: 'Events', value: '2' }] }, {}],
            actions: [{ type: 'Action.OpenUrl', url: 'https://r.example.org/days-2024-03-08.html' }],
          },
        },
      ],
    });
  });

  it.each([
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')],
    ['very-secret-indeed', Buffer.from('very-secret-indeed')],
  ])('is signed with its time as Standard Webhooks has it (%s)', async (secret, key) => {
    const { headers, body } = await send('secretFrom: SIGN', { SIGN: secret });
    expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(300);
    expect(headers['webhook-id']).toBe(headers['idempotency-key']);
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  });
});

describe('a command', () => {
  it('of the configuration gets each format on stdin with its name, once', async () => {
    const folder = open(
      '  - {command: store, formats: [json, md]}\n',
      'commands: {store: mkdir -p bucket && cat > "bucket/$SLUICE_NAME"}\n',
    );
    expect((await due(folder)).code).toBe(0);
    expect(readdirSync(path.join(folder.root, 'bucket'))).toEqual(['days-2024-03-08.json', 'days-2024-03-08.md']);
    expect((await due(folder)).stderr).toContain('Nothing is due.');
  });

  it('gets a format again only if it failed with it', async () => {
    const folder = open(
      '  - {command: store, formats: [md, json]}\n',
      'commands: {store: \'case "$SLUICE_NAME" in *.json) test -e up || exit 3;; esac; echo "$SLUICE_NAME" >> log\'}\n',
    );
    expect(await due(folder)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('The command store for days-2024-03-08.json failed with exit code 3') as string,
    });
    folder.write('up', '');
    expect((await due(folder)).code).toBe(0);
    expect(readFileSync(path.join(folder.root, 'log'), 'utf8')).toBe('days-2024-03-08.md\ndays-2024-03-08.json\n');
  });

  it('that fails, or that nobody configured, is said, and the report stays due', async () => {
    const failing = open('  - {command: store}\n', 'commands: {store: exit 3}\n');
    expect(await due(failing)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('The command store for days-2024-03-08.html failed with exit code 3') as string,
    });
    const folder = open('  - {command: stroe}\n', 'commands: {store: cat}\n');
    expect(await check(folder)).toMatchObject([{ code: 'command-missing', span: { line: 5 } }]);
    expect(await due(folder)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('The configuration has no command "stroe".') as string,
    });
  });
});

it.each([
  ['  - {email: a@example.org, cc: b@example.org, each: true}\n', 'Separate emails have no copies.'],
  [
    '  - {webhook: "https://h.example.org", body: slack, secretFrom: SIGN}\n',
    'Slack and Teams do not check signatures.',
  ],
  ['  - {webhook: "https://h.example.org", link: "https://r.example.org"}\n', '"link" is only for'],
  ['  - {email: "A\\nBcc: x@example.org <a@example.org>"}\n', 'not an email address'],
  ['  - {email: a@example.org, unsubscribe: "javascript:x"}\n', ''],
  ['  - {folder: a, cc: b@example.org}\n', '"cc" cannot be used with "folder".'],
])('refuses %j in its place', async (deliver, words) => {
  const found = await check(open(deliver));
  // A line that may contain a secret is not drawn.
  const line = deliver.includes('secretFrom') ? 1 : 5;
  expect(found.map(({ span }) => span?.line)).toEqual(expect.arrayContaining([line]) as number[]);
  expect(found.map(({ message }) => message).join()).toContain(words);
});
