import { localZoneColumn } from '../../src/plan/model/property-sql.ts';
import { writeFileSync } from 'node:fs';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { eventFields } from '../../src/plan/model/event-fields.ts';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { readEventFile } from '../../src/run/duckdb/reading/event-reading.ts';
import { sniffFiles } from '../../src/run/duckdb/reading/source/readable-files.ts';
import { openFiles, scratchFolder } from './ask-sql.ts';
import { readAll } from './sources/read-all.ts';
import { mendEventFile } from '../../src/run/duckdb/reading/mend-event-file.ts';

const folder = scratchFolder();
const engine = await openEngine({ threads: { upTo: 2 } });
afterAll(() => engine[Symbol.asyncDispose]());

const time = '2024-03-01T00:00:00.000';
const lines = (...records: readonly unknown[]) =>
  records.map((record) => (typeof record === 'string' ? record : JSON.stringify(record))).join('\n');
const read = (name: string, content: string | Uint8Array) => readAll(engine, folder.write(name, content));
const furtherOf = async (name: string, content: string | Uint8Array) =>
  (await read(name, content)).rows.map(({ further }) => further);

describe('a reading', () => {
  it('has the canonical columns in their order, what is further, and the zone of the source', async () => {
    for (const [name, content] of Object.entries({
      'a.ndjson': lines({ utcTime: time }),
      'b.csv': `utcTime\n${time}\n`,
      'c.json': lines([{ utcTime: time }]),
      'd.ndjson': '',
    })) {
      const { select } = await readEventFile(engine, folder.write(name, content));
      const described = await engine.rows(`DESCRIBE ${select}`);
      expect(described.map(([column]) => column)).toEqual([
        ...eventFields.map(({ column }) => column),
        'further',
        localZoneColumn,
      ]);
      expect(described.map(([, type]) => type)).toEqual([
        ...eventFields.map(
          ({ type }) => ({ time: 'TIMESTAMP', number: 'DOUBLE', text: 'VARCHAR', json: 'VARCHAR' })[type],
        ),
        'VARCHAR',
        'VARCHAR',
      ]);
    }
  });

  it('tells the format', async () => {
    const formats: Readonly<Record<string, readonly [string | Uint8Array, string]>> = {
      'f.ndjson': [lines({ utcTime: time }), 'NDJSON'],
      'f.ndjson.gz': [gzipSync(lines({ utcTime: time })), 'NDJSON, gzip'],
      'f.json.zst': [zstdCompressSync(lines([{ utcTime: time }])), 'JSON, zstd'],
      'f.csv': [`utcTime,docPath\n${time},/a\n`, 'CSV'],
      'f.tsv': [`utcTime\tdocPath\n${time}\t/a\n`, 'TSV'],
      'none.ndjson': ['', 'empty'],
    };
    for (const [name, [content, format]] of Object.entries(formats))
      expect((await readEventFile(engine, folder.write(name, content))).format, name).toBe(format);
  });
});

describe('further fields', () => {
  it('are kept as they were, sorted by key, without nulls', async () => {
    const record = {
      zebra: 1.5,
      utcTime: time,
      apple: 'x "y"\n',
      docPath: '/a',
      nested: { b: [1, null, { c: null }], a: 9007199254740993n },
      none: null,
      flag: false,
      'TrackedEvents.foo': '',
      Ümlaut: -0.25,
    };
    const text = JSON.stringify(record, (_key, value: unknown) =>
      typeof value === 'bigint' ? Number(value) : value,
    ).replace('9007199254740992', '9007199254740993');
    const kept =
      '{"TrackedEvents.foo":"","apple":"x \\"y\\"\\n","flag":false,"nested":{"b":[1,null,{"c":null}],"a":9007199254740993},"zebra":1.5,"Ümlaut":-0.25}';
    expect(await furtherOf('kept.ndjson', text)).toEqual([kept]);
    expect(await furtherOf('kept.json', `[${text}]`)).toEqual([kept]);
    expect(await furtherOf('kept.ndjson.gz', gzipSync(text))).toEqual([kept]);
    const { rows, mended } = await read('kept-beside.ndjson', `${text}\nbroken`);
    expect(mended).toBe(true);
    expect(rows.map(({ further }) => further)).toEqual([kept]);
  });

  it('are NULL where there are none', async () => {
    expect(await furtherOf('bare.ndjson', lines({ utcTime: time, docPath: '/a', other: null }))).toEqual([undefined]);
    expect(await furtherOf('bare.csv', `utcTime,other\n${time},\n`)).toEqual([undefined]);
  });

  it('are JSON whatever DuckDB takes for it', async () => {
    const [further] = await furtherOf(
      'lenient.ndjson',
      `{"utcTime":"${time}","a":NaN,"b":{"c":[-Infinity,"\\""]},"d":"NaN, \\"inf","e":[1,],"f":NAN,"g":[iNf],}`,
    );
    expect(JSON.parse(further!)).toEqual({
      a: 'NaN',
      b: '{"c":[-Infinity,"\\""]}',
      d: 'NaN, "inf',
      e: [1],
      f: 'NAN',
      g: '[iNf]',
    });
  });

  it('of CSV are texts, and an empty one is missing', async () => {
    expect(await furtherOf('kept.csv', `other,utcTime,Number\n"a ""b""",${time},7\n`)).toEqual([
      '{"Number":"7","other":"a \\"b\\""}',
    ]);
  });

  it('of Parquet keep their kind', async () => {
    const path = `${folder.path}/kept.parquet`;
    await engine.rows(
      `COPY (SELECT TIMESTAMP '${time}' AS utcTime, 7 AS n, 1.50::DECIMAL(9, 2) AS price, 'x' AS t, {'a': [1, 2], 'b': NULL} AS s, true AS f, 'nan'::DOUBLE AS odd, NULL::INT AS none, 18446744073709551615::UBIGINT AS big) TO '${path}'`,
    );
    const { rows } = await readAll(engine, path);
    expect(rows[0]!.further).toBe(
      '{"big":18446744073709551615,"f":true,"n":7,"odd":"NaN","price":1.50,"s":{"a":[1,2],"b":null},"t":"x"}',
    );
  });

  it('are complete though a key first appears in the last line of many', async () => {
    const many = Array.from({ length: 60_000 }, (_, index) =>
      JSON.stringify({ utcTime: time, docPath: `/${index}`, filler: 'x'.repeat(40) }),
    );
    const late = JSON.stringify({ utcTime: time, docPath: '/late', surprise: { of: 'the last line' } });
    for (const [name, content] of [
      ['late.ndjson', [...many, late].join('\n')],
      ['late.json', `[${[...many, late].join(',')}]`],
    ] as const) {
      const file = folder.write(name, content);
      // The first reading refuses the file instead of skipping the key.
      await expect(engine.rows((await readEventFile(engine, file)).select)).rejects.toThrow(
        name === 'late.ndjson' ? /./ : /unknown key "surprise"/,
      );
      const { select } = await mendEventFile(engine, file, () => expect.unreachable('no line is broken'));
      expect(
        await engine.rows(
          `SELECT count(*)::INT, count(DISTINCT doc_path)::INT, max(further) FILTER (WHERE doc_path = '/late') FROM (${select})`,
        ),
      ).toEqual([[60_001, 60_001, '{"surprise":{"of":"the last line"}}']]);
    }
  });

  it('are kept under keys that no column can have', async () => {
    const odd = {
      utcTime: time,
      '': 1,
      'a\0b': 2,
      'sluice line': 3,
      'sluice record': 4,
      'sluice file': 5,
      DOCPATH: 6,
      docPath: '/a',
      Twin: 7,
      twin: 8,
      '"; --': 9,
      "x'y": 10,
      1: 11,
      0: 12,
      utctime: 13,
      ['__proto__']: 14,
      '\u{1F600}': 15,
    };
    const further =
      '{"":1,"\\"; --":9,"0":12,"1":11,"DOCPATH":6,"Twin":7,"__proto__":14,"a\\u0000b":2,"sluice file":5,"sluice line":3,"sluice record":4,"twin":8,"utctime":13,"x\'y":10,"\u{1F600}":15}';
    for (const beside of ['', '\nbroken']) {
      const { rows } = await read('odd.ndjson', JSON.stringify(odd) + beside);
      expect(rows).toEqual([{ utc_time: '2024-03-01 00:00:00', doc_path: '/a', further }]);
    }
    const plain = { utcTime: time, docPath: '/a', DOCPATH: 6, Twin: 7, twin: 8, 1: 11, 0: 12 };
    const { rows, mended } = await read('twins.ndjson', JSON.stringify(plain));
    expect({ mended, further: rows[0]!.further }).toEqual({
      mended: false,
      further: '{"0":12,"1":11,"DOCPATH":6,"Twin":7,"twin":8}',
    });
  });

  it('are the same text whether they are few or many', async () => {
    const values = [
      'NaN',
      '[1, -Infinity]',
      '"NaN \\"inf\\""',
      '{"a": "nan", "b": [null]}',
      '1e400',
      '-0.50',
      'true',
      '""',
    ];
    const records = values.map(
      (value, index) => `{"utcTime": "${time}", "b": ${value}, "a${index}": "x", "none": null}`,
    );
    const wide = JSON.stringify({
      utcTime: time,
      ...Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`k${n}`, n])),
    });
    const few = await furtherOf('few.ndjson', records.join('\n'));
    const many = await furtherOf('many.ndjson', [wide, ...records].join('\n'));
    expect(few).toHaveLength(values.length);
    expect(many.filter((text) => !text?.toString().includes('"k0"'))).toEqual(few);
    expect(many).toHaveLength(few.length + 1);
    const header = ['utcTime', 'b', ...Array.from({ length: 80 }, (_, n) => `k${n}`)].join(',');
    const cells = ['"NaN"', 'x "y"', '', '1.50'].map((cell) =>
      cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell,
    );
    const narrowCsv = await furtherOf('few.csv', `utcTime,b\n${cells.map((cell) => `${time},${cell}\n`).join('')}`);
    const wideCsv = await furtherOf(
      'many.csv',
      `${header}\n${cells.map((cell) => `${time},${cell}${','.repeat(80)}\n`).join('')}`,
    );
    expect(wideCsv).toEqual(narrowCsv);
  });

  it('are kept though there are more than a thousand of them', async () => {
    const records = Array.from({ length: 1100 }, (_, index) => ({
      utcTime: time,
      docPath: `/${index}`,
      [`key ${index}`]: index,
    }));
    const { rows } = await read('thousands.ndjson', lines(...records));
    expect(rows.map(({ doc_path: path, further }) => [path, further]).sort()).toEqual(
      records.map(({ docPath }, index) => [docPath, `{"key ${index}":${index}}`]).sort(),
    );
  });
});

describe('a row that stands for several events', () => {
  const file = (name: string) =>
    folder.write(
      name,
      lines(
        { 'TrackedEvents.utcTime': time, 'TrackedEvents.docPath': '/a', 'TrackedEvents.count': '3' },
        { utcTime: time, docPath: '/b', 'SnowplowTrackedEvents.count': 2 },
        { utcTime: time, docPath: '/c', 'Jitsu.count': '1' },
        { utcTime: time, docPath: '/d', 'TrackedEvents.count': null },
        { utcTime: time, docPath: '/e', count: 9 },
      ),
    );
  const counted = [
    ['/a', '3'],
    ['/b', '2'],
    ['/c', '1'],
    ['/d', '1'],
    ['/e', '1'],
  ];

  it('is so many, in a reading and for a question', async () => {
    const { rows, mended } = await readAll(engine, file('counted.ndjson'));
    expect(mended).toBe(false);
    expect(rows.map(({ doc_path: path }) => path)).toEqual(['/a', '/a', '/a', '/b', '/b', '/c', '/d', '/e']);
    expect(rows.at(-1)!.further).toBe('{"count":9}');
    await using session = await openFiles([file('counted.ndjson')]);
    expect(await session.ask("SELECT count(*), count(*) FILTER (WHERE doc_path = '/b') FROM events")).toEqual([[8, 2]]);
  });

  it('is so many though the first such row comes late', async () => {
    const plain = Array.from({ length: 3000 }, (_, index) =>
      JSON.stringify({ utcTime: time, docPath: `/${index}`, pageTitle: 'x'.repeat(50) }),
    );
    const late = folder.write(
      'counted-late.ndjson',
      [...plain, JSON.stringify({ utcTime: time, docPath: '/late', 'TrackedEvents.count': 5 })].join('\n'),
    );
    await using session = await openFiles([late]);
    expect(
      await session.ask("SELECT count(*), count(*) FILTER (WHERE doc_path = '/late') FROM events", { reach: 'all' }),
    ).toEqual([[3005, 5]]);
    expect(session.facts().rejected.count).toBe(0);
  });

  it('is so many in CSV and Parquet', async () => {
    const csv = folder.write(
      'counted.csv',
      `TrackedEvents.utcTime,TrackedEvents.docPath,TrackedEvents.count\n${counted.map(([path, count]) => `${time},${path},${count}`).join('\n')}\n`,
    );
    const parquet = `${folder.path}/counted.parquet`;
    await engine.rows(
      `COPY (SELECT "TrackedEvents.utcTime", "TrackedEvents.docPath", CAST("TrackedEvents.count" AS BIGINT) AS "TrackedEvents.count" FROM read_csv('${csv}', all_varchar = true)) TO '${parquet}'`,
    );
    for (const each of [csv, parquet]) {
      expect((await readAll(engine, each)).rows.length).toBe(8);
      await using session = await openFiles([each]);
      expect(await session.ask("SELECT count(*), count(*) FILTER (WHERE doc_path = '/a') FROM events")).toEqual([
        [8, 3],
      ]);
    }
  });

  it.each(['0', '-1', '1.5', 'many', 'NaN', '', '10000001'])('is no event with a count of %j', async (count) => {
    const content = lines(
      { utcTime: time, 'TrackedEvents.count': 2 },
      { utcTime: time, 'TrackedEvents.count': count },
      { utcTime: time, 'TrackedEvents.count': 1 },
    );
    const { rows, rejected } = await read('miscounted.ndjson', content);
    expect(rows.length).toBe(3);
    expect(rejected).toEqual([
      {
        file: `${folder.path}/miscounted.ndjson`,
        line: 2,
        reason: expect.stringMatching(/^a count /),
        text: content.split('\n')[1],
      },
    ]);
    await using session = await openFiles([`${folder.path}/miscounted.ndjson`]);
    expect(await session.ask('SELECT count(*) FROM events', { reach: 'all' })).toEqual([[3]]);
    expect(session.facts().rejected).toMatchObject({ count: 1, examples: [{ line: 2 }] });
  });

  it('is no event in Parquet with a count below one, and is told of', async () => {
    const path = `${folder.path}/miscounted.parquet`;
    await engine.rows(
      `COPY (SELECT TIMESTAMP '${time}' AS utcTime, i - 1 AS "TrackedEvents.count" FROM range(4) r(i)) TO '${path}'`,
    );
    const { rows, rejected, mended } = await readAll(engine, path);
    expect({ rows: rows.length, mended, lines: rejected.map(({ line }) => line) }).toEqual({
      rows: 3,
      mended: true,
      lines: [1, 2],
    });
    await using session = await openFiles([path]);
    expect(await session.ask('SELECT count(*) FROM events')).toEqual([[3]]);
    expect(session.facts().rejected.count).toBe(2);
  });
});

describe('rejected lines', () => {
  it('are handed over all, in the file’s order, each with its text', async () => {
    const bad = (index: number) => ['broken', '{"utcTime":"never"}', '{"a":1}', '[]', '{"utcTime":"2024'][index % 5]!;
    const content = Array.from({ length: 5000 }, (_, index) =>
      index % 2 === 0 ? JSON.stringify({ utcTime: time, docPath: `/${index}` }) : bad((index - 1) / 2),
    );
    for (const [name, bytes] of [
      ['many.ndjson', content.join('\n')],
      ['many.ndjson.gz', gzipSync(content.join('\n'))],
    ] as const) {
      const { rows, rejected } = await read(name, bytes);
      expect(rows.length).toBe(2500);
      expect(rejected.map(({ line, text }) => [line, text])).toEqual(
        content.flatMap((text, index) => (index % 2 === 1 ? [[index + 1, text]] : [])),
      );
    }
  });

  it('of one line of a JSON array are told apart', async () => {
    const good = JSON.stringify({ utcTime: time });
    const { rows, rejected } = await read('elements.json', `[${good}, 1, ${good}, {"x":2},\n"three", ${good}]`);
    expect(rows.length).toBe(3);
    expect(rejected.map(({ line, text, reason }) => [line, text, reason])).toEqual([
      [1, '1', 'not an object'],
      [1, '{"x":2}', 'no time'],
      [2, '"three"', 'not an object'],
    ]);
  });

  it('of CSV have the text of the row, in which line ends may stand', async () => {
    const { rejected, rows } = await read(
      'rows.csv',
      `utcTime,docPath\r\n${time},/a\r\n"later\nthan",/b\r\n${time}\r\n${time},"/c`,
    );
    expect(rows.length).toBe(1);
    expect(rejected.map(({ line, text }) => [line, text])).toEqual([
      [3, '"later\nthan",/b'],
      [5, time],
      [6, `${time},"/c`],
    ]);
  });

  it('are cut at 64 KB, which they say', async () => {
    const { rejected } = await read(
      'long.ndjson',
      `${'x'.repeat(100_000)}\n${'y'.repeat(33 * 1024 * 1024)}\n${'z'.repeat(65_536)}\n${JSON.stringify({ utcTime: time })}`,
    );
    expect(rejected.map(({ reason, text }) => [reason.slice(0, 11), text.length, text.slice(65_530)])).toEqual([
      ['not valid J', 65_536 + ' … (cut at 64 KB)'.length, 'xxxxxx … (cut at 64 KB)'],
      ['longer than', 65_536 + ' … (cut at 64 KB)'.length, 'yyyyyy … (cut at 64 KB)'],
      ['not valid J', 65_536, 'zzzzzz'],
    ]);
  });

  it('tell of damaged packing, and what came before is read', async () => {
    const whole = gzipSync(
      Array.from({ length: 20_000 }, (_, index) =>
        JSON.stringify({ utcTime: time, docPath: `/${(index * 7919) % 10007}` }),
      ).join('\n'),
    );
    const { rows, rejected } = await read('cut.ndjson.gz', whole.subarray(0, whole.length / 2));
    expect(rows.length).toBeGreaterThan(100);
    expect(rejected).toMatchObject([{ line: rows.length + 1, reason: expect.stringMatching(/damaged/) }]);
  });

  it('are waited for, one by one', async () => {
    const file = folder.write('slow.ndjson', 'a\nb\nc');
    let busy = 0;
    const seen: number[] = [];
    await mendEventFile(engine, file, async ({ line }) => {
      busy += 1;
      expect(busy).toBe(1);
      await Promise.resolve();
      busy -= 1;
      seen.push(line);
    });
    expect(seen).toEqual([1, 2, 3]);
  });
});

describe('more files than a process may have open', () => {
  it('are looked at a few at a time, in their order', async () => {
    const paths = Array.from({ length: 1500 }, (_, index) => `${folder.path}/${index}.csv`);
    for (const [index, path] of paths.entries()) writeFileSync(path, index % 2 === 0 ? `utcTime\n${time}\n` : '');
    const sniffed = await sniffFiles(paths);
    expect(sniffed.map(({ path, format }) => [path, format])).toEqual(
      paths.map((path, index) => [path, index % 2 === 0 ? 'csv' : 'empty']),
    );
  });
});
