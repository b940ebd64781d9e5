import type { Template } from '../../../plan/model/model.ts';
import { propertyJsonType, propertyPlaces, propertyText } from '../../../plan/model/property-sql.ts';
import { tallyProperties } from '../../../plan/model/sampled-properties.ts';
import type { PropertyPath } from '../../store/store-manifest.ts';
import { quoteName } from '../engine/sql-text.ts';
import type { StoreWriter } from './open-writer.ts';
import { rowsOf, segmentColumns } from './segment-columns.ts';

/** So many properties of a segment have columns of their own; the others are read out of their JSON. */
const mostColumns = 24;

/** So many rows are looked at for the names of properties, of so many files. */
const mostSampled = 2000;
const mostFiles = 16;

/** The texts of a property, and what JSON has there, as `propertyText` and `propertyJsonType` have them. */
interface PropertyColumns {
  readonly text: string;
  readonly type: string;
}

/** Names tell letter case apart, which names of columns do not. */
function columnsOf(path: PropertyPath): PropertyColumns {
  const name = path.map((key) => `/${[...Buffer.from(key)].map(encodeByte).join('')}`).join('');
  return { text: `text ${name}`, type: `type ${name}` };
}

function encodeByte(byte: number): string {
  const letter = String.fromCharCode(byte);
  return /[a-z0-9_]/.test(letter) ? letter : `%${byte.toString(16).padStart(2, '0')}`;
}

/** The properties that come most often in some rows of these files of `segmentColumns`. */
export function chooseFromFiles(writer: StoreWriter, paths: readonly string[]): Promise<readonly PropertyPath[]> {
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

/** The properties that come most often in the first rows of each of these relations. */
export async function chooseFrom(writer: StoreWriter, relations: readonly string[]): Promise<readonly PropertyPath[]> {
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
  return tallyProperties(rows.map(([further, ofEvent, ofUser]) => ({ further, ofEvent, ofUser })))
    .slice(0, mostColumns)
    .map(({ path }) => path);
}

/** The rows of a SELECT of `segmentColumns`, in their order, with the columns of these properties. */
export function withPropertyColumns(select: string, paths: readonly PropertyPath[]): string {
  if (paths.length === 0) return select;
  const pointers = new Map<string, string[]>();
  for (const path of paths)
    for (const { column, pointer } of propertyPlaces(path))
      pointers.set(column, [...(pointers.get(column) ?? []), pointer]);
  // Each text is read once, for all properties.
  const lists = [...pointers].flatMap(([column, own]) => {
    const json = column === 'further' ? column : `CASE WHEN json_valid(${column}) THEN ${column} END`;
    return [
      `json_extract_string(${json}, [${own.join(', ')}]) AS ${quoteName(`texts ${column}`)}`,
      `json_type(${json}, [${own.join(', ')}]) AS ${quoteName(`types ${column}`)}`,
    ];
  });
  const own = paths.flatMap((path) => {
    const items = propertyPlaces(path).map(({ column, pointer }) => {
      const place = pointers.get(column)!.indexOf(pointer) + 1;
      return { text: `${quoteName(`texts ${column}`)}[${place}]`, type: `${quoteName(`types ${column}`)}[${place}]` };
    });
    const { text, type } = columnsOf(path);
    return [
      `coalesce(${items.map((item) => `nullif(${item.text}, '')`).join(', ')}) AS ${quoteName(text)}`,
      `coalesce(${items.map((item) => `CASE WHEN ${item.text} <> '' THEN ${item.type} END`).join(', ')}) AS ${quoteName(type)}`,
    ];
  });
  return `SELECT ${[...segmentColumns, ...own].join(', ')} FROM (SELECT *, ${lists.join(', ')} FROM (${select}) AS written) AS written`;
}

/**
 * SQL of the columns of these properties, over a segment that has those of `present`; what it lacks is read out of the
 * JSON.
 */
export function selectPropertyColumns(
  paths: readonly PropertyPath[],
  present: readonly PropertyPath[],
  relation: string,
): readonly string[] {
  const names = new Set(present.map((path) => columnsOf(path).text));
  return paths.flatMap((path) => {
    const { text, type } = columnsOf(path);
    if (names.has(text)) return [quoteName(text), quoteName(type)];
    return [
      `${print(propertyText(path), relation)} AS ${quoteName(text)}`,
      `${print(propertyJsonType(path), relation)} AS ${quoteName(type)}`,
    ];
  });
}

/** A statement that reads the columns of properties instead of their JSON, and which ones; undefined: it reads none. */
export function readColumns(
  statement: string,
  paths: readonly PropertyPath[],
): { readonly text: string; readonly paths: readonly PropertyPath[] } | undefined {
  const relations = new Set([...statement.matchAll(/("(?:[^"]|"")+"|\w+)\.further\b/g)].map(([, name]) => name!));
  const used: PropertyPath[] = [];
  let text = statement;
  for (const path of paths) {
    const columns = columnsOf(path);
    const before = text;
    for (const relation of relations) {
      text = text
        .replaceAll(print(propertyText(path), relation), `${relation}.${quoteName(columns.text)}`)
        .replaceAll(print(propertyJsonType(path), relation), `${relation}.${quoteName(columns.type)}`);
    }
    if (text !== before) used.push(path);
  }
  return used.length > 0 ? { text, paths: used } : undefined;
}

function print(template: Template, relation: string): string {
  return template.map((part) => (part.kind === 'text' ? part.text : relation)).join('');
}
