import type { ReadEvent } from './oracle.ts';
import type { StoryEvent } from './story.ts';

export type Row = Readonly<Record<string, unknown>>;

/** A tracker's export: how it writes events, and how its documentation says to read them. */
export interface Vendor {
  /** The preset's name in output. */
  readonly preset: string;
  /** Distinguishes several exports of one vendor. */
  readonly label: string;
  readonly format: 'ndjson' | 'json-array' | 'csv' | 'lines';
  readonly write: (story: readonly StoryEvent[]) => readonly (Row | string)[];
  /** Reads the events of a row. */
  readonly read: (row: never) => readonly ReadEvent[];
  /** Columns, or nested keys, that are recognized; a missing one is reported. */
  readonly recognised: readonly string[];
}

/** The rows as file content. */
export function writeRows(format: Vendor['format'], rows: readonly (Row | string)[]): string {
  switch (format) {
    case 'lines':
      return rows.map((row) => `${row as string}\n`).join('');
    case 'ndjson':
      return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    case 'json-array':
      return JSON.stringify(rows, undefined, 1);
    case 'csv': {
      const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
      const cell = (value: unknown) => {
        const text =
          value === undefined || value === null
            ? ''
            : typeof value === 'object'
              ? JSON.stringify(value)
              : String(value as string);
        return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
      };
      return [names, ...rows.map((row) => names.map((name) => (row as Row)[name]))]
        .map((line) => `${line.map(cell).join(',')}\r\n`)
        .join('');
    }
  }
}

/** Reads the rows of a file. Empty CSV cells are missing. */
export function readRows(format: Vendor['format'], text: string): readonly (Row | string)[] {
  switch (format) {
    case 'lines':
      return text.split('\n').slice(0, -1);
    case 'ndjson':
      return text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Row);
    case 'json-array':
      return JSON.parse(text) as readonly Row[];
    case 'csv': {
      const [names, ...lines] = cellsOf(text);
      return lines.map((line) =>
        Object.fromEntries(names!.map((name, at) => [name, line[at] === '' ? null : line[at]])),
      );
    }
  }
}

function cellsOf(text: string): readonly (readonly string[])[] {
  const lines: string[][] = [];
  let line: string[] = [];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!;
    if (quoted) {
      if (letter === '"' && text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else if (letter === '"') quoted = false;
      else cell += letter;
    } else if (letter === '"') quoted = true;
    else if (letter === ',' || letter === '\n') {
      line.push(cell);
      cell = '';
      if (letter === '\n') {
        lines.push(line);
        line = [];
      }
    } else if (letter !== '\r') cell += letter;
  }
  return lines;
}

/** The row without a key, which may be nested: `context.page.url`. */
export function without(row: Row, key: string): Row {
  if (key in row) return Object.fromEntries(Object.entries(row).filter(([name]) => name !== key));
  for (const [name, value] of Object.entries(row)) {
    if (!key.startsWith(`${name}.`)) continue;
    const rest = key.slice(name.length + 1);
    if (Array.isArray(value))
      return {
        ...row,
        [name]: (value as Row[]).filter((item) => item.key !== rest).map((item) => without(item, rest)),
      };
    if (typeof value === 'object' && value !== null) return { ...row, [name]: without(value as Row, rest) };
  }
  return row;
}
