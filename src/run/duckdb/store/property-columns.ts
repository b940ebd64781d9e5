import { eachValue } from '../../../ask/query/property-name.ts';
import type { Template } from '../../../plan/model/model.ts';
import { propertyJsonType, propertyPlaces, propertyText } from '../../../plan/model/property-sql.ts';
import { tallyProperties } from '../../../plan/model/sampled-properties.ts';
import type { StoredProperty } from '../../store/store-manifest.ts';
import { quoteName } from '../engine/sql-text.ts';
import type { FileWriter } from './file-writer.ts';
import { rowsOf, segmentColumns } from './segment-columns.ts';

/** The number of properties of a segment that get columns. Other properties are read from JSON. */
const mostColumns = 16;

/** The number of rows and files that are sampled for property names. */
const mostSampled = 2000;
const mostFiles = 16;

/** The columns of a property's text and JSON type; see `propertyText` and `propertyJsonType`. */
interface PropertyColumns {
  readonly text: string;
  readonly type: string;
}

/** Property names are case-sensitive, column names are not. */
function columnsOf({ path }: Pick<StoredProperty, 'path'>): PropertyColumns {
  const name = path.map((key) => `/${[...Buffer.from(key)].map(encodeByte).join('')}`).join('');
  return { text: `text ${name}`, type: `type ${name}` };
}

function encodeByte(byte: number): string {
  const letter = String.fromCharCode(byte);
  return /[a-z0-9_]/.test(letter) ? letter : `%${byte.toString(16).padStart(2, '0')}`;
}

/** The most frequent properties in a sample of rows from files of `segmentColumns`. */
export function chooseFromFiles(writer: FileWriter, paths: readonly string[]): Promise<readonly StoredProperty[]> {
  const step = Math.max(1, paths.length / mostFiles);
  const chosen = Array.from(
    { length: Math.min(mostFiles, paths.length) },
    (_, index) => paths[Math.floor(index * step)]!,
  );
  return chooseFrom(
    writer,
    chosen.map((path) => rowsOf([path])),
  );
}

/** The most frequent properties in the first rows of each relation. */
export async function chooseFrom(writer: FileWriter, relations: readonly string[]): Promise<readonly StoredProperty[]> {
  if (relations.length === 0) return [];
  const limit = Math.ceil(mostSampled / relations.length);
  const rows = await writer.rows(
    relations
      .map(
        (relation) =>
          `(SELECT further, custom_event_props, custom_user_props FROM ${relation} WHERE further IS NOT NULL OR custom_event_props IS NOT NULL OR custom_user_props IS NOT NULL LIMIT ${limit})`,
      )
      .join(' UNION ALL '),
  );
  return (
    tallyProperties(rows.map(([further, ofEvent, ofUser]) => ({ further, ofEvent, ofUser })))
      .filter(({ path }) => !path.includes(eachValue))
      .slice(0, mostColumns)
      // The JSON type matters only for numbers.
      .map(({ path, numbers }) => ({ path, typed: numbers > 0 }))
  );
}

/** The rows of a SELECT of `segmentColumns`, in the same order, with the columns of these properties. */
export function withPropertyColumns(select: string, properties: readonly StoredProperty[]): string {
  if (properties.length === 0) return select;
  const texts = openLists('json_extract_string');
  const types = openLists('json_type');
  const own = properties.flatMap((property) => {
    const names = columnsOf(property);
    const places = propertyPlaces(property.path);
    const text = places.map((place) => `nullif(${texts.item(place)}, '')`).join(', ');
    if (!property.typed) return [`coalesce(${text}) AS ${quoteName(names.text)}`];
    const type = places.map((place) => `CASE WHEN ${texts.item(place)} <> '' THEN ${types.item(place)} END`).join(', ');
    return [`coalesce(${text}) AS ${quoteName(names.text)}`, `coalesce(${type}) AS ${quoteName(names.type)}`];
  });
  const lists = [...texts.columns(), ...types.columns()].join(', ');
  return `SELECT ${[...segmentColumns, ...own].join(', ')} FROM (SELECT *, ${lists} FROM (${select}) AS written) AS written`;
}

/** Lists of a function's results at the paths of properties. Each JSON text is parsed once for all of them. */
function openLists(call: string) {
  const pointers = new Map<string, string[]>();
  const nameOf = (column: string) => quoteName(`${call} ${column}`);
  return {
    item({ column, pointer }: { readonly column: string; readonly pointer: string }): string {
      const own = pointers.get(column) ?? [];
      pointers.set(column, own);
      return `${nameOf(column)}[${own.includes(pointer) ? own.indexOf(pointer) + 1 : own.push(pointer)}]`;
    },
    columns: () =>
      [...pointers].map(([column, own]) => {
        const json = column === 'further' ? column : `CASE WHEN json_valid(${column}) THEN ${column} END`;
        return `${call}(${json}, [${own.join(', ')}]) AS ${nameOf(column)}`;
      }),
  };
}

/** SQL for the columns of these properties. Properties that are not `present` are read from the relation's JSON. */
export function selectPropertyColumns(
  properties: readonly StoredProperty[],
  present: readonly StoredProperty[],
  relation: string,
): readonly string[] {
  const names = new Set(present.flatMap((one) => [columnsOf(one).text, ...(one.typed ? [columnsOf(one).type] : [])]));
  const select = (name: string, otherwise: Template) =>
    names.has(name) ? quoteName(name) : `${print(otherwise, relation)} AS ${quoteName(name)}`;
  return properties.flatMap((property) => {
    const { text, type } = columnsOf(property);
    return [select(text, propertyText(property.path)), select(type, propertyJsonType(property.path))];
  });
}

/** The statement rewritten to read columns instead of JSON, and the properties it reads; undefined if it reads none. */
export function readColumns<Property extends Pick<StoredProperty, 'path'>>(
  statement: string,
  properties: readonly Property[],
): { readonly text: string; readonly properties: readonly Property[] } | undefined {
  const relations = new Set([...statement.matchAll(/("(?:[^"]|"")+"|\w+)\.further\b/g)].map(([, name]) => name!));
  const read: Property[] = [];
  let text = statement;
  for (const property of properties) {
    const columns = columnsOf(property);
    const before = text;
    for (const relation of relations) {
      text = text
        .replaceAll(print(propertyText(property.path), relation), `${relation}.${quoteName(columns.text)}`)
        .replaceAll(print(propertyJsonType(property.path), relation), `${relation}.${quoteName(columns.type)}`);
    }
    if (text !== before) read.push(property);
  }
  return read.length > 0 ? { text, properties: read } : undefined;
}

function print(template: Template, relation: string): string {
  return template.map((part) => (part.kind === 'text' ? part.text : relation)).join('');
}
