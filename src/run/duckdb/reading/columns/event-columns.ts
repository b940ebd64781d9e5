import { type EventField, eventFields, spellingsOf, type UserOrder } from '../../../../plan/model/event-fields.ts';
import { textOf } from '../../engine/column-text.ts';
import { quoteName, quoteText } from '../../engine/sql-text.ts';
import { timeOfText, timeOfWholeNumber } from '../../engine/time-expression.ts';
import type { MarkedColumn } from './recognition.ts';
import type { TimeFormat } from '../../../../plan/mapping/mapping.ts';
import { copiesColumn, copiesOf } from './row-copies.ts';
import { countKeys, sizeKeys, urlParts } from '../../../events/column-names.ts';
import { type EntityCare, gatherEntities, withEntities } from './entity-columns.ts';
import { isEntityKey } from '../../../events/snowplow-entities.ts';

/** A column of an event file. `type`: DuckDB's name of the type. */
export interface SourceColumn {
  readonly name: string;
  readonly type: string;
  /** Its name in SQL, if different. */
  readonly reference?: string;
  /** Its name only resembles a canonical field. Keys of JSON must match exactly. */
  readonly foreign?: boolean;
  /** It is a column of a table, whose texts can be JSON objects. */
  readonly ofTable?: boolean;
  /** Of Parquet: SQL for the text of its bytes, if they are not read as they are. */
  readonly ofBytes?: string | undefined;
  /** Of Parquet: the name of its folder has its value. */
  readonly ofFolder?: boolean;
  /** Computed from other columns; not a column of the file. */
  readonly derived?: boolean;
  /** How its numbers are written, if they have decimal commas, separated thousands or a unit. */
  readonly mark?: Omit<MarkedColumn, 'name'> | undefined;
  /** How its times are written, if not in ISO 8601. */
  readonly times?: TimeFormat | undefined;
  /** It holds a mapped field under a canonical name. The file uses another name. */
  readonly mapped?: boolean;
}

/**
 * The canonical columns in two steps. `gathered` combines the spellings of each field, over the columns of the source.
 * `read` converts the results to values. Two steps avoid repeating long expressions.
 */
export interface CanonicalColumns {
  /** Also contains intermediate columns that `read` uses more than once. */
  readonly gathered: ReadonlyMap<string, string>;
  readonly read: ReadonlyMap<string, string>;
  /** The number of events in a row, over the gathered columns; undefined if every row is one event. */
  readonly copies: string | undefined;
}

/**
 * Ignores the letter case of names. If a field has several spellings, the first one with a value counts. Empty text is
 * no value in files with a mapping, as it cannot be one in CSV; the platform's own events keep what it wrote.
 */
export function canonicalColumns(columns: readonly SourceColumn[], care: EntityCare = 'read'): CanonicalColumns {
  const available = new Map(
    columns.filter(({ foreign }) => !foreign).map((column) => [column.name.toLowerCase(), column]),
  );
  const isForeign = columns.some(({ mapped }) => mapped);
  const gathered = new Map<string, string>();
  const read = new Map<string, string>();
  for (const field of eventFields) {
    const found = spellingsOf(field).flatMap((spelling) => {
      const column = available.get(spelling.toLowerCase());
      return column ? [{ spelling, column }] : [];
    });
    const asText = found.every(({ column }) => column.type === 'VARCHAR');
    const value = firstOf(
      field,
      found.map(({ spelling, column }) =>
        asText ? textValue(field, spelling, column) : typedValue(field, spelling, column),
      ),
    );
    const mayBeEmpty = isForeign && field.type === 'text' && found.length > 0;
    gathered.set(field.column, mayBeEmpty ? `nullif(${value}, '')` : value);
    read.set(field.column, asText && found.length > 0 ? readText(field) : quoteName(field.column));
  }
  const textsOf = (keys: readonly string[]) =>
    new Map(
      keys.flatMap((key) => {
        const column = available.get(key.toLowerCase());
        return column ? [[key, textOf(referenceOf(column), column.type)] as const] : [];
      }),
    );
  for (const [name, expression] of gatherEntities(textsOf([...available.keys()].filter(isEntityKey)), care))
    gathered.set(name, expression);
  const counts = textsOf(countKeys);
  if (counts.size > 0) gathered.set(copiesColumn, `coalesce(${[...counts.values()].join(', ')})`);
  const sizes = textsOf(sizeKeys);
  if (sizes.size === sizeKeys.length) {
    gathered.set(sizeColumn, sizeOf([...sizes.values()]));
    read.set(
      'viewport_size',
      `coalesce(nullif(${read.get('viewport_size')!}, ''), ${quoteName(sizeColumn)}, ${read.get('viewport_size')!})`,
    );
  }
  const parts = withPartsOfUrl(read, gathered);
  const whole = new Map([...parts].map(([column, own]) => [column, withEntities(column, own, gathered, care)]));
  return { gathered, read: whole, copies: counts.size > 0 ? copiesOf() : undefined };
}

/** Name among the gathered columns. */
const sizeColumn = 'sluice size';

function sizeOf([width, height]: readonly string[]): string {
  return `CASE WHEN ${width} <> '' AND ${height} <> '' THEN ${width} || 'x' || ${height} END`;
}

function referenceOf(column: SourceColumn): string {
  return quoteName(column.reference ?? column.name);
}

const sqlTypes = { time: 'TIMESTAMP', text: 'VARCHAR', json: 'VARCHAR', number: 'DOUBLE' } as const;

function firstOf(field: EventField, expressions: readonly string[]): string {
  if (expressions.length === 0) return nothing(field.type);
  return expressions.length === 1 ? expressions[0]! : `coalesce(${expressions.join(', ')})`;
}

function nothing(type: EventField['type']): string {
  return `CAST(NULL AS ${sqlTypes[type]})`;
}

function textValue(field: EventField, spelling: string, column: SourceColumn): string {
  const text = textOf(referenceOf(column), column.type);
  const bareName = spelling.slice(spelling.lastIndexOf('.') + 1);
  if (field.values?.kind !== 'prepend' || !field.values.names.includes(bareName)) return text;
  const front = quoteText(field.values.text);
  return `CASE WHEN ${text} = '' OR starts_with(${text}, ${front}) THEN ${text} ELSE ${front} || ${text} END`;
}

function typedValue(field: EventField, spelling: string, column: SourceColumn): string {
  if (field.type === 'time') return timeOf(referenceOf(column), column.type);
  if (field.type === 'number') return `TRY_CAST(${referenceOf(column)} AS DOUBLE)`;
  return readText(field, textValue(field, spelling, column));
}

function readText(field: EventField, text = quoteName(field.column)): string {
  if (field.type === 'time') return timeOfText(text);
  if (field.type === 'number') return `TRY_CAST(${text} AS DOUBLE)`;
  if (field.values?.kind !== 'rename') return text;
  const cases = field.values.pairs.map(({ from, to }) => `WHEN ${quoteText(from)} THEN ${quoteText(to)}`);
  return `CASE ${text} ${cases.join(' ')} ELSE ${text} END`;
}

function timeOf(reference: string, type: string): string {
  if (type === 'TIMESTAMP') return reference;
  if (type === 'VARCHAR') return timeOfText(reference);
  if (/^U?(BIG|HUGE)INT$/.test(type)) return timeOfWholeNumber(reference);
  if (/^TIMESTAMP|^DATE$/.test(type)) return `CAST(${reference} AS TIMESTAMP)`;
  return timeOfText(`CAST(${reference} AS VARCHAR)`);
}

/** Take host, path and query string from the URL if their columns are missing or empty. */
function withPartsOfUrl(read: Map<string, string>, gathered: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  if (gathered.get('url') === nothing('text')) return read;
  for (const [column, pattern] of urlParts) {
    // Keep the guard inside the match. Otherwise DuckDB extracts the repeated match from the branch and runs it for
    // every row.
    const isMissing = gathered.get(column) === nothing('text');
    const part = `nullif(regexp_extract(${isMissing ? 'url' : `CASE WHEN ${column} IS NULL THEN url END`}, ${quoteText(pattern)}, 1), '')`;
    const whole = column === 'doc_path' ? `CASE WHEN url <> '' THEN coalesce(${part}, '/') END` : part;
    read.set(column, isMissing ? whole : `coalesce(${column}, ${whole})`);
  }
  return read;
}

/**
 * The key of an event's user: the anonymous ID, or the user ID if that is missing or empty; or the other way round.
 * Keys of the second kind start with a control character. IDs of the first kind that start with it are escaped, so that
 * two users never share a key.
 */
export function userKey(first: UserOrder): string {
  const [own, other] = first === 'anonymous' ? ['user_anonymous_id', 'user_id'] : ['user_id', 'user_anonymous_id'];
  return `CASE WHEN ${own} <> '' THEN CASE WHEN starts_with(${own}, chr(31)) THEN chr(31) || ${own} ELSE ${own} END WHEN ${other} <> '' THEN chr(31) || 'u' || ${other} END`;
}
