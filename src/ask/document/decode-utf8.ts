import { bad, errorIssue, good } from '../outcome.ts';
import { type Located, toSpan } from './located.ts';

/**
 * Decodes bytes to text without a byte order mark. If a byte is not UTF-8, the issue has its line and column, and
 * `source` has U+FFFD in its place, for drawing the issue. `locate` finds nothing.
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

/** The longest prefix that is valid UTF-8, without an incomplete last character. */
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
