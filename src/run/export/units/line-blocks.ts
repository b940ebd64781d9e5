import { createReadStream } from 'node:fs';

const newline = 10;

/** The text of a file in pieces of whole lines, the last with or without its line feed. Bytes that are no UTF-8 become U+FFFD. */
export async function* readLineBlocks(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let rest: readonly Buffer[] = [];
  for await (const piece of createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    const end = piece.lastIndexOf(newline) + 1;
    if (end === 0) {
      rest = [...rest, piece];
      continue;
    }
    yield decoder.decode(Buffer.concat([...rest, piece.subarray(0, end)]));
    rest = end < piece.length ? [piece.subarray(end)] : [];
  }
  if (rest.length > 0) yield decoder.decode(Buffer.concat(rest));
}
