import { decodeUtf8 } from '../../ask/document/decode-utf8.ts';
import { type LocatedSavedQuery, readSavedQuery } from '../../ask/query/read-saved-query.ts';

/** Reads the bytes of a query file; `file` is its name in messages. Never throws. */
export function readQueryBytes(bytes: Uint8Array, file: string): LocatedSavedQuery {
  const decoded = decodeUtf8(bytes, { file });
  return decoded.ok ? readSavedQuery(decoded.value, { file }) : { ...decoded, locateInQuery: decoded.locate };
}
