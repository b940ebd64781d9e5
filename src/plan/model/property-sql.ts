import { eachValue, splitAtList } from '../../ask/query/property-name.ts';
import type { LocalZones, Template } from './model.ts';

/** Columns for values without a column of their own, in order of precedence. */
const places = ['further', 'custom_event_props'] as const;

/** Columns whose keys are addressed with the column's name: `props.customEventProps.plan`. */
const named: ReadonlyMap<string, string> = new Map([
  ['customEventProps', 'custom_event_props'],
  ['customUserProps', 'custom_user_props'],
]);

/** SQL for a property's value as text: text unchanged, all else as JSON. NULL if it is missing, null or empty. */
export function propertyText(path: readonly string[]): Template {
  return choose(path, (json, pointer) => [text('nullif(json_extract_string('), ...json, text(`, ${pointer}), '')`)]);
}

/** SQL for the JSON type of the value: `VARCHAR`, `DOUBLE`, `UBIGINT`, `BOOLEAN`, `OBJECT` … */
export function propertyJsonType(path: readonly string[]): Template {
  return choose(path, (json, pointer) => [
    text('CASE WHEN json_extract_string('),
    ...json,
    text(`, ${pointer}) <> '' THEN json_type(`),
    ...json,
    text(`, ${pointer}) END`),
  ]);
}

/** SQL that is true if the event has a list on the way to a property; undefined if there is no way. */
export function listOnTheWay(path: readonly string[]): Template | undefined {
  const lists = keysOnTheWay(path).map((keys) =>
    choose(keys, (json, pointer) => [text('json_type('), ...json, text(`, ${pointer}) = 'ARRAY'`)]),
  );
  return lists.length === 0 ? undefined : lists.flatMap((list, at) => [text(at === 0 ? '' : ' OR '), ...list]);
}

/** The paths of all that a property is within. A number after a key is the place in a list, and asks for no other. */
export function keysOnTheWay(path: readonly string[]): readonly (readonly string[])[] {
  if (splitAtList(path)) return [];
  return path.slice(1).flatMap((key, index) => (/^\d+$/.test(key) ? [] : [path.slice(0, index + 1)]));
}

/** JSON's grammar of numbers. `007` does not match and stays text. */
export const numberPattern = String.raw`-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?`;

/** Floats that are no numbers, as files, programs and DuckDB write them. */
export const notFinitePattern = '(?i)nan|[+-]?inf(inity)?';

/** SQL for the value of a property whose values are all numbers or not finite. NaN is no value. */
export function propertyFloat(path: readonly string[]): Template {
  return [text('nullif(CAST('), ...propertyText(path), text(" AS DOUBLE), CAST('NaN' AS DOUBLE))")];
}

/**
 * Text that is read as a time: ISO 8601 with dashes, with a `T` or a blank, with or without a zone. Earlier years stand
 * for missing times.
 */
export function timePattern(year = String.raw`[1-9]\d{3}`): string {
  const clock = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?`;
  return String.raw`${year}-\d\d-\d\d(?:[Tt ]${clock}(?:[Zz]| UTC| ?[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)?)?`;
}

/** Text without a zone, of which the end is no offset. Dates have none either, and are days of the question's zone. */
export const localTimePattern = '.{11}[0-9:.,]+';

/** The column of events with the zone that their source declares for times without one; NULL if it declares none. */
export const localZoneColumn = 'zone_of_times';

/**
 * SQL for a property's value as an instant; NULL if it is no time. `zones`: those that sources declare for its times
 * without one.
 */
export function propertyTime(path: readonly string[], zones: readonly string[] = []): Template {
  const declared = zones.filter((zone) => zone !== 'UTC');
  const local: LocalZones | undefined =
    declared.length === 0 ? undefined : { zones: declared, inList: path.includes(eachValue) };
  return [{ kind: 'time-of-text', local }, ...propertyText(path), text(')')];
}

/** The most digits, whole ones and decimals: a decimal of 38 digits then still has room for sums of many values. */
export const mostDigits = 24;
export const mostDecimals = 9;

/** A pattern of decimals with at most `digits` whole digits and `scale` decimals. */
export function decimalPattern(scale: number, digits = mostDigits - scale): string {
  return decimalForms(String.raw`(0|[1-9]\d{0,${digits - 1}})`, scale);
}

/** A pattern of decimals, also as JSON writes those below 0.000001: `1.5e-7`. */
export function decimalForms(whole: string, scale: number): string {
  const form = (digits: string, decimals: number) =>
    `-?${digits}${decimals === 0 ? '' : String.raw`(\.\d{1,${decimals}})?`}`;
  const tiny = [7, 8, 9].filter((places) => places <= scale);
  return [form(whole, scale), ...tiny.map((places) => `${form('[1-9]', scale - places)}[eE]-0?${places}`)].join('|');
}

/**
 * SQL for a property's value if it is a number or text that reads as one; otherwise NULL. `scale`: the number of
 * decimals that represents all values exactly. The statement fails if a later value does not fit.
 */
export function propertyNumber(path: readonly string[], scale: number | undefined): Template {
  const value = propertyText(path);
  // TRY_CAST, because DuckDB converts all values of a dictionary, whatever the branch.
  const float: Template = [
    text('CASE WHEN regexp_full_match('),
    ...value,
    text(`, '${numberPattern}') AND isfinite(TRY_CAST(`),
    ...value,
    text(' AS DOUBLE)) THEN '),
  ];
  if (scale === undefined) return [...float, text('TRY_CAST('), ...value, text(' AS DOUBLE) END')];
  // DuckDB reads decimals of 18 digits fifty times as fast.
  const upTo = (digits: number, length: number): Template => [
    text(' WHEN regexp_full_match('),
    ...value,
    text(`, '${decimalPattern(scale, digits)}') THEN CAST(TRY_CAST(`),
    ...value,
    text(` AS DECIMAL(${length}, ${scale})) AS DECIMAL(38, ${scale}))`),
  ];
  return [
    text('CASE'),
    ...upTo(18 - scale, 18),
    ...upTo(mostDigits - scale, 38),
    text(' ELSE '),
    ...float,
    text(
      "error('an event came after its property was looked up, and the number does not fit: " +
        "start sluice again') END END",
    ),
  ];
}

/** The field with one value of a list as JSON, in the rows that `listRows` makes. */
export const ofList = 'value';

/**
 * SQL for the values of a list as rows with the field `value`: never none, but one with NULL. A value that is no list
 * counts as a list of itself; text that is a JSON list counts as that list. `keys`: the path of the list.
 */
export function listRows(keys: readonly string[]): Template {
  return toListRows(propertyText(keys));
}

/** The same for the text of the list. */
export function toListRows(list: Template): Template {
  const isJson = (begin: string) => `starts_with(v, '${begin}') AND json_valid(v)`;
  const values = `CASE WHEN ${isJson('[')} THEN json_extract(v, '$[*]') WHEN ${isJson('{')} THEN [CAST(v AS JSON)] ELSE [to_json(v)] END`;
  const rows = `list_transform(CASE WHEN len(l) > 0 THEN l ELSE [NULL] END, lambda v: {'${ofList}': v})`;
  return [text('list_transform(list_transform(['), ...list, text(`], lambda v: ${values}), lambda l: ${rows})[1]`)];
}

/**
 * The event columns that may contain a property, in order, each with its keys there and the quoted JSON pointer. For a
 * property of the values of a list, the column with one of them.
 */
export function propertyPlaces(
  path: readonly string[],
): readonly { readonly column: string; readonly keys: readonly string[]; readonly pointer: string }[] {
  const inList = splitAtList(path);
  if (inList) return [{ column: ofList, keys: inList.within, pointer: toPointer(inList.within) }];
  const [first = '', ...inner] = path;
  const column = inner.length > 0 ? named.get(first) : undefined;
  if (column) return [{ column, keys: inner, pointer: toPointer(inner) }];
  return places.map((place) => ({ column: place, keys: path, pointer: toPointer(path) }));
}

/** A path as part of a column's name: keys differ by letter case, names of columns do not. */
export function pathInName(path: readonly string[]): string {
  return path.map((key) => `/${key === eachValue ? '*' : [...Buffer.from(key)].map(encodeByte).join('')}`).join('');
}

function encodeByte(byte: number): string {
  const letter = String.fromCharCode(byte);
  return /[a-z0-9_]/.test(letter) ? letter : `%${byte.toString(16).padStart(2, '0')}`;
}

function choose(path: readonly string[], read: (json: Template, pointer: string) => Template): Template {
  const reads = propertyPlaces(path).map(({ column, pointer }) => read(jsonOf(column), pointer));
  return [text('coalesce('), ...reads.flatMap((one, index) => (index === 0 ? one : [text(', '), ...one])), text(')')];
}

/** Columns of properties in files may contain text that is not JSON. */
function jsonOf(column: string): Template {
  if (column === 'further' || column === ofList) return [{ kind: 'cube' }, text(`.${column}`)];
  return [
    text('CASE WHEN json_valid('),
    { kind: 'cube' },
    text(`.${column}) THEN `),
    { kind: 'cube' },
    text(`.${column} END`),
  ];
}

/** A quoted JSON pointer, which can address every key. */
export function toPointer(keys: readonly string[]): string {
  if (keys.length === 0) return "'$'";
  const pointer = keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return `'${pointer.replaceAll("'", "''")}'`;
}

/** A part of a template that is SQL. */
export function text(sql: string): Template[number] {
  return { kind: 'text', text: sql };
}
