import { findRows, marks, openObjectEnd, skipSpace } from './find-rows.ts';
import { type LineForm, WrittenOtherwise } from './line-form.ts';
import { type LineGuard, openLineGuard } from './line-guard.ts';
import type { LineTaker, RowSieve } from './row-sieve.ts';
import { sortTies } from './sort-lines.ts';

/** Bytes checked and written at once; more if a row is longer. */
const usualRoom = 512 * 1024;
/** Number of rows per answer that are parsed to verify the form. */
const parsedRows = 8;

/**
 * Splits an answer's bytes into rows without parsing: the comma in `},{"first member":` becomes a line feed. These
 * bytes cannot occur inside a JSON string, because quotes are escaped there, and hardly anywhere else. Each line is
 * checked, and the sum of counts reveals a missed row. If `ordered`, rows of one time are sorted by their bytes,
 * because their order at the source is arbitrary. Throws `WrittenOtherwise` if the rows have another form, and like
 * `LineGuard`.
 */
export function spliceRows(form: LineForm, taker: LineTaker, options: { readonly ordered: boolean }): RowSieve {
  const separator = Buffer.concat([Buffer.from('},'), form.opening]);
  // A row with all members is at least this long.
  const shortest = JSON.stringify(Object.fromEntries(form.keys.map((key) => [key, 0]))).length - separator.length;
  let room = Buffer.alloc(0);
  let guard: LineGuard = openLineGuard(form, options);
  let head: Buffer = Buffer.alloc(0);
  let inRows = false;
  /** Positions in the room: end of the data, end of the searched part, start of the incomplete line. */
  let [filled, searched, lineStart] = [0, 0, 0];
  /** Start of the first line with the last line's time, and whether the lines from there need sorting. */
  let [tieStart, isMixed] = [0, false];

  const endTie = (end: number) => {
    if (isMixed) guard.addRepeated(sortTies(room.subarray(tieStart, end)));
    [tieStart, isMixed] = [end, false];
  };

  const look = (start: number, end: number) => {
    const countAt = guard.look(room, start, end);
    if (guard.tie === 'none') endTie(start);
    else isMixed ||= guard.tie === 'disordered';
    if (guard.rows <= parsedRows) checkKeys(room.toString('utf8', start, end), form.keys);
    taker.line?.(room, start, countAt, end);
  };

  const splice = () => {
    const bytes = room.subarray(0, filled);
    const feed = bytes.indexOf(marks.lineFeed, Math.max(lineStart, searched));
    for (let at = bytes.indexOf(separator, searched); at >= 0; at = bytes.indexOf(separator, lineStart + shortest)) {
      look(lineStart, at + 1);
      room[at + 1] = marks.lineFeed;
      lineStart = at + 2;
    }
    // JSON strings contain no line feeds, so the rows are pretty-printed.
    if (feed >= 0 && feed < lineStart) throw new WrittenOtherwise('there are line feeds in a row');
    searched = Math.max(lineStart, filled - separator.length + 1);
  };

  const makeRoom = async () => {
    splice();
    if (tieStart === 0) {
      const rowEnd = lineStart > 0 ? undefined : openObjectEnd().find(room, 0, filled);
      if (rowEnd !== undefined && room[skipSpace(room, rowEnd, filled)] === marks.comma)
        throw new WrittenOtherwise('rows are apart from each other');
      const larger = Buffer.allocUnsafe(Math.max(usualRoom, 2 * room.length));
      larger.set(room.subarray(0, filled));
      room = larger;
      return;
    }
    guard.release();
    // Lines with the last line's time wait for further ones.
    await taker.write(room.subarray(0, tieStart));
    room.copyWithin(0, tieStart, filled);
    [filled, searched, lineStart, tieStart] = [filled - tieStart, searched - tieStart, lineStart - tieStart, 0];
  };

  const fill = async (piece: Uint8Array, from: number) => {
    for (let given = from; given < piece.length; ) {
      if (filled === room.length) await makeRoom();
      const part = piece.subarray(given, given + room.length - filled);
      room.set(part, filled);
      filled += part.length;
      given += part.length;
    }
  };

  return {
    get found() {
      return { rows: guard.rows, events: guard.events, repeated: guard.repeated };
    },
    async begin() {
      guard = openLineGuard(form, options);
      [head, inRows, filled, searched, lineStart, tieStart, isMixed] = [Buffer.alloc(0), false, 0, 0, 0, 0, false];
      await taker.restart();
    },
    take(piece) {
      if (inRows) {
        if (piece.length > room.length - filled) return fill(piece, 0);
        room.set(piece, filled);
        filled += piece.length;
        return undefined;
      }
      head = Buffer.concat([head, piece]);
      const start = findRows(head);
      if (start === undefined) return undefined;
      inRows = true;
      const first = head;
      head = head.subarray(0, start);
      return fill(first, start);
    },
    async end() {
      if (!inRows) return head;
      splice();
      const start = lineStart === 0 ? skipSpace(room, 0, filled) : lineStart;
      if (room[start] === marks.closeBracket && start < filled)
        return Buffer.concat([head, room.subarray(start, filled)]);
      const end = openObjectEnd().find(room, start, filled) ?? filled;
      const rest = Buffer.from(room.subarray(end, filled));
      // A body that stops halfway leaves invalid JSON, which is reported.
      const next = skipSpace(rest, 0, rest.length);
      if (
        next === rest.length ||
        (rest[next] === marks.comma && skipSpace(rest, next + 1, rest.length) === rest.length)
      )
        return head;
      if (rest[next] !== marks.closeBracket || start !== lineStart)
        throw new WrittenOtherwise('rows are apart from each other');
      look(start, end);
      if (room.subarray(start, end).includes(marks.lineFeed))
        throw new WrittenOtherwise('there are line feeds in a row');
      guard.finish();
      guard.release();
      room[end] = marks.lineFeed;
      endTie(end + 1);
      await taker.write(room.subarray(0, end + 1));
      return Buffer.concat([head, rest]);
    },
  };
}

function checkKeys(row: string, keys: readonly string[]): void {
  let value: unknown;
  try {
    value = JSON.parse(row);
  } catch (cause) {
    throw new WrittenOtherwise('a row is not JSON', { cause });
  }
  if (Object.keys(value as object).join('\n') !== keys.join('\n'))
    throw new WrittenOtherwise('a row has other members, or in another order');
}
