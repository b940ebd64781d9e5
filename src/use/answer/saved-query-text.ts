import type { Queryable } from '../../ask/query/builder.ts';
import type { LocatedSavedQuery } from '../../ask/query/read-saved-query.ts';
import type { SavedQuery } from '../../ask/query/saved-query.ts';

/**
 * A query file, YAML or JSON, or all of its issues at once, with their places in the text. Never rejects for what is
 * in the text. (A promise, because the reader of YAML is loaded only now.)
 */
export async function readSavedQuery(
  text: string,
  options: { readonly file?: string | undefined } = {},
): Promise<LocatedSavedQuery> {
  const { checkOptions, wrongArgument } = await import('../workspace/check-options.ts');
  checkOptions('readSavedQuery', options);
  if (typeof text !== 'string')
    throw wrongArgument('readSavedQuery', 'Expected the text of a query file.', 'Decode bytes first.');
  return (await import('../../ask/query/read-saved-query.ts')).readSavedQuery(text, options);
}

/**
 * A query file's text: YAML with its keys in a fixed order. What is read back is the same. Throws `InvalidInputError`
 * for what could not be read back.
 */
export async function writeSavedQuery(
  saved: Omit<SavedQuery, 'query'> & { readonly query: Queryable },
): Promise<string> {
  const [{ savedQuerySchema }, { readValue }, { unwrap }, { toQuery }, write] = await Promise.all([
    import('../../ask/query/read-saved-query.ts'),
    import('../../ask/document/read-value.ts'),
    import('../workspace/refuse.ts'),
    import('../../ask/query/builder.ts'),
    import('../../ask/query/read-saved-query.ts'),
  ]);
  const { query } = saved ?? {};
  const plain = typeof query === 'object' && query !== null ? { ...saved, query: toQuery(query) } : saved;
  return write.writeSavedQuery(unwrap(readValue(plain, savedQuerySchema), 'The saved query'));
}
