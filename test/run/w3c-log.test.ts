import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findTables, openTables } from '../../src/run/duckdb/answer/table-views.ts';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { openW3cReader } from '../../src/run/duckdb/reading/layouts/w3c-log.ts';
import { openFiles, scratchFolder, textColumn } from './ask-sql.ts';

const folder = scratchFolder();

async function read(name: string, content: string | Buffer) {
  await using files = await openFiles([folder.write(name, content)]);
  await files.session.events!.demandFurther();
  const columns = [textColumn, textColumn, textColumn, textColumn, textColumn];
  const events = await files.ask(
    `SELECT CAST(utc_time AS VARCHAR), event_type, doc_path || coalesce(doc_search, ''), useragent, coalesce(further ->> 'time-taken', further ->> 's-port')
    FROM events ORDER BY utc_time`,
    { columns },
  );
  return { events, rejected: files.facts().rejected };
}

describe('a log in the W3C extended format', () => {
  const lines = [
    '#Software: Microsoft Internet Information Services 10.0',
    '#Fields: date time cs-method cs-uri-stem cs-uri-query c-ip cs(User-Agent) sc-status time-taken',
    '2024-03-08 10:00:00 GET /a+b q=1+2 10.0.0.1 Mozilla/5.0+(X11) 200 31',
    '2024-03-08 10:00:01 GET /short 10.0.0.1 - 200 31',
    '',
    '#Date: 2024-03-08 10:00:02',
    '#Fields: time date cs-uri-stem sc-status c-ip s-port',
    '10:00:02 2024-03-08 /app.css 200 10.0.0.2 443',
    'noon 2024-03-08 /late 200 10.0.0.2 443',
  ];

  it('is read by the names that stand before its lines', async () => {
    for (const [name, content] of [
      ['iis.log', lines.join('\r\n')],
      ['iis.log.gz', gzipSync(`${lines.join('\n')}\n`)],
    ] as const) {
      const { events, rejected } = await read(name, content);
      expect(events).toEqual([
        ['2024-03-08 10:00:00', 'pageview', '/a+b?q=1+2', 'Mozilla/5.0 (X11)', '31'],
        ['2024-03-08 10:00:02', 'request', '/app.css', null, '443'],
      ]);
      expect(rejected.examples.map(({ line, reason }) => [line, reason])).toEqual([
        [4, '8 fields where the line #Fields has 9'],
        [9, 'a time that cannot be read: 2024-03-08TnoonZ'],
      ]);
    }
  });

  it('has lines that nobody can read before the names', async () => {
    const { events, rejected } = await read(
      'headless.log',
      ['#Version: 1.0', lines[2], ...lines.slice(1, 3)].join('\n'),
    );
    expect(events).toHaveLength(1);
    expect(rejected.examples).toMatchObject([{ line: 2, reason: 'no line #Fields before it' }]);
  });

  it('gives back texts that CloudFront encodes, and leaves others as they are', () => {
    const readLine = openW3cReader();
    readLine('#Fields: cs(Referer) cs(User-Agent) cs-uri-stem x-host-header cs(Host)');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        fc.pre(text !== '-' && !text.startsWith('#'));
        const encoded = encodeURIComponent(text);
        const line = readLine([encoded, encoded, `/${encoded}`, 'shop.example', 'd1.cloudfront.net'].join('\t'));
        expect(line.kind === 'fields' && Object.fromEntries(line.fields)).toEqual({
          http_referer: text,
          http_user_agent: text,
          request_uri: `/${text}`,
          server_name: 'shop.example',
        });
      }),
      { numRuns: 200 },
    );
    const line = readLine(['100%', '50%zz', '/a', '-', 'd1'].join('\t'));
    expect(line.kind === 'fields' && Object.fromEntries(line.fields)).toEqual({
      http_referer: '100%',
      http_user_agent: '50%zz',
      request_uri: '/a',
      server_name: 'd1',
    });
  });

  it('is no table', async () => {
    await using engine = await openEngine({ threads: 1 });
    const file = folder.write('table.log', lines.join('\n'));
    await expect(openTables(engine, await findTables({ t: file }, folder.path))).rejects.toMatchObject({
      code: 'log-extended',
    });
  });
});
