import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { expect, it } from 'vitest';
import type { Report } from '../../../src/tell/report/report.ts';
import { openScriptedServer, type Reply } from '../../run/http/scripted-server.ts';
import { answered, token } from '../../run/load/remote.ts';
import { folderOf } from '../run-in-folder.ts';

const day = 86_400_000;
const start = Date.parse('2023-10-02T00:00:00Z');
const days = 31;
/** Daylight saving time in Berlin ends on 29 October. The machine is off for three days from the ninth day. */
const isOff = (index: number) => index >= 9 && index < 12;
/** On these days the platform has the figures of the day before late: at noon, or only on the next day. */
const lateUntil = new Map([
  [4, 10],
  [15, 10],
  [20, 40],
]);
/** Counts with a fall from the 17th to the 18th, one while the machine is off, and one on a day with late data. */
const truth = (date: string) =>
  (['2023-10-11', '2023-10-17', '2023-10-18', '2023-10-26'].includes(date) ? 200 : 1000) +
  10 * Number(date.slice(8, 10)) +
  Number(date.slice(5, 7));

it('a month of faults: every reader gets each report once, and no wrong figure without a warning', async () => {
  let now = start;
  let call = 0;
  const refreshedAt = () => {
    const index = Math.floor((now - start) / day);
    for (const [late, hours] of lateUntil)
      if (index >= late && now < start + late * day + hours * 3_600_000) return start + late * day - day / 2;
    return now;
  };
  await using platform = await openScriptedServer((request): Reply => {
    const [, project, endpoint] = /projects\/(\d+)\/product_analytics\/request\/(load|meta)$/.exec(request.path) ?? [];
    if (endpoint === undefined) return { status: 404, json: { message: '404 Not Found' } };
    if (project === '66') return { status: 403, json: { message: '403 Forbidden' } };
    if (endpoint === 'meta')
      return {
        json: {
          cubes: [
            {
              name: 'TrackedEvents',
              measures: [{ name: 'TrackedEvents.count', aggType: 'count', type: 'number' }],
              dimensions: [{ name: 'TrackedEvents.utcTime', type: 'time' }],
            },
          ],
        },
      };
    if (call % 7 === 3) return { status: 500, headers: { 'Retry-After': '3600' } };
    const { query } = request.json as {
      query: { timeDimensions: { dimension: string; granularity?: string; dateRange: [string, string] }[] };
    };
    const { dimension, granularity, dateRange } = query.timeDimensions[0]!;
    const rows: Record<string, string>[] = [];
    let sum = 0;
    for (let at = Date.parse(dateRange[0].slice(0, 10)); at <= Date.parse(dateRange[1].slice(0, 10)); at += day) {
      const date = new Date(at).toISOString().slice(0, 10);
      const share = Math.max(0, Math.min(1, (refreshedAt() - at) / day));
      const count = Math.floor(truth(date) * share);
      sum += count;
      const label = `${date}T00:00:00.000`;
      rows.push({ [`${dimension}.day`]: label, [dimension]: label, 'TrackedEvents.count': String(count) });
    }
    const lastRefreshTime = new Date(refreshedAt()).toISOString();
    return answered(granularity === undefined ? [{ 'TrackedEvents.count': String(sum) }] : rows, { lastRefreshTime });
  });

  const posted: { readonly key: string; readonly report: Report }[] = [];
  await using hook = await openScriptedServer(({ headers, json }) => {
    if (call % 5 === 1) return { status: 503, headers: { 'Retry-After': '3600' } };
    posted.push({ key: headers['idempotency-key'] ?? '', report: json as Report });
    return { status: 200 };
  });
  const alarms: { readonly key: string; readonly notice: Report['notice'] }[] = [];
  await using pager = await openScriptedServer(({ headers, json }) => {
    if (call % 3 === 1) return { status: 502, headers: { 'Retry-After': '3600' } };
    alarms.push({ key: headers['idempotency-key'] ?? '', notice: (json as Report).notice });
    return { status: 200 };
  });

  const emails = new Map<string, string[]>();
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _, done) => (call % 4 === 2 && address.startsWith('bob') ? done(new Error('no')) : done()),
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (call % 6 === 5) return done(Object.assign(new Error('later'), { responseCode: 451 }));
        const subject = /^Subject: (.*)\r$/m.exec(Buffer.concat(chunks).toString())?.[1] ?? '';
        for (const { address } of envelope.rcptTo) emails.set(address, [...(emails.get(address) ?? []), subject]);
        return done();
      });
    },
  });
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  const { port } = smtp.server.address() as AddressInfo;
  await using _ = { [Symbol.asyncDispose]: () => new Promise<void>((resolve) => smtp.close(() => resolve())) };

  const deliver = (more: string) => `deliver:\n  - {webhook: "${hook.url}/hook"}\n${more}`;
  const folder = folderOf({
    'sluice.yaml': `backend: platform\ntimezone: Europe/Berlin\nplatform: {url: "${platform.url}", project: 42}\nusage: {groups: [{name: a, projects: [42, 66]}]}\nsmtp: {host: 127.0.0.1, port: ${port}, tls: none, from: us@example.org}\n`,
    'reports/days.md': `---\ntitle: Days\nschedule: daily at 02:30\nfresh: {data: covers range, wait: 14h}\nlate: 5h\nnotify: [{webhook: "${pager.url}/ops"}]\n${deliver('  - {email: [ann@example.org, bob@example.org]}\n')}---\n\n\`\`\`query\nname: d\nquery: {measures: [TrackedEvents.count]}\nrange: yesterday\nalert: {when: count < 900, notify: [{webhook: "${pager.url}/page"}]}\n\`\`\`\n`,
    'reports/usage.md': `---\ntitle: Usage\nschedule: weekly on monday at 06:00\n${deliver('')}---\n\n\`\`\`usage\nname: u\nmonths: 1\n\`\`\`\n`,
  });
  const run = async () => {
    await folder.sluice(['report', 'run', '--due', '--as-of', new Date(now).toISOString()], {
      env: { SLUICE_TOKEN: token },
    });
    call += 1;
  };
  for (let index = 0; index < days; index++) {
    if (isOff(index)) continue;
    for (const hours of [4.2, 12.2, 19.2]) {
      now = start + index * day + hours * 3_600_000;
      await run();
    }
  }
  // When everything works again, the remaining work is caught up.
  for (let more = 0; more < 12; more++) {
    now += 600_000;
    await run();
  }

  const slots = Array.from({ length: days }, (_unused, index) =>
    new Date(start + index * day).toISOString().slice(0, 10),
  );
  const ofDays = posted.filter(({ report }) => report.name === 'days');
  const dateOf = ({ asOf }: Report) =>
    new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin' }).format(Date.parse(asOf));
  expect(ofDays.map(({ report }) => dateOf(report)).sort()).toEqual(slots);
  expect(new Set(posted.map(({ key }) => key)).size).toBe(posted.length);
  for (const reader of ['ann@example.org', 'bob@example.org'])
    expect((emails.get(reader) ?? []).sort(), reader).toEqual(slots.map((date) => `Days (${date})`));

  const warned: string[] = [];
  for (const { report } of ofDays) {
    const cell = report.blocks.find((block) => block.kind === 'cell');
    const part = cell?.parts[0];
    const date = new Date(Date.parse(dateOf(report)) - day).toISOString().slice(0, 10);
    if (cell?.stale) warned.push(dateOf(report));
    else expect(part?.kind === 'stats' ? part.stats[0]?.value : undefined, date).toBe(truth(date));
  }
  // Reports whose data became fresh in time waited, and were delivered without a warning.
  expect(warned).toEqual([slots[20]]);

  const usage = posted.filter(({ report }) => report.name === 'usage').map(({ report }) => report);
  expect(usage.map(dateOf).sort()).toEqual(slots.filter((_unused, index) => index % 7 === 0));
  for (const { blocks } of usage)
    expect(blocks.flatMap((block) => (block.kind === 'cell' ? block.failures : [])).join()).toContain('66');

  // Each fall and its end were reported once and in order, although the place failed at every third call.
  const ofAlert = alarms.filter(({ notice }) => notice?.about === 'd: count < 900');
  expect(ofAlert.map(({ notice }) => [notice?.state, notice?.value])).toEqual([
    ['raised', truth('2023-10-11')],
    ['clear', truth('2023-10-12')],
    ['raised', truth('2023-10-17')],
    ['clear', truth('2023-10-19')],
    ['raised', truth('2023-10-26')],
    ['clear', truth('2023-10-27')],
  ]);
  expect(new Set(alarms.map(({ key }) => key)).size).toBe(alarms.length);
  // Notices about the schedule never repeat a state.
  const health = alarms.filter(({ notice }) => notice?.about === 'schedule').map(({ notice }) => notice?.state);
  expect(health.length).toBeGreaterThan(2);
  expect(health.at(-1)).toBe('clear');
  health.forEach((state, index) => {
    if (index > 0 && state !== 'late') expect(state, health.join()).not.toBe(health[index - 1]);
  });
}, 30_000);
