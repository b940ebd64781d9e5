import { describe, expect, it } from 'vitest';
import { findTables, openTables } from '../../src/run/duckdb/answer/table-views.ts';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { scratchFolder } from './ask-sql.ts';

const folder = scratchFolder();

async function typeOf(name: string, content: string | Uint8Array): Promise<unknown> {
  await using engine = await openEngine({ threads: 1 });
  await openTables(engine, await findTables({ t: folder.write(name, content) }, folder.path));
  const [row] = await engine.rows('SELECT typeof(x), CAST(x AS VARCHAR) FROM t');
  return row;
}

describe('the folders of Parquet files', () => {
  it('are columns if all files have them and none has a column of that name', async () => {
    await using engine = await openEngine({ threads: 1 });
    const write = async (file: string, row: string) => {
      folder.write(file, '');
      await engine.rows(`COPY (SELECT ${row}) TO '${folder.path}/${file}'`);
    };
    const rowsIn = async (table: string, files: string) => {
      await openTables(engine, await findTables({ [table]: files }, folder.path));
      return engine.rows(`SELECT to_json(t)::VARCHAR FROM ${table} t ORDER BY ALL`);
    };
    await write('lake/day=2024-03-08/shop=Z%C3%BCrich/a.parquet', '1 AS x');
    await write('lake/day=2024-03-09/shop=__HIVE_DEFAULT_PARTITION__/b.parquet', '2 AS x');
    expect(await rowsIn('lake', 'lake')).toEqual([
      ['{"x":1,"day":"2024-03-08","shop":"Zürich"}'],
      ['{"x":2,"day":"2024-03-09","shop":null}'],
    ]);
    await write('mixed/day=2024-03-08/a.parquet', '1 AS x');
    await write('mixed/b.parquet', '2 AS x');
    expect(await rowsIn('mixed', 'mixed')).toEqual([['{"x":1}'], ['{"x":2}']]);
    await write('own/DAY=2024-03-08/a.parquet', "1 AS x, 'monday' AS day");
    expect(await rowsIn('own', 'own')).toEqual([['{"x":1,"day":"monday"}']]);
  });
});

describe('a column of a CSV table', () => {
  const kept: Readonly<Record<string, string>> = {
    BIGINT: '12',
    DOUBLE: '1.5',
    BOOLEAN: 'true',
    DATE: '2024-03-01',
    TIME: '10:00:00',
    TIMESTAMP: '2024-03-01 10:00:00',
  };
  for (const [type, text] of Object.entries(kept)) {
    it(`of ${text} is ${type}`, async () => {
      expect(await typeOf(`${type}.csv`, `x,y\n${text},a\n,b\n`)).toEqual([type, text]);
    });
  }

  it('of an instant with its zone is that instant', async () => {
    expect(await typeOf('instant.csv', 'x\n2024-03-01T10:00:00+02:00\n')).toEqual([
      'TIMESTAMP WITH TIME ZONE',
      '2024-03-01 08:00:00+00',
    ]);
  });

  for (const text of [
    '1e5',
    '01/02/2024',
    '13/02/2024',
    '2024/03/01',
    '0x1A',
    '007',
    'inf',
    'NaN',
    't',
    'yes',
    '+5',
    '123456789012345678901234567890',
    '2024-02-30',
  ]) {
    it(`of ${text} is the text as it stands`, async () => {
      expect(await typeOf(`text-${text.replaceAll('/', '-')}.csv`, `x,y\n${text},a\n`)).toEqual(['VARCHAR', text]);
    });
  }

  it('has its own type where other cells have backslashes before quotation marks', async () => {
    const rows = [String.raw`12,"say \"hi\", ok"`, String.raw`\N,"line\nbreak"`];
    expect(await typeOf('escapes.csv', `x,y\n${rows.join('\n')}\n`)).toEqual(['BIGINT', '12']);
    await using engine = await openEngine({ threads: 1 });
    await openTables(engine, await findTables({ t: `${folder.path}/escapes.csv` }, folder.path));
    expect(await engine.rows('SELECT x IS NULL, y FROM t')).toEqual([
      [false, 'say "hi", ok'],
      [true, String.raw`line\nbreak`],
    ]);
  });

  it('is text where one value of many is', async () => {
    expect(await typeOf('one.csv', `x\n${'12\n'.repeat(30_000)}1e5\n`)).toEqual(['VARCHAR', '12']);
  });

  it('is no date where JSON has one that can be read in two ways', async () => {
    expect(await typeOf('dates.ndjson', '{"x":"01-02-2024"}\n')).toEqual(['VARCHAR', '01-02-2024']);
  });
});

describe('a time with an offset', () => {
  it.each([
    ['2024-03-30T20:00:00+02:00', '2024-03-30 18:00:00'],
    ['2024-03-30T20:00:00.5-0400', '2024-03-31 00:00:00.5'],
    ['2024-03-30T20:00:00Z', '2024-03-30 20:00:00'],
    ['2024-03-30T20:00:00', '2024-03-30 20:00:00'],
  ])('%s is read as this instant from JSON', async (text, instant) => {
    const name = `offset-${text.replaceAll(':', '')}`;
    expect(await typeOf(`${name}.ndjson`, `{"x":"${text}"}\n`)).toEqual(['TIMESTAMP', instant]);
    expect(await typeOf(`${name}.json`, `[{"x":"${text}"}]`)).toEqual(['TIMESTAMP', instant]);
  });

  it('is this instant within an object, too', async () => {
    const [type, text] = (await typeOf('nested.ndjson', '{"x":{"at":"2024-03-30T20:00:00+02:00"}}\n')) as string[];
    expect(type).toBe('STRUCT("at" TIMESTAMP WITH TIME ZONE)');
    expect(text).toContain('2024-03-30 18:00:00+00');
  });
});

describe('a damaged CSV table', () => {
  const row = (index: number) => `${index},a,b,c`;
  const lines = ['id,x,y,z', ...Array.from({ length: 50 }, (_, index) => row(index))];
  const cases: Readonly<Record<string, readonly [line: number, content: Buffer]>> = {
    'two stray quotation marks': [
      12,
      Buffer.from(
        lines
          .map((line, index) =>
            index === 11 ? line.replace(',c', ',"c') : index === 40 ? line.replace(/^\d+/, '$&"') : line,
          )
          .join('\n'),
      ),
    ],
    'text after a quotation mark': [3, Buffer.from([...lines.slice(0, 2), '1,"a"b,b,c', ...lines.slice(3)].join('\n'))],
    'bytes that are not UTF-8': [
      4,
      Buffer.from([...lines.slice(0, 3), '1,caf\xe9,b,c', ...lines.slice(4)].join('\n'), 'latin1'),
    ],
  };
  for (const [name, [line, content]] of Object.entries(cases)) {
    it(`with ${name} is refused by file and line`, async () => {
      const file = folder.write(`${name}.csv`, content);
      await using engine = await openEngine({ threads: 1 });
      await expect(openTables(engine, await findTables({ t: file }, folder.path))).rejects.toMatchObject({
        code: 'table-damaged',
        message: expect.stringContaining(`${file}:${line}: `),
      });
    });
  }

  it('is none where its cells have several lines', async () => {
    const file = folder.write('notes.csv', 'id,note\n1,"first, second\nthird"\n2,"a\n\nb, c"\n');
    await using engine = await openEngine({ threads: 1 });
    await openTables(engine, await findTables({ t: file }, folder.path));
    expect(await engine.rows('SELECT count(*)::INTEGER, sum(id)::INTEGER FROM t')).toEqual([[2, 3]]);
  });
});
