import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Mapping } from '../../../src/plan/mapping/mapping.ts';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { mendEventFile, readEventFile } from '../../../src/run/duckdb/reading/event-reading.ts';
import { runs } from '../../runs.ts';
import { folderOf } from '../../use/run-in-folder.ts';
import { scratchFolder } from '../ask-sql.ts';

const folder = scratchFolder();
const engine = await openEngine({ threads: 2 });
afterAll(() => engine[Symbol.asyncDispose]());

/** By column index: its values as an independent reader has them, or a fault. */
type Columns = readonly (readonly string[])[];

const isNumber = (text: string) =>
  /^-?(0|[1-9]\d*)(,\d+)?$/.test(text) || /^-?[1-9]\d?\d?(\.\d\d\d)+(,\d+)?$/.test(text);
const isSure = (text: string) => isNumber(text) && text.includes(',') && !/^-?[1-9]\d?\d?,\d\d\d$/.test(text);
const isGrouped = (text: string) => isNumber(text) && text.includes('.') && !text.includes(',');
const toPoint = (text: string) =>
  isNumber(text) && /[.,]/.test(text) ? text.split('.').join('').split(',').join('.') : text;

/** The rule, column by column; undefined if the reader must ask. */
function readSlowly(columns: Columns, decimal: Mapping['decimal'], likely: boolean): Columns | undefined {
  const states = columns.map((values, index) => {
    const declared = typeof decimal === 'object' ? decimal[`p${index}`] : undefined;
    const filled = values.filter((value) => value !== '');
    const numbers = filled.filter(isNumber);
    if (declared !== undefined) return { values, converts: declared === ',', byItself: false, doubt: false };
    if (decimal === ',') return { values, converts: numbers.length * 2 > filled.length, byItself: false, doubt: false };
    const open = likely && decimal !== '.' && numbers.length === filled.length;
    const byItself = open && filled.some(isSure);
    const doubt = open && !byItself && filled.some(isGrouped) && !filled.some((value) => value.includes(','));
    return { values, converts: byItself, byItself, doubt };
  });
  if (states.some(({ byItself }) => byItself) && states.some(({ doubt }) => doubt)) return undefined;
  return states.map(({ values, converts }) => (converts ? values.map(toPoint) : values));
}

const cell = fc.oneof(
  fc.constantFrom('12,50', '0,5', '-3,25', '1.234,50', '12.345.678,9', '0,250', '1234,567'),
  fc.constantFrom('1,234', '12,345', '7', '-12', '0', '1.234', '12.345.678'),
);
const column = fc.oneof(
  fc.array(cell, { minLength: 6, maxLength: 6 }),
  fc.array(fc.constantFrom('1,234', '5', ''), { minLength: 6, maxLength: 6 }),
  fc.array(fc.constantFrom('1.234', '5', ''), { minLength: 6, maxLength: 6 }),
  fc.array(fc.oneof(cell, fc.constantFrom('', 'n/a', '12.5', '007', '1,2,3', '1,5 €', '+1,5', '1e3')), {
    minLength: 6,
    maxLength: 6,
  }),
);
const file = fc.record({
  columns: fc.array(column, { minLength: 2, maxLength: 4 }),
  delimiter: fc.constantFrom(';', '\t', ','),
  decimal: fc.constantFrom<Mapping['decimal']>(undefined, undefined, undefined, ',', '.', { p0: ',' }, { p1: '.' }),
  isBroken: fc.boolean(),
});

async function furtherOf(text: string, decimal: Mapping['decimal'], isBroken: boolean, encoding?: string) {
  const path = folder.write('any.csv', encoding ? Buffer.from(text, 'latin1') : text);
  const options = { mappingOf: () => ({ columns: {}, ...(decimal && { decimal }) }), ...(encoding && { encoding }) };
  const { select } =
    isBroken || encoding
      ? await mendEventFile(engine, path, () => undefined, options)
      : await readEventFile(engine, path, options);
  const rows = await engine.rows(`SELECT further FROM (${select}) ORDER BY utc_time`);
  return rows.map(([further]) => JSON.parse(String(further ?? '{}')) as Record<string, string>);
}

describe('decimal commas', () => {
  it('are read as an independent reader has them, in whole files, mended ones and those of other encodings', async () => {
    let [converted, doubted] = [0, 0];
    await fc.assert(
      fc.asyncProperty(file, async ({ columns, delimiter, decimal, isBroken }) => {
        const names = columns.map((_, index) => `p${index}`);
        const quoted = (value: string) => (value.includes(delimiter) ? `"${value}"` : value);
        const lines = [0, 1, 2, 3, 4, 5].map((at) =>
          [`2024-03-01 10:0${at}:00`, 'ann', ...columns.map((values) => quoted(values[at]!))].join(delimiter),
        );
        const broken = isBroken ? ['no'] : [];
        const text = [['utcTime', 'userId', ...names].join(delimiter), ...lines, ...broken, ''].join('\n');
        const expected = readSlowly(columns, decimal, delimiter !== ',');
        const found = furtherOf(text, decimal, isBroken);
        if (expected === undefined) {
          doubted += 1;
          await expect(found).rejects.toMatchObject({ code: 'decimal-ambiguous' });
          return;
        }
        if (expected.some((values, index) => values.some((value, at) => value !== columns[index]![at]))) converted += 1;
        const rows = [0, 1, 2, 3, 4, 5].map((at) =>
          Object.fromEntries(
            names.flatMap((name, index) => (expected[index]![at] ? [[name, expected[index]![at]]] : [])),
          ),
        );
        expect(await found).toEqual(rows);
      }),
      { numRuns: runs(160), seed: 5 },
    );
    expect(Math.min(converted, doubted)).toBeGreaterThan(0);
  });

  it('are found in text of another encoding, and in a column that begins without', async () => {
    const rows = Array.from(
      { length: 150 },
      (_, at) => `2024-03-01 10:00:00.${100 + at};Köln;${at < 140 ? at : '2,5'}`,
    );
    const text = ['utcTime;Straße;Betrag', ...rows, ''].join('\n');
    for (const encoding of [undefined, 'windows-1252'])
      expect((await furtherOf(text, undefined, false, encoding)).at(-1)).toEqual({ Straße: 'Köln', Betrag: '2.5' });
  });
});

describe('a European export', () => {
  const header = 'zeit;wer;was;betrag;menge;notiz';
  const lines = [
    '2024-03-01 10:00:00;ann;pageview;;;',
    '2024-03-01 10:01:00;ann;order;12,50;1,234;eins',
    '2024-03-01 10:02:00;bob;order;1.007,25;2,500;zwei, drei',
  ];
  const columns = 'columns: {utcTime: zeit, userId: wer, eventType: was}';
  const text = [header, ...lines, ''].join('\n');
  const sumOf = async (config: string, question: string, content = text) => {
    const of = folderOf({ 'kauf.csv': content, 'sluice.yaml': `sources: [{files: kauf.csv, ${columns}${config}}]\n` });
    const asked = await of.sluice(['query', question, '-f', 'csv']);
    const taken = await of.sluice(['ingest', 'kauf.csv']);
    of.write('sluice.yaml', '');
    const stored = await of.sluice(['query', question, '-f', 'csv']);
    return { asked: [asked, stored].map(({ stdout, stderr }) => stdout.split('\n')[1] || stderr), taken };
  };

  it('is summed as the same file with points is, in a file and in a store, and ingest tells its columns', async () => {
    const { asked, taken } = await sumOf('', 'sum(props.betrag), max(props.betrag) where props.betrag > 12');
    expect(asked).toEqual(['1019.75,1007.25', '1019.75,1007.25']);
    expect(taken.stderr).toContain('Read with decimal commas: betrag.');
  });

  it('does not guess what 1,234 is, and says what to declare', async () => {
    const { asked, taken } = await sumOf('', 'sum(props.menge)');
    for (const said of asked)
      expect(said).toMatch(/"1,234" is text: if CSV files have decimal commas, declare `decimal: ','`/);
    expect(taken.stderr).toContain('menge is kept as text: 1,234 can be a decimal or a whole number.');
    expect((await sumOf(", decimal: ','", 'sum(props.menge)')).asked).toEqual(['3.734', '3.734']);
    expect((await sumOf(", decimal: {menge: ','}", 'sum(props.betrag), sum(props.menge)')).asked).toEqual([
      '1019.75,3.734',
      '1019.75,3.734',
    ]);
    for (const said of (await sumOf(", decimal: '.'", 'sum(props.betrag)')).asked) expect(said).toMatch(/is a number/);
  });

  it('asks back where 1.234 stands beside decimal commas', async () => {
    const content = text.replace('1,234', '1.234').replace('2,500', '2.500');
    const { taken } = await sumOf('', 'count', content);
    expect([taken.code, taken.stderr]).toEqual([
      2,
      expect.stringContaining('"betrag" has decimal commas, so "1.234" in "menge"'),
    ]);
    expect((await sumOf(", decimal: ','", 'sum(props.menge)', content)).asked).toEqual(['3734', '3734']);
    expect((await sumOf(", decimal: {menge: '.'}", 'sum(props.menge), sum(props.betrag)', content)).asked).toEqual([
      '3.734,1019.75',
      '3.734,1019.75',
    ]);
  });

  it('refuses a mark that is none', async () => {
    const { asked } = await sumOf(', decimal: ;', 'count');
    expect(asked[0]).toContain('decimal');
  });
});
