import type { Template } from './model.ts';

/** Where the events keep what has no column of its own; the first one that has a value counts. */
const places = ['further', 'custom_event_props'] as const;

/** Columns whose own keys are named in full: `props.customEventProps.plan`. */
const named: ReadonlyMap<string, string> = new Map([
  ['customEventProps', 'custom_event_props'],
  ['customUserProps', 'custom_user_props'],
]);

/**
 * SQL for a property's value as text: texts as they are, everything else as JSON. NULL where it is missing, null or
 * empty.
 */
export function propertyText(path: readonly string[]): Template {
  return choose(path, (json, pointer) => [text('nullif(json_extract_string('), ...json, text(`, ${pointer}), '')`)]);
}

/** SQL for how JSON has the same value: `VARCHAR`, `DOUBLE`, `UBIGINT`, `BOOLEAN`, `OBJECT` … */
export function propertyJsonType(path: readonly string[]): Template {
  return choose(path, (json, pointer) => [
    text('CASE WHEN json_extract_string('),
    ...json,
    text(`, ${pointer}) <> '' THEN json_type(`),
    ...json,
    text(`, ${pointer}) END`),
  ]);
}

/** The grammar of JSON's numbers; `007` is none, and is kept as the text that it is. */
export const numberPattern = String.raw`-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?`;

/** Whole digits that decimals of 38 digits leave room for beside `mostDecimals`, and for sums of many. */
export const mostWholeDigits = 15;
export const mostDecimals = 9;

/**
 * SQL for a property's value where it is a number, or text that reads as one; NULL elsewhere. `scale`: decimals of a
 * decimal that holds all of them; a number that came later and does not fit stops the statement.
 */
export function propertyNumber(path: readonly string[], scale: number | undefined): Template {
  const value = propertyText(path);
  const float: Template = [
    text('CASE WHEN regexp_full_match('),
    ...value,
    text(`, '${numberPattern}') AND isfinite(TRY_CAST(`),
    ...value,
    text(' AS DOUBLE)) THEN '),
  ];
  if (scale === undefined) return [...float, text('CAST('), ...value, text(' AS DOUBLE) END')];
  const fraction = scale === 0 ? '' : String.raw`(\.\d{1,${scale}})?`;
  // DuckDB reads decimals of 18 digits fifty times as fast.
  const upTo = (digits: number, length: number): Template => [
    text(' WHEN regexp_full_match('),
    ...value,
    text(String.raw`, '-?(0|[1-9]\d{0,${digits - 1}})${fraction}') THEN CAST(CAST(`),
    ...value,
    text(` AS DECIMAL(${length}, ${scale})) AS DECIMAL(38, ${scale}))`),
  ];
  const short = 18 - scale;
  return [
    text('CASE'),
    ...upTo(Math.min(short, mostWholeDigits), 18),
    ...(short < mostWholeDigits ? upTo(mostWholeDigits, 38) : []),
    text(' ELSE '),
    ...float,
    text(
      "error('an event came after its property was looked up, and the number does not fit: start sluice again') END END",
    ),
  ];
}

/** The columns of events that may hold a property, in order, each with its keys in it and the JSON pointer, quoted. */
export function propertyPlaces(
  path: readonly string[],
): readonly { readonly column: string; readonly keys: readonly string[]; readonly pointer: string }[] {
  const [first = '', ...inner] = path;
  const column = inner.length > 0 ? named.get(first) : undefined;
  if (column) return [{ column, keys: inner, pointer: toPointer(inner) }];
  return places.map((place) => ({ column: place, keys: path, pointer: toPointer(path) }));
}

function choose(path: readonly string[], read: (json: Template, pointer: string) => Template): Template {
  const reads = propertyPlaces(path).map(({ column, pointer }) => read(jsonOf(column), pointer));
  return [text('coalesce('), ...reads.flatMap((one, index) => (index === 0 ? one : [text(', '), ...one])), text(')')];
}

/** What a file has in a column of properties need not be JSON. */
function jsonOf(column: string): Template {
  if (column === 'further') return [{ kind: 'cube' }, text('.further')];
  return [
    text('CASE WHEN json_valid('),
    { kind: 'cube' },
    text(`.${column}) THEN `),
    { kind: 'cube' },
    text(`.${column} END`),
  ];
}

/** A JSON pointer, quoted: it takes every key as it is. */
function toPointer(keys: readonly string[]): string {
  const pointer = keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return `'${pointer.replaceAll("'", "''")}'`;
}

function text(sql: string): Template[number] {
  return { kind: 'text', text: sql };
}
