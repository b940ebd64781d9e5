import { rmSync } from 'node:fs';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openFiles, scratchFolder } from './ask-sql.ts';

const folder = scratchFolder();
const at = (second: number) => `2024-03-01T00:00:${String(second).padStart(2, '0')}.000`;
const good = (second: number, type = 'pageview') =>
  JSON.stringify({
    'TrackedEvents.utcTime': at(second),
    'TrackedEvents.eventType': type,
    'TrackedEvents.userAnonymousId': `u${second}`,
  });

const all = { reach: 'all' } as const;
const countAll = 'SELECT count(*) FROM events';

describe('a broken line of NDJSON', () => {
  const cases: readonly (readonly [name: string, line: string | Buffer, reason: RegExp])[] = [
    ['that is cut off', '{"TrackedEvents.utcTime":"2024-03-01', /not valid JSON/],
    ['that is no JSON at all', 'oops', /not valid JSON/],
    ['with an object and more', `${good(1)} ${good(2).slice(1)}`, /not valid JSON/],
    [
      'with a bad UTF-8 byte',
      Buffer.concat([
        Buffer.from('{"TrackedEvents.utcTime":"2024-03-01","x":"'),
        Buffer.from([0xff]),
        Buffer.from('"}'),
      ]),
      /not valid UTF-8/,
    ],
    ['with half a surrogate pair', '{"TrackedEvents.utcTime":"2024-03-01T00:00:00","x":"\\ud83d"}', /surrogate/],
    ['that is a list', '[1]', /not an object/],
    ['that is a number', '5', /not an object/],
    ['that is null', 'null', /not an object/],
    ['without a time', '{"TrackedEvents.eventType":"pageview"}', /^no time$/],
    ['that is an empty object', '{}', /^no time$/],
    ['with an unreadable time', '{"TrackedEvents.utcTime":"yesterday"}', /^a time that cannot be read: yesterday$/],
    [
      'with a day that does not exist',
      '{"TrackedEvents.utcTime":"2024-02-30T00:00:00"}',
      /^a time that cannot be read: 2024-02-30/,
    ],
    ['with a time that is null', '{"TrackedEvents.utcTime":null}', /^no time$/],
    ['in the year 290000', '{"TrackedEvents.utcTime":"290000-01-01T00:00:00"}', /^a time that cannot be read/],
  ];
  for (const [name, line, reason] of cases) {
    it(`${name} is told of by file and line, and the others are counted`, async () => {
      const file = folder.write(
        `${name}.ndjson`,
        Buffer.concat([Buffer.from(`${good(1)}\n\n`), Buffer.from(line), Buffer.from(`\n${good(2)}\n`)]),
      );
      await using session = await openFiles([file]);
      expect(await session.ask(countAll, all)).toEqual([[2]]);
      expect(session.facts().rejected).toEqual({
        count: 1,
        examples: [{ file, line: 3, reason: expect.stringMatching(reason) }],
      });
    });
    it(`${name} is told of where the range leaves all lines out`, async () => {
      const file = folder.write(
        `out of range ${name}.ndjson`,
        Buffer.concat([Buffer.from(`${good(1)}\n`.repeat(3000)), Buffer.from(line), Buffer.from('\n')]),
      );
      await using session = await openFiles([file]);
      expect(await session.ask(`${countAll} WHERE utc_time >= TIMESTAMP '2024-03-02'`, all)).toEqual([[0]]);
      expect(session.facts().rejected.count).toBe(1);
    });
    it(`${name} is told of even where the question passes it over`, async () => {
      const file = folder.write(
        `passed over ${name}.ndjson`,
        Buffer.concat([Buffer.from(`${good(1, 'click')}\n`), Buffer.from(line), Buffer.from('\n')]),
      );
      await using session = await openFiles([file]);
      expect(
        await session.ask(
          "SELECT count(*) FROM events WHERE event_type = 'click' AND utc_time >= TIMESTAMP '2024-03-01'",
        ),
      ).toEqual([[1]]);
      expect(session.facts().rejected).toMatchObject({ count: 1, examples: [{ file, line: 2 }] });
    });
  }

  it('is found in packed files too', async () => {
    const text = Buffer.from(`${good(1)}\nbroken\n${good(2)}\n`);
    const files = [
      folder.write('packed.ndjson.gz', gzipSync(text)),
      folder.write('packed.ndjson.zst', zstdCompressSync(text)),
    ];
    await using session = await openFiles(files);
    expect(await session.ask(countAll, all)).toEqual([[4]]);
    expect(session.facts().rejected.examples.map(({ file, line }) => [file, line])).toEqual(
      files.map((file) => [file, 2]),
    );
  });

  it('counts to the last, and the first twenty are shown in the files’ order', async () => {
    const first = folder.write(
      'many-a.ndjson',
      Array.from({ length: 15 }, (_, line) => (line % 2 ? '{}' : 'x')).join('\n'),
    );
    const second = folder.write('many-b.ndjson', `${good(1)}\n${'y\n'.repeat(1000)}`);
    await using session = await openFiles([first, second]);
    expect(await session.ask(countAll, all)).toEqual([[1]]);
    const { count, examples } = session.facts().rejected;
    expect(count).toBe(1015);
    expect(examples.map(({ file, line }) => [file, line])).toEqual([
      ...Array.from({ length: 15 }, (_, index) => [first, index + 1]),
      ...[2, 3, 4, 5, 6].map((line) => [second, line]),
    ]);
  });

  it('is told of where all lack a time, so that DuckDB knows that none is in the range', async () => {
    const file = folder.write('timeless.ndjson', '{}\n{}\n');
    await using session = await openFiles([file]);
    expect(await session.ask(`${countAll} WHERE utc_time >= TIMESTAMP '2024-03-01'`, all)).toEqual([[0]]);
    expect(session.facts().rejected.count).toBe(2);
  });

  it('is refused with its fields where no line has a time', async () => {
    const file = folder.write('elsewhere.ndjson', '{"created_at":"2024-03-01","actor":{"id":1}}\n');
    await expect(openFiles([file])).rejects.toMatchObject({
      code: 'events-without-time',
      message: `${file} has no field for the time of its events.`,
      hint: expect.stringContaining(
        `It has created_at, actor. Run \`sluice init ${file}\` to map these names`,
      ) as string,
    });
  });

  it('leaves nothing but an empty answer where all are broken', async () => {
    const file = folder.write('all-broken.ndjson', 'x\ny\n');
    await using session = await openFiles([file]);
    expect(await session.ask(countAll, all)).toEqual([[0]]);
    expect(session.facts().rejected.count).toBe(2);
  });
});

describe('a line of 50 MB', () => {
  it('is rejected by its number, between lines that are counted', async () => {
    const piece = Buffer.alloc(50 * 1024 * 1024, 'x');
    const file = folder.write(
      'large.ndjson',
      Buffer.concat([
        Buffer.from(`${good(1)}\n{"TrackedEvents.utcTime":"2024-03-01T00:00:00","x":"`),
        piece,
        Buffer.from(`"}\n${good(2)}\n`),
      ]),
    );
    await using session = await openFiles([file]);
    expect(await session.ask(countAll, all)).toEqual([[2]]);
    expect(session.facts().rejected).toEqual({ count: 1, examples: [{ file, line: 2, reason: 'longer than 32 MiB' }] });
    rmSync(file);
  });

  it('of 20 MB is an event like any other, beside broken lines too', async () => {
    const line = `{"TrackedEvents.utcTime":"2024-03-01T00:00:00.000","TrackedEvents.pageTitle":"${'x'.repeat(20 * 1024 * 1024)}"}`;
    const file = folder.write('largish.ndjson', `${good(1)}\n${line}\nbroken\n${good(2)}\n`);
    await using session = await openFiles([file]);
    expect(await session.ask('SELECT count(*), max(length(page_title)) FROM events', all)).toEqual([
      [3, 20 * 1024 * 1024],
    ]);
    expect(session.facts().rejected).toMatchObject({ count: 1, examples: [{ line: 3 }] });
    rmSync(file);
  });
});

describe('what looks broken but is not', () => {
  it('takes the last of two equal keys, exact numbers and all', async () => {
    const file = folder.write(
      'twice.ndjson',
      `{"utcTime":"2024-03-01T00:00:00.000","docPath":"/a","docPath":"/b","customEventProps":{"n":9007199254740993}}\n`,
    );
    await using session = await openFiles([file]);
    expect(
      await session.ask(
        "SELECT count(*) FILTER (WHERE doc_path = '/b' AND contains(custom_event_props, '9007199254740993')) FROM events",
        all,
      ),
    ).toEqual([[1]]);
    expect(session.facts().rejected.count).toBe(0);
  });

  it('reads past a byte order mark, blank lines and carriage returns', async () => {
    const file = folder.write('marked.ndjson', `\uFEFF${good(1)}\r\n\r\n  \r\n${good(2)}\r\n`);
    await using session = await openFiles([file]);
    expect(await session.ask(countAll, all)).toEqual([[2]]);
    expect(session.facts().rejected.count).toBe(0);
  });

  it('keeps what DuckDB reads beyond JSON, alone and beside a broken line', async () => {
    const lenient = '{"utcTime":"2024-03-01T00:00:00.000","localTzOffset":NaN,}';
    const alone = folder.write('lenient.ndjson', `${lenient}\n`);
    const beside = folder.write('lenient-beside.ndjson', `${lenient}\nbroken\n{"x":NaN\n`);
    await using one = await openFiles([alone]);
    expect(await one.ask(countAll, all)).toEqual([[1]]);
    await using other = await openFiles([beside]);
    expect(await other.ask(countAll, all)).toEqual([[1]]);
    expect(other.facts().rejected.examples.map(({ line }) => line)).toEqual([2, 3]);
  });

  it('takes whole surrogate pairs, and the text \\ud83d that is none', async () => {
    const file = folder.write(
      'pairs.ndjson',
      `{"utcTime":"2024-03-01T00:00:00.000","pageTitle":"\\ud83d\\ude00"}\n{"utcTime":"2024-03-01T00:00:00.000","pageTitle":"\\\\ud83d"}\nbroken\n`,
    );
    await using session = await openFiles([file]);
    expect(await session.ask(countAll, all)).toEqual([[2]]);
    expect(session.facts().rejected).toMatchObject({ count: 1, examples: [{ line: 3 }] });
  });
});

describe('other broken files', () => {
  it('tells where packed data is damaged, and counts what came before', async () => {
    const lines = Array.from(
      { length: 20_000 },
      (_, index) => `{"utcTime":"2024-03-01T00:00:00.000","docPath":"/${(index * 7919) % 10007}"}`,
    ).join('\n');
    const whole = gzipSync(lines);
    const file = folder.write('cut.ndjson.gz', whole.subarray(0, whole.length / 2));
    await using session = await openFiles([file]);
    const [[count] = []] = await session.ask(countAll, all);
    const { rejected } = session.facts();
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(20_000);
    expect(rejected).toEqual({
      count: 1,
      examples: [{ file, line: Number(count) + 1, reason: expect.stringMatching(/gzip data is damaged/) }],
    });
  });

  it('tells of broken elements of a JSON array by the line where they begin', async () => {
    const file = folder.write(
      'list.json',
      `[\n${good(1)},\n{"x":1},\n{"utcTime":"2024-03-01T00:00:00.000",\n"docPath":"/[,]\\""},\n"text", ${good(2)}\n]`,
    );
    await using session = await openFiles([file]);
    expect(await session.ask(countAll, all)).toEqual([[3]]);
    expect(session.facts().rejected.examples).toEqual([
      { file, line: 3, reason: 'no time' },
      { file, line: 6, reason: 'not an object' },
    ]);
  });

  it('reads an array on each line, up to one that is not closed', async () => {
    const lists = [`[${good(1)},${good(2)}]`, '[]', `[${good(3)}] `, `[${good(4)}, 5, ${good(5)}]`];
    const file = folder.write('lists.ndjson', [...lists, `[${good(6)}`].join('\n'));
    await using session = await openFiles([file]);
    expect(await session.ask(countAll, all)).toEqual([[6]]);
    expect(session.facts().rejected).toMatchObject({
      count: 2,
      examples: [
        { line: 4, reason: 'not an object' },
        { line: 5, reason: expect.stringMatching(/not closed/) },
      ],
    });
  });

  it('tells of an array that is not closed', async () => {
    const file = folder.write('open.json', `[${good(1)},\n${good(2)}`);
    await using session = await openFiles([file]);
    expect(await session.ask(countAll, all)).toEqual([[2]]);
    expect(session.facts().rejected).toMatchObject({
      count: 1,
      examples: [{ line: 2, reason: expect.stringMatching(/not closed/) }],
    });
  });

  it('tells of rows of CSV outside of the range', async () => {
    const rows = ['2024-03-01T00:00:01,a,1', ',a,1', 'yesterday,a,1', '2024-03-01T00:00:02,a,x'];
    const file = folder.write('out-of-range.csv', ['utcTime,eventType,TrackedEvents.count', ...rows, ''].join('\n'));
    await using session = await openFiles([file]);
    expect(await session.ask(`${countAll} WHERE utc_time >= TIMESTAMP '2024-03-02'`, all)).toEqual([[0]]);
    expect(session.facts().rejected.count).toBe(3);
  });

  it('tells of broken rows of CSV', async () => {
    const file = folder.write(
      'rows.csv',
      'utcTime,eventType,docPath\n2024-03-01T00:00:01.000,pageview,/a\n2024-03-01T00:00:02.000,pageview\nlater,pageview,/b\n,pageview,/c\n2024-03-01T00:00:03.000,"two\nlines",/d\n2024-03-01T00:00:04.000,x,/e,more\n',
    );
    await using session = await openFiles([file]);
    expect(
      await session.ask("SELECT count(*), count(*) FILTER (WHERE event_type = 'two\nlines') FROM events", all),
    ).toEqual([[2, 1]]);
    expect(session.facts().rejected.examples).toEqual([
      { file, line: 3, reason: '2 fields where the header has 3' },
      { file, line: 4, reason: 'a time that cannot be read: later' },
      { file, line: 5, reason: 'no time' },
      { file, line: 8, reason: '4 fields where the header has 3' },
    ]);
  });

  it('tells of a quotation mark that is never closed', async () => {
    const file = folder.write(
      'quote.csv',
      'utcTime,docPath\n2024-03-01T00:00:01.000,/a\n2024-03-01T00:00:02.000,"/b\n2024-03-01T00:00:03.000,/c\n',
    );
    await using session = await openFiles([file]);
    expect(await session.ask(countAll, all)).toEqual([[2]]);
    expect(session.facts().rejected).toMatchObject({
      count: 1,
      examples: [{ line: 3, reason: expect.stringMatching(/not closed/) }],
    });
  });

  it('names a damaged Parquet file', async () => {
    const file = folder.write('damaged.parquet', 'PAR1 this is not Parquet at all PAR1');
    await expect(openFiles([file])).rejects.toThrow(file);
  });
});
