import { createReadStream } from 'node:fs';

const newline = 10;
const between = Buffer.from(',\n');

/** Files of rows, a line each, as one array, a row a line. */
export async function* toJsonArray(files: readonly string[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from('[');
  // The line feed behind the last row of a piece waits for what follows it.
  let pending = false;
  for (const file of files) {
    for await (const piece of createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
      const parts: Uint8Array[] = pending ? [between] : [];
      pending = piece.at(-1) === newline;
      const last = pending ? piece.length - 1 : piece.length;
      let start = 0;
      for (let end = piece.indexOf(newline); end !== -1 && end < last; end = piece.indexOf(newline, start)) {
        parts.push(piece.subarray(start, end), between);
        start = end + 1;
      }
      parts.push(piece.subarray(start, last));
      yield Buffer.concat(parts);
    }
  }
  yield Buffer.from(']\n');
}
