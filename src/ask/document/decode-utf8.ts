import { bad, errorIssue, good } from '../outcome.ts';
import { type Located, toSpan } from './located.ts';

/**
 * Bytes as text, without a byte order mark. A byte that is not UTF-8 is an issue with its line and column;
 * `source` is then the text with U+FFFD in its place, fit for drawing. `locate` knows no part of it.
 */
export function decodeUtf8(bytes: Uint8Array, options: { readonly file?: string | undefined } = {}): Located<string> {
  const { file } = options;
  const locate = () => undefined;
  try {
    const source = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { ...good(source), source, file, locate };
  } catch {
    const source = new TextDecoder('utf-8').decode(bytes);
    const offset = goodPrefix(bytes).length;
    const issue = errorIssue('not-utf8', 'A byte here is not valid UTF-8.', {
      span: toSpan(source, offset, offset + 1),
      hint: 'Save the file as UTF-8.',
    });
    return { ...bad([issue]), source, file, locate };
  }
}

/** The longest start of the bytes that reads as UTF-8; an incomplete last character is left out. */
function goodPrefix(bytes: Uint8Array): string {
  let longest = '';
  let low = 0;
  let high = bytes.length;
  while (low <= high) {
    const middle = (low + high) >> 1;
    try {
      longest = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, middle), { stream: true });
      low = middle + 1;
    } catch {
      high = middle - 1;
    }
  }
  return longest;
}
