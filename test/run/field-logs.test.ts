import { describe, expect, it } from 'vitest';
import { findTables, openTables } from '../../src/run/duckdb/answer/table-views.ts';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { fieldLogOf, readFieldLine } from '../../src/run/duckdb/reading/layouts/field-logs.ts';
import { openFiles, scratchFolder, textColumn } from './ask-sql.ts';

const folder = scratchFolder();

const line = (request: string, agent = 'curl/8.0', domain = '"www.example.com"') =>
  `https 2024-03-08T10:00:00.123456Z app/web/50dc 203.0.113.9:2817 10.0.0.1:80 0.086 0.048 0.037 200 200 0 57 "${request}" "${agent}" ECDHE TLSv1.2 arn:aws:tg "Root=1-2" ${domain} "arn:aws:acm" 1 2024-03-08T09:59:59.000000Z "forward" "-" "-" "10.0.0.1:80" "200" "-" "-"`;
const page = line('GET https://www.example.com:443/pricing?a=1 HTTP/1.1');

const fieldsOf = (text: string) => {
  const read = readFieldLine('alb', text);
  return read.kind === 'fields' ? Object.fromEntries(read.fields) : read;
};

describe('a log of a load balancer', () => {
  it('has the fields of an access log, and keeps the others under their own names', () => {
    expect(fieldsOf(page)).toEqual({
      type: 'https',
      server_name: 'www.example.com',
      remote_addr: '203.0.113.9',
      client_port: '2817',
      time_iso8601: '2024-03-08T10:00:00.123456Z',
      request_method: 'GET',
      request_uri: '/pricing?a=1',
      server_protocol: 'HTTP/1.1',
      status: '200',
      body_bytes_sent: '57',
      http_user_agent: 'curl/8.0',
      elb: 'app/web/50dc',
      target: '10.0.0.1:80',
      request_processing_time: '0.086',
      target_processing_time: '0.048',
      response_processing_time: '0.037',
      target_status_code: '200',
      received_bytes: '0',
      ssl_cipher: 'ECDHE',
      ssl_protocol: 'TLSv1.2',
      target_group_arn: 'arn:aws:tg',
      trace_id: 'Root=1-2',
      chosen_cert_arn: 'arn:aws:acm',
      matched_rule_priority: '1',
      request_creation_time: '2024-03-08T09:59:59.000000Z',
      actions_executed: 'forward',
      target_list: '10.0.0.1:80',
      target_status_code_list: '200',
    });
  });

  it.each([
    [
      'without a path',
      line('GET https://a.example:443 HTTP/1.1', 'x', '"-"'),
      { server_name: 'a.example:443', request_uri: '/' },
    ],
    ['with a query alone', line('GET http://a.example:80?q HTTP/1.1'), { request_uri: '/?q' }],
    [
      'with quotes in the agent',
      line('GET http://a/b HTTP/1.1', String.raw`a \"b\" c`),
      { http_user_agent: 'a "b" c' },
    ],
    ['of IPv6', page.replace('203.0.113.9', '2001:db8::1'), { remote_addr: '2001:db8::1' }],
    [
      'that could not be read by the balancer',
      line('- http://a.example:80- -'),
      { request_uri: undefined, request_method: undefined },
    ],
  ])('reads a request %s', (_what, text, expected) => {
    expect(fieldsOf(text)).toMatchObject({ status: '200' });
    for (const [name, value] of Object.entries(expected))
      expect((fieldsOf(text) as Record<string, unknown>)[name], name).toBe(value);
  });

  it('is recognised by any of its first lines, and by no other log', () => {
    expect(fieldLogOf(['broken', page])).toBe('alb');
    expect(fieldLogOf([page.replace('https ', '')])).toBe('alb');
    for (const other of [
      '203.0.113.9 - - [08/Mar/2024:10:00:00 +0000] "GET / HTTP/1.1" 200 1',
      'time,user\n2024-03-08T10:00:00Z,a',
      '{"time":"2024-03-08T10:00:00Z"}',
      '2024-03-08T10:00:00Z app web:1 10.0.0.1:80 0.1 0.1 0.1 200 "GET"',
    ])
      expect(fieldLogOf(other.split('\n')), other).toBeUndefined();
  });

  it('reports lines that are cut off or damaged, in time proportional to their length', async () => {
    const hostile = `${page.slice(0, page.indexOf('"GET'))}"${String.raw`\" "`.repeat(100_000)}`;
    const file = folder.write('alb.log', [page, page.slice(0, 150), 'noise', hostile, '', page].join('\n'));
    await using files = await openFiles([file]);
    const events = await files.ask('SELECT doc_host, doc_path, event_type FROM events', {
      columns: [textColumn, textColumn, textColumn],
    });
    expect(events).toEqual(Array.from({ length: 2 }, () => ['www.example.com', '/pricing', 'pageview']));
    expect(files.facts().rejected.examples.map(({ line: number }) => number)).toEqual([2, 3, 4]);
    expect(files.facts().rejected.examples[1]?.reason).toMatch(/^not a line of a load balancer, such as https /);
  });

  it('is a table', async () => {
    await using engine = await openEngine({ threads: 1 });
    const file = folder.write('table.log', `${page}\n`);
    await openTables(engine, await findTables({ t: file }, folder.path));
    expect(await engine.rows('SELECT request_uri, CAST(status AS INTEGER), target_processing_time FROM t')).toEqual([
      ['/pricing?a=1', 200, '0.048'],
    ]);
  });
});

/** Splits a line letter by letter: brackets, braces and quotes hold blanks. */
function slowly(line: string): readonly string[] {
  const words: string[] = [];
  let [word, end] = ['', ''];
  for (let at = 0; at <= line.length; at += 1) {
    const letter = line[at];
    if (end === '' && (letter === ' ' || letter === undefined)) {
      if (word !== '') words.push(word);
      word = '';
    } else if (end === '' && word === '' && '["{'.includes(letter!)) {
      end = { '[': ']', '"': '"', '{': '}' }[letter as '['];
      word = letter!;
    } else {
      word += letter;
      if (letter === '\\') word += line[(at += 1)] ?? '';
      else if (letter === end) end = '';
    }
  }
  return words;
}

const bare = (word: string | undefined) => word?.replace(/^[["{](.*)["}\]]$/, '$1');

/** docs.haproxy.org/3.0/configuration.html, 8.2.3; 8.5 (a session that was cut off). */
const haproxyLines = [
  '10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu} {} "GET /index.html HTTP/1.1"',
  '2001:db8::7:33318 [06/Feb/2009:12:14:15.001] https-in~ static/<NOSRV> -1/-1/-1/-1/50000 408 212 - - cR-- 2/2/2/0/+3 0/0 "<BADREQ>"',
  '127.0.0.1:39759 [09/Dec/2013:12:59:46.633] http-in be/srv2 0/0/0/1/8 304 321 a=b - --VN 1/1/0/0/0 1/2 {a b|c} "HEAD http://h.example/x?y=1 HTTP/1.0"',
];

/** docs.aws.amazon.com/AmazonS3/latest/userguide/LogFormat.html */
const s3Lines = [
  '79a59df9 bucket1 [06/Feb/2019:00:00:38 +0000] 192.0.2.3 79a59df9 3E57427F3EXAMPLE REST.GET.VERSIONING - "GET /bucket1?versioning HTTP/1.1" 200 - 113 - 7 - "-" "S3Console/0.4" - s9lzHYrFp76ZVx= SigV4 ECDHE-RSA-AES128-GCM-SHA256 AuthHeader bucket1.s3.us-west-1.amazonaws.com TLSV1.2 arn:aws:s3:us-west-1:123456789012:accesspoint/example-AP Yes us-east-1',
  '79a59df9 bucket1 [06/Feb/2019:00:01:57 +0000] 192.0.2.3 - DD6CC733AEXAMPLE REST.PUT.OBJECT s3-dg.pdf "PUT /bucket1/s3-dg.pdf HTTP/1.1" 404 NoSuchKey - 4406583 41754 28 "https://a.example/ b" "curl" - x',
];

/** wiki.squid-cache.org/Features/LogFormat */
const squidLines = [
  '1066036250.603    310 192.0.2.3 TCP_MISS/200 1234 GET http://www.example.com/a?b=1 - DIRECT/192.0.2.9 text/html',
  '1066036251.603      5 2001:db8::1 TCP_DENIED/407 1801 CONNECT example.com:443 ann NONE/- text/html',
  '1066036252.000      0 192.0.2.3 NONE/000 0 NONE error:invalid-request - HIER_NONE/- -',
];

describe.each([
  [
    'haproxy',
    haproxyLines,
    (words: readonly string[]) => {
      const [at, port] = [words[0]!.lastIndexOf(':'), words[0]!.split(':').at(-1)];
      const [day, month, year, ...clock] = words[1]!.slice(1, -1).split(/[/:]/);
      const braces = words.filter((word) => word.startsWith('{')).map(bare);
      const request = bare(words.at(-1))!;
      const [method, target, protocol] = request.split(' ');
      const url = target?.startsWith('http') ? new URL(target) : undefined;
      const isRequest = target !== undefined;
      return {
        remote_addr: words[0]!.slice(0, at),
        client_port: port,
        time_iso8601: `${year}-${month === 'Feb' ? '02' : '12'}-${day}T${clock.join(':')}`,
        frontend_name: words[2],
        ...zip('backend_name server', words[3]!.split('/')),
        ...zip('TR Tw Tc Tr Ta', words[4]!.split('/')),
        ...zip(
          'status bytes_sent captured_request_cookie captured_response_cookie termination_state',
          words.slice(5, 10),
        ),
        ...zip('actconn feconn beconn srv_conn retries', words[10]!.split('/')),
        ...zip('srv_queue backend_queue', words[11]!.split('/')),
        ...(braces.length === 2
          ? zip('captured_request_headers captured_response_headers', braces)
          : { captured_headers: braces[0] }),
        ...(isRequest
          ? {
              request_method: method,
              request_uri: url ? url.pathname + url.search : target,
              server_protocol: protocol,
              server_name: url?.host,
            }
          : { request }),
      };
    },
  ],
  [
    's3',
    s3Lines,
    (words: readonly string[]) => {
      const [request_method, request_uri, server_protocol] = bare(words[8])!.split(' ');
      return {
        ...zip(
          'bucket_owner bucket time_local remote_addr remote_user request_id operation key - status error_code body_bytes_sent object_size total_time turn_around_time http_referer http_user_agent version_id host_id signature_version cipher_suite authentication_type server_name tls_version access_point_arn acl_required source_region',
          words.map(bare),
        ),
        ...{ request_method, request_uri, server_protocol },
      };
    },
  ],
  [
    'squid',
    squidLines,
    (words: readonly string[]) => {
      const url = words[6]!.startsWith('http') ? new URL(words[6]!) : undefined;
      const isHost = words[5] === 'CONNECT';
      return {
        ...zip('msec elapsed remote_addr', words),
        ...zip('code status', words[3]!.split('/')),
        ...zip('bytes_sent request_method', words.slice(4)),
        remote_user: words[7],
        ...zip('peerstatus peerhost', words[8]!.split('/')),
        content_type: words[9],
        server_name: url?.host ?? (isHost ? words[6] : undefined),
        request_uri: isHost ? undefined : url ? url.pathname + url.search : words[6],
      };
    },
  ],
] as const)('a log of %s', (log, lines, expected) => {
  it.each(lines)('has the fields of its documentation: %s', (line) => {
    const wanted = Object.entries(expected(slowly(line))).filter(
      ([name, text]) => name !== '-' && text !== undefined && !['', '-', '-1'].includes(text),
    );
    const found = readFieldLine(log, `${line}\r`);
    expect(found.kind === 'fields' && Object.fromEntries(found.fields)).toEqual(Object.fromEntries(wanted));
    expect(fieldLogOf([line])).toBe(log);
  });

  it('has no lines that are cut off, and is told so in time proportional to their length', () => {
    for (const line of lines) {
      for (let end = 0; end < line.lastIndexOf(log === 's3' ? 'HTTP/' : ' '); end += 1)
        expect(readFieldLine(log, line.slice(0, end)), line.slice(0, end)).toMatchObject({ kind: 'broken' });
      for (const piece of ['/', ':', '"', ' ', '\\', '{', '1', '- ', '] ['])
        readFieldLine(log, line.slice(0, line.length / 2) + piece.repeat(200_000));
    }
  });
});

function zip(names: string, values: readonly (string | undefined)[]): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(names.split(' ').map((name, index) => [name, values[index]]));
}
