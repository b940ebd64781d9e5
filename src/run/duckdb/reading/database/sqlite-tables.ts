import { createWriteStream } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readJson } from '../../../../ask/document/parse-exactly.ts';
import { quoteName } from '../../engine/sql-text.ts';
import { type FoundTable, isNameable, type OpenedDatabase, sampleRows, sortTables } from './choose-table.ts';

type Cell = null | bigint | number | string | Uint8Array;

/** The rows of a table or view. */
interface TableRows {
  readonly columns: readonly string[];
  /** Each row as a line of NDJSON, in the order in which SQLite has them. */
  readonly lines: () => Iterable<string>;
}

/** The tables of a SQLite database, which are copied as NDJSON. */
export function tablesOf(database: DatabaseSync): OpenedDatabase {
  return {
    tables: listTables(database),
    copy: (table, file) =>
      pipeline(Readable.from(inPieces(rowsOf(database, table).lines())), createWriteStream(file, { mode: 0o600 })),
    copyEnding: '.ndjson',
  };
}

/** Without SQLite's own tables and without those that hold the data of virtual tables. */
function listTables(database: DatabaseSync): readonly FoundTable[] {
  const found = database
    .prepare(
      "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .all() as unknown as readonly { readonly name: string; readonly type: string }[];
  const shown = found.filter(({ name, type }) => type !== 'shadow' && isNameable(name));
  return sortTables(shown.map(({ name, type }) => ({ name, isView: type === 'view' }))).map((table) => {
    let rows: TableRows | undefined;
    try {
      rows = rowsOf(database, table.name, sampleRows);
    } catch {
      // A view of missing tables, or a virtual table of an extension. Reading it reports why it cannot be read.
    }
    return {
      ...table,
      columns: rows?.columns ?? [],
      sample: async () =>
        [...(rows?.lines() ?? [])].map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>),
    };
  });
}

const pieceLength = 1 << 17;

function* inPieces(lines: Iterable<string>): Generator<string> {
  let piece = '';
  for (const line of lines) {
    piece += line;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/**
 * Prepares to read a table or view. Whole numbers keep all digits, texts that are JSON objects are objects, and bytes
 * are UUIDs if there are 16 of them, otherwise hexadecimal digits. Throws SQLite's errors.
 */
function rowsOf(database: DatabaseSync, table: string, most?: number): TableRows {
  const columns = database
    .prepare(`SELECT * FROM main.${quoteName(table)}`)
    .columns()
    .map(({ name }) => name);
  const names = columns.map(quoteName);
  const whole = cutsTexts(database) ? names.map(wholeText) : [];
  const limit = most === undefined ? '' : ` LIMIT ${most}`;
  const statement = database.prepare(`SELECT ${[...names, ...whole].join(', ')} FROM main.${quoteName(table)}${limit}`);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const keys = columns.map((name, at) => `${at === 0 ? '{' : ','}${JSON.stringify(name)}:`);
  const lines = function* () {
    for (const row of statement.iterate() as Iterable<unknown> as Iterable<readonly Cell[]>) {
      let line = '';
      for (let at = 0; at < keys.length; at += 1) {
        const text = row[keys.length + at];
        const value = typeof text === 'string' ? Buffer.from(text, 'hex').toString() : row[at]!;
        line += keys[at]! + toJson(value);
      }
      yield `${line}}\n`;
    }
  };
  return { columns, lines };
}

/** Node 22 ends texts at the character NUL. */
function cutsTexts(database: DatabaseSync): boolean {
  return database.prepare('SELECT char(97, 0, 97) AS text').get()?.['text'] === 'a';
}

function wholeText(name: string): string {
  return `CASE WHEN typeof(${name}) = 'text' AND instr(${name}, char(0)) > 0 THEN hex(${name}) END`;
}

function toJson(value: Cell): string {
  if (value === null) return 'null';
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return writeFloat(value);
  if (typeof value === 'string') return isObject(value) ? value.replaceAll(/[\r\n]/g, ' ') : JSON.stringify(value);
  return `"${toDigits(value)}"`;
}

/** With an exponent if it is large, because its last digits are not those of a whole number. */
function writeFloat(value: number): string {
  if (!Number.isFinite(value)) return `"${value}"`;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : String(value);
}

/** DuckDB rejects lines with half characters, which only escapes can write. */
function isObject(text: string): boolean {
  if (!/^\s*\{/.test(text) || /\\u(?:d[89a-f]|0000)/i.test(text)) return false;
  const value = readJson(text);
  return typeof value === 'object' && value !== null;
}

function toDigits(bytes: Uint8Array): string {
  const digits = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  return bytes.length === 16 ? digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : digits;
}
