import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Mapping } from '../../../src/plan/mapping/mapping.ts';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { readEventFile } from '../../../src/run/duckdb/reading/event-reading.ts';
import { runs } from '../../runs.ts';
import { folderOf } from '../../use/run-in-folder.ts';
import { scratchFolder } from '../ask-sql.ts';
import { mendEventFile } from '../../../src/run/duckdb/reading/mend-event-file.ts';

const folder = scratchFolder();
const engine = await openEngine({ threads: { upTo: 2 } });
afterAll(() => engine[Symbol.asyncDispose]());

/** By column index: its values as an independent reader has them, or a fault. */
type Columns = readonly (readonly string[])[];

type Mark = ',' | '.';

/** A number with this decimal mark, in parts. */
function takeApart(
  text: string,
  mark: Mark,
): { readonly groups: readonly string[]; readonly decimals?: string } | undefined {
  const sign = text.startsWith('-') ? '-' : '';
  const [before = '', decimals, more] = text.slice(sign.length).split(mark);
  if (more !== undefined || decimals === '' || /\D/.test(decimals ?? '')) return undefined;
  const groups = before.split(mark === ',' ? '.' : ',');
  const isGrouped = groups.length > 1;
  const fits = groups.every((group, at) =>
    at > 0 ? /^\d\d\d$/.test(group) : isGrouped ? /^[1-9]\d?\d?$/.test(group) : /^(0|[1-9]\d*)$/.test(group),
  );
  return fits
    ? { groups: [sign + groups[0]!, ...groups.slice(1)], ...(decimals !== undefined && { decimals }) }
    : undefined;
}
const isNumber = (text: string, mark: Mark) => takeApart(text, mark) !== undefined;
const isBoth = (text: string) => /[.,]/.test(text) && isNumber(text, ',') && isNumber(text, '.');
/** No number has two decimal points, but an address has three: 10.100.200.250. */
const isAddress = (text: string) =>
  text.split('.').length === 4 && text.split('.').every((part) => /^\d+$/.test(part) && Number(part) < 256);
const isSure = (text: string, mark: Mark) => {
  const parts = takeApart(text, mark);
  if (!parts || isBoth(text)) return false;
  if (mark === ',' && parts.groups.length > 2 && !isAddress(text)) return true;
  return parts.decimals !== undefined || (mark === '.' && parts.groups.length > 1);
};
const isGrouped = (text: string) => isNumber(text, ',') && text.includes('.') && !text.includes(',');
const toPoint = (text: string, mark: Mark) => {
  const parts = takeApart(text, mark);
  if (!parts) return text;
  return parts.groups.join('') + (parts.decimals === undefined ? '' : `.${parts.decimals}`);
};

const isBlank = (character = '') => /[ \u{a0}\u{202f}]/u.test(character);

/** The signs of a currency or percent directly before or after a number. */
function signsOf(text: string): string {
  const digits = [...text.matchAll(/\d/g)].map(({ index }) => index);
  if (digits.length === 0) return '';
  const inner = (side: string) => {
    const all = [...side].filter((character) => !/[-(]/.test(character));
    return all.length > 0 && all.filter((character) => !isBlank(character)).length === 1 && all.length <= 3;
  };
  const [before, after] = [text.slice(0, digits[0]).trimStart(), text.slice(digits.at(-1)! + 1).replace(/\)? *$/, '')];
  const currency = (side: string) => /\p{Sc}/u.exec(side)?.[0] ?? '';
  const last = [...after].at(-1) ?? '';
  return (
    (inner(before) ? currency(before) : '') +
    (/^[ \u{a0}\u{202f}]?.$/u.test(after) && (last === '%' || /\p{Sc}/u.test(last)) ? last : '')
  );
}

/** The one unit of a column. */
function unitOf(values: readonly string[]): string | undefined {
  const [unit, ...others] = [...new Set(values.map(signsOf))].filter((sign) => sign !== '');
  return unit !== undefined && others.length === 0 && unit.length === 1 ? unit : undefined;
}

/** In brackets it is negative, as in accounts. */
function withoutUnit(text: string, unit: string | undefined): string {
  if (unit === undefined) return text;
  if (text.trim() === `${unit}-`) return '0';
  const isMarked = text.split(unit).length === 2 && signsOf(text) === unit;
  if (!isMarked && !/^ *\(\d.*\) *$/.test(text)) return text.trim();
  const bare = [...text].filter((character) => character !== unit && !isBlank(character)).join('');
  const negative = /^\((\d[^()]*)\)$/.exec(bare)?.[1];
  return negative === undefined ? bare : `-${negative}`;
}

/** The rule, column by column; undefined if the reader must ask. */
function readSlowly(written: Columns, decimal: Mapping['decimal'], usual: readonly Mark[]): Columns | undefined {
  const units = written.map(unitOf);
  const columns = written.map((values, index) => values.map((value) => withoutUnit(value, units[index])));
  const states = columns.map((values, index): { mark?: Mark | undefined; byItself?: boolean; doubt?: boolean } => {
    const declared = typeof decimal === 'object' ? decimal[`p${index}`] : undefined;
    const filled = values.filter((value) => value !== '');
    const numbers = (mark: Mark) => filled.filter((value) => isNumber(value, mark)).length;
    if (declared !== undefined) return { mark: declared };
    if (typeof decimal === 'string') return { mark: numbers(decimal) * 2 > filled.length ? decimal : undefined };
    const likely = units[index] === undefined ? usual : [...new Set([...usual, '.' as const])];
    const open = likely.filter((mark) => numbers(mark) === filled.length);
    const isPlain = units[index] !== undefined && filled.every((value) => /^-?(0|[1-9]\d*)$/.test(value));
    const mark = open.find((one) => filled.some((value) => isSure(value, one))) ?? (isPlain ? '.' : undefined);
    const doubt =
      mark !== ',' && open.includes(',') && filled.some(isGrouped) && !filled.some((value) => value.includes(','));
    return { mark, byItself: mark === ',', doubt };
  });
  if (states.some(({ byItself }) => byItself) && states.some(({ doubt }) => doubt)) return undefined;
  return states.map(({ mark }, index) =>
    written[index]!.map((value, at) =>
      mark && isNumber(columns[index]![at]!, mark) ? toPoint(columns[index]![at]!, mark) : value,
    ),
  );
}

const cell = fc.oneof(
  fc.constantFrom('12,50', '0,5', '-3,25', '1.234,50', '12.345.678,9', '0,250', '1234,567'),
  fc.constantFrom('1,234', '12,345', '7', '-12', '0', '1.234', '12.345.678'),
);
const english = fc.constantFrom('1,234', '12,345.5', '7', '-1,234,567.25', '0.5', '1,234,567', '20.00', '1.234', '0');
const money = fc.constantFrom(
  ...[' $1,234.50 ', '$(1,234.50)', '($3.20)', '(7)', ' $- '],
  '$1,234.50',
  '-$3.20',
  '$-0.50',
  '$7',
  '$ 12.00',
  '$1,234',
  '$1.234',
  '0',
  '',
);
const euros = fc.constantFrom(
  '1.234,50 €',
  '-3,20 €',
  '€ 7',
  '12,00\u{a0}€',
  '1.234 €',
  '0,5€',
  '7',
  '',
  '5 $',
  '5 € €',
);
const percents = fc.constantFrom('4%', '-12 %', '0%', '100%', '', '5', '2.5%', '1.234%', '1,5%', 'n/a');
const column = fc.oneof(
  ...[money, euros, percents].map((each) => fc.array(each, { minLength: 6, maxLength: 6 })),
  fc.array(fc.constantFrom('4%', '-12 %', '0%', ''), { minLength: 6, maxLength: 6 }),
  fc.array(cell, { minLength: 6, maxLength: 6 }),
  fc.array(english, { minLength: 6, maxLength: 6 }),
  fc.array(fc.constantFrom('1,234', '1.234', '5', ''), { minLength: 6, maxLength: 6 }),
  fc.array(fc.constantFrom('1,234', '5', ''), { minLength: 6, maxLength: 6 }),
  fc.array(fc.constantFrom('1.234', '5', ''), { minLength: 6, maxLength: 6 }),
  fc.array(fc.constantFrom('1.234', '5', '12.000.000', '-1.234.567', ''), { minLength: 6, maxLength: 6 }),
  fc.array(fc.constantFrom('192.168.100.200', '10.100.200.250', '1.234', '300.100.100.100'), {
    minLength: 6,
    maxLength: 6,
  }),
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
        const expected = readSlowly(columns, decimal, delimiter === ',' ? ['.'] : [',', '.']);
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
      { numRuns: runs(320), seed: 7 },
    );
    expect(Math.min(converted, doubted)).toBeGreaterThan(0);
  });

  it('stand behind thousands with blanks, as in France', async () => {
    const cells = ['1 234,50', '12\u{a0}345\u{202f}678,9', '1 234', '7', '-0,5'];
    const line = (cell: string, at: number) => `2024-03-01 10:0${at}:00;${cell};${cell} €`;
    const text = ['utcTime;montant;prix', ...cells.map(line), ''].join('\n');
    const numbers = ['1234.50', '12345678.9', '1234', '7', '-0.5'];
    for (const isBroken of [false, true])
      expect(await furtherOf(text, undefined, isBroken)).toEqual(
        numbers.map((montant) => ({ montant, prix: montant })),
      );
    const phones = ['utcTime;phone', ...['030 123', '089 456'].map((each) => `2024-03-01 10:00:00;${each}`), ''].join(
      '\n',
    );
    expect((await furtherOf(phones, undefined, false)).map(({ phone }) => phone).toSorted()).toEqual([
      '030 123',
      '089 456',
    ]);
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
    expect(taken.stderr).toContain('Read with decimal commas or points between thousands: betrag.');
  });

  it('does not guess what 1,234 is, and says what to declare', async () => {
    const { asked, taken } = await sumOf('', 'sum(props.menge)');
    for (const said of asked)
      expect(said).toMatch(
        /"1,234" is text: declare the decimal mark of the file in sluice.yaml, `decimal: ','` or `decimal: '.'`/,
      );
    expect(taken.stderr).toContain('menge is kept as text: 1,234 can be a decimal or a whole number.');
    expect((await sumOf(", decimal: ','", 'sum(props.menge)')).asked).toEqual(['3.734', '3.734']);
    expect((await sumOf(", decimal: {menge: ','}", 'sum(props.betrag), sum(props.menge)')).asked).toEqual([
      '1019.75,3.734',
      '1019.75,3.734',
    ]);
    for (const said of (await sumOf(", decimal: '.'", 'sum(props.betrag)')).asked) expect(said).toMatch(/is a number/);
  });

  it('has thousands in 1,234 if they are declared', async () => {
    for (const config of [", decimal: '.'", ", decimal: {menge: '.'}"])
      expect((await sumOf(config, 'sum(props.menge)')).asked).toEqual(['3734', '3734']);
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

  it('has points between thousands if a number has two of them', async () => {
    for (const [numbers, sum] of [
      [['1.500', '12.000.000'], '12001500'],
      [['700', '-1.234.567'], '-1233867'],
    ] as const) {
      const content = `${header}\n${numbers.map((each) => `2024-03-01 10:01:00;ann;order;${each};1.5;\n`).join('')}`;
      const { asked, taken } = await sumOf('', 'sum(props.betrag), sum(props.menge)', content);
      expect(asked).toEqual([`${sum},3`, `${sum},3`]);
      expect(taken.stderr).toContain('Read with decimal commas or points between thousands: betrag.');
    }
  });

  it('has a note if points may be between thousands', async () => {
    const content = `${header}\n${['1.500', '700'].map((each) => `2024-03-01 10:01:00;ann;order;${each};1.50;\n`).join('')}`;
    const said = "betrag is read with decimal points: 1.500 can be a decimal or a whole number. Declare `decimal: ','`";
    const folder = folderOf({ 'kauf.csv': content });
    expect((await folder.sluice(['init', 'kauf.csv', '--yes'])).stderr).toContain(said);
    const asked = await folder.sluice(['query', 'sum(props.betrag)']);
    expect(asked.stdout).toContain('701.5');
    expect(asked.stdout).toContain(said);
    for (const other of ['count', 'sum(props.menge)'])
      expect((await folder.sluice(['query', other])).stdout).not.toContain('betrag');
    expect((await folder.sluice(['ingest', 'kauf.csv'])).stderr).toContain(said);
    for (const [mark, sum] of [
      ['.', '701.5'],
      [',', '2200'],
    ] as const) {
      const declared = await sumOf(`, decimal: {betrag: '${mark}'}`, 'sum(props.betrag)', content);
      expect(declared.asked).toEqual([sum, sum]);
      expect(declared.taken.stderr).not.toContain('can be a decimal');
    }
    // Semicolons suggest decimal commas, tabs do not.
    const tabs = folderOf({ 'kauf.tsv': content.replaceAll(';', '\t') });
    expect((await tabs.sluice(['init', 'kauf.tsv', '--yes'])).stderr).not.toContain('can be a decimal');
    // Not all values are groups of thousands.
    const decimals = folderOf({ 'kauf.csv': content.replace('700', '0.250') });
    expect((await decimals.sluice(['init', 'kauf.csv', '--yes'])).stderr).not.toContain('can be a decimal');
  });

  it('refuses a mark that is none', async () => {
    const { asked } = await sumOf(', decimal: ;', 'count');
    expect(asked[0]).toContain('decimal');
  });
});

describe('an export with units', () => {
  const rows = [
    ['2024-03-01 10:00:00', 'ann', '"$1,234.50"', '4%', '$5.00', 'a 1'],
    ['2024-03-01 10:01:00', 'bob', '-$0.25', '', '€5.00', 'b 2'],
    ['2024-03-01 10:02:00', 'bob', '$20.00', '12%', '£1.00', 'c 3'],
  ];
  const text = ['utcTime,userId,Total,Discount %,Mixed,Note', ...rows.map((row) => row.join(',')), ''].join('\n');

  it('has numbers where a column has one unit, in a file and in a store', async () => {
    const folder = folderOf({ 'a.csv': text });
    const ask = async (line: string, ...more: readonly string[]) => {
      const { stdout, stderr } = await folder.sluice(['query', line, '-f', 'csv', ...more]);
      return stdout.split('\n')[1] || stderr;
    };
    const taken = await folder.sluice(['ingest', 'a.csv']);
    expect(taken.stderr).toContain('Read as numbers, without "$": Total.\nRead as numbers, without "%": Discount %.');
    for (const place of [['--events', 'a.csv'], []]) {
      expect(await ask('sum(Total), avg(Discount %), max(Total)', ...place)).toBe('1254.25,8,1234.5');
      expect(await ask('count where Total > 0 and Discount % < 12', ...place)).toBe('1');
      expect(await ask('sum(Mixed)', ...place)).toContain(
        'a CSV column is read as numbers if all of its values are numbers with the same unit.',
      );
      expect(await ask('count by Mixed order by Mixed', ...place)).toBe('$5.00,1');
    }
  });

  it('is told by init', async () => {
    const { stderr } = await folderOf({ 'a.csv': text.replace('utcTime', 'Ordered At') }).sluice([
      'init',
      'a.csv',
      '--yes',
    ]);
    expect(stderr).toContain('Read as numbers, without "$": Total.\n');
  });

  it('warns if text is compared with a number', async () => {
    const args = ['query', 'count where Mixed > 3', '--events', 'a.csv', '-f', 'csv'];
    const asked = await folderOf({ 'a.csv': text }).sluice(args);
    expect(asked.stderr).toContain('"Mixed" is text, not a number, so it is compared with "3" letter by letter.');
  });
});

describe('an export with commas between thousands', () => {
  const header = 'id,Created (UTC),Customer ID,Amount,Fee,Seats';
  const rows = [
    'ch_1,2024-03-01 10:00:00,ann,"1,234.50","1,000","2,000"',
    'ch_2,2024-03-01 10:01:00,ann,20.00,0.25,',
    'ch_3,2024-03-01 10:02:00,bob,"-1,000,000.00","2,500",3',
  ];
  const text = [header, ...rows, ''].join('\n');
  const plain = text.replaceAll(/"([^"]*)"/g, (_, quoted: string) => quoted.replaceAll(',', ''));
  const files: Record<string, (content: string) => string | Uint8Array> = {
    'plain.csv': (content) => content,
    'broken.csv': (content) => `${content}no\n`,
    'wide.csv': (content) => Buffer.from(`\ufeff${content}`, 'utf16le'),
    'tabs.tsv': (content) => content.replaceAll(/"[^"]*"|,/g, (part) => (part === ',' ? '\t' : part)),
  };
  const question = 'sum(props.Amount), max(props.Amount), sum(props.Fee) where props.Amount < 5000';

  it.each(Object.keys(files))('answers as the same numbers without commas: %s', async (name) => {
    const answerOf = async (content: string, ...more: readonly string[]) => {
      const folder = folderOf({
        [name]: files[name]!(content),
        'sluice.yaml': 'columns: {utcTime: Created (UTC), userId: Customer ID}\n',
      });
      const asked = await folder.sluice(['query', question, '-f', 'csv', '--events', name, ...more]);
      const taken = await folder.sluice(['ingest', name]);
      const stored = await folder.sluice(['query', question, '-f', 'csv']);
      return { asked: asked.stdout, stored: stored.stdout, taken: taken.stderr };
    };
    const expected = await answerOf(plain);
    expect(expected.asked).toContain('-998745.5,1234.5,3500.25');
    const found = await answerOf(text);
    expect([found.asked, found.stored]).toEqual([expected.asked, expected.stored]);
    expect(found.taken).toContain('Read with commas between thousands: Amount, Fee.');
    expect(found.taken).toContain('Seats is kept as text: 2,000 can be a decimal or a whole number.');
    expect(expected.taken).not.toContain('thousands');
  });

  it('reads each of many small files by itself', async () => {
    const folder = folderOf({
      'a.csv': text,
      'b.csv': text.replaceAll('ch_', 'b_'),
      'c.csv': plain.replaceAll('ch_', 'c_'),
      'sluice.yaml': 'columns: {utcTime: Created (UTC), userId: Customer ID}\n',
    });
    const { stdout } = await folder.sluice(['query', 'sum(props.Amount)', '-f', 'csv', '--events', '*.csv']);
    expect(stdout.split('\n')[1]).toBe(String(3 * -998_745.5));
  });
});
