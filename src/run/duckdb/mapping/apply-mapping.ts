import { eventFields, spellingsOf } from '../../../plan/model/event-fields.ts';
import { jsonType, textOf } from '../engine/column-text.ts';
import { quoteName, quoteText } from '../engine/sql-text.ts';
import { type CompiledMapping, type MappedField, type MappedPart, rootName } from './compile-mapping.ts';
import { timeIn } from './time-formats.ts';

/** As `SourceColumn`. */
interface Column {
  readonly name: string;
  readonly type: string;
  readonly reference?: string;
  readonly foreign?: boolean;
  readonly derived?: boolean;
  readonly mapped?: boolean;
}

interface Table {
  readonly columns: readonly Column[];
  /** The relation with these columns. */
  readonly reader: string;
}

interface MappedTable extends Table {
  /** SQL for the original text of the time, over the reader; undefined if the mapping has no time. */
  readonly written: string | undefined;
}

const spellings = new Map(
  eventFields.flatMap((field) => spellingsOf(field).map((spelling) => [spelling.toLowerCase(), field.column] as const)),
);

/** Whether the name belongs to a field that the mapping takes from another column. */
export function isTakenElsewhere({ fields }: CompiledMapping, name: string): boolean {
  const column = spellings.get(name.toLowerCase());
  return column !== undefined && fields.some((field) => field.column === column);
}

/** The column with this name. If no name matches exactly, letter case is ignored; keys of JSON always match exactly. */
function findRoot<T extends Column>(columns: readonly T[], root: string): T | undefined {
  return (
    columns.find(({ name }) => name === root) ?? columns.find(({ name }) => name.toLowerCase() === root.toLowerCase())
  );
}

/**
 * The table with a canonical column for each mapped field, and without the columns that these consume. Other columns
 * with a canonical name become properties.
 */
export function applyMapping(given: Table, mapping: CompiledMapping): MappedTable {
  const table = unrolled(given, mapping);
  const find = (root: string) => findRoot(table.columns, root);
  const consumed = new Set(mapping.consumed.map((root) => find(root)));
  const kept = table.columns
    .filter((column) => !consumed.has(column))
    .map((column) => (isTakenElsewhere(mapping, column.name) ? { ...column, foreign: true } : column));
  const computed = new Map<string, string>();
  const mapped = mapping.fields.map((field) => toColumn(field, find, computed));
  const named = new Map(
    mapping.fields
      .flatMap(({ parts }) => parts)
      .flatMap((part) => (part.kind === 'sql' ? part.roots : []))
      .map((root) => [rootName(root), rootValue(find(root))]),
  );
  const inner = named.size === 0 ? table.reader : `(SELECT *, ${list(named)} FROM ${table.reader})`;
  const time = mapping.fields.find(({ type }) => type === 'time');
  return {
    columns: [...mapped, ...kept],
    reader: computed.size === 0 ? inner : `(SELECT *, ${list(computed)} FROM ${inner})`,
    written: time && `coalesce(${[...time.parts.map((part) => rawText(part, find)), 'NULL'].join(', ')})`,
  };
}

/** SELECT of the values of one part as a column `value`, and their type. */
export function selectPart(
  given: Table,
  part: MappedPart,
  mapping: Pick<CompiledMapping, 'rows'>,
): { readonly select: string; readonly type: string } {
  const table = unrolled(given, mapping);
  const find = (root: string) => findRoot(table.columns, root);
  const named = new Map((part.kind === 'sql' ? part.roots : []).map((root) => [rootName(root), rootValue(find(root))]));
  const [value, type] = valueOf(part, find);
  const reader = named.size === 0 ? table.reader : `(SELECT *, ${list(named)} FROM ${table.reader})`;
  return { select: `SELECT ${value} AS value FROM ${reader}`, type };
}

/** One row for each item of the list in the column `rows`; one row with a null item if the list is empty. */
function unrolled(table: Table, { rows }: Pick<CompiledMapping, 'rows'>): Table {
  const column = rows === undefined ? undefined : findRoot(table.columns, rows);
  if (!column) return table;
  const items = `json_extract(TRY_CAST(${textOf(referenceOf(column), column.type)} AS JSON), '$[*]')`;
  const item = `unnest(CASE WHEN len(${items}) > 0 THEN ${items} ELSE [NULL] END)`;
  // Items of a typed column become JSON text, as in text files.
  const type = column.type === jsonType ? jsonType : 'VARCHAR';
  const value = type === jsonType ? item : `CAST(${item} AS VARCHAR)`;
  return {
    columns: table.columns.map((one) => (one === column ? { ...one, type } : one)),
    reader: `(SELECT * REPLACE (${value} AS ${referenceOf(column)}) FROM ${table.reader})`,
  };
}

type Find = (root: string) => Column | undefined;

function list(expressions: ReadonlyMap<string, string>): string {
  return [...expressions].map(([name, expression]) => `${expression} AS ${quoteName(name)}`).join(', ');
}

function referenceOf({ reference, name }: Column): string {
  return quoteName(reference ?? name);
}

/** Columns of text files are always text. */
function rootValue(column: Column | undefined): string {
  if (!column) return 'CAST(NULL AS VARCHAR)';
  return column.type === jsonType ? textOf(referenceOf(column), jsonType) : referenceOf(column);
}

function toColumn(field: MappedField, find: Find, computed: Map<string, string>): Column {
  const name = spellingsOf(eventFields.find(({ column }) => column === field.column)!)[0]!;
  const [first, ...more] = field.parts;
  if (first?.kind === 'column' && more.length === 0 && first.values === undefined) {
    const column = find(first.root);
    if (!column) return { name, mapped: true, ...nothing(name, computed) };
    // A column of DuckDB's own time type needs no parsing.
    if (field.type !== 'time' || (column.type === 'TIMESTAMP' && first.zone === 'UTC'))
      return { name, mapped: true, reference: column.reference ?? column.name, type: column.type };
  }
  const reference = `sluice map ${field.column}`;
  const values = field.parts.map((part) => mappedValue(part, find, field.type));
  const texts = values.map((value, at) =>
    field.type === 'time' || at === values.length - 1 ? value : `nullif(${value}, '')`,
  );
  computed.set(reference, texts.length === 1 ? texts[0]! : `coalesce(${texts.join(', ')})`);
  return { name, mapped: true, reference, type: field.type === 'time' ? 'TIMESTAMP' : 'VARCHAR', derived: true };
}

function nothing(name: string, computed: Map<string, string>): Pick<Column, 'reference' | 'type' | 'derived'> {
  const reference = `sluice map ${name}`;
  computed.set(reference, 'CAST(NULL AS VARCHAR)');
  return { reference, type: 'VARCHAR', derived: true };
}

function mappedValue(part: MappedPart, find: Find, type: MappedField['type']): string {
  const [value, valueType] = valueOf(part, find);
  const isTime = type === 'time' && part.kind !== 'value';
  const { format = 'iso', zone = 'UTC', isFound = false, isUsual = false, localEpochs = false } = part;
  const reading = { format, zone, isFound, isUsual, localEpochs };
  if (isTime && part.values === undefined) return timeIn(value, valueType, reading);
  const text = renamed(textOf(value, valueType), part.values);
  return type === 'time' ? timeIn(text, 'VARCHAR', reading) : text;
}

function renamed(text: string, values: MappedPart['values'] = {}): string {
  const cases = Object.entries(values).map(
    ([from, to]) => `WHEN ${quoteText(from)} THEN ${to === null ? 'NULL' : quoteText(to)}`,
  );
  return cases.length === 0 ? text : `CASE ${text} ${cases.join(' ')} ELSE ${text} END`;
}

function rawText(part: MappedPart, find: Find): string {
  const [value, type] = valueOf(part, find);
  return textOf(value, type);
}

function valueOf(part: MappedPart, find: Find): readonly [value: string, type: string] {
  switch (part.kind) {
    case 'value':
      return [part.text === null ? 'CAST(NULL AS VARCHAR)' : quoteText(part.text), 'VARCHAR'];
    case 'sql':
      return [`CAST((${part.sql}) AS VARCHAR)`, 'VARCHAR'];
    case 'column':
    case 'path': {
      const column = find(part.root);
      if (!column) return ['CAST(NULL AS VARCHAR)', 'VARCHAR'];
      if (part.kind === 'column')
        return column.type === jsonType
          ? [textOf(referenceOf(column), column.type), 'VARCHAR']
          : [referenceOf(column), column.type];
      // A value that is not JSON has nothing at any path.
      return [
        `TRY(json_extract_string(${textOf(referenceOf(column), column.type)}, ${quoteText(part.pointer)}))`,
        'VARCHAR',
      ];
    }
  }
}
