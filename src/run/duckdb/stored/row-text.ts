import { controlCharacters, formulaStart, hiddenCharacters, plainNumber } from '../../../ask/safe-cell.ts';
import { isCalendarUnit } from '../../../ask/time/granularity.ts';
import type { Column } from '../../../plan/column.ts';
import { plainText, timeText } from '../engine/json-expression.ts';
import { quoteText } from '../engine/sql-text.ts';

/** A text format that the engine writes itself. */
type TextForm = 'csv' | 'ndjson';

interface TypedColumn {
  readonly column: Column;
  /** DuckDB's name. */
  readonly type: string;
  /** SQL for the value. */
  readonly value: string;
}

/**
 * A SELECT for COPY with `copyOptions`, which then writes the same bytes as `toCsvForm` and `toNdjsonForm` for the
 * values of `columnDecoder`. undefined if SQL cannot express some values.
 */
export function selectText(form: TextForm, columns: readonly TypedColumn[], source: string): string | undefined {
  if (form === 'ndjson' && columns.some(({ column }) => hidden.test(column.key))) return undefined;
  const cells = columns.map((typed, index) => {
    const cell = form === 'csv' ? csvCell(typed) : jsonCell(typed);
    return cell === undefined || form === 'csv'
      ? cell && `${cell} AS c${index}`
      : `${quoteText(`${index === 0 ? '{' : ','}${JSON.stringify(typed.column.key)}:`)}, coalesce(${cell}, 'null')`;
  });
  if (cells.length === 0 || !cells.every((cell) => cell !== undefined)) return undefined;
  if (form === 'csv') return `SELECT ${cells.join(', ')} FROM ${source}`;
  return `SELECT concat(${cells.join(', ')}, '}') FROM ${source}`;
}

/** Written verbatim, because DuckDB quotes more than necessary. */
export const copyOptions = "FORMAT csv, HEADER false, DELIMITER ',', QUOTE '', ESCAPE '', NULLSTR ''";

function csvCell({ column, type, value }: TypedColumn): string | undefined {
  if (type === 'VARCHAR') return column.type === 'number' ? undefined : csvText(value);
  if (type !== 'TIMESTAMP') return plainText(type, column, value);
  // Years with more than four digits begin with a sign.
  const text = readTime(column, value);
  return text && `CASE WHEN ${isUsualTime(value)} THEN ${text} ELSE ${csvText(text)} END`;
}

function jsonCell({ column, type, value }: TypedColumn): string | undefined {
  if (type === 'VARCHAR') return column.type === 'number' ? undefined : safeJson(value);
  if (type === 'TIMESTAMP') return quoted(readTime(column, value));
  const text = plainText(type, column, value);
  if (text === undefined || column.type === 'string') return quoted(text);
  return type === 'DOUBLE' ? `CASE WHEN isfinite(${value}) THEN ${text} ELSE ${quoted(text)} END` : text;
}

function quoted(text: string | undefined): string | undefined {
  return text && `'"' || ${text} || '"'`;
}

/** Buckets shorter than a day are labelled in their zone. */
function readTime(column: Column, value: string): string | undefined {
  if (column.kind === 'time' && column.granularity !== undefined && !isCalendarUnit(column.granularity))
    return undefined;
  return timeText(value, column);
}

function isUsualTime(value: string): string {
  return `${value} BETWEEN TIMESTAMP '1000-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999'`;
}

/** Text as `toCsvForm` writes it. One test finds the texts that need no change, which are nearly all. */
function csvText(value: string): string {
  const matches = (text: string, ...patterns: readonly RegExp[]) =>
    `regexp_matches(${text}, ${quoteText(patterns.map(patternOf).join('|'))})`;
  const clean = `regexp_replace(${value}, ${quoteText(patternOf(controlCharacters))}, '', 'g')`;
  const safe = `CASE WHEN ${matches(value, plainNumber)} THEN ${value}
    WHEN ${matches(clean, formulaStart)} AND NOT ${matches(clean, plainNumber)} THEN '''' || ${clean} ELSE ${clean} END`;
  return `CASE WHEN NOT ${matches(value, formulaStart, controlCharacters, needsQuotes)} THEN ${value}
    WHEN ${matches(safe, needsQuotes)} THEN '"' || replace(${safe}, '"', '""') || '"' ELSE ${safe} END`;
}

const needsQuotes = /^$|[",\r\n]/;

/** Like `toSafeJson`. DuckDB writes codes of control characters in upper case. */
function safeJson(value: string): string {
  const escaped = escapedCharacters().reduce(
    (text, [character, escape]) => `replace(${text}, chr(${character.charCodeAt(0)}), ${quoteText(escape)})`,
    value,
  );
  const unusual = `[\\x00-\\x07\\x0b\\x0e-\\x1f]|${patternOf(hidden)}`;
  return `CASE WHEN regexp_matches(${value}, ${quoteText(unusual)}) THEN ${quoted(escaped)} ELSE CAST(to_json(${value}) AS VARCHAR) END`;
}

// The other expression is stateful.
const hidden = new RegExp(hiddenCharacters.source);

/** Escape the backslash first, because the other escapes add some. */
function escapedCharacters(): readonly (readonly [character: string, escape: string])[] {
  const characters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
  const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(4, '0');
  return [
    ...['\\', '"', ...characters.slice(0, 0x20)].map(
      (character) => [character, JSON.stringify(character).slice(1, -1)] as const,
    ),
    ...characters.filter((character) => hidden.test(character)).map((one) => [one, `\\u${hex(one)}`] as const),
  ];
}

/** The pattern in DuckDB's syntax for characters. */
function patternOf(pattern: RegExp): string {
  return pattern.source.replaceAll(/\\u([\da-f]{4})/g, '\\x{$1}').replaceAll('\\0', '\\x00');
}
