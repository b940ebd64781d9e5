import { ConfigError } from '../../../../ask/sluice-error.ts';
import { quote } from '../../../../ask/text.ts';
import { type DecimalMark, decimalMarks, type Mapping } from '../../../../plan/mapping/mapping.ts';
import { sourceName } from '../../../file/source-copy.ts';
import { textOf } from '../../engine/column-text.ts';
import type { Engine } from '../../engine/engine.ts';
import { quoteName, quoteText } from '../../engine/sql-text.ts';
import { isCanonicalName, isKeptName } from '../../../events/column-names.ts';
import type { SourceColumn } from '../columns/event-columns.ts';
import type { MarkedColumn, NumberMarks } from '../columns/recognition.ts';

const whole = String.raw`-?(0|[1-9]\d*)`;

/** `1,234` can be a decimal or a whole number, and so can `1.234`. */
const either = String.raw`-?[1-9]\d{0,2},\d{3}`;
const orPoint = String.raw`-?[1-9]\d{0,2}\.\d{3}`;

/** The numbers with a decimal mark, as regular expressions. The other mark separates their thousands. */
interface Patterns {
  /** Whole numbers match, too. */
  readonly number: string;
  /** Numbers that SQL cannot read as they are. */
  readonly marked: string;
  /** SQL: whether a text is a number that shows the decimal mark of its column. */
  readonly isSure: (text: string) => string;
}

const commaGrouped = String.raw`-?[1-9]\d{0,2}(,\d{3})+`;
const pointGrouped = String.raw`-?[1-9]\d{0,2}(\.\d{3})+`;
/** No number with a decimal point, nor an address such as 10.100.200.250. */
const pointGroupedTwice = String.raw`-?[1-9]\d{0,2}(\.\d{3}){2,}`;
const address = String.raw`(\d{1,2}|1\d\d|2[0-4]\d|25[0-5])(\.(1\d\d|2[0-4]\d|25[0-5])){3}`;
/** As in France: `1 234,50`, mostly with blanks that do not break lines. */
const blankGrouped = String.raw`-?[1-9]\d{0,2}([ \x{A0}\x{202F}\x{2009}]\d{3})+`;
const commaDecimal = String.raw`-?(0|[1-9]\d*|[1-9]\d{0,2}(\.\d{3})+),\d+`;
const pointDecimal = String.raw`-?(0|[1-9]\d*|[1-9]\d{0,2}(,\d{3})+)\.\d+`;

const patterns: Readonly<Record<DecimalMark, Patterns>> = {
  ',': {
    number: `${whole}|${commaDecimal}|${pointGrouped}|${blankGrouped}(,\\d+)?`,
    marked: `${commaDecimal}|${pointGrouped}|${blankGrouped}(,\\d+)?`,
    isSure: (text) =>
      `${fits(text, `${commaDecimal}|${pointGroupedTwice}|${blankGrouped},\\d+`)} AND NOT ${fits(text, `${either}|${address}`)}`,
  },
  '.': {
    number: `${whole}|${pointDecimal}|${commaGrouped}`,
    marked: String.raw`${commaGrouped}(\.\d+)?`,
    isSure: (text) => `${fits(text, `${pointDecimal}|${commaGrouped}`)} AND NOT ${fits(text, `${either}|${orPoint}`)}`,
  },
};

function fits(text: string, pattern: string): string {
  return `regexp_full_match(${text}, ${quoteText(pattern)})`;
}

/**
 * SQL that rewrites a number with decimal commas, separated thousands or a unit as SQL reads it: `1.234,50 €`, `1 234,50`
 * and `$1,234.50` as `1234.50`. Other text is unchanged.
 */
export function withDecimalPoint(text: string, { mark, unit }: Omit<MarkedColumn, 'name'>): string {
  const number = unit === undefined ? text : withoutUnit(text, unit);
  const bare =
    mark === ','
      ? `replace(regexp_replace(${number}, '[. \\x{A0}\\x{202F}\\x{2009}]', '', 'g'), ',', '.')`
      : `replace(${number}, ',', '')`;
  const others = unit === undefined ? '' : ` WHEN ${fits(number, patterns[mark].number)} THEN ${number}`;
  return `CASE WHEN ${fits(number, patterns[mark].marked)} THEN ${bare}${others} ELSE ${text} END`;
}

/** Between a number and its unit, also the blanks that do not break lines. */
const blank = String.raw`[ \x{A0}\x{202F}]?`;

/**
 * SQL for a number without the unit before or after it: `-$5`, `$-5`, `5 €`, and as spreadsheets write accounts: ` $5
 * `, `$(5)` for -5 and `$-` for 0. Other text is unchanged.
 */
function withoutUnit(text: string, unit: string): string {
  const sign = `\\Q${unit}\\E`;
  const forms = [
    [`^(?:\\((?:${sign}${blank})?|${sign}${blank}\\()(\\d[^()]*?)(?:${blank}${sign})?\\)$`, '-\\1'],
    [`^(-?)${blank}${sign}${blank}(-?\\d.*)$`, '\\1\\2'],
    [`^(-?\\d.*?)${blank}${sign}$`, '\\1'],
    [`^${sign}${blank}-$`, '0'],
  ] as const;
  return forms.reduce(
    (so, [pattern, number]) => `regexp_replace(${so}, ${quoteText(pattern)}, ${quoteText(number)})`,
    `trim(${text})`,
  );
}

/** The units of columns in which some of the first values have one, and no other has another. */
async function findUnits(
  engine: Engine,
  reader: string,
  columns: readonly Pick<Candidate, 'column' | 'text'>[],
): Promise<ReadonlyMap<string, string>> {
  if (columns.length === 0) return new Map();
  const signOf = (text: string) =>
    `nullif(regexp_extract(${text}, ${quoteText(`^ *[-(]?${blank}(\\p{Sc})${blank}[-(]?\\d`)}, 1)
      || regexp_extract(${text}, ${quoteText(`\\d${blank}(\\p{Sc}|%)\\)? *$`)}, 1), '')`;
  const [row = []] = await engine.rows(
    `SELECT ${columns.map(({ text }) => `CASE WHEN min(${signOf(text)}) = max(${signOf(text)}) THEN min(${signOf(text)}) END`).join(', ')}
    FROM (SELECT * FROM ${reader} LIMIT ${headRows['.']})`,
  );
  const units = columns.map(({ column }, index) => [column.name, row[index]] as const);
  return new Map(
    units.flatMap(([name, unit]) => (typeof unit === 'string' && [...unit].length === 1 ? [[name, unit]] : [])),
  );
}

interface MarkedTable {
  readonly columns: readonly SourceColumn[];
  /** The relation with these columns. */
  readonly reader: string;
  /** For messages. */
  readonly path: string;
  /** Columns whose values fields take unchanged. */
  readonly consumed: readonly string[];
  /** The decimal marks to look for in undeclared columns. */
  readonly likely: readonly DecimalMark[];
  /** Whether to look for units. */
  readonly units: boolean;
  /** Whether points in undeclared columns may separate thousands. */
  readonly points: boolean;
}

/** A column that may have numbers with this decimal mark. */
interface Candidate {
  readonly column: SourceColumn;
  readonly text: string;
  readonly mark: DecimalMark;
  readonly unit?: string | undefined;
  readonly declared?: 'file' | 'column' | undefined;
}

interface Judged extends Candidate {
  readonly filled: number;
  readonly numbers: number;
  /** Numbers that show that this is their decimal mark. */
  readonly sure: number;
  /** Numbers without a mark. */
  readonly plain: number;
  readonly commas: number;
  /** Examples. */
  readonly either: string | undefined;
  readonly marked: string | undefined;
}

/**
 * The columns of a CSV file that hold numbers with decimal commas, separated thousands or one unit: declared columns,
 * and columns that hold only numbers, of which some are unambiguous or, with a unit, none has a mark. If the whole file
 * is declared, most values of a column must be numbers. Errors: `decimal-ambiguous`; DuckDB's own if the file cannot be
 * read.
 */
export async function findNumberMarks(
  engine: Engine,
  table: MarkedTable,
  declared: Mapping['decimal'],
): Promise<NumberMarks> {
  const every = table.units ? candidatesOf({ ...table, likely: ['.'] }, declared) : [];
  const units = await findUnits(engine, table.reader, every);
  const candidates = await withoutOthers(engine, table.reader, candidatesOf(table, declared, units));
  if (candidates.length === 0) return { columns: [], doubtful: [] };
  const [counts = []] = await engine.rows(
    `SELECT ${candidates.flatMap(({ text, mark }) => countsOf(text, patterns[mark])).join(', ')} FROM ${table.reader}`,
  );
  const judged = candidates.map((candidate, index): Judged => {
    const [filled, numbers, sure, plain, commas, ...examples] = counts.slice(
      index * countsPerColumn,
      (index + 1) * countsPerColumn,
    );
    const [one, other] = examples.map((value) => (typeof value === 'string' ? value : undefined));
    return {
      ...candidate,
      filled: Number(filled),
      numbers: Number(numbers),
      sure: Number(sure),
      plain: Number(plain),
      commas: Number(commas),
      either: one,
      marked: other,
    };
  });
  const read = judged.filter(isRead);
  const doubtful = judged.filter((one) => one.declared === undefined && isWhole(one) && one.sure === 0);
  const hasPoints = (one: Judged) => one.mark === ',' && one.either === undefined && one.marked !== undefined;
  const thousands = doubtful.find(hasPoints);
  const sure = read.find(({ declared: said, mark }) => said === undefined && mark === ',');
  if (sure && thousands)
    throw new ConfigError(
      `${sourceName(table.path)}: ${quote(sure.column.name)} has ` +
        (sure.commas > 0 ? 'decimal commas' : 'points between thousands') +
        `, so ${quote(thousands.marked!)} in ${quote(thousands.column.name)}` +
        ' can be a whole number with a point between thousands, or one with a decimal point.',
      {
        code: 'decimal-ambiguous',
        hint:
          "Declare it in sluice.yaml: `sources: [{files: …, decimal: ','}]` for the first, " +
          `\`decimal: {${thousands.column.name}: '.'}\` for the second.`,
      },
    );
  const examples = new Map(
    doubtful.flatMap((one) => {
      const example = table.points && hasPoints(one) ? one.marked : one.either;
      return example === undefined ? [] : [[one.column.name, example] as const];
    }),
  );
  return {
    columns: read.flatMap(({ column, mark, unit, marked }): readonly MarkedColumn[] =>
      marked === undefined && unit === undefined
        ? []
        : [{ name: column.name, mark, ...(unit !== undefined && { unit }) }],
    ),
    doubtful: [...examples].map(([column, example]) => ({ column, example })),
  };
}

const isWhole = ({ numbers, filled }: Judged) => numbers === filled;

function isRead(one: Judged): boolean {
  if (one.declared === 'column') return true;
  if (one.declared === 'file') return one.numbers * 2 > one.filled;
  const isPlain = one.unit !== undefined && one.mark === '.' && one.plain === one.filled;
  return isWhole(one) && (one.sure > 0 || isPlain);
}

function candidatesOf(
  { columns, consumed, likely }: MarkedTable,
  declared: Mapping['decimal'],
  units: ReadonlyMap<string, string> = new Map(),
): readonly Candidate[] {
  const ofColumns = new Map(
    typeof declared === 'object'
      ? Object.entries(declared).map(([name, mark]) => [name.toLowerCase(), mark] as const)
      : [],
  );
  const taken = new Set(consumed.map((name) => name.toLowerCase()));
  return columns.flatMap((column) => {
    const name = column.name.toLowerCase();
    const isKept = column.foreign === true || !isCanonicalName(column.name) || isKeptName(column.name);
    if (column.mapped === true || taken.has(name) || !isKept) return [];
    const written = textOf(quoteName(column.reference ?? column.name), column.type);
    const unit = units.get(column.name);
    const text = unit === undefined ? written : withoutUnit(written, unit);
    const own = ofColumns.get(name);
    if (own !== undefined) return [{ column, text, unit, mark: own, declared: 'column' }];
    if (typeof declared === 'string') return [{ column, text, unit, mark: declared, declared: 'file' }];
    const marks = unit === undefined || likely.includes('.') ? likely : [...likely, '.' as const];
    return marks.map((mark) => ({ column, text, unit, mark }));
  });
}

/** The first rows, which exclude most undeclared columns, so that only a few are counted. */
const headRows = { ',': 100, '.': 1000 };

async function withoutOthers(
  engine: Engine,
  reader: string,
  candidates: readonly Candidate[],
): Promise<readonly Candidate[]> {
  const isKept = ({ declared, unit }: Candidate) => declared !== undefined || unit !== undefined;
  const open = candidates.filter((candidate) => !isKept(candidate));
  if (open.length === 0) return candidates;
  const ofMark = async (mark: DecimalMark, test: (text: string) => string) => {
    const tests = open.filter((candidate) => candidate.mark === mark);
    if (tests.length === 0) return [];
    const head = `SELECT * FROM ${reader} LIMIT ${headRows[mark]}`;
    const [row = []] = await engine.rows(`SELECT ${tests.map(({ text }) => test(text)).join(', ')} FROM (${head})`);
    return tests.filter((_, index) => row[index] === true);
  };
  // Columns with decimal commas may begin with whole numbers. Nearly all files have point decimals, though, which SQL
  // reads as they are, so that only columns with separated thousands matter.
  const commas = await ofMark(
    ',',
    (text) => `coalesce(bool_and(${fits(text, patterns[','].number)}) FILTER (WHERE ${text} <> ''), true)`,
  );
  const points = await ofMark(
    '.',
    (text) => `coalesce(bool_or(contains(${text}, ',') AND ${fits(text, patterns['.'].marked)}), false)`,
  );
  const likely = new Set([...commas, ...points]);
  return candidates.filter((candidate) => isKept(candidate) || likely.has(candidate));
}

const countsPerColumn = 7;

function countsOf(text: string, { number, marked, isSure }: Patterns): readonly string[] {
  return [
    `count(*) FILTER (WHERE ${text} <> '')`,
    `count(*) FILTER (WHERE ${fits(text, number)})`,
    `count(*) FILTER (WHERE ${isSure(text)})`,
    `count(*) FILTER (WHERE ${fits(text, whole)})`,
    `count(*) FILTER (WHERE contains(${text}, ','))`,
    `min(${text}) FILTER (WHERE ${fits(text, either)})`,
    `min(${text}) FILTER (WHERE ${fits(text, marked)})`,
  ];
}

/**
 * The decimal marks that columns of a file may have without saying so, and whether they may have units. Commas that
 * separate columns are rarely decimal. Semicolons mostly separate columns where commas are decimal.
 */
export function likelyMarks(
  delimiter: string,
  content: Uint8Array | undefined,
): Pick<MarkedTable, 'likely' | 'units' | 'points'> {
  const points = delimiter === ';';
  if (content === undefined) return { likely: delimiter === ',' ? ['.'] : decimalMarks, units: true, points };
  // Without the zero bytes of UTF-16.
  const text = Buffer.from(content).toString('latin1').replaceAll('\0', '');
  const units = unitBeside.test(text);
  if (delimiter !== ',')
    return { likely: /,|[;\t|"]-?[1-9]\d{0,2}\.\d{3}(?!\d)/.test(text) ? decimalMarks : [], units, points };
  return { likely: quotedThousands.test(text) ? ['.'] : [], units, points };
}

/** The signs of currencies in UTF-8, UTF-16 and the usual encodings of Europe, and percent. */
const sign = String.raw`[$\x80\xa2-\xa5]|\xc2[\xa2-\xa5]|\xe2\x82[\xa0-\xbf]|[\xa0-\xbf]\x20`;
const unitBeside = new RegExp(
  String.raw`(?:${sign})[ \xa0\xc2]{0,3}[-(]?\d|\d[ \xa0\xc2]{0,3}(?:\xe2\x80\xaf)?(?:%|${sign})[")\s;,|]`,
);

const quotedThousands = new RegExp(String.raw`"${commaGrouped}|\d\\,\d{3}`);
