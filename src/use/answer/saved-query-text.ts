import { wrongArgument } from '../../ask/document/check-argument.ts';
import type { Queryable } from '../../ask/query/builder.ts';
import type { LocatedSavedQuery } from '../../ask/query/read-saved-query.ts';
import type { SavedQuery } from '../../ask/query/saved-query.ts';

/**
 * Reads a query file in YAML or JSON. Resolves with the query, or with all issues and their positions in the text;
 * never rejects because of the text. `file`: the name that issues give to the text. Returns a promise because the YAML
 * reader loads on demand.
 */
export async function readSavedQuery(
  text: string,
  options: { readonly file?: string | undefined } = {},
): Promise<LocatedSavedQuery> {
  const { checkOptions } = await import('../workspace/check-options.ts');
  checkOptions('readSavedQuery', options);
  if (typeof text !== 'string')
    throw wrongArgument('readSavedQuery', 'Expected the text of a query file.', 'Decode bytes first.');
  return (await import('../../ask/query/read-saved-query.ts')).readSavedQuery(text, options);
}

/**
 * Writes a `query` and its title, chart and other settings as YAML, with keys in a fixed order. `readSavedQuery` reads
 * the same query back. Throws `InvalidInputError` if the query is not valid.
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
