import { decodeUtf8 } from '../../ask/document/decode-utf8.ts';
import { completeNames } from '../../ask/notation/full-names.ts';
import type { NotationOptions } from '../../ask/notation/read-notation.ts';
import { readQueryFile } from '../../ask/query/read-saved-query.ts';

/**
 * Reads the bytes of a query file; `file` is its name in messages. Short names are resolved by `names`. Never throws.
 */
export function readQueryBytes(
  bytes: Uint8Array,
  file: string,
  names: NotationOptions,
): ReturnType<typeof readQueryFile> {
  const decoded = decodeUtf8(bytes, { file });
  if (!decoded.ok) return { ...decoded, locateInQuery: decoded.locate };
  return readQueryFile(decoded.value, { file, complete: (query) => completeNames(query, names) });
}
