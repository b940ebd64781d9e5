import { jsonType, textOf } from '../../engine/column-text.ts';
import { quoteName, quoteText } from '../../engine/sql-text.ts';
import { withDecimalPoint } from './decimal-marks.ts';
import { isCanonicalName, isKeptName, sizeKeys, type SourceColumn } from '../columns/event-columns.ts';

/** The key in a mended file that holds all further fields of a record as the text of a JSON object. */
export const furtherKey = 'sluice further';

/**
 * SQL for a JSON object, as text, with all fields that have no column, over the source's columns: keys sorted by code
 * unit, nulls omitted, values unchanged. NULL if there are none.
 */
export function furtherFields(columns: readonly SourceColumn[]): string {
  const folded = columns.find(({ name }) => name === furtherKey);
  // Reformat the JSON, so that numbers look the same everywhere.
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

/** The JSON text of a field. `loose`: it may not be valid JSON, see `strictly`. */
interface JsonText {
  readonly text: string;
  readonly loose: boolean;
}

/**
 * With more fields than this, one expression makes all values strict. DuckDB plans 450 separate expressions for three
 * seconds, but a list costs more for each value.
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

/** Width or height alone is no viewport size, so it stays a property. */
function leftOver(column: SourceColumn, byName: ReadonlyMap<string, SourceColumn>): JsonText | undefined {
  const at = (sizeKeys as readonly string[]).indexOf(column.name.toLowerCase());
  if (at < 0) return undefined;
  const other = byName.get(sizeKeys[1 - at]!);
  if (!other) return jsonText(column);
  const { text, loose } = jsonText(column);
  const isAlone = `coalesce(CAST(${quoteName(other.reference ?? other.name)} AS VARCHAR), '') IN ('', '""')`;
  return { text: `CASE WHEN ${isAlone} THEN ${text} END`, loose };
}

function jsonText({ name, reference = name, type, mark }: SourceColumn): JsonText {
  const value = quoteName(reference);
  if (mark) return { text: `CAST(to_json(${withDecimalPoint(textOf(value, type), mark)}) AS VARCHAR)`, loose: false };
  const text = `CAST(${value} AS VARCHAR)`;
  if (/^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|BOOLEAN|DECIMAL.*)$/.test(type)) return { text, loose: false };
  if (type === jsonType) return { text, loose: true };
  const json = `CAST(to_json(${value}) AS VARCHAR)`;
  if (type === 'JSON') return { text: `CASE WHEN json_valid(${text}) THEN ${text} ELSE ${json} END`, loose: true };
  return { text: json, loose: type !== 'VARCHAR' };
}

/**
 * DuckDB accepts NaN and infinities as JSON. If a value contains one outside a string, the whole value becomes a
 * string.
 */
function strictly(json: string): string {
  const bare = `regexp_replace(${json}, '"(?:[^"\\\\]|\\\\.)*"', '', 'g')`;
  return `CASE WHEN regexp_matches(${json}, 'NaN|Inf|nan|inf') AND regexp_matches(${bare}, '(?i)nan|inf') THEN CAST(to_json(${json}) AS VARCHAR) ELSE ${json} END`;
}
