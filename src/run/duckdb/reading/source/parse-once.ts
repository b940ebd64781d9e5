import { quoteName } from '../../engine/sql-text.ts';

/**
 * A column with the results of a JSON function at several pointers of another column. DuckDB parses the text once for
 * all of them, and once for each if they are read apart.
 */
export interface JsonList {
  readonly call: string;
  /** The name of the column with JSON, as SQL. */
  readonly column: string;
  /** Quoted JSON pointers. */
  readonly pointers: readonly string[];
}

/** The SQL of the list over the columns of its relation. `prefix`: of the names of columns. */
export function jsonList({ call, column, pointers }: JsonList, prefix = ''): string {
  const text = `${prefix}${column}`;
  const list = `${call}(${text}, [${pointers.join(', ')}])`;
  // Columns of properties in files may contain text that is not JSON. Files without them need no list for each row.
  return /^custom_/.test(column) ? `CASE WHEN json_valid(${text}) THEN ${list} END` : list;
}

/** A SELECT with these lists as further columns. */
export function withLists(select: string, lists: readonly JsonList[]): string {
  if (lists.length === 0) return select;
  const columns = lists.map((list, index) => `${jsonList(list)} AS ${nameOf(index)}`);
  return `SELECT *, ${columns.join(', ')} FROM (${select})`;
}

function nameOf(index: number): string {
  return quoteName(`json ${index}`);
}

/** A pattern of the name of a relation in a statement. */
export const relationName = String.raw`"(?:[^"]|"")+"|\w+`;
/** Where statements read properties from JSON, see `propertyPlaces`. */
const read = new RegExp(
  String.raw`\b(?<call>json_extract_string|json_type)\((?:(?<from>${relationName})\.(?<further>further\b|"further (?:[^"]|"")+")` +
    String.raw`|CASE WHEN json_valid\((?<own>${relationName})\.(?<props>custom_(?:event|user)_props)\) THEN \k<own>\.\k<props> END)` +
    String.raw`, (?<pointer>'/(?:[^']|'')*')\)`,
  'g',
);

interface Read extends Omit<JsonList, 'pointers'> {
  readonly relation: string;
  readonly pointer: string;
}

function toRead(groups: Readonly<Record<string, string | undefined>> = {}): Read {
  const { call = '', from, further, own, props, pointer = '' } = groups;
  return { call, relation: from ?? own ?? '', column: further ?? props ?? '', pointer };
}

/**
 * The statement rewritten to read several properties of one JSON text from a list, and all lists that its relation then
 * needs: the `known` ones, whose places do not change, and new ones. `relations`: those that have the lists.
 */
export function readTogether(
  statement: string,
  relations: ReadonlySet<string>,
  known: readonly JsonList[],
): { readonly text: string; readonly lists: readonly JsonList[] } {
  const keyOf = ({ call, relation: from, column }: Read) => JSON.stringify([call, from, column]);
  const reads = [...statement.matchAll(read)].map(({ groups }) => toRead(groups));
  const lists = [...known];
  const places = new Map<string, { readonly list: JsonList; readonly index: number }>();
  for (const [key, group] of Map.groupBy(reads, keyOf)) {
    const [{ call, relation: from, column }] = group as [Read, ...Read[]];
    const pointers = [...new Set(group.map(({ pointer }) => pointer))].sort();
    if (pointers.length < 2 || !relations.has(from)) continue;
    const list = { call, column, pointers };
    const before = lists.findIndex((one) => JSON.stringify(one) === JSON.stringify(list));
    places.set(key, { list, index: before === -1 ? lists.push(list) - 1 : before });
  }
  const text = statement.replaceAll(read, (found, ...rest) => {
    const one = toRead(rest.at(-1) as Record<string, string | undefined>);
    const place = places.get(keyOf(one));
    if (!place) return found;
    return `${one.relation}.${nameOf(place.index)}[${place.list.pointers.indexOf(one.pointer) + 1}]`;
  });
  return { text, lists };
}

/** The relations with events from which a statement reads properties. */
export function relationsWithFurther(statement: string): ReadonlySet<string> {
  return new Set([...statement.matchAll(new RegExp(`(${relationName})\\.further\\b`, 'g'))].map(([, name]) => name!));
}
