import { describe, expect, it } from 'vitest';
import { findTables, openTables } from '../../src/run/duckdb/answer/table-views.ts';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { looksLikeAlbLog, readAlbLine } from '../../src/run/duckdb/reading/layouts/alb-log.ts';
import { openFiles, scratchFolder, textColumn } from './ask-sql.ts';

const folder = scratchFolder();

const line = (request: string, agent = 'curl/8.0', domain = '"www.example.com"') =>
  `https 2024-03-08T10:00:00.123456Z app/web/50dc 203.0.113.9:2817 10.0.0.1:80 0.086 0.048 0.037 200 200 0 57 "${request}" "${agent}" ECDHE TLSv1.2 arn:aws:tg "Root=1-2" ${domain} "arn:aws:acm" 1 2024-03-08T09:59:59.000000Z "forward" "-" "-" "10.0.0.1:80" "200" "-" "-"`;
const page = line('GET https://www.example.com:443/pricing?a=1 HTTP/1.1');

const fieldsOf = (text: string) => {
  const read = readAlbLine(text);
  return read.kind === 'fields' ? Object.fromEntries(read.fields) : read;
};

describe('a log of a load balancer', () => {
  it('has the fields of an access log, and keeps the others under their own names', () => {
    expect(fieldsOf(page)).toEqual({
      type: 'https',
      server_name: 'www.example.com',
      remote_addr: '203.0.113.9',
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
    expect(looksLikeAlbLog(['broken', page])).toBe(true);
    expect(looksLikeAlbLog([page.replace('https ', '')])).toBe(true);
    for (const other of [
      '203.0.113.9 - - [08/Mar/2024:10:00:00 +0000] "GET / HTTP/1.1" 200 1',
      'time,user\n2024-03-08T10:00:00Z,a',
      '{"time":"2024-03-08T10:00:00Z"}',
      '2024-03-08T10:00:00Z app web:1 10.0.0.1:80 0.1 0.1 0.1 200 "GET"',
    ])
      expect(looksLikeAlbLog(other.split('\n')), other).toBe(false);
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

  it('is no table', async () => {
    await using engine = await openEngine({ threads: 1 });
    const file = folder.write('table.log', `${page}\n`);
    await expect(openTables(engine, await findTables({ t: file }, folder.path))).rejects.toMatchObject({
      code: 'log-extended',
      message: expect.stringContaining('a log of a load balancer') as string,
    });
  });
});
