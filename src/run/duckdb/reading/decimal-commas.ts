import { ConfigError } from '../../../ask/sluice-error.ts';
import { quote } from '../../../ask/text.ts';
import type { Mapping } from '../../../plan/mapping/mapping.ts';
import { sourceName } from '../../file/source-copy.ts';
import { textOf } from '../engine/column-text.ts';
import type { Engine } from '../engine/engine.ts';
import { quoteName, quoteText } from '../engine/sql-text.ts';
import { isCanonicalName, isKeptName, type SourceColumn } from './event-columns.ts';
import type { DecimalCommas } from './recognition.ts';

/** A number written with a decimal comma. Whole numbers match too. */
const whole = String.raw`-?(0|[1-9]\d*)`;
const withComma = String.raw`-?(0|[1-9]\d*|[1-9]\d{0,2}(\.\d{3})+),\d+`;
const grouped = String.raw`-?[1-9]\d{0,2}(\.\d{3})+`;
/** Ambiguous: 1,234 can be a decimal or a whole number with a thousands separator. */
const either = String.raw`-?[1-9]\d{0,2},\d{3}`;
const number = new RegExp(`^(?:${whole}|${withComma}|${grouped})$`);

/**
 * SQL that converts a text with a decimal comma or thousands points to a number with a decimal point. Other text is
 * unchanged.
 */
export function withDecimalPoint(text: string): string {
  return `CASE WHEN regexp_full_match(${text}, '${withComma}|${grouped}') THEN replace(replace(${text}, '.', ''), ',', '.') ELSE ${text} END`;
}

interface CommaTable {
  readonly columns: readonly SourceColumn[];
  /** The relation with these columns. */
  readonly reader: string;
  /** For messages. */
  readonly path: string;
  /** Columns whose values fields take unchanged. */
  readonly consumed: readonly string[];
  /** Whether to look for decimal commas in undeclared columns. */
  readonly isLikely: boolean;
}

/** Sample that excludes text columns early, so that only a few are counted. */
const headRows = 100;

/**
 * The columns of a CSV file that hold numbers with decimal commas: declared columns, and columns that hold only
 * numbers, of which some are unambiguous. If the whole file is declared, most values of a column must be numbers.
 * Errors: `decimal-ambiguous`; DuckDB's own if the file cannot be read.
 */
export async function findDecimalCommas(
  engine: Engine,
  { columns, reader, path, consumed, isLikely }: CommaTable,
  declared: Mapping['decimal'],
): Promise<DecimalCommas> {
  const ofColumns = new Map(
    typeof declared === 'object'
      ? Object.entries(declared).map(([name, mark]) => [name.toLowerCase(), mark] as const)
      : [],
  );
  const taken = new Set(consumed.map((name) => name.toLowerCase()));
  const open = columns.filter(
    ({ name, foreign, mapped }) =>
      mapped !== true &&
      !taken.has(name.toLowerCase()) &&
      (foreign === true || !isCanonicalName(name) || isKeptName(name)) &&
      ofColumns.get(name.toLowerCase()) !== '.',
  );
  const isAsked = ({ name }: SourceColumn) => declared === ',' || ofColumns.get(name.toLowerCase()) === ',';
  const mayHave = open.filter((column) => isAsked(column) || (isLikely && declared !== '.'));
  if (mayHave.length === 0) return { columns: [], doubtful: [] };
  const texts = new Map(
    mayHave.map((column) => [column, textOf(quoteName(column.reference ?? column.name), column.type)]),
  );
  const head = await engine.rows(`SELECT ${[...texts.values()].join(', ')} FROM ${reader} LIMIT ${headRows}`);
  const candidates = mayHave.filter(
    (column, index) =>
      isAsked(column) ||
      head.every((row) => row[index] === null || row[index] === '' || number.test(String(row[index]))),
  );
  if (candidates.length === 0) return { columns: [], doubtful: [] };
  const [counts = []] = await engine.rows(
    `SELECT ${candidates.map((column) => countsOf(texts.get(column)!)).join(', ')} FROM ${reader}`,
  );
  const found = candidates.map((column, index) => ({
    name: column.name,
    isAsked: isAsked(column),
    ofColumn: ofColumns.has(column.name.toLowerCase()),
    ...toCounts(counts.slice(index * countsPerColumn, (index + 1) * countsPerColumn)),
  }));
  const isWhole = ({ filled, numbers }: (typeof found)[number]) => numbers === filled;
  const isRead = (one: (typeof found)[number]) => {
    if (one.ofColumn) return true;
    return one.isAsked ? one.numbers * 2 > one.filled : isWhole(one) && one.sure > 0;
  };
  const read = found.filter(isRead);
  const doubtful = found.filter((one) => !one.isAsked && isWhole(one) && one.sure === 0);
  const thousands = doubtful.find((one) => one.either === undefined && one.grouped !== undefined);
  const sure = read.find(({ isAsked: asked }) => !asked);
  if (sure && thousands)
    throw new ConfigError(
      `${sourceName(path)}: ${quote(sure.name)} has decimal commas, so ${quote(thousands.grouped!)} in ${quote(thousands.name)} can be a whole number with a point between thousands, or one with a decimal point.`,
      {
        code: 'decimal-ambiguous',
        hint: `Declare it in sluice.yaml: \`sources: [{files: …, decimal: ','}]\` for the first, \`decimal: {${thousands.name}: '.'}\` for the second.`,
      },
    );
  return {
    columns: read
      .filter((one) => one.sure > 0 || one.either !== undefined || one.grouped !== undefined)
      .map(({ name }) => name),
    doubtful: doubtful.flatMap(({ name, either: example }) =>
      example === undefined ? [] : [{ column: name, example }],
    ),
  };
}

const countsPerColumn = 5;

function countsOf(text: string): string {
  const fits = (pattern: string) => `regexp_full_match(${text}, ${quoteText(pattern)})`;
  return [
    `count(*) FILTER (WHERE ${text} <> '')`,
    `count(*) FILTER (WHERE ${fits(`${whole}|${withComma}|${grouped}`)})`,
    `count(*) FILTER (WHERE ${fits(withComma)} AND NOT ${fits(either)})`,
    `min(${text}) FILTER (WHERE ${fits(either)})`,
    `min(${text}) FILTER (WHERE ${fits(grouped)})`,
  ].join(', ');
}

function toCounts([filled, numbers, sure, eitherOne, groupedOne]: readonly unknown[]) {
  const example = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return {
    filled: Number(filled),
    numbers: Number(numbers),
    /** Numbers whose comma can only be a decimal one. */
    sure: Number(sure),
    either: example(eitherOne),
    grouped: example(groupedOne),
  };
}
