import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Mapping } from '../../../src/plan/mapping/mapping.ts';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { decideTime } from '../../../src/run/duckdb/mapping/decide-time.ts';
import { unfitByEngine, usualFunctions } from '../../../src/run/duckdb/mapping/row-expression.ts';
import { timeIn } from '../../../src/run/duckdb/mapping/time-formats.ts';
import { formatOfTexts } from '../../../src/run/duckdb/reading/recognise/sample-times.ts';
import { openFiles, scratchFolder } from '../ask-sql.ts';
import { runs } from '../../runs.ts';

const folder = scratchFolder();
const engine = await openEngine({ threads: { upTo: 2 } });
afterAll(() => engine[Symbol.asyncDispose]());

const mapping: Mapping = { columns: { utcTime: 'at', eventType: 'kind' } };

/** A file of rows with a kind and a time, in the given format. */
async function write(name: string, format: 'ndjson' | 'csv' | 'parquet', rows: readonly (readonly [string, string])[]) {
  if (format === 'csv') return folder.write(`${name}.csv`, ['kind,at', ...rows.map((row) => row.join(','))].join('\n'));
  const lines = rows.map(([kind, at]) => JSON.stringify({ kind, at })).join('\n');
  const file = folder.write(`${name}.ndjson`, `${lines}\n`);
  if (format === 'ndjson') return file;
  const copy = `${folder.path}/${name}.parquet`;
  await engine.rows(
    `COPY (SELECT * FROM read_json('${file}', columns = {kind: 'VARCHAR', "at": 'VARCHAR'})) TO '${copy}' (FORMAT parquet)`,
  );
  return copy;
}

const ofKind = (kind: string, count: number, at: (n: number) => string) =>
  Array.from({ length: count }, (_, n): readonly [string, string] => [kind, at(n)]);

describe.each(['ndjson', 'csv', 'parquet'] as const)('a format that the head of a %s file shows', (format) => {
  it.each([
    ['numbers of another unit', (n: number) => String(1_700_000_000 + n), (n: number) => String(1_700_000_000_000 + n)],
    [
      'numbers after texts',
      (n: number) => `2023-11-14 22:13:${String(n % 60).padStart(2, '0')}`,
      (n: number) => String(1_700_000_000 + n),
    ],
  ])('does not hold against most of the rows, whatever a question asks: %s', async (what, early, late) => {
    const rows = [...ofKind('early', 1200, early), ...ofKind('late', 2000, late)];
    await using asked = await openFiles([await write(`${what} ${format}`, format, rows)], 'anonymous', {
      mappingOf: () => mapping,
    });
    // The rows of the question alone would not show it.
    expect(await asked.ask(`SELECT count(*) FROM events WHERE event_type = 'early'`)).toEqual([[0]]);
    expect(asked.facts().rejected.count).toBe(1200);
    expect(await asked.ask('SELECT count(*) FROM events', { reach: 'all' })).toEqual([[2000]]);
  });

  it('holds if no row has another, and rows without a time are told of', async () => {
    const rows = [...ofKind('a', 1500, (n) => String(1_700_000_000 + n)), ...ofKind('b', 3, () => '')];
    await using asked = await openFiles([await write(`holds ${format}`, format, rows)], 'anonymous', {
      mappingOf: () => mapping,
    });
    expect(await asked.ask(`SELECT count(*) FROM events WHERE event_type = 'b'`)).toEqual([[0]]);
    expect(asked.facts().rejected.count).toBe(3);
    expect(await asked.ask('SELECT count(*) FROM events', { reach: 'all' })).toEqual([[1500]]);
  });

  it.each(['UTC', 'Europe/Berlin'])('holds for rarer forms of ISO 8601 in later rows, too: %s', async (timezone) => {
    const rows = [
      ...ofKind('usual', 1200, (n) => `2024-03-08T10:${String(n % 60).padStart(2, '0')}:00+01:00`),
      ...ofKind('week', 3, () => '2024-W10-5T09:00'),
      ...ofKind('basic', 2, () => '20240308T090000Z'),
    ];
    await using asked = await openFiles(
      [await write(`rarer ${timezone.length} ${format}`, format, rows)],
      'anonymous',
      {
        mappingOf: () => ({ ...mapping, timezone }),
      },
    );
    const statement = (kind: string) =>
      `SELECT count(*), CAST(min(utc_time) AS VARCHAR) FROM events WHERE event_type = '${kind}'`;
    const week = `2024-03-08 0${timezone === 'UTC' ? 9 : 8}:00:00`;
    expect(await asked.ask(statement('week'))).toEqual([[3, week]]);
    expect(await asked.ask(statement('basic'))).toEqual([[2, '2024-03-08 09:00:00']]);
    expect(await asked.ask(statement('usual'))).toEqual([[1200, '2024-03-08 09:00:00']]);
    expect(asked.facts().rejected.count).toBe(0);
  });

  it('is an error if later days show another order', async () => {
    const rows = [
      ...ofKind('a', 1200, (n) => `${(n % 15) + 13}/04/2024 10:00`),
      ...ofKind('b', 1, () => '05/26/2024 10:00'),
    ];
    const ask = async () => {
      await using asked = await openFiles([await write(`order ${format}`, format, rows)], 'anonymous', {
        mappingOf: () => mapping,
      });
      return await asked.ask(`SELECT count(*) FROM events WHERE event_type = 'a'`);
    };
    await expect(ask()).rejects.toMatchObject({ code: 'time-order-ambiguous' });
  });
});

describe('a format at a glance', () => {
  const digits = fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 19 }), fc.nat())
    .map(([first, length, seed]) => `${first}${String(seed).repeat(3).padEnd(20, '7')}`.slice(0, length + 1));
  const iso = fc
    .tuple(
      fc.integer({ min: Date.UTC(1800), max: Date.UTC(2200) }),
      fc.constantFrom('', 'Z', '+02:00', '-0330', '+01'),
      fc.constantFrom('T', ' '),
      fc.integer({ min: 16, max: 23 }),
    )
    .map(([instant, zone, mark, length]) => new Date(instant).toISOString().slice(0, length).replace('T', mark) + zone)
    .filter((text) => !/[.:]$|[.:][Z+-]/.test(text));

  it('is the one that all of the engine’s forms agree on', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.array(digits, { minLength: 1, maxLength: 4 }), fc.array(iso, { minLength: 1, maxLength: 4 })),
        async (texts) => {
          const seen = formatOfTexts(texts);
          const values = {
            select: `SELECT unnest([${texts.map((text) => `'${text}'`).join(', ')}]) AS value`,
            ...{ type: 'VARCHAR', zone: 'UTC', place: 'a', care: 'whole' as const },
          };
          if (seen !== undefined && texts.some((text) => !/:[6-9]|T2[4-9]/.test(text)))
            expect((await decideTime(engine, values))?.format).toBe(seen);
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('reads numbers as exactly as decimals of 38 digits do', async () => {
    const powers = { seconds: 0, milliseconds: 3, microseconds: 6, nanoseconds: 9 };
    const number = fc
      .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: 0, max: 11 }), fc.boolean())
      .map(([value, places, spaced]) => {
        const size = String(value < 0n ? -value : value).padStart(places + 1, '0');
        const text = places === 0 ? size : `${size.slice(0, -places)}.${size.slice(-places)}`;
        return `${value < 0n ? '-' : ''}${text}${spaced ? ' ' : ''}`;
      });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<keyof typeof powers>('seconds', 'milliseconds', 'microseconds', 'nanoseconds'),
        fc.array(fc.oneof(number, fc.constantFrom('', 'x', '1e9', '0x10', '012', '+5', '1_000', '17e-1', '-0.5')), {
          minLength: 1,
          maxLength: 30,
        }),
        async (format, texts) => {
          const read = timeIn('value', 'VARCHAR', { format, zone: 'UTC', isFound: false });
          const power = powers[format];
          const exact = 'TRY_CAST(value AS DECIMAL(38, 9))';
          const micros = power === 9 ? 'TRY_CAST(value AS HUGEINT) // 1000' : `floor(${exact} * ${10 ** (6 - power)})`;
          const bounds = ['-62135596800', '253402300800'].map((bound) => `${bound}${'0'.repeat(power)}`);
          const wanted = `CASE WHEN ${exact} >= ${bounds[0]} AND ${exact} < ${bounds[1]} THEN make_timestamp(CAST(${micros} AS BIGINT)) END`;
          const rows = await engine.rows(
            `SELECT value, CAST(${read} AS VARCHAR), CAST(${wanted} AS VARCHAR) FROM (SELECT unnest([${texts.map((text) => `'${text}'`).join(', ')}]) AS value)`,
          );
          expect(rows.map(([value, got]) => [value, got])).toEqual(rows.map(([value, , want]) => [value, want]));
        },
      ),
      { numRuns: runs(40) },
    );
  });
});

it('takes a function for usual only if the engine’s own list does', async () => {
  expect(await unfitByEngine(engine, usualFunctions)).toBeUndefined();
});
