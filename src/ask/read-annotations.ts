import type { Annotation } from './annotation.ts';
import { annotationsSchema } from './annotation-schema.ts';
import type { Located } from './document/located.ts';
import { decodeUtf8 } from './document/decode-utf8.ts';
import { readDocument } from './document/read-document.ts';
import { bad } from './outcome.ts';

/**
 * A file of annotations, YAML or JSON: a list of `{date, title, kind?}`. Every issue at once, with its place; among them
 * `invalid-date` for what is neither a day nor a time. Never throws.
 */
export function readAnnotations(bytes: Uint8Array, file: string): Located<readonly Annotation[]> {
  const decoded = decodeUtf8(bytes, { file });
  if (!decoded.ok) return { ...bad(decoded.issues), source: decoded.source, file, locate: () => undefined };
  return readDocument(decoded.value, annotationsSchema, { file });
}
