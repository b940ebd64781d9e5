import type { Query } from './query.ts';

/** Whether plain data is a query by itself, and not something that holds one under `query`. */
export function isBareQuery(value: unknown): boolean {
  if (value === null || typeof value !== 'object' || Object.hasOwn(value, 'query')) return false;
  return ['measures', 'formulas', 'dimensions', 'timeDimensions'].some((key) => Object.hasOwn(value, key));
}

/** A query needs a measure, a dimension, or a time dimension with a granularity. */
export function asksForSomething(query: Query): boolean {
  return Boolean(
    query.measures?.length ||
      Object.keys(query.formulas ?? {}).length > 0 ||
      query.dimensions?.length ||
      query.timeDimensions?.some((time) => time.granularity !== undefined),
  );
}
