import { jsonType, textOf } from '../engine/column-text.ts';
import { quoteName, quoteText } from '../engine/sql-text.ts';
import { withDecimalPoint } from './decimal-commas.ts';
import { isCanonicalName, isKeptName, sizeKeys, type SourceColumn } from './event-columns.ts';

/** A key under which a mended file holds all further fields of a record at once, as the text of a JSON object. */
export const furtherKey = 'sluice further';

/**
 * SQL for the text of a JSON object with all fields that have no column, over the columns that a source has: keys
 * sorted by code unit, nulls left out, values as they were. NULL where there are none.
 */
export function furtherFields(columns: readonly SourceColumn[]): string {
  const folded = columns.find(({ name }) => name === furtherKey);
  // Written anew, so that numbers look as they do everywhere.
  if (folded) return `CAST(json(${quoteName(folded.name)}) AS VARCHAR)`;
  const byName = new Map(columns.map((column) => [column.name.toLowerCase(), column]));
  const members = columns
    .flatMap((column) => {
      const value = isProperty(column) ? jsonText(column) : leftOver(column, byName);
      return value === undefined ? [] : [{ ...value, name: column.name }];
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  if (members.length === 0) return 'CAST(NULL AS VARCHAR)';
  return `'{' || nullif(${joined(members)}, '') || '}'`;
}

/** The value of a field as JSON text. `loose`: it may hold what is no JSON, see `strictly`. */
interface JsonText {
  readonly text: string;
  readonly loose: boolean;
}

/**
 * Of more fields than these, all values are made strict by one expression. DuckDB plans 450 separate ones for three
 * seconds, while a list costs more for each value.
 */
const mostExpressions = 60;

function joined(members: readonly (JsonText & { readonly name: string })[]): string {
  const keyed = members.map((member) => ({ ...member, key: quoteText(`${JSON.stringify(member.name)}:`) }));
  if (keyed.length <= mostExpressions)
    return `concat_ws(',', ${keyed.map(({ key, text, loose }) => `${key} || ${loose ? strictly(text) : text}`).join(', ')})`;
  const pairs = `list_zip([${keyed.map(({ key }) => key).join(', ')}], [${keyed.map(({ text }) => text).join(', ')}])`;
  return `array_to_string(list_transform(${pairs}, lambda field: field[1] || ${strictly('field[2]')}), ',')`;
}

function isProperty({ name, foreign, mapped }: SourceColumn): boolean {
  return foreign === true || !isCanonicalName(name) || (isKeptName(name) && !mapped);
}

/** One of two sizes makes no viewport. */
function leftOver(column: SourceColumn, byName: ReadonlyMap<string, SourceColumn>): JsonText | undefined {
  const at = (sizeKeys as readonly string[]).indexOf(column.name.toLowerCase());
  if (at < 0) return undefined;
  const other = byName.get(sizeKeys[1 - at]!);
  if (!other) return jsonText(column);
  const { text, loose } = jsonText(column);
  const isAlone = `coalesce(CAST(${quoteName(other.reference ?? other.name)} AS VARCHAR), '') IN ('', '""')`;
  return { text: `CASE WHEN ${isAlone} THEN ${text} END`, loose };
}

function jsonText({ name, reference = name, type, hasCommas = false }: SourceColumn): JsonText {
  const value = quoteName(reference);
  if (hasCommas) return { text: `CAST(to_json(${withDecimalPoint(textOf(value, type))}) AS VARCHAR)`, loose: false };
  const text = `CAST(${value} AS VARCHAR)`;
  if (/^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|BOOLEAN|DECIMAL.*)$/.test(type)) return { text, loose: false };
  if (type === jsonType) return { text, loose: true };
  const json = `CAST(to_json(${value}) AS VARCHAR)`;
  if (type === 'JSON') return { text: `CASE WHEN json_valid(${text}) THEN ${text} ELSE ${json} END`, loose: true };
  return { text: json, loose: type !== 'VARCHAR' };
}

/**
 * DuckDB takes NaN and infinities for JSON, which they are not: a value with one outside of its texts becomes a text as
 * a whole.
 */
function strictly(json: string): string {
  const bare = `regexp_replace(${json}, '"(?:[^"\\\\]|\\\\.)*"', '', 'g')`;
  return `CASE WHEN regexp_matches(${json}, 'NaN|Inf|nan|inf') AND regexp_matches(${bare}, '(?i)nan|inf') THEN CAST(to_json(${json}) AS VARCHAR) ELSE ${json} END`;
}
