import type { Annotation } from './annotation.ts';
import { annotationsSchema } from './annotation-schema.ts';
import { attachSpans, type Located } from './document/located.ts';
import { decodeUtf8 } from './document/decode-utf8.ts';
import { readDocument } from './document/read-document.ts';
import { bad, errorIssue, settle, type Issue } from './outcome.ts';
import { quote } from './quote.ts';
import { readWrittenTime } from './time/read-written-time.ts';

/**
 * A file of annotations, YAML or JSON: a list of `{date, title, kind?}`. Every issue at once, with its place; among them
 * `invalid-date` for what is neither a day nor a time. Never throws.
 */
export function readAnnotations(bytes: Uint8Array, file: string): Located<readonly Annotation[]> {
  const decoded = decodeUtf8(bytes, { file });
  if (!decoded.ok) return { ...bad(decoded.issues), source: decoded.source, file, locate: () => undefined };
  const document = readDocument(decoded.value, annotationsSchema, { file });
  if (!document.ok) return document;
  const { source, locate, value } = document;
  const issues = value.flatMap(({ date }, index) => dateIssues(date, index));
  return { ...settle(value, attachSpans([...document.issues, ...issues], locate)), source, file, locate };
}

function dateIssues(date: string, index: number): readonly Issue[] {
  const path = [index, 'date'];
  const written = readWrittenTime(date);
  if (written && !written.ok) return written.issues.map((issue) => ({ ...issue, path }));
  if (written?.ok && (written.value.unit === 'day' || written.value.unit === 'millisecond')) return [];
  return [errorIssue('invalid-date', `${quote(date)} is neither a day nor a time.`, { path, hint: 'Write 2024-03-08, or 2024-03-08T14:30.' })];
}
