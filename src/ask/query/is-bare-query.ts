/** Whether plain data is a query by itself, and not something that holds one under `query`. */
export function isBareQuery(value: unknown): boolean {
  if (value === null || typeof value !== 'object' || Object.hasOwn(value, 'query')) return false;
  return ['measures', 'dimensions', 'timeDimensions'].some((key) => Object.hasOwn(value, key));
}
