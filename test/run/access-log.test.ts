import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import {
  accessLogColumns,
  accessLogLine,
  accessLogReader,
  readAccessLogLine,
} from '../../src/run/duckdb/reading/access-log.ts';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { mendEventFile, readEventFile } from '../../src/run/duckdb/reading/event-reading.ts';
import { scratchFolder } from './ask-sql.ts';

const folder = scratchFolder();
const engine = await openEngine({ threads: 2 });
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
