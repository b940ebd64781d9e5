import { createReadStream } from 'node:fs';

const newline = 10;

/** The bytes of a file in pieces of whole lines, each line with its line feed but maybe the last. */
export async function* readLineBytes(file: string): AsyncGenerator<Buffer> {
  let rest: readonly Buffer[] = [];
  for await (const piece of createReadStream(file, { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>) {
    const end = piece.lastIndexOf(newline) + 1;
    if (end === 0) {
      rest = [...rest, piece];
      continue;
    }
    yield rest.length === 0 ? piece.subarray(0, end) : Buffer.concat([...rest, piece.subarray(0, end)]);
    rest = end < piece.length ? [piece.subarray(end)] : [];
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}

/** The same as text. Bytes that are no UTF-8 become U+FFFD. */
export async function* readLineBlocks(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const bytes of readLineBytes(file)) yield decoder.decode(bytes);
}
