import { decodeUtf8 } from '../../ask/document/decode-utf8.ts';
import { readSavedQuery } from '../../ask/query/read-saved-query.ts';
import { valueOf } from '../workspace/refuse.ts';
import type { Question } from './question.ts';

/** The question in the bytes of a query file; `file` is its name for people. Throws `InvalidInputError`. */
export function readQueryFile(bytes: Uint8Array, file: string): Question {
  const what = `The query in ${file}`;
  const decoded = decodeUtf8(bytes, { file });
  const read = readSavedQuery(valueOf(decoded, what, decoded), { file });
  return { saved: valueOf(read, what, read), what, text: { source: read.source, file }, locate: read.locateInQuery, warnings: read.issues };
}
