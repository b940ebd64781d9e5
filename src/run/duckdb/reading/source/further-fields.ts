import { pathInName, toPointer } from '../../../../plan/model/property-sql.ts';
import { jsonType, textOf } from '../../engine/column-text.ts';
import { quoteName, quoteText } from '../../engine/sql-text.ts';
import { relationName } from './parse-once.ts';
import { isoTextIn } from '../../mapping/time-formats.ts';
import { withDecimalPoint } from './decimal-marks.ts';
import { isCanonicalName, isKeptName, isPropertiesKey, propertyKey, sizeKeys } from '../../../events/column-names.ts';
import type { SourceColumn } from '../columns/event-columns.ts';

/** The key in a mended file that holds all further fields of a record as the text of a JSON object. */
export const furtherKey = 'sluice further';

/**
 * SQL for a JSON object, as text, with all fields that have no column, over the source's columns: keys sorted by code
 * unit, nulls and empty objects omitted, values unchanged. NULL if there are none. `only`: the one field that it has.
 */
export function furtherFields(columns: readonly SourceColumn[], only?: string): string {
  const byName = new Map(columns.map((column) => [column.name.toLowerCase(), column]));
  const members = columns
    .filter((column) => !isObject(column) && (only === undefined || propertyKey(column.name) === only))
    .flatMap((column) => {
      const value = isProperty(column) ? jsonText(column) : leftOver(column, byName);
      return value === undefined ? [] : [{ ...value, name: propertyKey(column.name) }];
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const objects = columns.filter(isObject).map(membersOf);
  if (members.length + objects.length === 0) return 'CAST(NULL AS VARCHAR)';
  const own = members.length === 0 ? [] : [joined(members)];
  return `'{' || nullif(${objects.length === 0 ? own[0]! : `concat_ws(',', ${[...own, ...objects].map((each) => `nullif(${each}, '')`).join(', ')})`}, '') || '}'`;
}

/**
 * Whether the column holds many fields as the text of an object: those folded into one, or the properties of exports.
 */
function isObject({ name, foreign }: SourceColumn): boolean {
  return name === furtherKey || (!foreign && isPropertiesKey(name));
}

/** The members of the object, without its brackets. */
function membersOf({ name, reference = name, type }: SourceColumn): string {
  const text = textOf(quoteName(reference), type);
  // Reformats the JSON of folded fields, so that numbers look the same everywhere.
  const json =
    name === furtherKey
      ? `CAST(json(${text}) AS VARCHAR)`
      : `CASE WHEN json_valid(${text}) AND json_type(${text}) = 'OBJECT' THEN ${text} END`;
  return `regexp_replace(${json}, '^\\s*\\{\\s*|\\s*\\}\\s*$', '', 'g')`;
}

/**
 * One of the further fields as a column: an object with only this field, or its value as `propertyText` and
 * `propertyJsonType` give it.
 */
export interface FurtherField {
  readonly form: 'further' | 'text' | 'type';
  readonly key: string;
}

export function furtherColumn({ form, key }: FurtherField): string {
  return `${form} ${pathInName([key])}`;
}

/** SQL for the column, over the source's columns. */
export function furtherField(columns: readonly SourceColumn[], { form, key }: FurtherField): string {
  if (form === 'further') return furtherFields(columns, key);
  const [column, ...more] = columns.filter((one) => propertyKey(one.name) === key || isObject(one));
  const isAlone = column !== undefined && more.length === 0 && !isObject(column) && isProperty(column);
  if (isAlone && column.type === 'VARCHAR' && !column.mark && !column.times) {
    const own = quoteName(column.reference ?? column.name);
    if (!column.ofTable) return form === 'text' ? `nullif(${own}, '')` : `CASE WHEN ${own} <> '' THEN 'VARCHAR' END`;
    const value = filled(own);
    const object = objectIn(value);
    // Most cells are no objects, and need none of the other tests.
    return form === 'text'
      ? `CASE WHEN starts_with(${own}, '{') THEN coalesce(json_extract_string(${object}, '$'), ${value}) ELSE nullif(${own}, '') END`
      : `CASE WHEN ${object} IS NOT NULL THEN 'OBJECT' WHEN ${value} <> '' THEN 'VARCHAR' END`;
  }
  // Reading the value by itself takes half the time of reading it from an object.
  const [json, pointer] = isAlone ? [strictJson(column), "'$'"] : [furtherFields(columns, key), toPointer([key])];
  const text = `json_extract_string(${json}, ${pointer})`;
  return form === 'text' ? `nullif(${text}, '')` : `CASE WHEN ${text} <> '' THEN json_type(${json}, ${pointer}) END`;
}

function strictJson(column: SourceColumn): string {
  return asWritten(jsonText(column));
}

const relation = `(${relationName})`;
const step = "((?:[^'/]|'')+)";

/** Where statements read further fields, the longest first. */
const reads = [
  {
    form: 'type',
    pattern: String.raw`CASE WHEN json_extract_string\(${relation}\.further, '/${step}'\) <> '' THEN json_type\(\1\.further, '/\2'\) END`,
  },
  { form: 'text', pattern: String.raw`nullif\(json_extract_string\(${relation}\.further, '/${step}'\), ''\)` },
  { form: 'further', pattern: String.raw`(?<=\bjson_(?:extract_string|type)\()${relation}\.further(?=, '/${step})` },
] as const;

/** The fields that a statement reads, with the statement that reads them from their columns. */
export function readOneByOne(statement: string): { readonly text: string; readonly fields: readonly FurtherField[] } {
  const fields: FurtherField[] = [];
  let text = statement;
  for (const { form, pattern } of reads)
    text = text.replaceAll(new RegExp(pattern, 'g'), (_, from: string, pointer: string) => {
      const field = { form, key: pointer.replaceAll("''", "'").replaceAll('~1', '/').replaceAll('~0', '~') };
      fields.push(field);
      return `${from}.${quoteName(furtherColumn(field))}`;
    });
  return { text, fields };
}

/** The JSON text of a field. `loose`: it may not be valid JSON, see `strictly`. */
interface JsonText {
  readonly text: string;
  readonly loose: boolean;
  /** The text of the cell of a table, which may be an object. */
  readonly cell?: string | undefined;
}

/**
 * With more fields than this, one expression makes all values strict. DuckDB plans 450 separate expressions for three
 * seconds, but a list costs more for each value.
 */
const mostExpressions = 60;

function joined(members: readonly (JsonText & { readonly name: string })[]): string {
  const keyed = members.map((member) => ({ ...member, key: quoteText(`${JSON.stringify(member.name)}:`) }));
  if (keyed.length <= mostExpressions)
    return `concat_ws(',', ${keyed.map(({ key, ...value }) => `${key} || ${asWritten(value)}`).join(', ')})`;
  const string = `CASE WHEN starts_with(field[2], '"{') THEN field[2] END`;
  const cell = keyed.some((member) => member.cell !== undefined) ? `json_extract_string(${string}, '$')` : undefined;
  const pairs = `list_zip([${keyed.map(({ key }) => key).join(', ')}], [${keyed.map(({ text }) => text).join(', ')}])`;
  return `array_to_string(list_transform(${pairs}, lambda field: field[1] || ${asWritten({ text: 'field[2]', loose: true, cell })}), ',')`;
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

/** The JSON of a field: strict, and the object that a cell holds. */
function asWritten({ text, loose, cell }: JsonText): string {
  const json = loose ? strictly(text) : text;
  return cell === undefined ? json : `coalesce(${objectIn(cell)}, ${json})`;
}

/** The text of a cell if it is a JSON object, otherwise NULL. */
function objectIn(text: string): string {
  return `CASE WHEN starts_with(${text}, '{') AND json_valid(${text}) AND NOT ${hasNoNumber(text)} THEN ${text} END`;
}

function jsonText({ name, reference = name, type, mark, times, ofTable = false }: SourceColumn): JsonText {
  const value = quoteName(reference);
  const cell = ofTable ? filled(textOf(value, type)) : undefined;
  if (mark) return { text: `CAST(to_json(${withDecimalPoint(textOf(value, type), mark)}) AS VARCHAR)`, loose: false };
  if (times) return { text: `CAST(to_json(${isoTextIn(textOf(value, type), times)}) AS VARCHAR)`, loose: false };
  const text = `CAST(${value} AS VARCHAR)`;
  if (/^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|BOOLEAN|DECIMAL.*)$/.test(type)) return { text, loose: false };
  if (type === jsonType)
    return { text: cell === undefined ? filled(text) : `nullif(${filled(text)}, '"{}"')`, loose: true, cell };
  const json = `CAST(to_json(${value}) AS VARCHAR)`;
  if (type === 'JSON')
    return { text: filled(`CASE WHEN json_valid(${text}) THEN ${text} ELSE ${json} END`), loose: true };
  if (cell !== undefined && type === 'VARCHAR')
    return { text: `CAST(to_json(${cell}) AS VARCHAR)`, loose: false, cell };
  return { text: json, loose: type !== 'VARCHAR' };
}

/** An empty object is no value: it must not hide the property of another place. */
function filled(json: string): string {
  return `nullif(${json}, '{}')`;
}

/**
 * DuckDB accepts NaN and infinities as JSON. If a value contains one outside a string, the whole value becomes a
 * string.
 */
function strictly(json: string): string {
  const mayHaveOne = `(contains(lower(${json}), 'nan') OR contains(lower(${json}), 'inf'))`;
  return `CASE WHEN NOT starts_with(${json}, '"') AND ${mayHaveOne} AND ${hasNoNumber(json)} THEN CAST(to_json(${json}) AS VARCHAR) ELSE ${json} END`;
}

/** Whether JSON has NaN or an infinity outside a string. */
function hasNoNumber(json: string): string {
  const bare = `regexp_replace(${json}, '"(?:[^"\\\\]|\\\\.)*"', '', 'g')`;
  return `regexp_matches(${bare}, '(?i)nan|inf')`;
}
