import type { CanonicalFilter } from '../../ask/query/query.ts';

/** Filters without those on measures: what a group passed as a whole, its parts need not pass. */
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
    // A choice between measures is one about groups, whichever of them held.
    return filter.or.some((part) => namesMeasure(part, measures)) ? [] : [filter];
  });
}

function namesMeasure(filter: CanonicalFilter, measures: ReadonlySet<string>): boolean {
  if ('member' in filter) return measures.has(filter.member);
  return ('and' in filter ? filter.and : filter.or).some((part) => namesMeasure(part, measures));
}
