import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import {
  accessLogColumns,
  accessLogLine,
  accessLogReader,
  columnsOfLog,
  openAccessLog,
  readAccessLogLine,
} from '../../src/run/duckdb/reading/layouts/access-log.ts';
import { logEndings } from '../../src/run/duckdb/reading/layouts/log-endings.ts';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { readEventFile } from '../../src/run/duckdb/reading/event-reading.ts';
import { runs } from '../runs.ts';
import { folderOf } from '../use/run-in-folder.ts';
import { scratchFolder } from './ask-sql.ts';
import { mendEventFile } from '../../src/run/duckdb/reading/mend-event-file.ts';

const folder = scratchFolder();
const engine = await openEngine({ threads: { upTo: 2 } });
afterAll(() => engine[Symbol.asyncDispose]());

const fieldsOf = (line: string) => {
  const fields = readAccessLogLine(line);
  return (
    fields &&
    Object.fromEntries(
      accessLogColumns.map((name, index) => [name, fields[index]!] as const).filter(([, field]) => field !== ''),
    )
  );
};

describe('lines of access logs', () => {
  it('are read in the common format', () => {
    expect(
      fieldsOf('127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif?x=1 HTTP/1.0" 200 2326'),
    ).toEqual({
      remote_addr: '127.0.0.1',
      remote_user: 'frank',
      time_local: '10/Oct/2000:13:55:36 -0700',
      request: 'GET /apache_pb.gif?x=1 HTTP/1.0',
      request_method: 'GET',
      request_uri: '/apache_pb.gif?x=1',
      server_protocol: 'HTTP/1.0',
      status: '200',
      body_bytes_sent: '2326',
    });
  });

  it('are read in the combined format, with a virtual host in front and more at the end', () => {
    expect(
      fieldsOf(
        'www.shop.example:443 fe80::1 - - [10/Oct/2000:13:55:36 -0700] "GET /a b HTTP/2.0" 304 - "https://x.example/?q=\\"1\\"" "Mozilla \\"5\\"" 0.003 "-"\r',
      ),
    ).toMatchObject({
      server_name: 'www.shop.example:443',
      remote_addr: 'fe80::1',
      request_uri: '/a b',
      http_referer: 'https://x.example/?q="1"',
      http_user_agent: 'Mozilla "5"',
      rest: '0.003 "-"',
    });
  });

  it('are read with a virtual host that has no port, and with a time of ISO 8601', async () => {
    const line = (first: string, time: string) => `${first} - - [${time}] "GET /a HTTP/2.0" 200 1 "-" "Mozilla"`;
    const lines = [
      line('www.shop.example 10.0.0.1', '10/Oct/2000:13:55:36 -0700'),
      line('www.shop.example fe80::1', '2000-10-10T13:55:36-07:00'),
      line('10.0.0.1', '2000-10-10T20:55:36+00:00'),
    ];
    expect(lines.map(fieldsOf)).toMatchObject([
      { server_name: 'www.shop.example', remote_addr: '10.0.0.1', time_local: '10/Oct/2000:13:55:36 -0700' },
      { server_name: 'www.shop.example', remote_addr: 'fe80::1', time_iso8601: '2000-10-10T13:55:36-07:00' },
      { remote_addr: '10.0.0.1', time_iso8601: '2000-10-10T20:55:36+00:00' },
    ]);
    // A host that was looked up, and a user of two words.
    expect(fieldsOf('a.example - ann b [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/2.0" 200 1')).toBeUndefined();
    const place = folderOf({ 'a.log': lines.join('\n') });
    const { stdout } = await place.sluice(['query', 'count, users by docHost, hour', '--events', 'a.log', '-f', 'csv']);
    expect(stdout.split('\n').slice(1, 3)).toEqual([
      'www.shop.example,2000-10-10T20:00:00.000Z,2,2',
      ',2000-10-10T20:00:00.000Z,1,1',
    ]);
  });

  it('keep a request that is none', () => {
    const fields = fieldsOf('::1 - - [10/Oct/2000:13:55:36 -0700] "\\x16\\x03\\x01" 400 157 "-" "-"');
    expect([fields?.remote_addr, fields?.request, fields?.request_method]).toEqual([
      '::1',
      '\\x16\\x03\\x01',
      undefined,
    ]);
  });

  it.each([
    '',
    'garbage',
    '1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0 200 3',
    'www.shop.example:443 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 3',
    '{"a": 1}',
    'utcTime,docPath',
  ])('are none: %s', (line) => {
    expect(readAccessLogLine(line)).toBeUndefined();
  });

  it.each(['x', 'x.', '1x', '-'])('are told from long text in one pass: %s again and again', (text) => {
    expect(readAccessLogLine(text.repeat(1_000_000))).toBeUndefined();
  });

  it('mean the same to DuckDB', async () => {
    const piece = fc.stringMatching(/^[ -~äß完]{0,12}$/).map((text) => text.replaceAll('\\', ''));
    const quoted = piece.map((text) => text.replaceAll('"', '\\"'));
    const line = fc
      .tuple(
        fc.constantFrom('', 'a.example:80 '),
        fc.constantFrom('1.2.3.4', '::1', 'fe80::1%eth0', '::ffff:1.2.3.4', 'host-1', 'a.example:1'),
        quoted,
        fc.constantFrom('200', '-', '20'),
        quoted,
        quoted,
        fc.boolean(),
        piece,
      )
      .map(
        ([vhost, address, request, status, referrer, agent, combined, rest]) =>
          `${vhost}${address} - - [10/Oct/2000:13:55:36 -0700] "${request}" ${status} 5${combined ? ` "${referrer}" "${agent}"` : ''}${rest === '' ? '' : ` ${rest}`}`,
      );
    const lines = fc.sample(
      fc.oneof({ weight: 4, arbitrary: line }, { weight: 1, arbitrary: piece.map((text) => `x${text}`) }),
      { numRuns: 400, seed: 11 },
    );
    const file = folder.write('any.log', `${lines.join('\n')}\n`);
    const rows = await engine.rows(`SELECT * FROM ${accessLogReader([file], 'none')}`);
    expect(rows.map((row) => row.map((field) => field ?? ''))).toEqual(
      lines.map((one) => readAccessLogLine(one) ?? accessLogColumns.map(() => '')),
    );
  });

  it('that are broken are named by their number', async () => {
    const good = '127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 2326';
    const file = folder.write('broken.log', [good, 'broken', '', good.replace('GET', 'G\u0000ET'), good].join('\n'));
    expect(await readEventFile(engine, file)).toMatchObject({ format: 'access log' });
    const rejected: string[] = [];
    await mendEventFile(engine, file, ({ line, reason }) => void rejected.push(`${line}: ${reason}`));
    expect(rejected[0]).toBe(`2: not a line of an access log, such as ${accessLogLine}`);
    expect(readAccessLogLine(accessLogLine)).toBeDefined();
  });

  it('are told as lines of a log where the preset is chosen and no line is one', async () => {
    const mappingOf = () => ({ columns: {}, preset: 'access-log' });
    const reasonsOf = async (name: string, text: string) => {
      const file = folder.write(name, text);
      const { format } = await readEventFile(engine, file, { mappingOf });
      const reasons: string[] = [];
      await mendEventFile(engine, file, ({ line, reason }) => void reasons.push(`${line}: ${reason}`), { mappingOf });
      return [format, ...reasons];
    };
    const why = `not a line of an access log, such as ${accessLogLine}`;
    expect(await reasonsOf('cut.log', '127.0.0.1 - - [10/Oct/2000:13:5\n127.0.0.1 - - [10/Oct/20\n')).toEqual([
      'access log',
      `1: ${why}`,
      `2: ${why}`,
    ]);
    // The first line looks like the header of a CSV file.
    expect(await reasonsOf('short.txt', '127.0.0.1 - -\n127.0.0.1 - - [\n')).toHaveLength(3);
    // A damaged JSON log is still recognized.
    const json = JSON.stringify({ remote_addr: '::1', time_local: '10/Oct/2000:13:55:36 -0700' });
    expect(await reasonsOf('log.json', `${json}\n{"remote_addr": "::1\n`)).toEqual([
      'NDJSON',
      expect.stringMatching(/^2: not valid JSON/),
    ]);
  });
});

describe('a line of a longer format that lacks a field', () => {
  const front = (n: number) =>
    `192.0.2.${n % 9} - - [08/Mar/2024:10:00:${String(n % 60).padStart(2, '0')} +0000] "GET /p${n % 3} HTTP/1.1" 200 ${n}`;
  const quoted = fc.constantFrom('"-"', '"198.51.100.7"', '"a \\"b\\" c"', '""', '"198.51.100.7, 203.0.113.9"');
  const number = fc.constantFrom('0.003', '-', '12', '0.1, 0.2', '0.01 : 0.2');
  const word = fc.constantFrom('MISS', 'HIT', 'TLSv1.3', '10.0.0.1:80, 10.0.0.2:80', '-');
  const time = fc.constantFrom('0.003', '12.100', '-', '0.100, 0.205', '0.010 : 0.200', '-, 0.001');
  const kinds = { quoted, number, word, time };
  const format = fc
    .array(fc.constantFrom<keyof typeof kinds>('quoted', 'number', 'word', 'time'), { minLength: 0, maxLength: 4 })
    .map((more) => ['quoted', 'quoted', ...more] as const);

  it('is told by the number or the kinds of its fields, and no whole line is', async () => {
    await fc.assert(
      fc.asyncProperty(
        format.chain((own) =>
          fc.tuple(
            fc.constant(own),
            fc.array(fc.tuple(...own.map((kind) => kinds[kind])), { minLength: 20, maxLength: 40 }),
            fc.integer({ min: 0, max: own.length - 1 }),
            fc.integer({ min: 0, max: 19 }),
          ),
        ),
        async ([own, lines, left, at]) => {
          const whole = lines.map((fields, n) => `${front(n)} ${fields.join(' ')}`);
          const endings = logEndings(whole);
          expect(endings).toBeDefined();
          const read = openAccessLog(endings);
          expect(whole.filter((line) => !read(line))).toEqual([]);
          const fields = lines[at]!.filter((_, index) => index !== left);
          const short = `${front(at)}${fields.map((field) => ` ${field}`).join('')}`;
          const isRead = read(short) !== undefined;
          expect([own, isRead]).toEqual([own, false]);
          const text = whole.with(at, short);
          const file = folder.write('longer.log', text.map((line) => `${line}\n`).join(''));
          const rows = await engine.rows(`SELECT * FROM ${accessLogReader([file], 'none', { endings })}`);
          expect(rows.map((row) => row.map((field) => field ?? ''))).toEqual(
            text.map((line) => read(line) ?? columnsOfLog(endings).map(() => '')),
          );
        },
      ),
      { numRuns: runs(40) },
    );
  });

  it('is rejected with its place, and the others are counted', async () => {
    const lines = Array.from(
      { length: 200 },
      (_, n) => `${front(n)} "https://a.example/" "Mozilla/5.0" "198.51.100.${n % 5}" 0.00${n % 9} MISS`,
    );
    // Without the referrer, and without the address that was passed on.
    lines[149] = `${front(149)} "Mozilla/5.0" "198.51.100.1" 0.001 MISS`;
    lines[170] = `${front(170)} "https://a.example/" "Mozilla/5.0" 0.001 MISS`;
    const file = folder.write('custom.log', `${lines.join('\n')}\n`);
    const rejected: { readonly line: number; readonly reason: string }[] = [];
    const { select } = await mendEventFile(engine, file, ({ line, reason }) => void rejected.push({ line, reason }));
    const reason = 'a field is missing, or of another kind than in the first lines';
    expect(rejected).toEqual([150, 171].map((line) => ({ line, reason })));
    expect((await engine.rows(`SELECT count(*), count(DISTINCT useragent) FROM (${select})`)).map(String)).toEqual([
      '198,1',
    ]);
  });

  it('is none where formats are mixed, or a later line has more', () => {
    const common = Array.from({ length: 10 }, (_, n) => front(n));
    const combined = common.map((line) => `${line} "-" "Mozilla/5.0"`);
    const longer = combined.map((line) => `${line} "-" 0.003`);
    const reads = (head: readonly string[], lines: readonly string[]) => {
      const endings = logEndings(head);
      return lines.every((line) => openAccessLog(endings)(line));
    };
    for (const head of [common, combined, [...common, ...combined], [...combined, ...longer]])
      expect([...common, ...combined, ...longer].filter((line) => !reads(head, [line]))).toEqual([]);
    expect(reads(longer, common)).toBe(true);
    // Two of its fields would be taken for referrer and user agent.
    expect(reads(longer, combined)).toBe(false);
  });
});

describe('the fields after the combined format', () => {
  const front = (n: number) =>
    `192.0.2.${n % 9} - - [08/Mar/2024:1${n % 10}:00:${String(n % 60).padStart(2, '0')} +0000] "GET /p${n % 3} HTTP/1.1" 200 ${n} "-" "Mozilla/5.0"`;
  const namesIn = (ends: readonly string[]) =>
    columnsOfLog(logEndings(ends.map((end, n) => `${front(n)} ${end}`))).slice(accessLogColumns.length);

  it.each<[what: string, ends: readonly string[], names: readonly string[]]>([
    // nginx.org/en/docs/http/ngx_http_upstream_module.html: lists of several servers, and a dash for none.
    [
      'two times',
      ['0.003 0.002', '0.500 0.500', '0.001 -', '0.300 0.100, 0.200'],
      ['request_time', 'upstream_response_time'],
    ],
    ['two times in the other order', ['0.002 0.003', '- 0.001'], ['upstream_response_time', 'request_time']],
    ['two times that are nearly the same', ['0.000 0.001', '0.002 0.002'], ['upstream_response_time', 'request_time']],
    ['two times of which neither is the longer one', ['0.002 0.005', '0.003 0.001'], ['rest_1', 'rest_2']],
    ['a time', ['0.002', '0.003'], ['request_time']],
    ['a time beside a dash', ['0.002 -', '0.003 -'], ['request_time', 'upstream_response_time']],
    ['a time that may be missing', ['0.002', '-'], ['upstream_response_time']],
    ['three times', ['0.009 0.001 0.004', '0.009 0.001 0.004'], ['request_time', 'rest_2', 'rest_3']],
    // nginx's packages have this format.
    ['an address', ['"-"', '"203.0.113.9, 10.0.0.1"'], ['http_x_forwarded_for']],
    ['no address yet', ['"-"', '"-"'], ['http_x_forwarded_for']],
    ['a text', ['"a b"', '"c"'], ['rest_1']],
    [
      'several',
      ['"2001:db8::1" 0.001 0.001 MISS 10.0.0.1:80 TLSv1.3 5', '"-" 0.002 0.001 - 10.0.0.1:80, 10.0.0.2:80 TLSv1.2 6'],
      [
        'http_x_forwarded_for',
        'request_time',
        'upstream_response_time',
        'upstream_cache_status',
        'upstream_addr',
        'ssl_protocol',
        'rest_7',
      ],
    ],
    [
      'labels',
      ['rt=0.003 uct="0.000" urt="0.002" status=200', 'rt=0.003 uct="-" urt="0.001, 0.002" status=200'],
      ['rt', 'uct', 'urt', 'rest_4'],
    ],
    // doc.traefik.io/traefik/observability/access-logs
    [
      'those of Traefik',
      ['1 "web@docker" "http://10.0.0.1:80" 3ms', '2 "-" "-" 0ms'],
      ['request_count', 'router_name', 'service_url', 'duration_ms'],
    ],
    // kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/log-format
    [
      'those of ingress-nginx',
      [
        '489 0.030 [default-web-80] [] 10.0.0.1:80 12 0.029 200 d2f1d3c1c9c8a4f1a3b2c1d0e9f8a7b6',
        '489 0.030 [] [] - - - - d2f1d3c1c9c8a4f1a3b2c1d0e9f8a7b6',
      ],
      [
        ...[
          'request_length',
          'request_time',
          'proxy_upstream_name',
          'proxy_alternative_upstream_name',
          'upstream_addr',
        ],
        ...['upstream_response_length', 'upstream_response_time', 'upstream_status', 'req_id'],
      ],
    ],
    ['none where lines end in several ways', ['0.001', '0.002', '"a" 0.003', '"b" 0.001'], []],
  ])('have names: %s', async (_what, ends, names) => {
    expect(namesIn(ends)).toEqual(names);
    const lines = [...ends, ...ends.map((end) => `${end} and more`), '"-"', ''].map((end, n) => `${front(n)} ${end}`);
    const endings = logEndings(lines.slice(0, ends.length));
    const read = openAccessLog(endings);
    const file = folder.write('ends.log', lines.map((line) => `${line}\n`).join(''));
    const rows = await engine.rows(`SELECT * FROM ${accessLogReader([file], 'none', { endings })}`);
    expect(rows.map((row) => row.map((field) => field ?? ''))).toEqual(
      lines.map((line) => read(line) ?? columnsOfLog(endings).map(() => '')),
    );
  });

  it('are numbers that one can aggregate, as a slow reader does', async () => {
    const lines = Array.from({ length: 400 }, (_, n) => {
      const whole = (n * 37) % 900;
      const upstream =
        n % 7 === 0
          ? '-'
          : n % 5 === 0
            ? `0.001, 0.${String(whole % 90).padStart(3, '0')}`
            : `0.${String(whole).padStart(3, '0')}`;
      return `${front(n)} ${n % 3 === 0 ? '1' : '0'}.9${String(n % 90).padStart(2, '0')} ${upstream} "198.51.100.${n % 4}"`;
    });
    const folder = folderOf({ 'a.log': lines.map((line) => `${line}\n`).join('') });
    const [request, upstream] = [new Map<string, number[]>(), new Map<string, number[]>()];
    for (const line of lines) {
      const [one, ...more] = line
        .split('Mozilla/5.0" ')[1]!
        .replace(/ "[^"]*"$/, '')
        .split(' ');
      const hour = /:(\d\d):/.exec(line)![1]!;
      request.set(hour, [...(request.get(hour) ?? []), Number(one)]);
      const sum = more
        .map((text) => Math.round(1000 * Number(text.replace(',', ''))))
        .reduce((all, time) => all + time, 0);
      if (!Number.isNaN(sum)) upstream.set(hour, [...(upstream.get(hour) ?? []), sum]);
    }
    const ask = async (line: string, source: readonly string[]) => {
      const { stdout, stderr, code } = await folder.sluice(['query', line, '-f', 'csv', '--all', ...source]);
      expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
      const rows = stdout
        .trim()
        .split('\n')
        .slice(1)
        .map((row) => row.split(','));
      return new Map(rows.map(([time, ...values]) => [time!.slice(11, 13), values.map(Number)]));
    };
    expect((await folder.sluice(['ingest', 'a.log', '--store', 's'])).code).toBe(0);
    const question = 'sum(request_time), max(request_time), sum(upstream_response_time), count by hour';
    const expected = new Map(
      [...request].map(([hour, values]) => [
        hour,
        [
          Math.round(1000 * values.reduce((sum, value) => sum + value, 0)) / 1000,
          Math.max(...values),
          upstream.get(hour)!.reduce((sum, value) => sum + value, 0) / 1000,
          values.length,
        ],
      ]),
    );
    for (const source of [
      ['--events', 'a.log'],
      ['--store', 's'],
    ]) {
      expect(await ask(question, source)).toEqual(expected);
      const p95 = await ask('p95(request_time) by hour', source);
      expect([...p95.values()].every(([value]) => value! > 0.9 && value! < 2)).toBe(true);
    }
    const forwarded = await folder.sluice(['query', 'count by http_x_forwarded_for', '-f', 'csv', '--events', 'a.log']);
    expect(forwarded.stdout).toContain('198.51.100.3,100');
  });
});
