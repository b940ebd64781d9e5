import {
  decimalPattern,
  numberPattern,
  propertyFloat,
  propertyNumber,
  propertyPlaces,
  propertyText,
} from '../../model/property-sql.ts';
import type { PropertyProfile } from '../../model/property-members.ts';
import type { Template } from '../../model/model.ts';
import { quoteClickHouseText as quoted } from './dialect.ts';

/** The name of the materialized column with a property's text. */
export function propertyColumn(path: readonly string[]): string {
  return `text ${path.map((key) => `/${encodeURIComponent(key)}`).join('')}`;
}

/** Where events may have a property. */
export interface PropertyPlace {
  /** SQL name of an event column. */
  readonly column: string;
  /** The keys inside the column's JSON. */
  readonly keys: readonly string[];
  /** Set if the column is the value itself: whether it is a text, not a number or an object. */
  readonly isText?: boolean;
}

/**
 * SQL for a property's value as text, with the same result as `propertyText`. `columnOf` returns the SQL of an event
 * column.
 */
export function clickHousePropertyText(
  path: readonly string[],
  columnOf: (column: string) => string,
  places: readonly PropertyPlace[] = propertyPlaces(path),
): string {
  const texts = places.map(({ column, keys, isText }) =>
    isText === undefined ? clickHouseJsonText(`ifNull(${columnOf(column)}, '')`, keys) : columnOf(column),
  );
  return texts.length === 0 ? 'CAST(NULL AS Nullable(String))' : `coalesce(${texts.join(', ')})`;
}

/** SQL for the text at these keys and list indexes (from 0) of a JSON value. It is null if the text is empty. */
export function clickHouseJsonText(json: string, steps: readonly (string | number)[]): string {
  return atSteps(json, steps, (read) => {
    const raw = `JSONExtractRaw(${read})`;
    const type = `JSONType(${read})`;
    return `nullIf(multiIf(${type} = 'Null', '',
      ${type} = 'String', JSONExtractString(${read}),
      ${type} = 'Double' AND match(${raw}, '^-?[0-9]+$'), concat(${raw}, '.0'), ${raw}), '')`;
  });
}

/**
 * SQL of the value at these steps, from the arguments of ClickHouse's functions of JSON. A key of digits is a place in
 * a list if there is one, as in JSON pointers.
 */
function atSteps(json: string, steps: readonly (string | number)[], valueAt: (read: string) => string): string {
  const read = (some: readonly (string | number)[]) =>
    [json, ...some.map((step) => (typeof step === 'number' ? String(step + 1) : quoted(step)))].join(', ');
  const unclear = steps.findIndex((step) => typeof step === 'string' && /^(?:0|[1-9]\d{0,8})$/.test(step));
  if (unclear === -1) return valueAt(read(steps));
  const inList = atSteps(json, steps.with(unclear, Number(steps[unclear])), valueAt);
  return `if(JSONType(${read(steps.slice(0, unclear))}) = 'Array', ${inList}, ${valueAt(read(steps))})`;
}

/** SQL that is true if the property's value is a text, such as a string in the JSON. */
export function isPropertyText(places: readonly PropertyPlace[], columnOf: (column: string) => string): string {
  const cases = places.map(({ column, keys, isText }) => {
    if (isText !== undefined) return `${columnOf(column)} IS NOT NULL, ${isText}`;
    const at = (valueAt: (read: string) => string) => atSteps(`ifNull(${columnOf(column)}, '')`, keys, valueAt);
    return `${at((read) => `JSONType(${read}) <> 'Null' AND JSONExtractRaw(${read}) <> '""'`)}, ${at((read) => `JSONType(${read}) = 'String'`)}`;
  });
  return `multiIf(${cases.join(', ')}, false)`;
}

/** SQL that is true if a text is a number by JSON's grammar, within the range of floats. */
export function isNumberText(text: string): string {
  return (
    `(match(ifNull(${text}, ''), ${quoted(`^(?:${numberPattern})$`)}) ` +
    `AND isFinite(ifNull(toFloat64OrNull(${text}), inf)))`
  );
}

/**
 * Replaces the embedded engine's access to properties in a statement by ClickHouse's functions. The SQL of members is
 * the same for all engines, and accesses properties in only a few forms. `textOf` returns the SQL of a property's text
 * from that of the columns.
 */
export function withPropertyReads(
  statement: string,
  properties: readonly Pick<PropertyProfile, 'path' | 'scale'>[],
  textOf: (path: readonly string[], columnOf: (column: string) => string) => string,
): string {
  if (properties.length === 0 || !/\.further\b|\.custom_|\.value\b/.test(statement)) return statement;
  const relations = new Set(
    [...statement.matchAll(/("(?:[^"]|"")+"|\w+)\.(?:further|custom_(?:event|user)_props|value)\b/g)].map(
      ([, name]) => name!,
    ),
  );
  let text = statement;
  // Replace decimals first, because their SQL contains the SQL for floats.
  const ordered = properties.toSorted(
    (one, other) => Number(other.scale !== undefined) - Number(one.scale !== undefined),
  );
  for (const { path, scale } of ordered)
    for (const relation of relations) {
      const value = textOf(path, (column) => `${relation}.${column}`);
      const print = (template: Template) =>
        template.map((part) => (part.kind === 'text' ? part.text : relation)).join('');
      const float = `if(${isNumberText(value)}, toFloat64OrNull(${value}), NULL)`;
      const plain = print(propertyText(path));
      for (const [number, made] of [
        [print(propertyNumber(path, scale)), scale === undefined ? float : decimal(value, scale)],
        [print(propertyNumber(path, undefined)), float],
      ] as const)
        text = text.replaceAll(number, () => made);
      text = text
        .replaceAll(print(propertyFloat(path)), () => `if(isNaN(toFloat64(${value})), NULL, toFloat64(${value}))`)
        .replaceAll(`CAST(${plain} AS BOOLEAN)`, () => `accurateCastOrNull(${value}, 'Bool')`)
        .replaceAll(plain, () => value);
    }
  return text;
}

/**
 * SQL for an exact decimal. The statement fails if a number that arrived after its property was looked up does not fit.
 */
function decimal(value: string, scale: number): string {
  const fits = `match(ifNull(${value}, ''), ${quoted(`^(?:${decimalPattern(scale)})$`)})`;
  return `if(${fits}, toDecimal128OrNull(${value}, ${scale}),
    if(throwIf(${isNumberText(value)} AND NOT ${fits},
    'an event came after its property was looked up, and the number does not fit: start sluice again') = 0,
    NULL, NULL))`;
}
