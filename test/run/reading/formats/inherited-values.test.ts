import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteSink } from '../../../../src/run/duckdb/reading/text/byte-sink.ts';
import { addMembers } from '../../../../src/run/duckdb/reading/formats/inherited-values.ts';
import { runs } from '../../../runs.ts';
import { folderOf } from '../../../use/run-in-folder.ts';

const session = (id: number, user: string, plan: string, events: readonly object[]) => ({
  session: id,
  user: { id: user, plan, created_at: '2020-01-01' },
  events,
  started_at: '2024-03-08T09:59:00Z',
});
const at = (minute: number) => `2024-03-08T10:${String(minute).padStart(2, '0')}:00Z`;
const sessions = [
  // Written with a last digit of 3, which no number of JavaScript has.
  session(9007199254740992, 'ann', 'pro', [
    { ts: at(1), type: 'clicks', aid: 1 },
    { ts: at(2), type: 'orders', aid: 2, session: 'its own' },
  ]),
  session(2, 'bob', 'free', []),
  session(3, 'cy "]}', 'free', [{ ts: at(3), type: 'clicks', aid: 3 }, { ts: at(4) }]),
];
const lines = sessions.map((one) => JSON.stringify(one).replace('9007199254740992', '9007199254740993')).join('\n');

describe('values beside the list of events in an object', () => {
  it('are also the time of the events of GA4’s Measurement Protocol', async () => {
    const location = 'https://example.org/pricing';
    const body = (client: string, minute: number, events: readonly object[]) => ({
      client_id: client,
      timestamp_micros: Date.parse(at(minute)) * 1000,
      events,
    });
    const view = { name: 'page_view', params: { page_location: location, ga_session_id: 's1', value: 2 } };
    const late = { name: 'purchase', params: { value: 3 }, timestamp_micros: Date.parse(at(9)) * 1000 };
    const bodies = [body('a', 1, [view, { name: 'purchase', params: { value: 5 } }]), body('b', 2, [view, late])];
    const folder = folderOf({
      'bodies.ndjson': bodies.map((one) => JSON.stringify(one)).join('\n'),
      'one.json': JSON.stringify(bodies[0], undefined, 2),
    });
    const ask = async (line: string, ...source: readonly string[]) =>
      (await folder.sluice(['query', line, '-f', 'csv', ...source])).stdout;
    const line = 'count, users, sum(value), max(utcTime) by eventType';
    const wanted = [`purchase,2,2,8,${at(9).replace('Z', '.000Z')}`, `pageview,2,2,4,${at(2).replace('Z', '.000Z')}`];
    expect((await ask(line, '--events', 'bodies.ndjson')).split('\n').slice(1, 3).toSorted()).toEqual(
      wanted.toSorted(),
    );
    expect(await ask('count, users', '--events', 'one.json')).toContain('\n2,1\n');
    await folder.sluice(['init', 'bodies.ndjson', '--yes']);
    await folder.sluice(['ingest', 'bodies.ndjson', '--store', 'loaded']);
    expect((await ask(line, '--store', 'loaded')).split('\n').slice(1, 3).toSorted()).toEqual(wanted.toSorted());
  });

  it('belong to each of its events, which keep their own values', async () => {
    const folder = folderOf({ 'sessions.jsonl': lines });
    const { stdout, stderr } = await folder.sluice([
      'query',
      'count, uniqueUsersCount by session, user.plan',
      '--events',
      'sessions.jsonl',
      '-f',
      'csv',
    ]);
    expect(stdout.split('\n').slice(1).filter(Boolean).toSorted()).toEqual([
      '3,free,2,1',
      '9007199254740993,pro,1,1',
      'its own,pro,1,1',
    ]);
    expect(stderr).toContain('"$.user.id" as userId');
    expect(stderr).toContain('"ts" as utcTime');
    const { stdout: shown, stderr: said } = await folder.sluice(['init', 'sessions.jsonl']);
    expect(shown + said).toContain(
      'Read the list "events" of sessions.jsonl: 4 objects. ' +
        'Each has the values beside its list: session, user.id, user.plan. Not read: user.created_at, started_at.',
    );
  });

  it('are the same when the file is loaded, packed in an object, or has each object over many lines', async () => {
    const folder = folderOf({
      'plain.ndjson': sessions
        .flatMap(({ events, user: { id, plan }, session: number }) =>
          events.map((event) => JSON.stringify({ session: String(number), user: { id, plan }, ...event })),
        )
        .join('\n'),
      'spread.json': sessions.map((one) => JSON.stringify(one, undefined, 2)).join('\n'),
      'in data.jsonl': sessions.map((one) => JSON.stringify({ page: 1, data: one })).join('\n'),
    });
    const ask = async (...source: readonly string[]) =>
      (await folder.sluice(['query', 'count by sessionId, user.plan, user.id, aid', '-f', 'csv', ...source])).stdout;
    const wanted = await ask('--events', 'plain.ndjson');
    expect(wanted.split('\n')).toHaveLength(6);
    for (const file of ['spread.json', 'in data.jsonl']) {
      expect([file, await ask('--events', file)]).toEqual([file, wanted]);
      const maps = ['utcTime=ts', 'sessionId=session', 'eventType=type'].flatMap((map) => ['--map', map]);
      await folder.sluice(['ingest', file, ...maps, '--store', `store of ${file}`]);
      expect([file, await ask('--store', `store of ${file}`)]).toEqual([file, wanted]);
    }
  });

  it('are not read if they describe the answer of an API, or what each event has of its own', async () => {
    const beside = {
      id: 'x',
      name: 'Export',
      type: 'list',
      url: 'https://a/b',
      total: 2,
      has_more: false,
      status: 'ok',
    };
    const folder = folderOf({
      'answer.json': JSON.stringify({
        ...beside,
        meta: { region: 'eu' },
        long: 'x'.repeat(3000),
        events: [{ ts: at(1) }, { ts: at(2) }],
      }),
    });
    const { stdout, stderr: told } = await folder.sluice(['init', 'answer.json']);
    expect(told).toContain(
      'Read the list "events" of answer.json: 2 objects. Not read: id, name, type, url, total, has_more, status, meta.region, long.',
    );
    expect(stdout + told).not.toContain('https://a/b');
  });

  it('belong to the events of a batch, whose own time is that of its delivery', async () => {
    const batch = (n: number) => ({
      batch: [1, 2, 3].map((k) => ({
        type: 'track',
        event: 'Buy',
        userId: `u${k}`,
        timestamp: at(n),
        messageId: `${n}-${k}`,
      })),
      sentAt: at(n),
      context: { app: 'web' },
    });
    const folder = folderOf({ 'batches.ndjson': [1, 2, 3].map((n) => JSON.stringify(batch(n))).join('\n') });
    const query = ['query', 'count, uniqueUsersCount by context.app', '--events', 'batches.ndjson', '-f', 'csv'];
    expect((await folder.sluice(query)).stdout.split('\n')[1]).toBe('web,9,3');
  });

  it('are no sessions if some objects have no list: then each is an event', async () => {
    const audit = Array.from({ length: 9 }, (_, n) => ({
      utcTime: at(n),
      action: 'save',
      ...(n % 3 === 1 && { events: [{ ts: at(n), type: 'a' }] }),
    }));
    const folder = folderOf({ 'audit.ndjson': audit.map((one) => JSON.stringify(one)).join('\n') });
    const asked = await folder.sluice(['query', 'count', '--events', 'audit.ndjson', '-f', 'csv']);
    expect([asked.code, asked.stdout]).toEqual([0, 'TrackedEvents.count\n9\n']);
  });

  it('can be mapped, and a mapping of the object itself is kept', async () => {
    const folder = folderOf({
      'sessions.jsonl': lines,
      'inner.yaml': 'sources: [{files: sessions.jsonl, columns: {utcTime: ts, userId: $.user.plan}}]\n',
      'outer.yaml': 'sources: [{files: sessions.jsonl, columns: {utcTime: started_at, userId: $.user.id}}]\n',
    });
    const ask = async (config: string) =>
      (await folder.sluice(['query', 'count, uniqueUsersCount', '-f', 'csv', '--config', config])).stdout.split(
        '\n',
      )[1];
    expect(await ask('inner.yaml')).toBe('4,2');
    expect(await ask('outer.yaml')).toBe('3,3');
  });
});

describe('the writer of members', () => {
  const key = fc
    .oneof(fc.constantFrom('a', 'b', 'ü', '"', ']}'), fc.string({ maxLength: 3 }))
    // After a key `\`, JSON.parse of Node 24 reads the key `"` as `\`, too.
    .filter((name) => !name.includes('\\'));
  const anything = fc.letrec((tie) => ({
    any: fc.oneof({ depthSize: 'small' }, fc.string(), fc.integer(), fc.constant(null), tie('list'), tie('object')),
    list: fc.array(tie('any'), { maxLength: 3 }),
    object: fc.dictionary(key, tie('any'), { maxKeys: 3 }),
  }));

  it('adds what spreading the objects adds, in pieces of any size', () => {
    const cases = fc.record({
      items: fc.array(anything['any']!, { maxLength: 5 }),
      members: fc.dictionary(key, anything['any']!, { maxKeys: 3 }),
      size: fc.integer({ min: 1, max: 20 }),
      indent: fc.constantFrom(undefined, 1),
    });
    fc.assert(
      fc.property(cases, ({ items, members, size, indent }) => {
        const text = Buffer.from(JSON.stringify(items, undefined, indent).slice(1, -1));
        const writer = addMembers();
        writer.begin(new Map(Object.entries(members).map(([name, value]) => [name, JSON.stringify(value)])));
        const sink = byteSink();
        for (let from = 0; from < text.length; from += size) writer.push(text.subarray(from, from + size), sink);
        const isObject = (one: unknown) => typeof one === 'object' && one !== null && !Array.isArray(one);
        const wanted = items.map((one) => (isObject(one) ? { ...members, ...(one as object) } : one));
        expect(JSON.parse(`[${sink.take().toString()}]`)).toEqual(JSON.parse(JSON.stringify(wanted)));
      }),
      { numRuns: runs(500) },
    );
  });
});
