import { writeLocal } from '../../ask/time/local-time.ts';

/**
 * An instant as `YYYY-MM-DD HH:mm:ss.SSS`, which DuckDB casts without loss. ISO 8601 writes years beyond 9999 with a sign
 * and leading zeros; DuckDB wants neither.
 */
export function writeTimestamp(instant: number): string {
  return writeLocal(instant).replace('T', ' ').replace(/^\+0*/, '');
}
