import type { Query } from './query.ts';
import { writeCanonicalQuery } from './write-query.ts';

const prime = 0x100000001b3n;
const offset = 0xcbf29ce484222325n;

/**
 * 16 hexadecimal digits, the same for the same query, however it was written: FNV-1a of 64 bits over its canonical
 * JSON.
 * It tells queries apart, and protects nothing; node:crypto would take longer to load than a question to answer.
 */
export function hashQuery(query: Query): string {
  let hash = offset;
  for (const byte of new TextEncoder().encode(writeCanonicalQuery(query)))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * prime);
  return hash.toString(16).padStart(16, '0');
}
