import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type DataType, type DecimalType, type DictionaryType, type TimestampType, Type } from '@uwdata/flechette';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Column } from '../../src/plan/column.ts';
import { type Engine, openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { writeResult } from '../../src/show/write-result.ts';
import { writeRows } from '../../src/show/write-rows.ts';
import { hostileTexts } from '../show/example-result.ts';
import { numberColumn, scratchFolder, textColumn, timeColumn } from './ask-sql.ts';
import { askPieces, askWhole, bytesOf, readArrow } from './written-rows.ts';
import { withParts } from '../../src/ask/cloneable.ts';

const folder = scratchFolder();
let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ threads: 2 });
});
afterAll(() => engine[Symbol.asyncDispose]());

const booleanColumn: Column = { ...textColumn, type: 'boolean' };
const latest: Column = { ...numberColumn, type: 'time', additive: false, whenAbsent: null };
const noText = { ...numberColumn, additive: false };

interface Case {
  readonly column: Column;
  /** SQL expressions, one per row; a null is added. */
  readonly rows: readonly string[];
  /** DuckDB's type of the Parquet column, and its values as text. */
  readonly duckdb: string;
  readonly values: readonly string[];
  readonly arrow: string;
  readonly zone?: string;
}

const cases: Readonly<Record<string, Case>> = {
  texts: {
    column: textColumn,
    rows: ["'a'", "''", "'null'", "'ü'", "'👩‍👩‍👧‍👦'"],
    duckdb: 'VARCHAR',
    values: ['a', '', 'null', 'ü', '👩‍👩‍👧‍👦'],
    arrow: 'utf8',
  },
  counts: {
    column: numberColumn,
    rows: ['9007199254740993::BIGINT', '(-9223372036854775808)::BIGINT', '0::BIGINT'],
    duckdb: 'BIGINT',
    values: ['9007199254740993', '-9223372036854775808', '0'],
    arrow: 'int64',
  },
  'small whole numbers': {
    column: numberColumn,
    rows: ['1::UTINYINT', '200::UTINYINT'],
    duckdb: 'BIGINT',
    values: ['1', '200'],
    arrow: 'int64',
  },
  'sums of whole numbers': {
    column: numberColumn,
    rows: ['9007199254740993::HUGEINT', '-5::HUGEINT'],
    duckdb: 'BIGINT',
    values: ['9007199254740993', '-5'],
    arrow: 'int64',
  },
  'sums beyond 64 bits': {
    column: numberColumn,
    rows: ['9223372036854775808::HUGEINT', '-5::HUGEINT'],
    duckdb: 'DECIMAL(38,0)',
    values: ['9223372036854775808', '-5'],
    arrow: 'decimal(38,0)',
  },
  'sums beyond 38 digits': {
    column: numberColumn,
    rows: ['170141183460469231731687303715884105727::HUGEINT', '1::HUGEINT'],
    duckdb: 'VARCHAR',
    values: ['170141183460469231731687303715884105727', '1'],
    arrow: 'utf8',
  },
  'numbers without sign': {
    column: numberColumn,
    rows: ['18446744073709551615::UBIGINT', '0::UBIGINT'],
    duckdb: 'DECIMAL(38,0)',
    values: ['18446744073709551615', '0'],
    arrow: 'decimal(38,0)',
  },
  averages: {
    column: numberColumn,
    rows: ['0.1::DOUBLE', '1e300::DOUBLE', '3::DOUBLE', "'nan'::DOUBLE", "'-infinity'::DOUBLE"],
    duckdb: 'DOUBLE',
    values: ['0.1', '1e+300', '3.0', 'nan', '-inf'],
    arrow: 'float64',
  },
  'single floats': {
    column: numberColumn,
    rows: ['0.1::FLOAT'],
    duckdb: 'DOUBLE',
    values: ['0.10000000149011612'],
    arrow: 'float64',
  },
  decimals: {
    column: numberColumn,
    rows: ['12.30::DECIMAL(18,2)', '-0.05::DECIMAL(18,2)', '1234567890123456.78::DECIMAL(18,2)'],
    duckdb: 'DECIMAL(18,2)',
    values: ['12.30', '-0.05', '1234567890123456.78'],
    arrow: 'decimal(18,2)',
  },
  'long decimals': {
    column: numberColumn,
    rows: ["'0.1000000000000000055511151231257827'::DECIMAL(38,34)", "'-1'::DECIMAL(38,34)"],
    duckdb: 'DECIMAL(38,34)',
    values: ['0.1000000000000000055511151231257827', '-1.0000000000000000000000000000000000'],
    arrow: 'decimal(38,34)',
  },
  booleans: {
    column: booleanColumn,
    rows: ['true', 'false'],
    duckdb: 'BOOLEAN',
    values: ['true', 'false'],
    arrow: 'bool',
  },
  'numbers in a column of texts': {
    column: textColumn,
    rows: ['9007199254740993::BIGINT', '5::BIGINT'],
    duckdb: 'VARCHAR',
    values: ['9007199254740993', '5'],
    arrow: 'utf8',
  },
  'doubles in a column of texts': {
    column: textColumn,
    rows: ['1e21::DOUBLE', '1.5::DOUBLE', '3::DOUBLE'],
    duckdb: 'VARCHAR',
    values: ['1e+21', '1.5', '3'],
    arrow: 'utf8',
  },
  'dates in a column of texts': {
    column: textColumn,
    rows: ["DATE '2024-02-29'"],
    duckdb: 'VARCHAR',
    values: ['2024-02-29'],
    arrow: 'utf8',
  },
  'times in a column of texts': {
    column: textColumn,
    rows: ["TIMESTAMP '2024-02-29 10:00:00'"],
    duckdb: 'VARCHAR',
    values: ['2024-02-29T10:00:00.000'],
    arrow: 'utf8',
  },
  'names of a list': {
    column: textColumn,
    rows: ["'b'::ENUM('a', 'b')"],
    duckdb: 'VARCHAR',
    values: ['b'],
    arrow: 'utf8',
  },
  ids: {
    column: textColumn,
    rows: ["'6f1e0b0a-0000-4000-8000-0123456789ab'::UUID"],
    duckdb: 'VARCHAR',
    values: ['6f1e0b0a-0000-4000-8000-0123456789ab'],
    arrow: 'utf8',
  },
  lists: { column: textColumn, rows: ["['a', 'b']"], duckdb: 'VARCHAR', values: ["['a', 'b']"], arrow: 'utf8' },
  'numbers that come as text': {
    column: noText,
    rows: ["'12.50'", "'3'"],
    duckdb: 'DOUBLE',
    values: ['12.5', '3.0'],
    arrow: 'float64',
  },
  'long numbers that come as text': {
    column: noText,
    rows: ["'9007199254740993'", "'3'"],
    duckdb: 'DECIMAL(38,0)',
    values: ['9007199254740993', '3'],
    arrow: 'decimal(38,0)',
  },
  'words for numbers': {
    column: noText,
    rows: ["'twelve'", "'3'"],
    duckdb: 'VARCHAR',
    values: ['twelve', '3'],
    arrow: 'utf8',
  },
  'local days': {
    column: timeColumn('day'),
    rows: ["TIMESTAMP '2024-03-10 00:00:00'", "TIMESTAMP '0044-03-15 00:00:00'"],
    duckdb: 'TIMESTAMP',
    values: ['2024-03-10 00:00:00', '0044-03-15 00:00:00'],
    arrow: 'timestamp(ms)',
    zone: 'America/New_York',
  },
  'local months as dates': {
    column: timeColumn('month'),
    rows: ["DATE '2024-03-01'"],
    duckdb: 'TIMESTAMP',
    values: ['2024-03-01 00:00:00'],
    arrow: 'timestamp(ms)',
  },
  hours: {
    column: timeColumn('hour'),
    rows: ["TIMESTAMP '2024-11-03 05:00:00'", "TIMESTAMP '2024-11-03 06:00:00'"],
    duckdb: 'TIMESTAMP WITH TIME ZONE',
    values: ['2024-11-03 05:00:00+00', '2024-11-03 06:00:00+00'],
    arrow: 'timestamp(ms, America/New_York)',
    zone: 'America/New_York',
  },
  'times of events': {
    column: timeColumn(),
    rows: ["TIMESTAMP '2024-03-10 01:02:03.4567'", "TIMESTAMP '1969-12-31 23:59:59.9999'"],
    duckdb: 'TIMESTAMP WITH TIME ZONE',
    values: ['2024-03-10 01:02:03.456+00', '1969-12-31 23:59:59.999+00'],
    arrow: 'timestamp(ms, UTC)',
    zone: 'Europe/Berlin',
  },
  'times to the nanosecond': {
    column: timeColumn(),
    rows: ["TIMESTAMP_NS '2024-03-10 01:02:03.123456789'", "TIMESTAMP_NS '1969-12-31 23:59:59.999999999'"],
    duckdb: 'TIMESTAMP WITH TIME ZONE',
    values: ['2024-03-10 01:02:03.123+00', '1969-12-31 23:59:59.999+00'],
    arrow: 'timestamp(ms, UTC)',
  },
  'times with a zone': {
    column: timeColumn(),
    rows: ["TIMESTAMPTZ '2024-03-10 01:02:03+02:00'"],
    duckdb: 'TIMESTAMP WITH TIME ZONE',
    values: ['2024-03-09 23:02:03+00'],
    arrow: 'timestamp(ms, UTC)',
  },
  'latest times': {
    column: latest,
    rows: ["TIMESTAMP_MS '2024-03-10 01:02:03.123'"],
    duckdb: 'TIMESTAMP WITH TIME ZONE',
    values: ['2024-03-10 01:02:03.123+00'],
    arrow: 'timestamp(ms, UTC)',
    zone: 'Europe/Berlin',
  },
  'times without end': {
    column: timeColumn(),
    rows: ["'infinity'::TIMESTAMP", "TIMESTAMP '2024-03-10 01:02:03'"],
    duckdb: 'VARCHAR',
    values: ['infinity', '2024-03-10T01:02:03.000'],
    arrow: 'utf8',
  },
  'nothing but nulls': { column: numberColumn, rows: [], duckdb: 'HUGEINT', values: [], arrow: 'int64' },
};

function toSql({ rows, duckdb }: Case, column = 'v'): string {
  const first = rows[0] ?? `NULL::${duckdb}`;
  // The first row determines the type.
  return `SELECT ${column} FROM (${[first, ...rows.slice(1), 'NULL'].map((row, index) => `SELECT ${row} AS v, ${index} AS i`).join(' UNION ALL ')}) ORDER BY i`;
}

async function readParquet(
  bytes: Uint8Array,
): Promise<{ readonly type: string; readonly values: readonly (string | null)[] }> {
  const file = path.join(folder.path, 'written.parquet');
  writeFileSync(file, bytes);
  const [described] = await engine.rows(`DESCRIBE FROM '${file}'`);
  const rows = await engine.rows(`SELECT CAST(COLUMNS(*) AS VARCHAR) FROM '${file}'`);
  return { type: String(described?.[1]), values: rows.map(([value]) => value as string | null) };
}

function nameArrow(type: DataType): string {
  switch (type.typeId) {
    case Type.Int:
      return `int${type.bitWidth}`;
    case Type.Float:
      return 'float64';
    case Type.Bool:
      return 'bool';
    case Type.Utf8:
      return 'utf8';
    case Type.Decimal:
      return `decimal(${(type as DecimalType).precision},${(type as DecimalType).scale})`;
    case Type.Timestamp:
      return `timestamp(${['s', 'ms', 'us', 'ns'][(type as TimestampType).unit]}${(type as TimestampType).timezone ? `, ${(type as TimestampType).timezone}` : ''})`;
    case Type.Dictionary:
      return `dictionary(${nameArrow((type as DictionaryType).dictionary)})`;
    default:
      return String(type.typeId);
  }
}

/** A value of Arrow as DuckDB writes the same value as text. */
function nameValue(value: unknown, type: DataType): string | null {
  if (value === null) return null;
  if (type.typeId === Type.Timestamp) {
    const text = new Date(Number(value))
      .toISOString()
      .replace('T', ' ')
      .replace(/(?:\.000)?Z$/, '');
    return (type as TimestampType).timezone ? `${text}+00` : text;
  }
  if (type.typeId === Type.Decimal) {
    const { scale } = type as DecimalType;
    const unscaled = value as bigint;
    const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
    return `${unscaled < 0n ? '-' : ''}${scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`}`;
  }
  if (type.typeId === Type.Float)
    return Number.isInteger(value) && Math.abs(value as number) < 1e15
      ? `${String(value)}.0`
      : String(value).replace('NaN', 'nan').replace('Infinity', 'inf');
  return String(value);
}

describe.each(Object.entries(cases))('%s', (_, one) => {
  const asked = { text: toSql(one), columns: [one.column], ...(one.zone ? { zone: one.zone } : {}) };
  const expected = [
    ...one.values.map((value) => (value === '∅' ? null : value)),
    null,
    ...(one.rows.length === 0 ? [null] : []),
  ];
  const duckdb = one.rows.length === 0 ? 'BIGINT' : one.duckdb;

  it('keep type and value in Parquet', async () => {
    expect(await readParquet(await bytesOf(writeResult(await askWhole(engine, asked), 'parquet')))).toEqual({
      type: duckdb,
      values: expected,
    });
  });

  it('keep type and value in Arrow', async () => {
    for (const arrowForm of ['file', 'stream'] as const) {
      const table = readArrow(await bytesOf(writeResult(await askWhole(engine, asked), 'arrow', { arrowForm })));
      const { type } = table.schema.fields[0]!;
      expect({
        type: nameArrow(type),
        values: [...table.getChildAt(0)].map((value) => nameValue(value, type)),
      }).toEqual({ type: one.arrow, values: expected });
    }
  });

  it('are the same bytes piece by piece', async () => {
    const whole = await askWhole(engine, asked);
    const pieces = await askPieces(engine, asked);
    if (!pieces) return;
    for (const format of [
      'json',
      'csv',
      'tsv',
      'ndjson',
      ...(pieces.types() ? (['parquet', 'arrow'] as const) : []),
    ] as const) {
      expect((await bytesOf(writeRows(pieces, format))).toString('latin1'), format).toBe(
        (await bytesOf(writeResult(whole, format))).toString('latin1'),
      );
    }
  });
});

describe('many rows', () => {
  const texts = [...hostileTexts, '', "'; DROP TABLE answer; --"]
    .filter((text) => text.isWellFormed())
    .map((text) => `'${text.replaceAll("'", "''")}'`.replaceAll('\u0000', "' || chr(0) || '"));
  const columns: readonly Column[] = [
    { ...textColumn, key: 'Any.hostile"\'`' },
    { ...textColumn, key: 'Any.unique' },
    numberColumn,
    { ...numberColumn, key: 'Any.decimal' },
    timeColumn(),
    { ...booleanColumn, key: 'Any.flag' },
  ];
  const text = (
    rows: number,
  ) => `SELECT ([${texts.join(', ')}])[1 + (i % ${texts.length})::INT], CASE WHEN i % 5 <> 0 THEN 'é' || i END, CASE WHEN i % 3 <> 0 THEN (i * 1000003)::HUGEINT END, (i / 8)::DECIMAL(20, 3),
    TIMESTAMP '2024-01-01' + to_milliseconds(i * 777), CASE i % 3 WHEN 0 THEN true WHEN 1 THEN false END FROM range(${rows}) r(i) ORDER BY i`;

  // A page of stored rows has 61,440 rows, a row group of Parquet 122,880.
  it.each([0, 1, 2048, 61_500])('%d rows are the same as a whole and in pieces, and can be read', async (count) => {
    const asked = { text: text(count), columns };
    const whole = await askWhole(engine, asked);
    const pieces = (await askPieces(engine, asked))!;
    for (const format of ['csv', 'parquet', 'arrow'] as const) {
      expect((await bytesOf(writeRows(pieces, format))).equals(await bytesOf(writeResult(whole, format))), format).toBe(
        true,
      );
    }
    expect(pieces.parquet, 'the engine writes what lies there').toBeDefined();
    const table = readArrow(await bytesOf(writeRows(pieces, 'arrow')));
    expect([table.numRows, table.schema.fields.map(({ name, type }) => [name, nameArrow(type)])]).toEqual([
      count,
      [
        [columns[0]!.key, count < 2048 ? 'utf8' : 'dictionary(utf8)'],
        ['Any.unique', 'utf8'],
        ['Any.number', 'int64'],
        ['Any.decimal', 'decimal(20,3)'],
        ['Any.time', 'timestamp(ms, UTC)'],
        ['Any.flag', 'bool'],
      ],
    ]);
    const file = path.join(folder.path, 'many.parquet');
    writeFileSync(file, await bytesOf(writeRows(pieces, 'parquet')));
    expect(
      (await engine.rows(`SELECT name FROM parquet_schema('${file}') WHERE name <> 'duckdb_schema'`)).map(
        (row) => row[0],
      ),
    ).toEqual(columns.map(({ key }) => key));
    const rows = await engine.rows(`FROM '${file}'`);
    expect(rows.length).toBe(count);
    const values = columns.map(({ key }) => whole.values(key));
    const arrow = columns.map((_, index) => table.getChildAt(index));
    for (let row = 0; row < count; row += 1 + (row % 97)) {
      const [hostile, unique, number, decimal, , flag] = rows[row]!;
      expect([hostile, unique, number === null ? null : Number(number), Number(String(decimal)), flag]).toEqual(
        [0, 1, 2, 3, 5].map((index) => values[index]![row]),
      );
      expect([0, 1, 5].map((index) => arrow[index]!.at(row))).toEqual([0, 1, 5].map((index) => values[index]![row]));
      expect(new Date(Number(arrow[4]!.at(row))).toISOString()).toBe(`${String(values[4]![row])}Z`);
      expect(arrow[2]!.at(row)).toBe(number);
    }
  });

  it('make the same Parquet over several row groups', async () => {
    const asked = {
      text: `SELECT i, 'x' || i % 1000 FROM range(250000) r(i) ORDER BY i`,
      columns: [numberColumn, textColumn],
    };
    const pieces = (await askPieces(engine, asked))!;
    const file = await bytesOf(writeRows(pieces, 'parquet'));
    expect(file.equals(await bytesOf(writeResult(await askWhole(engine, asked), 'parquet')))).toBe(true);
    const [row] = await engine.rows(
      `SELECT count(*), sum("Any.number"), count(DISTINCT "Any.text") FROM '${folder.write('groups.parquet', file)}'`,
    );
    expect(row!.map(Number)).toEqual([250_000, 31_249_875_000, 1000]);
  });

  it('say in their metadata what the columns mean and where they come from, the same each time', async () => {
    const whole = await askWhole(engine, { text: text(3), columns });
    const later = withParts(whole, { provenance: { ...whole.provenance, elapsedMs: 99 } });
    const [file, again, arrow] = [
      await bytesOf(writeResult(whole, 'parquet')),
      await bytesOf(writeResult(later, 'parquet')),
      readArrow(await bytesOf(writeResult(later, 'arrow'))),
    ];
    expect(again.equals(file)).toBe(true);
    const { elapsedMs: _, ...steady } = whole.provenance;
    const told = new Map(
      (await engine.rows(
        `SELECT decode(key), decode(value) FROM parquet_kv_metadata('${folder.write('told.parquet', file)}')`,
      )) as [string, string][],
    );
    for (const metadata of [told, arrow.schema.metadata!]) {
      expect(JSON.parse(metadata.get('sluice.provenance')!)).toEqual(steady);
      expect(JSON.parse(metadata.get('sluice.columns')!)).toEqual(JSON.parse(JSON.stringify(columns)));
    }
    expect(arrow.schema.fields[2]!.metadata?.get('title')).toBe('Number');
  });
});
