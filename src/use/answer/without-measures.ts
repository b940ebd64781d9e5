import type { CanonicalFilter } from '../../ask/query/query.ts';

/** Removes filters on measures, because rows of a matching group need not match them. */
export function withoutMeasures(
  filters: readonly CanonicalFilter[],
  measures: ReadonlySet<string>,
): readonly CanonicalFilter[] {
  return filters.flatMap((filter): readonly CanonicalFilter[] => {
    if ('member' in filter) return measures.has(filter.member) ? [] : [filter];
    if ('and' in filter) {
      const parts = withoutMeasures(filter.and, measures);
      return parts.length === 0 ? [] : [{ and: parts }];
    }
    // An `or` that names a measure filters groups, so it is removed as a whole.
    return filter.or.some((part) => namesMeasure(part, measures)) ? [] : [filter];
  });
}

function namesMeasure(filter: CanonicalFilter, measures: ReadonlySet<string>): boolean {
  if ('member' in filter) return measures.has(filter.member);
  return ('and' in filter ? filter.and : filter.or).some((part) => namesMeasure(part, measures));
}
