import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LineForm, lineFormOf, openLineReader } from '../../../../src/run/duckdb/reading/formats/line-form.ts';
import { readLineFault } from '../../../../src/run/duckdb/reading/text/line-fault.ts';
import { runs } from '../../../runs.ts';
import { folderOf } from '../../../use/run-in-folder.ts';
import { tellStory } from '../../presets/story.ts';
import { caddyLog, combinedLog, haproxyLog, jsonLog } from '../../presets/vendors/access-log.ts';

const iso = (at: number) => new Date(at).toISOString();
const nanos = (at: number) => iso(at).replace('Z', '123456Z');
const months = ['Jan', 'Feb', 'Mar'];
const bsd = (at: number) => {
  const date = new Date(at);
  return `${months[date.getUTCMonth()]} ${String(date.getUTCDate()).padStart(2)} ${iso(at).slice(11, 19)}`;
};

/** How containers and collectors write a line that a program wrote at a time. */
const writers: Readonly<Record<string, (line: string, at: number) => readonly string[]>> = {
  // kubernetes.io: a long line comes in parts.
  cri: (line, at) => {
    const middle = Math.floor(line.length / 2);
    return [`${nanos(at)} stdout P ${line.slice(0, middle)}`, `${nanos(at)} stdout F ${line.slice(middle)}`];
  },
  docker: (line, at) => [JSON.stringify({ log: `${line}\n`, stream: 'stdout', time: nanos(at) })],
  journal: (line, at) => [
    JSON.stringify({
      __CURSOR: `s=${at}`,
      __REALTIME_TIMESTAMP: `${at}000`,
      _HOSTNAME: 'web',
      MESSAGE: at % 2 === 0 ? line : [...Buffer.from(line)],
    }),
  ],
  compose: (line) => [`web-1  | ${line}`],
  kubectl: (line, at) => [`[pod/web-7d5/nginx] ${nanos(at)} ${line}`],
  'syslog (RFC 5424)': (line, at) => [`<34>1 ${iso(at)} web nginx 12 - [a@1 b="\\"]"] ${line}`],
  'syslog (RFC 3164)': (line, at) => [`<190>${bsd(at)} web nginx: ${line}`],
  rsyslog: (line, at) => [`${nanos(at).replace('123Z', '+00:00')} web nginx[12]: ${line}`],
  'docker logs --timestamps': (line, at) => [`${nanos(at)} ${line}`],
};

const story = tellStory();
const toText = (row: unknown) => (typeof row === 'string' ? row : JSON.stringify(row));

describe.each(Object.entries(writers))('a prefix of %s', (name, write) => {
  it.each([
    ['combined format', combinedLog],
    ['JSON of nginx', jsonLog],
    ['JSON of Caddy', caddyLog],
    ['HAProxy', haproxyLog],
  ])('leaves the answers as they are: %s', async (_label, vendor) => {
    const lines = vendor
      .write(story)
      .map(toText)
      .map((line) => line.replace(/^Mar .*?: /, ''));
    const bare = lines.map((line) => `${line}\n`).join('');
    const prefixed = lines.flatMap((line, index) => write(line, story[index]!.at + 5000)).map((line) => `${line}\n`);
    const packed = gzipSync(prefixed.join(''));
    const folder = folderOf({ 'bare.log': bare, 'prefixed.log': prefixed.join(''), 'packed.log.gz': packed });
    const ask = async (file: string, line: string) => {
      const { code, stdout, stderr } = await folder.sluice(['query', line, '-f', 'csv', '--all', '--events', file]);
      return [code, stdout, code === 0 ? '' : stderr];
    };
    for (const line of ['count by eventType, docPath, hour', 'count by referer, userId, useragent']) {
      const expected = await ask('bare.log', line);
      expect(expected[0]).toBe(0);
      expect(await ask('prefixed.log', line)).toEqual(expected);
    }
    expect(await ask('packed.log.gz', 'count by day')).toEqual(await ask('bare.log', 'count by day'));
  });

  it('gives its time to lines that have none', async () => {
    if (['compose', 'syslog (RFC 3164)'].includes(name)) return;
    const start = Date.UTC(2024, 2, 8, 10);
    const lines = Array.from({ length: 48 }, (_, n) => ({ at: start + n * 1_800_000, json: { n, kind: `k${n % 3}` } }));
    const expected = new Map<string, number>();
    for (const { at, json } of lines) {
      const key = `${iso(at).slice(0, 10)},${json.kind}`;
      expected.set(key, (expected.get(key) ?? 0) + json.n);
    }
    for (const [form, written] of [
      ['json', ({ n, kind }: { n: number; kind: string }) => JSON.stringify({ n, kind })],
      ['logfmt', ({ n, kind }: { n: number; kind: string }) => `kind=${kind} n=${n}`],
    ] as const) {
      const text = lines.flatMap(({ at, json }) => write(written(json), at)).join('\n');
      const folder = folderOf({ 'a.log': `${text}\n` });
      const { stdout, stderr } = await folder.sluice([
        'query',
        'sum(n) by day, kind',
        '-f',
        'csv',
        '--events',
        'a.log',
      ]);
      const rows = stdout.trim().split('\n').slice(1);
      const sums = rows.map(
        (row) =>
          row
            .replace(/T[^,]*/, '')
            .replace(/,([^,]*)$/, ' $1')
            .split(' ') as [string, string],
      );
      expect([form, new Map(sums.map(([key, sum]) => [key, Number(sum)])), stderr]).toEqual([
        form,
        expected,
        expect.any(String),
      ]);
    }
  });

  it('is missing from a line that is named, with the line as it stands', async () => {
    const lines = combinedLog
      .write(story)
      .map(toText)
      .flatMap((line, n) => write(line, story[n]!.at));
    const at = 30 - (30 % write('x y', 0).length);
    const folder = folderOf({ 'a.log': [...lines.slice(0, at), 'panic: "x"', '', ...lines.slice(at)].join('\n') });
    const { code, stderr } = await folder.sluice(['ingest', 'a.log']);
    expect([code, stderr]).toEqual([5, expect.stringMatching(new RegExp(`a\\.log:${at + 1}: no prefix (of|with) `))]);
    expect(stderr).toContain(`${story.length} events added`);
    const kept = readFileSync(join(folder.root, /written to (\S+)/.exec(stderr)![1]!), 'utf8');
    expect(kept).toContain('panic: \\"x\\"');
    expect(kept).not.toContain('prefix panic');
  });
});

describe('lines of several formats', () => {
  const object = 'web-1  | {"a":1,"time":"2024-03-08T10:00:00Z"}';
  const request = 'web-1  | 192.0.2.1 - - [08/Mar/2024:10:00:00 +0000] "GET / HTTP/1.1" 200 5';

  it('are read as most of them are, and the others are named', async () => {
    expect(lineFormOf([object, object, request])).toMatchObject({ kind: 'json' });
    expect(lineFormOf([object, request, request, object.slice(0, 20)])).toMatchObject({ kind: 'access' });
    const folder = folderOf({ 'a.log': `${[object, object, request, object].join('\n')}\n` });
    const { code, stdout, stderr } = await folder.sluice(['query', 'count', '-f', 'csv', '--events', 'a.log']);
    expect([code, stdout, stderr]).toEqual([
      5,
      expect.stringContaining('\n3'),
      expect.stringContaining('a.log:3: not a JSON object'),
    ]);
  });
});

describe('messages of programs', () => {
  it('are events with the time and the fields of their prefix', async () => {
    const text = [
      '<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog - ID47 - An application event',
      "<34>1 2003-10-11T22:14:15.003-07:00 mymachine.example.com su - ID47 - 'su root' failed for lonvick",
    ].join('\n');
    const folder = folderOf({ 'a.log': text });
    const { stdout } = await folder.sluice([
      ...['query', 'count by hour, severity, program, message, source_host, docHost', '-f', 'csv', '--events', 'a.log'],
    ]);
    expect(stdout).toContain('2003-10-11T22:00:00.000Z,notice,evntslog,An application event,mymachine.example.com,,1');
    expect(stdout).toContain("2003-10-12T05:00:00.000Z,crit,su,'su root' failed for lonvick,mymachine.example.com,,1");
  });

  it.each([
    ['timezone: Europe/Vienna', '2024-03-08T09:14:14.655\n', false],
    ['timezone: UTC', '2024-03-08T10:14:14.655\n', false],
    ['preset: access-log', '2024-03-08T10:14:14.655\n', true],
  ])('of HAProxy have times in the zone that is declared: %s', async (zone, expected, isNoted) => {
    const line =
      'Mar  8 10:14:14 lb haproxy[1]: 10.0.1.2:3 [08/Mar/2024:10:14:14.655] in be/s 1/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 "GET / HTTP/1.1"\n';
    const folder = folderOf({ 'a.log': line, 'sluice.yaml': `events: a.log\nsources: [{files: a.log, ${zone}}]\n` });
    const raw = await folder.sluice(['query', 'raw events utcTime', '-f', 'csv']);
    expect(raw.stdout).toContain(expected);
    const { stdout } = await folder.sluice(['query', 'count by day', '--timezone', 'Asia/Tokyo']);
    expect(stdout.includes('Times without a zone are read as UTC')).toBe(isNoted);
  });

  it('are refused if their times have no year', async () => {
    const folder = folderOf({ 'auth.log': 'Jan  5 10:00:00 web sshd[12]: Accepted\n'.repeat(3) });
    const { code, stderr } = await folder.sluice(['query', 'count', '--events', 'auth.log']);
    expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining('whose times have no year')]);
  });

  it.each([
    'a | b | c',
    'name|time|page',
    '2024-03-01T10:00:00Z,ann,/pricing',
    '2024-03-01T10:00:00Z ann /pricing',
    '[pod/x] y',
    '{"log":"a","time":"2024-03-01T10:00:00Z"}',
    '{"MESSAGE":"a=1 b=2","time":"2024-03-01T10:00:00Z"}',
    'Monday 10:00:00 host x: y',
  ])('are told from other text: %s', (line) => {
    expect(lineFormOf([line, line, line])).toBeUndefined();
  });
});

describe('a damaged line', () => {
  it('becomes one line of JSON, or a rejected one as it stands, and is never lost', () => {
    const names = ['syslog (RFC 5424)', 'rsyslog', 'journal', 'docker'];
    const cases = names.flatMap((name) => [combinedLog, jsonLog, haproxyLog].map((vendor) => [name, vendor] as const));
    const damage = fc.record({
      at: fc.nat(),
      cut: fc.nat({ max: 3 }),
      put: fc.string({ unit: 'grapheme', maxLength: 3 }),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...cases),
        fc.nat(),
        fc.array(damage, { minLength: 1, maxLength: 3 }),
        ([name, vendor], n, all) => {
          const lines = vendor
            .write(story)
            .map(toText)
            .flatMap((line, at) => writers[name]!(line.replace(/^Mar .*?: /, ''), story[at]!.at));
          const reader = openLineReader(lineFormOf(lines) as LineForm);
          const line = all.reduce(
            (text, { at, cut, put }) => {
              const place = at % text.length;
              return text.slice(0, place) + put.replaceAll(/\s/g, '_') + text.slice(place + cut);
            },
            lines[n % lines.length]!,
          );
          const read = reader.read(line);
          expect(read).not.toContain('\n');
          const fault = readLineFault(read);
          if (fault) expect(fault.line).toBe(line);
          else expect(JSON.parse(read)).toBeTypeOf('object');
        },
      ),
      { numRuns: runs(400) },
    );
  });
});

describe('a line in parts', () => {
  it('is joined, each stream by itself, and a line that lacks its end is not lost', () => {
    const piece = fc.record({
      text: fc.string({ unit: 'grapheme', maxLength: 8 }),
      stream: fc.constantFrom('stdout', 'stderr'),
      tag: fc.constantFrom('P', 'F'),
    });
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), (pieces) => {
        fc.pre(pieces.every(({ text }) => !/[\r\n]/.test(text)));
        const reader = openLineReader({ prefix: 'cri', kind: 'text', timeKey: 'time' });
        const written = [
          ...pieces.map(({ text, stream, tag }) => reader.read(`2024-03-08T10:00:00.1Z ${stream} ${tag} ${text}`)),
          ...reader.end(),
        ].filter((line) => line !== '');
        const expected: string[] = [];
        const open: Record<string, string> = {};
        for (const { text, stream, tag } of [
          ...pieces,
          ...['stdout', 'stderr'].map((stream) => ({ text: '', stream, tag: 'F' })),
        ]) {
          open[stream] = (open[stream] ?? '') + text;
          if (tag === 'P') continue;
          if (open[stream].trim() !== '') expected.push(`${stream} ${open[stream]}`);
          open[stream] = '';
        }
        const found = written.map((line) => JSON.parse(line) as { stream: string; message: string });
        expect(found.map(({ stream, message }) => `${stream} ${message}`).sort()).toEqual(expected.sort());
      }),
      { numRuns: runs(200) },
    );
  });

  it('of Docker is one of 16 KiB without a line break', () => {
    const json = (log: string) => JSON.stringify({ log, stream: 'stdout', time: '2024-03-08T10:00:00.1Z' });
    const long = `{"a":"${'x'.repeat(20_000)}"}`;
    const reader = openLineReader({ prefix: 'docker', kind: 'json', timeKey: 'time' });
    expect(reader.read(json(long.slice(0, 16_384)))).toBe('');
    expect(JSON.parse(reader.read(json(`${long.slice(16_384)}\n`)))).toMatchObject({ a: 'x'.repeat(20_000) });
    // Other collectors leave the line break out.
    expect(JSON.parse(reader.read(json('{"a":1}')))).toMatchObject({ a: 1, time: '2024-03-08T10:00:00.1Z' });
  });
});
