import { attachSpans, type Locate, type Located, locateBelow } from '../document/located.ts';
import { parseYaml } from '../document/parse-yaml.ts';
import { readValue } from '../document/read-value.ts';
import { good, type Outcome } from '../outcome.ts';
import type { Query } from './query.ts';
import { querySchema } from './query-schema.ts';
import { isFilterValue } from './read-query.ts';
import type { SavedQuery } from './saved-query.ts';
import { loadBodySchema, savedQuerySchema } from './saved-query-schema.ts';
import { isBareQuery } from './is-bare-query.ts';

/** `locate` takes paths of the file, `locateInQuery` paths of the query in it. */
export type LocatedSavedQuery = Located<SavedQuery> & { readonly locateInQuery: Locate };

/**
 * A query file, YAML or JSON: `{title?, description?, query, …}`. The body of a load request (`{query, queryType}`)
 * and a bare query are taken as well. All issues at once, with their places; never throws.
 */
export function readSavedQuery(text: string, options: { readonly file?: string | undefined } = {}): LocatedSavedQuery {
  const parsed = parseYaml(text, { ...options, asWritten: isFilterValue });
  const { source, file, locate } = parsed;
  const bare = parsed.ok && isBareQuery(parsed.value);
  const locateInQuery = locateBelow(locate, bare ? [] : ['query']);
  if (!parsed.ok) return { ...parsed, locateInQuery };
  const outcome = bare ? toSaved(readValue(parsed.value, querySchema)) : readValue(parsed.value, schemaFor(parsed.value));
  const issues = attachSpans([...parsed.issues, ...outcome.issues], locate);
  return { ...outcome, issues, source, file, locate, locateInQuery };
}

function schemaFor(value: unknown) {
  const isLoadBody = value !== null && typeof value === 'object' && Object.hasOwn(value, 'queryType');
  return isLoadBody ? loadBodySchema : savedQuerySchema;
}

function toSaved(outcome: Outcome<Query>): Outcome<SavedQuery> {
  return outcome.ok ? good({ query: outcome.value }) : outcome;
}
