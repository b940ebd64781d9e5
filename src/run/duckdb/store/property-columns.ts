import { eachValue, splitAtList, writePropertyName } from '../../../ask/query/property-name.ts';
import type { Template } from '../../../plan/model/model.ts';
import {
  listRows,
  ofList,
  pathInName,
  propertyJsonType,
  propertyPlaces,
  propertyText,
  toListRows,
} from '../../../plan/model/property-sql.ts';
import { tallyProperties } from '../../../plan/model/sampled-properties.ts';
import type { StoredProperty } from '../../store/store-manifest.ts';
import { quoteName } from '../engine/sql-text.ts';
import { jsonList, relationsWithFurther } from '../reading/source/parse-once.ts';
import type { FileWriter } from './file-writer.ts';
import { rowsOf, segmentColumns } from './segment-columns.ts';

/**
 * The number of properties of a segment that get columns, and the same for properties of the values of lists. Others
 * are read from JSON.
 */
const mostColumns = 16;

/** The number of rows and files that are sampled for property names. */
const mostSampled = 2000;
const mostFiles = 16;

/**
 * The columns of a property's text and JSON type; see `propertyText` and `propertyJsonType`. For a property of the
 * values of a list, columns of lists with one text for each row of `listRows`.
 */
interface PropertyColumns {
  readonly text: string;
  readonly type: string;
}

function columnsOf({ path }: Pick<StoredProperty, 'path'>): PropertyColumns {
  const name = pathInName(path);
  return { text: `text ${name}`, type: `type ${name}` };
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
          `(SELECT further, custom_event_props, custom_user_props FROM ${relation}
            WHERE further IS NOT NULL OR custom_event_props IS NOT NULL OR custom_user_props IS NOT NULL LIMIT ${limit})`,
      )
      .join(' UNION ALL '),
  );
  const found = tallyProperties(rows.map(([further, ofEvent, ofUser]) => ({ further, ofEvent, ofUser })));
  const [ofLists, ofEvents] = [found.filter(isOfList), found.filter((one) => !isOfList(one))];
  const chosen = [
    // A list that has columns for its values needs none for its text.
    ...ofEvents.filter(({ events, lists }) => lists * 2 < events).slice(0, mostColumns),
    ...ofLists.slice(0, mostColumns),
  ];
  // The JSON type matters only for numbers.
  return chosen.map(({ path, numbers }) => ({ path, typed: numbers > 0 }));
}

export function isOfList({ path }: Pick<StoredProperty, 'path'>): boolean {
  return path.includes(eachValue);
}

/** The rows of a SELECT of `segmentColumns`, in the same order, with the columns of these properties. */
export function withPropertyColumns(select: string, properties: readonly StoredProperty[]): string {
  if (properties.length === 0) return select;
  const ofEvents = openReads();
  const ofLists = Map.groupBy(
    properties,
    ({ path }) => splitAtList(path) && writePropertyName(splitAtList(path)!.list),
  );
  const lists: string[] = [];
  const own = [...ofLists].flatMap(([name, members]) => {
    if (name === undefined) return members.flatMap((one) => ofEvents.columns(one));
    const ofValues = openReads('one.');
    const values = quoteName(`values of ${name}`);
    const columns = members.flatMap((one) =>
      ofValues.columns(one, (value) => `list_transform(${values}, lambda one: ${value})`),
    );
    const text = ofEvents.text(splitAtList(members[0]!.path)!.list);
    const rows = print(toListRows([{ kind: 'text', text }]), '');
    const fields = ofValues.results().map(([field, result]) => `${field}: ${result}`);
    lists.push(`list_transform(${rows}, lambda one: {${fields.join(', ')}}) AS ${values}`);
    return columns;
  });
  const results = ofEvents.results().map(([name, result]) => `${result} AS ${name}`);
  const read = `SELECT *, ${results.join(', ')} FROM (${select}) AS written`;
  const listed = lists.length === 0 ? read : `SELECT *, ${lists.join(', ')} FROM (${read}) AS written`;
  return `SELECT ${[...segmentColumns, ...own].join(', ')} FROM (${listed}) AS written`;
}

/**
 * Reads the properties of rows so that each JSON text is parsed once for all of them. The columns refer to `results`,
 * which the rows must have as columns with these names, or as fields of `prefix`.
 */
function openReads(prefix = '') {
  const texts = openLists('json_extract_string', prefix);
  const types = openLists('json_type', prefix);
  const text = (path: readonly string[]) => {
    const places = propertyPlaces(path).map((place) => `nullif(${texts.item(place)}, '')`);
    return `coalesce(${places.join(', ')})`;
  };
  const type = (path: readonly string[]) => {
    const places = propertyPlaces(path).map(
      (place) => `CASE WHEN ${texts.item(place)} <> '' THEN ${types.item(place)} END`,
    );
    return `coalesce(${places.join(', ')})`;
  };
  return {
    text,
    columns({ path, typed }: StoredProperty, write = (value: string) => value): readonly string[] {
      const names = columnsOf({ path });
      return [
        `${write(text(path))} AS ${quoteName(names.text)}`,
        ...(typed ? [`${write(type(path))} AS ${quoteName(names.type)}`] : []),
      ];
    },
    results: () => [...texts.results(), ...types.results()],
  };
}

/** Lists of a function's results at the paths of properties. */
function openLists(call: string, prefix: string) {
  const pointers = new Map<string, string[]>();
  const nameOf = (column: string) => quoteName(`${call} ${column}`);
  return {
    item({ column, pointer }: { readonly column: string; readonly pointer: string }): string {
      const own = pointers.get(column) ?? [];
      pointers.set(column, own);
      const at = own.includes(pointer) ? own.indexOf(pointer) + 1 : own.push(pointer);
      return `${prefix}${nameOf(column)}[${at}]`;
    },
    results: () =>
      [...pointers].map(
        ([column, own]) => [nameOf(column), jsonList({ call, column, pointers: own }, prefix)] as const,
      ),
  };
}

type ReadProperty = (path: readonly string[]) => Template;

/** A list of the values that an expression over one row has, for rows such as `listRows` makes. */
function eachRow(rows: Template, expression: Template): Template {
  return [
    { kind: 'text', text: 'list_transform(' },
    ...rows,
    { kind: 'text', text: `, lambda one: ${print(expression, 'one')})` },
  ];
}

/** SQL for the content of a property's column by the JSON of the events. */
function byJson(path: readonly string[], read: ReadProperty): Template {
  const { list } = splitAtList(path) ?? {};
  return list ? eachRow(listRows(list), read(path)) : read(path);
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
    return [select(text, byJson(property.path, propertyText)), select(type, byJson(property.path, propertyJsonType))];
  });
}

/** The statement rewritten to read columns instead of JSON, and the properties it reads; undefined if it reads none. */
export function readColumns<Property extends Pick<StoredProperty, 'path'>>(
  statement: string,
  properties: readonly Property[],
): { readonly text: string; readonly properties: readonly Property[] } | undefined {
  const relations = relationsWithFurther(statement);
  const read: Property[] = [];
  let text = statement;
  for (const members of Map.groupBy(properties.filter(isOfList), ({ path }) =>
    writePropertyName(splitAtList(path)!.list),
  ).values()) {
    const quick = readListColumns(text, members, relations);
    if (!quick) continue;
    text = quick.text;
    read.push(...quick.properties);
  }
  for (const property of properties) {
    if (isOfList(property)) continue;
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

/** The same for the properties of one list. Undefined if the statement also reads others of its values. */
function readListColumns<Property extends Pick<StoredProperty, 'path'>>(
  statement: string,
  properties: readonly Property[],
  relations: ReadonlySet<string>,
): { readonly text: string; readonly properties: readonly Property[] } | undefined {
  const { list } = splitAtList(properties[0]!.path)!;
  const rows = [...relations].map((relation) => ({ relation, text: print(listRows(list), relation) }));
  const after = rows.flatMap((each) => statement.split(each.text).slice(1));
  const names = new Set(after.flatMap((rest) => /^(?:\) AS|, lambda) ("(?:[^"]|"")+"|\w+)/.exec(rest)?.[1] ?? []));
  let text = statement;
  const read = new Map<string, Property>();
  for (const property of properties) {
    const columns = columnsOf(property);
    for (const name of names) {
      const replace = (expression: Template, column: string) => {
        const by = print(expression, name);
        if (!text.includes(by)) return;
        text = text.replaceAll(by, `${name}.${quoteName(column)}`);
        read.set(column, property);
      };
      replace(propertyText(property.path), columns.text);
      replace(propertyJsonType(property.path), columns.type);
    }
  }
  if (read.size === 0 || [...names].some((name) => text.includes(`${name}.${ofList}`))) return undefined;
  const fields = [...read.keys()].map((column) => `${quoteName(column)} VARCHAR`).join(', ');
  for (const each of rows) {
    const columns = [...read.keys()].map((column) => `${each.relation}.${quoteName(column)}`).join(', ');
    text = text.replaceAll(each.text, `CAST(list_zip(${columns}) AS STRUCT(${fields})[])`);
  }
  return { text, properties: [...new Set(read.values())] };
}

function print(template: Template, relation: string): string {
  return template.map((part) => (part.kind === 'text' ? part.text : relation)).join('');
}
