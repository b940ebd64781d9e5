import type { SavedQuery } from '../../ask/query/saved-query.ts';
import type { LocatedSavedQuery } from '../../ask/query/read-saved-query.ts';

/**
 * A query file, YAML or JSON, or all of its issues at once, with their places in the text. Never rejects for what is
 * in the text. (A promise, because the reader of YAML is loaded only now.)
 */
export async function readSavedQuery(text: string, options: { readonly file?: string | undefined } = {}): Promise<LocatedSavedQuery> {
  return (await import('../../ask/query/read-saved-query.ts')).readSavedQuery(text, options);
}

/** A query file's text: YAML with its keys in a fixed order. What is read back is the same. */
export async function writeSavedQuery(saved: SavedQuery): Promise<string> {
  return (await import('../../ask/query/write-saved-query.ts')).writeSavedQuery(saved);
}
