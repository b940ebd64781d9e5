import { eventFields, spellingsOf, exportingCubes, propertiesMember } from '../../plan/model/event-fields.ts';
import { readPropertyMember } from '../../ask/query/property-name.ts';
import { entityKeys, isEntityKey } from './snowplow-entities.ts';

/** Snowplow's width and height of the viewport. */
export const sizeKeys = ['br_viewwidth', 'br_viewheight'] as const;

export function isSizeKey(name: string): boolean {
  return (sizeKeys as readonly string[]).includes(name.toLowerCase());
}

/** All names that canonical fields can have in a file. */
const allSpellings: readonly string[] = eventFields.flatMap(spellingsOf);

const canonicalSpelling = new Map(allSpellings.map((spelling) => [spelling.toLowerCase(), spelling]));

/** The canonical spelling for a column name, ignoring letter case; undefined if there is none. */
export function spellingOf(name: string): string | undefined {
  return canonicalSpelling.get(name.toLowerCase());
}

/** Names of the columns of exports with all properties of an event, as the text of a JSON object. */
const propertiesKeys: readonly string[] = exportingCubes.map((cube) => `${cube}.${propertiesMember}`);

const propertiesKeySet = new Set(propertiesKeys.map((key) => key.toLowerCase()));

export function isPropertiesKey(name: string): boolean {
  return propertiesKeySet.has(name.toLowerCase());
}

const exportedProperty = new RegExp(`^(?:${exportingCubes.join('|')})\\.(?=props\\.)`, 'i');

/** The name of the property that a column is: `amount` for `TrackedEvents.props.amount` of an export. */
export function propertyKey(name: string): string {
  if (!exportedProperty.test(name)) return name;
  return readPropertyMember(name.replace(exportedProperty, ''))?.path.join('.') ?? name;
}

/** Names of the count columns. */
export const countKeys: readonly string[] = exportingCubes.map((cube) => `${cube}.count`);

// Raw exports are grouped: equal events share one row with a count.

const countKeySet = new Set(countKeys.map((key) => key.toLowerCase()));

export function isCountKey(name: string): boolean {
  return countKeySet.has(name.toLowerCase());
}

/**
 * All names that are read: canonical fields, Snowplow's entities and viewport sizes, counts of grouped rows, and the
 * properties of exports.
 */
export const allKeys: readonly string[] = [
  ...allSpellings,
  ...entityKeys,
  ...sizeKeys,
  ...countKeys,
  ...propertiesKeys,
];

/** Whether a column of this name is read into a canonical column. */
export function isCanonicalName(name: string): boolean {
  return spellingOf(name) !== undefined || isCountKey(name) || isSizeKey(name) || isPropertiesKey(name);
}

// Columns of exports have values that sluice read from those of the files, which are no properties.
const keptSpellings = new Set(
  eventFields
    .filter(({ kept }) => kept)
    .flatMap(spellingsOf)
    .filter((spelling) => !spelling.includes('.'))
    .map((spelling) => spelling.toLowerCase()),
);

/** Whether a column of this name is read into a canonical column and also kept as a property. */
export function isKeptName(name: string): boolean {
  return keptSpellings.has(name.toLowerCase());
}

const keySet = new Set(allKeys);

/** Keys of JSON must match exactly. */
export function isCanonicalKey(key: string): boolean {
  return keySet.has(key) || (isEntityKey(key) && key === key.toLowerCase());
}

/** Whether the key is kept as a property. Some keys are also read into canonical columns. */
export function isFurtherKey(key: string): boolean {
  return !isCanonicalKey(key) || isEntityKey(key) || isKeptName(key);
}

/** The known name for a column name, ignoring letter case; undefined if there is none. */
export function readName(name: string): string | undefined {
  return (
    spellingOf(name) ??
    (isEntityKey(name)
      ? name.toLowerCase()
      : isCountKey(name) || isSizeKey(name) || isPropertiesKey(name)
        ? allKeys.find((key) => key.toLowerCase() === name.toLowerCase())
        : undefined)
  );
}

/** All names for the time of an event. */
export const timeSpellings: readonly string[] = eventFields
  .filter((field) => field.type === 'time')
  .flatMap(spellingsOf);

const timeNames = new Set(timeSpellings.map((spelling) => spelling.toLowerCase()));

/** Whether a column of this name holds the event time. */
export function isTimeName(name: string): boolean {
  return timeNames.has(name.toLowerCase());
}

/** RFC 3986, appendix B, reduced to the parts in use. The host excludes user and port. */
export const urlParts: readonly (readonly [column: string, pattern: string])[] = [
  ['doc_host', '^[a-zA-Z][a-zA-Z0-9+.-]*://(?:[^/?#@]*@)?(\\[[^\\]/?#]*\\]|[^/?#:]*)'],
  ['doc_path', '^(?:[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*)?([^?#]*)'],
  ['doc_search', '^[^?#]*(\\?[^#]*)'],
  ['base_url', '^([a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*)'],
];
