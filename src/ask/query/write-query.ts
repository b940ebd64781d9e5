import { toCanonicalQuery } from './canonical-query.ts';
import type { Query } from './query.ts';

/** A query as JSON text in its canonical form: equal texts for queries that mean the same. */
export function writeCanonicalQuery(query: Query): string {
  return JSON.stringify(toCanonicalQuery(query));
}
