import { createHash } from 'node:crypto';
import { toCanonicalQuery } from './canonical-query.ts';
import type { Query } from './query.ts';

/** A query as JSON text in its canonical form: equal texts for queries that mean the same. */
export function writeCanonicalQuery(query: Query): string {
  return JSON.stringify(toCanonicalQuery(query));
}

/** Names a query: the first 16 hex digits of the SHA-256 of its canonical JSON. */
export function hashQuery(query: Query): string {
  return createHash('sha256').update(writeCanonicalQuery(query)).digest('hex').slice(0, 16);
}
