import { stringify } from 'yaml';
import type { SavedQuery } from './saved-query.ts';

/** A query file's text: YAML with its keys in a fixed order, short lists on one line. What is read back is the same. */
export function writeSavedQuery(saved: SavedQuery): string {
  const { title, description, query, fill, fillWith, chart } = saved;
  return stringify(
    { title, description, query: orderKeys(query), fill, fillWith, chart },
    // In YAML -0 would be read back as the text that it is; in JSON, and in the canonical form, it is 0.
    (_, value: unknown) => (Object.is(value, -0) ? 0 : value),
    { keepUndefined: false, aliasDuplicateObjects: false, lineWidth: 0, defaultStringType: 'PLAIN' },
  );
}

const keys = [
  'measures', 'dimensions', 'timeDimensions', 'segments', 'filters', 'order', 'limit', 'offset', 'timezone', 'total',
  'ungrouped', 'responseFormat', 'cacheMode',
] as const satisfies readonly (keyof SavedQuery['query'])[];

function orderKeys(query: SavedQuery['query']): SavedQuery['query'] {
  return Object.fromEntries(keys.map((key) => [key, query[key]]));
}
