import { readLineBytes } from '../../file/line-bytes.ts';

/** A file as text, in pieces of whole lines. Bytes that are no UTF-8 become U+FFFD. */
export async function* readLineBlocks(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const bytes of readLineBytes(file)) yield decoder.decode(bytes);
}
