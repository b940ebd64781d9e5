import { quote } from '../../../ask/text.ts';
import { ExportError } from './export-error.ts';
import { findRows, marks, openObjectEnd, skipSpace } from './find-rows.ts';
import { type LineForm, WrittenOtherwise } from './line-form.ts';
import { type LineGuard, openLineGuard } from './line-guard.ts';
import type { LineTaker, RowSieve } from './row-sieve.ts';
import { sortTies } from './sort-lines.ts';

const usualRoom = 512 * 1024;

/**
 * Extracts the rows of an answer in any layout: parses each and writes it with the query's members in order. Rows of
 * one time are ordered as in `spliceRows`. Slow. Throws the `ExportError`s `rows-unreadable` and `rows-outside`, and
 * `OutOfOrder`.
 */
export function rewriteRows(form: LineForm, taker: LineTaker, options: { readonly ordered: boolean }): RowSieve {
  let guard: LineGuard = openLineGuard(form, options);
  let head: Buffer = Buffer.alloc(0);
  let state: 'head' | 'rows' | 'tail' = 'head';
  let rest: Buffer = Buffer.alloc(0);
  let row: ReturnType<typeof openObjectEnd> | undefined;
  let tail: Buffer[] = [];
  let lines: Buffer[] = [];
  let bytes = 0;

  /** Index of the first line with the last line's time, and whether the lines from there need sorting. */
  let [tieStart, isMixed] = [0, false];

  const endTie = () => {
    if (isMixed) {
      const tied = Buffer.concat(lines.splice(tieStart));
      guard.addRepeated(sortTies(tied));
      lines.push(tied);
    }
    [tieStart, isMixed] = [lines.length, false];
  };

  /** Lines with the last line's time wait for further ones. */
  const writeLines = async () => {
    if (tieStart === 0) return;
    const whole = Buffer.concat(lines.splice(0, tieStart));
    [bytes, tieStart] = [0, 0];
    await taker.write(whole);
  };

  const addRow = (text: string) => {
    const line = Buffer.from(`${writeRow(text, form.keys)}\n`);
    try {
      const countAt = guard.look(line, 0, line.length - 1);
      if (guard.tie === 'none') endTie();
      else isMixed ||= guard.tie === 'disordered';
      taker.line?.(line, 0, countAt, line.length - 1);
    } catch (error) {
      if (error instanceof WrittenOtherwise) throw unreadable(`A row has an invalid count: ${quote(text)}.`, error);
      throw error;
    }
    lines.push(line);
    bytes += line.length;
  };

  /** Reads on from `unread` in `rest` until a row is incomplete. */
  const walk = async (unread: number) => {
    let start = 0;
    for (let at = unread; ; ) {
      if (!row) {
        at = skipSpace(rest, at, rest.length);
        if (rest[at] === marks.comma) at = skipSpace(rest, at + 1, rest.length);
        if (at >= rest.length) return void (rest = Buffer.alloc(0));
        if (rest[at] === marks.closeBracket) {
          state = 'tail';
          tail = [Buffer.from(rest.subarray(at))];
          return;
        }
        if (rest[at] !== marks.openBrace) throw unreadable('It has no list of rows.');
        row = openObjectEnd();
        start = at;
      }
      const end = row.find(rest, at, rest.length);
      if (end === undefined) return void (rest = Buffer.from(rest.subarray(start)));
      addRow(rest.toString('utf8', start, end));
      row = undefined;
      at = end;
      if (bytes >= usualRoom) await writeLines();
    }
  };

  return {
    get found() {
      return { rows: guard.rows, events: guard.events, repeated: guard.repeated };
    },
    async begin() {
      guard = openLineGuard(form, options);
      [head, rest, state, row, tail, lines, bytes, tieStart, isMixed] = [
        Buffer.alloc(0),
        Buffer.alloc(0),
        'head',
        undefined,
        [],
        [],
        0,
        0,
        false,
      ];
      await taker.restart();
    },
    async take(piece) {
      if (state === 'tail') return void tail.push(Buffer.from(piece));
      if (state === 'rows') {
        const unread = rest.length;
        rest = Buffer.concat([rest, piece]);
        return walk(unread);
      }
      head = Buffer.concat([head, piece]);
      const start = findRows(head);
      if (start === undefined) return undefined;
      state = 'rows';
      rest = head.subarray(start);
      head = head.subarray(0, start);
      return walk(0);
    },
    async end() {
      if (state === 'tail') guard.finish();
      endTie();
      await writeLines();
      return Buffer.concat([head, rest.subarray(0, state === 'rows' ? undefined : 0), ...tail]);
    },
  };
}

function writeRow(text: string, keys: readonly string[]): string {
  let row: Readonly<Record<string, unknown>>;
  try {
    row = JSON.parse(text, keepNumbers as (key: string, value: unknown) => unknown) as Readonly<
      Record<string, unknown>
    >;
  } catch (cause) {
    throw unreadable('A row is not JSON.', cause);
  }
  const members = keys.map((key) => {
    if (!Object.hasOwn(row, key)) throw unreadable(`A row lacks ${quote(key)}.`);
    return `${JSON.stringify(key)}:${JSON.stringify(row[key])}`;
  });
  return `{${members.join(',')}}`;
}

/** Keeps a number's source text, which conversion might round. */
function keepNumbers(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  return typeof value === 'number' && source !== undefined ? source : value;
}

function unreadable(what: string, cause?: unknown): ExportError {
  return new ExportError(`The response of the source cannot be read. ${what}`, {
    code: 'rows-unreadable',
    cause,
    hint: 'Check that the configured URL is that of the right service.',
  });
}
