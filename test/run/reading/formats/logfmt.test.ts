import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openEngine } from '../../../../src/run/duckdb/engine/engine.ts';
import { looksLikeLogfmt, readLogfmtLine } from '../../../../src/run/duckdb/reading/layouts/logfmt.ts';
import { readableFiles } from '../../../../src/run/duckdb/reading/source/readable-files.ts';
import { folderOf } from '../../../use/run-in-folder.ts';

const key = fc.stringMatching(/^[\p{L}\p{N}_.@/-]{1,8}$/u);
const value = fc.oneof(fc.stringMatching(/^[^\s"\p{C}]{0,8}$/u), fc.string({ unit: 'grapheme', maxLength: 12 }));
const pairs = fc
  .array(fc.tuple(key, value), { minLength: 1, maxLength: 6 })
  .map((list) => new Map(list))
  .filter((map) => !map.has('__proto__'));

/** As Go's and Heroku's writers do. */
function write(text: string): string {
  if (text !== '' && !/[\s"=\\\p{C}]/u.test(text)) return text;
  const written = text.replaceAll(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
  return `"${written.replaceAll('\t', '\\t')}"`;
}

describe('a line of logfmt', () => {
  it('has the pairs that were written', () => {
    fc.assert(
      fc.property(pairs, fc.constantFrom(' ', '  ', '\t'), (map, blank) => {
        const line = [...map].map(([name, text]) => `${name}=${write(text)}`).join(blank);
        expect(readLogfmtLine(`${blank}${line}\r`)).toEqual(Object.fromEntries(map));
      }),
    );
  });

  it.each<[string, object | undefined]>([
    ['a=1 b="x \\"y\\" \\u00e9\\n" c= d', { a: '1', b: 'x "y" é\n', c: '', d: 'true' }],
    ['a=1 a=2', { a: '2' }],
    ['a=b=c d=http://x/?q=1', { a: 'b=c', d: 'http://x/?q=1' }],
    [
      '2024-03-01T10:00:00.5+00:00 app[web.1]: at=info',
      { time: '2024-03-01T10:00:00.5+00:00', 'app[web.1]:': 'true', at: 'info' },
    ],
    ['a="open', undefined],
    ['a="x"y', undefined],
    ['=x', undefined],
    ['Started server', undefined],
    ['', undefined],
  ])('%s', (line, expected) => {
    expect(readLogfmtLine(line)).toEqual(expected);
  });

  it('is told from other text', () => {
    const line = 'time=2024-03-01T10:00:00Z level=info';
    expect(looksLikeLogfmt([line, line, 'time="2024-03-01T1'])).toBe(true);
    expect(looksLikeLogfmt([line, line, line, line, 'panic: x', line, ''])).toBe(true);
    const table = '2024-03-01T10:00:00Z\tann\tMozilla (X11)\t/search?q=mug&page=2';
    for (const other of [
      table,
      table.replaceAll('\t', '|'),
      '{"a":"b=1 c=2"}',
      'a,b=1 c=2',
      'time;user',
      'a=1',
      '<a b="1" c="2">',
      'SELECT a = 1',
    ])
      expect([other, looksLikeLogfmt([other, other, ''])]).toEqual([other, false]);
  });

  it('takes a time that grows with its length', () => {
    const long = 'a='.repeat(200_000);
    for (const line of [long, `a="${'\\'.repeat(400_001)}`, `${' '.repeat(400_000)}x`, 'a '.repeat(200_000)])
      readLogfmtLine(line);
  });
});

describe('a file that the engine cannot read itself', () => {
  it('is turned into one that it can once, while it stays the same', async () => {
    const folder = folderOf({ 'a.log': 'time=2024-03-01T10:00:00Z n=1\n' });
    await using engine = await openEngine({ threads: 1 });
    const read = async () => (await readableFiles(engine, [`${folder.root}/a.log`], {}))[0]!.path;
    const [first, again] = [await read(), await read()];
    expect([again, readFileSync(first, 'utf8')]).toEqual([first, '{"time":"2024-03-01T10:00:00Z","n":"1"}\n']);
    folder.write('a.log', 'time=2024-03-01T10:00:00Z n=20\n');
    expect(readFileSync(await read(), 'utf8')).toBe('{"time":"2024-03-01T10:00:00Z","n":"20"}\n');
  });
});

describe('a log in logfmt', () => {
  const rows = Array.from({ length: 300 }, (_, index) => ({
    time: new Date(Date.UTC(2024, 2, 1) + index * 600_000).toISOString(),
    msg: ['page view', 'order "big"', 'sign=up'][index % 3]!,
    user_id: `u${index % 7}`,
    amount: String(index % 50),
    note: index % 4 === 0 ? '' : `größe ${index % 5}\n`,
  }));
  const log = rows
    .map((row) =>
      Object.entries(row)
        .map(([name, text]) => `${name}=${write(text)}`)
        .join(' '),
    )
    .join('\n');
  const json = rows.map((row) => JSON.stringify(row)).join('\n');
  const lines = ['count by eventType', 'uniqueUsersCount by day', 'sum(amount) by note', 'count where msg = "sign=up"'];

  it('answers as JSON with the same keys does, packed, in another encoding, from a pipe, and loaded', async () => {
    const folder = folderOf({
      'a.log': `${log}\n`,
      'b.ndjson': json,
      'c.log.gz': gzipSync(log),
      'd.txt': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(log, 'utf16le')]),
    });
    const ask = async (line: string, source: readonly string[], stdin = '') => {
      const { code, stdout } = await folder.sluice(['query', line, '-f', 'csv', ...source], { stdin });
      return [line, code, stdout];
    };
    folder.write(
      'sluice.yaml',
      'sources: [{files: "*.log", columns: {utcTime: time, eventType: {column: msg, values: {page view: pageview}}}}]\n',
    );
    expect((await folder.sluice(['ingest', 'a.log', '--store', 's'])).code).toBe(0);
    for (const line of lines) {
      const expected = await ask(line, ['--events', 'b.ndjson']);
      expect(expected[1]).toBe(0);
      for (const name of ['a.log', 'c.log.gz', 'd.txt']) expect(await ask(line, ['--events', name])).toEqual(expected);
      expect(await ask(line, ['--events', '-'], log)).toEqual(expected);
      expect(await ask(line.replace('msg', 'eventType'), ['--store', 's'])).toEqual([
        line.replace('msg', 'eventType'),
        ...expected.slice(1),
      ]);
    }
  });

  it('rejects lines without pairs or a time, by their number, and damage', async () => {
    const broken = log.split('\n').toSpliced(5, 0, 'panic: something', 'level=info msg="no time"').join('\n');
    const folder = folderOf({ 'a.log': broken, 'cut.log.gz': gzipSync(log).subarray(0, 900) });
    const { code, stderr, stdout } = await folder.sluice(['query', 'count', '-f', 'csv', '--events', 'a.log']);
    expect([code, stdout]).toEqual([5, expect.stringContaining('\n300')]);
    expect(stderr).toMatch(/a\.log:6: /);
    expect(stderr).toMatch(/a\.log:7: /);
    const cut = await folder.sluice(['query', 'count', '--events', 'cut.log.gz']);
    expect([cut.code === 0, cut.stdout]).toEqual([false, '']);
  });
});
