import type { Query } from './query.ts';

/** A query needs a measure, a dimension, or a time dimension with a granularity. */
export function asksForSomething(query: Query): boolean {
  return Boolean(query.measures?.length || query.dimensions?.length || query.timeDimensions?.some((time) => time.granularity !== undefined));
}
