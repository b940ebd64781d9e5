import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { folderOf } from '../../../use/run-in-folder.ts';

const start = Date.parse('2024-03-14T10:00:00Z');
const records = Array.from({ length: 60 }, (_, n) => ({
  // The time of some is only that of their collection.
  ...(n % 10 === 0 ? { timeUnixNano: '0' } : { timeUnixNano: `${start + n * 60_000}000000` }),
  observedTimeUnixNano: `${start + n * 60_000}000000`,
  severityText: 'INFO',
  body: { stringValue: n % 2 ? 'order "}]' : 'visit' },
  attributes: [
    { key: 'user.id', value: { stringValue: `u${n % 7}` } },
    { key: 'amount', value: n % 2 ? { intValue: String(n) } : { doubleValue: n } },
    { key: 'tags', value: { arrayValue: { values: [{ stringValue: 'a' }, { stringValue: `t${n % 2}` }] } } },
    { key: 'cart', value: { kvlistValue: { values: [{ key: 'size', value: { intValue: 2 } }] } } },
  ],
}));

function request(from: number, to: number) {
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] };
  const part = (first: number, last: number) => ({ scope: { name: 'lib' }, logRecords: records.slice(first, last) });
  return {
    resourceLogs: [{ resource, scopeLogs: [part(from, from + 3), { scope: {}, logRecords: [] }, part(from + 3, to)] }],
  };
}

const lines = [0, 20, 40].map((from) => JSON.stringify(request(from, from + 20)));
const line = 'count, users, sum(amount), sum(cart.size), max(utcTime) by body';
const sums = [0, 1].map((odd) => records.reduce((sum, _, n) => (n % 2 === odd ? sum + n : sum), 0));
const wanted = [
  `"order ""}]",30,7,${sums[1]},60,2024-03-14T10:59:00.000Z`,
  `visit,30,7,${sums[0]},60,2024-03-14T10:58:00.000Z`,
];

describe('logs of OpenTelemetry', () => {
  it('are read record by record, from files and the store', async () => {
    const folder = folderOf({
      'logs.jsonl': `${lines.join('\n')}\n`,
      'one.json': JSON.stringify(request(0, 60), undefined, 2),
    });
    folder.write('packed.json.gz', gzipSync(JSON.stringify(request(0, 60))));
    const ask = async (question: string, ...source: readonly string[]) => {
      const { stdout, stderr, code } = await folder.sluice(['query', question, '-f', 'csv', ...source]);
      return code === 0 ? stdout.trim().split('\n').slice(1).toSorted() : [stderr];
    };
    for (const file of ['logs.jsonl', 'one.json', 'packed.json.gz'])
      expect([file, await ask(line, '--events', file)]).toEqual([file, wanted]);
    expect(await ask('count by eventType', '--events', 'logs.jsonl')).toEqual([',60']);
    expect(await ask('count by tags[]', '--events', 'logs.jsonl')).toEqual(['a,60', 't0,30', 't1,30']);
    expect(await ask('count by props.resource.service%2Ename', '--events', 'logs.jsonl')).toEqual(['shop,60']);
    await folder.sluice(['init', 'logs.jsonl', '--yes']);
    await folder.sluice(['ingest', 'logs.jsonl', '--store', 'loaded']);
    expect(await ask(line, '--store', 'loaded')).toEqual(wanted);
  });

  it('are rejected where they are broken, with their line', async () => {
    const folder = folderOf({
      'cut.jsonl': `${lines[0]}\n${lines[1]!.replace('"INFO"', 'oops')}\n${lines[2]!.slice(0, -9)}`,
    });
    const { code, stdout, stderr } = await folder.sluice(['query', 'count', '-f', 'csv', '--events', 'cut.jsonl']);
    expect([code, stdout]).toEqual([5, 'TrackedEvents.count\n20\n']);
    expect(stderr).toMatch(/cut\.jsonl:2: not valid JSON[^]*cut\.jsonl:3: /);
  });
});

describe('traces of OpenTelemetry', () => {
  it('are read span by span, each with its duration', async () => {
    const spans = records.map(({ attributes }, n) => ({
      traceId: `t${n}`,
      spanId: `s${n}`,
      name: n % 2 ? 'POST /order' : 'GET /',
      kind: 2,
      startTimeUnixNano: `${start + n * 60_000}000000`,
      endTimeUnixNano: `${start + n * 60_000 + n}500000`,
      attributes: [...attributes, { key: 'enduser.id', value: { stringValue: `u${n % 7}` } }],
      events: [{ name: 'exception', attributes: [{ key: 'kind', value: { stringValue: `k${n % 3}` } }] }],
    }));
    const part = (from: number) => ({
      resourceSpans: [{ resource: {}, scopeSpans: [{ scope: {}, spans: spans.slice(from, from + 30) }] }],
    });
    const folder = folderOf({ 'traces.jsonl': `${[0, 30].map((from) => JSON.stringify(part(from))).join('\n')}\n` });
    const ask = async (question: string) =>
      (await folder.sluice(['query', question, '--events', 'traces.jsonl', '-f', 'csv'])).stdout
        .trim()
        .split('\n')
        .slice(1);
    const sum = (odd: number) => spans.reduce((total, _, n) => total + (n % 2 === odd ? n + 0.5 : 0), 0);
    expect((await ask('count, uniqueUsersCount, sum(duration_ms), max(utcTime) by eventType')).toSorted()).toEqual([
      `GET /,30,7,${sum(0)},2024-03-14T10:58:00.000Z`,
      `POST /order,30,7,${sum(1)},2024-03-14T10:59:00.000Z`,
    ]);
    expect((await ask('count by events[].attributes.kind')).toSorted()).toEqual(['k0,20', 'k1,20', 'k2,20']);
  });
});
