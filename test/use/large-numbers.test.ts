import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { open } from '../../src/use/index.ts';
import { runs } from '../runs.ts';
import { folderOf, now, openFolder } from './run-in-folder.ts';

const folder = openFolder();
const engine = await openEngine({ threads: 1 });
afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  folder.remove();
});

/** Whole numbers around the limits of floats and of integers of 64 bits, and any of up to 24 digits. */
const whole = fc.oneof(
  fc.constantFrom(0n, 1n, -7n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n),
  fc.constantFrom(2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n, 10n ** 24n - 1n, 1n - 10n ** 24n),
  fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }),
  fc.bigInt({ min: -(10n ** 24n) + 1n, max: 10n ** 24n - 1n }),
);
/** Amounts in hundredths. In JSON, a number with decimals is a float of fifteen digits. */
const centsOf = (digits: bigint) => fc.bigInt({ min: 1n - 10n ** digits, max: 10n ** digits - 1n });

type Source = (
  name: string,
  values: readonly string[],
) => Promise<{ readonly events: string } | { readonly store: string }>;

const eventOf = (index: number) => ({
  utcTime: `2024-03-01T00:${String(index).padStart(2, '0')}:00Z`,
  type: index % 2,
});

/** The ways in which numbers lie in events. */
const sources: Readonly<Record<string, Source>> = {
  'numbers of NDJSON': async (name, values) => ({ events: ndjson(name, values, (value) => value) }),
  'texts of NDJSON': async (name, values) => ({ events: ndjson(name, values, (value) => `"${value}"`) }),
  CSV: async (name, values) => {
    const lines = values.map((value, index) => `${eventOf(index).utcTime},${index % 2},${value}\n`);
    return { events: folder.write(`${name}.csv`, `utcTime,type,n\n${lines.join('')}`) };
  },
  Parquet: async (name, values) => {
    const rows = values.map(
      (value, index) => `(TIMESTAMP '2024-03-01' + to_minutes(${index}), ${index % 2}, '${value}'::DECIMAL(38, 0))`,
    );
    const path = `${folder.root}/${name}.parquet`;
    await engine.rows(`COPY (SELECT * FROM (VALUES ${rows.join(', ')}) v("utcTime", "type", n)) TO '${path}'`);
    return { events: path };
  },
  'a store': async (name, values) => {
    const file = ndjson(name, values, (value) => value);
    const store = `${folder.root}/store-${name}`;
    const taken = await folder.sluice(['ingest', file, '--store', store]);
    expect(taken, taken.stderr).toMatchObject({ code: 0 });
    return { store };
  },
};

function ndjson(name: string, values: readonly string[], write: (value: string) => string): string {
  const lines = values.map((value, index) => {
    const { utcTime, type } = eventOf(index);
    return `{"utcTime":"${utcTime}","type":${type},"n":${write(value)}}\n`;
  });
  return folder.write(`${name}.ndjson`, lines.join(''));
}

/** Shifted by two decimals. */
function unitsOf(text: string): bigint {
  const [before = '', decimals = ''] = text.split('.');
  const units = BigInt(before.replace('-', '') + decimals.padEnd(2, '0'));
  return before.startsWith('-') ? -units : units;
}

function textOf(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(3, '0');
  const decimals = digits.slice(-2);
  return `${units < 0n ? '-' : ''}${digits.slice(0, -2)}${decimals === '00' ? '' : `.${decimals}`}`;
}

function unitsOfFigure(figure: unknown): bigint {
  return unitsOf(typeof figure === 'number' && Number.isInteger(figure) ? String(BigInt(figure)) : String(figure));
}

let number = 0;

describe.each(Object.entries(sources))('numbers beyond 2^53 in %s', (name, write) => {
  it('add up and compare exactly', { timeout: 300_000 }, () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(whole, { minLength: 1, maxLength: 8 }),
        fc.array(centsOf(/text|CSV/.test(name) ? 24n : 15n), { maxLength: name === 'Parquet' ? 0 : 2 }),
        async (integers, fractions) => {
          // Fractions leave two digits less.
          const kept = fractions.length === 0 ? integers : integers.map((each) => each / 100n);
          const texts = [...kept.map(String), ...fractions.map(textOf)];
          number += 1;
          const source = await write(`${name.replaceAll(' ', '-')}-${number}`, texts);
          await using sluice = await open({ workspace: folder.root, env: {}, now: () => now, ...source });
          const units = texts.map(unitsOf);
          const result = await sluice.query('sum(n), min(n), max(n) by props.type');
          for (const row of result.rows()) {
            const own = units.filter((_, index) => index % 2 === Number(row['TrackedEvents.props.type']));
            const [sum, min, max] = Object.values(row).slice(1).map(unitsOfFigure);
            expect([sum, min, max]).toEqual([
              own.reduce((total, each) => total + each, 0n),
              own.reduce((least, each) => (each < least ? each : least)),
              own.reduce((most, each) => (each > most ? each : most)),
            ]);
          }
          expect(result.provenance.notes.join()).not.toContain('rounded');
          const [least = 0n] = kept;
          const greater = await sluice.query({
            measures: ['TrackedEvents.count'],
            filters: [{ member: 'TrackedEvents.props.n', operator: 'gt', values: [String(least)] }],
          });
          const expected = units.filter((each) => each > least * 100n).length;
          expect(greater.rows()).toEqual([{ 'TrackedEvents.count': expected }]);
        },
      ),
      { numRuns: name === 'a store' ? 2 : runs(20) },
    ),
  );
});

describe('figures of numbers beyond 2^53', () => {
  const ask = async (values: readonly string[], line: string) => {
    const lines = values.map((value, index) => `{"utcTime":"${eventOf(index).utcTime}","n":${value},"m":2}\n`);
    return await folderOf({ 'a.ndjson': lines.join('') }).sluice(['query', line, '--events', 'a.ndjson']);
  };

  it('have a note if they are rounded', async () => {
    const noteOf = (name: string) =>
      `Figures of "${name}" are rounded to 64-bit floats, which do not hold all digits of numbers beyond 9007199254740991.`;
    for (const other of ['0.1234567890123', '1e-30', '1234567890123456789012345'])
      for (const compute of ['sum', 'min', 'max']) {
        const { stdout } = await ask(['9007199254740993', other], `${compute}(n)`);
        expect(stdout).toContain(noteOf('props.n'));
      }
    expect((await ask(['9007199254740993', '1e-30'], 'sum(n * m)')).stdout).toContain(noteOf('props.n * props.m'));
    // JSON and Parquet give floats to DuckDB.
    expect((await ask(['90071992547409930.25', '1'], 'sum(n)')).stdout).toContain(noteOf('props.n'));
    expect((await ask(['"90071992547409930.25"', '1'], 'sum(n)')).stdout).toContain('90,071,992,547,409,931.25');
    expect((await ask(['9007199254740.25', '1'], 'sum(n)')).stdout).not.toContain('rounded');
    expect((await ask(['0.1234567890123', '1e-30'], 'sum(n)')).stdout).not.toContain('rounded');
    expect((await ask(['9007199254740993', '1.5'], 'sum(n)')).stdout).toContain('9,007,199,254,740,994.5');
  });

  it('are products of all digits', async () => {
    const { stdout } = await ask(['9007199254740993', '1'], 'sum(n * m)');
    expect(stdout).toContain('18,014,398,509,481,988');
    expect(stdout).not.toContain('rounded');
  });
});
