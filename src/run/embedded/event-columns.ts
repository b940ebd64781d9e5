import { eventFields, spellingsOf, type EventField } from '../../plan/model/event-fields.ts';
import { quoteName, quoteText } from './sql-text.ts';
import { timeOfText, timeOfWholeNumber } from './time-expression.ts';

/** A column of a file of events. `type` as DuckDB names it. */
export interface SourceColumn {
  readonly name: string;
  readonly type: string;
}

/** Every name that a canonical field may have in a file. */
export const allSpellings: readonly string[] = eventFields.flatMap(spellingsOf);

const canonicalSpelling = new Map(allSpellings.map((spelling) => [spelling.toLowerCase(), spelling]));

/** The spelling that a column's name means, letter case ignored; undefined where it means none. */
export function spellingOf(name: string): string | undefined {
  return canonicalSpelling.get(name.toLowerCase());
}

/** Every name that the time of an event may have. */
export const timeSpellings: readonly string[] = eventFields.filter((field) => field.type === 'time').flatMap(spellingsOf);

/**
 * How the canonical columns come about, in two steps: `gathered`, over the columns that a source has, puts each field's
 * spellings together; `read`, over these, makes values of them. Two steps, so that what is long is written once.
 */
export interface CanonicalColumns {
  readonly gathered: ReadonlyMap<string, string>;
  readonly read: ReadonlyMap<string, string>;
}

/** Names are compared without regard to letter case; of several spellings of a field the first that holds a value counts. */
export function canonicalColumns(columns: readonly SourceColumn[]): CanonicalColumns {
  const available = new Map(columns.map((column) => [column.name.toLowerCase(), column]));
  const gathered = new Map<string, string>();
  const read = new Map<string, string>();
  for (const field of eventFields) {
    const found = spellingsOf(field).flatMap((spelling) => {
      const column = available.get(spelling.toLowerCase());
      return column ? [{ spelling, column }] : [];
    });
    const asText = found.every(({ column }) => column.type === 'VARCHAR');
    gathered.set(field.column, firstOf(field, found.map(({ spelling, column }) => (asText ? textValue(field, spelling, column) : typedValue(field, spelling, column)))));
    read.set(field.column, asText && found.length > 0 ? readText(field) : quoteName(field.column));
  }
  return { gathered, read: withPartsOfUrl(read, gathered) };
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
  const text = textOf(quoteName(column.name), column.type);
  const bareName = spelling.slice(spelling.lastIndexOf('.') + 1);
  if (field.values?.kind !== 'prepend' || !field.values.names.includes(bareName)) return text;
  const front = quoteText(field.values.text);
  return `CASE WHEN ${text} = '' OR starts_with(${text}, ${front}) THEN ${text} ELSE ${front} || ${text} END`;
}

function typedValue(field: EventField, spelling: string, column: SourceColumn): string {
  if (field.type === 'time') return timeOf(quoteName(column.name), column.type);
  if (field.type === 'number') return `TRY_CAST(${quoteName(column.name)} AS DOUBLE)`;
  return readText(field, textValue(field, spelling, column));
}

function readText(field: EventField, text = quoteName(field.column)): string {
  if (field.type === 'time') return timeOfText(text);
  if (field.type === 'number') return `TRY_CAST(${text} AS DOUBLE)`;
  if (field.values?.kind !== 'rename') return text;
  const cases = field.values.pairs.map(({ from, to }) => `WHEN ${quoteText(from)} THEN ${quoteText(to)}`);
  return `CASE ${text} ${cases.join(' ')} ELSE ${text} END`;
}

function textOf(reference: string, type: string): string {
  if (type === 'VARCHAR') return reference;
  return /^(STRUCT|MAP|UNION)\b|\[\d*\]$/.test(type) ? `CAST(to_json(${reference}) AS VARCHAR)` : `CAST(${reference} AS VARCHAR)`;
}

function timeOf(reference: string, type: string): string {
  if (type === 'TIMESTAMP') return reference;
  if (type === 'VARCHAR') return timeOfText(reference);
  if (/^U?(BIG|HUGE)INT$/.test(type)) return timeOfWholeNumber(reference);
  if (/^TIMESTAMP|^DATE$/.test(type)) return `CAST(${reference} AS TIMESTAMP)`;
  return timeOfText(`CAST(${reference} AS VARCHAR)`);
}

/** Host, path and query string are parts of the URL where they do not stand by themselves. */
function withPartsOfUrl(read: Map<string, string>, gathered: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  if (gathered.get('url') === nothing('text')) return read;
  for (const [column, pattern] of urlParts) {
    const part = `nullif(regexp_extract(url, ${quoteText(pattern)}, 1), '')`;
    const whole = column === 'doc_path' ? `CASE WHEN url <> '' THEN coalesce(${part}, '/') END` : part;
    read.set(column, gathered.get(column) === nothing('text') ? whole : `coalesce(${column}, ${whole})`);
  }
  return read;
}

/** RFC 3986, appendix B, cut down to what is asked of it; the host without user and port. */
const urlParts: readonly (readonly [column: string, pattern: string])[] = [
  ['doc_host', '^[a-zA-Z][a-zA-Z0-9+.-]*://(?:[^/?#@]*@)?(\\[[^\\]/?#]*\\]|[^/?#:]*)'],
  ['doc_path', '^(?:[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*)?([^?#]*)'],
  ['doc_search', '^[^?#]*(\\?[^#]*)'],
  ['base_url', '^([a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*)'],
];

/** Which id makes a user; the other one counts where it is empty. */
export type UserOrder = 'anonymous' | 'known';

/**
 * Who an event counts as: the anonymous id, and where that is missing or empty the known user, or the other way round.
 * The second kind lives behind a control character, and an id of the first kind that begins with it is moved aside,
 * so that no two users share a key and no id can pass for another.
 */
export function userKey(first: UserOrder): string {
  const [own, other] = first === 'anonymous' ? ['user_anonymous_id', 'user_id'] : ['user_id', 'user_anonymous_id'];
  return `CASE WHEN ${own} <> '' THEN CASE WHEN starts_with(${own}, chr(31)) THEN chr(31) || ${own} ELSE ${own} END WHEN ${other} <> '' THEN chr(31) || 'u' || ${other} END`;
}
