import { toCanonicalQuery } from '../../ask/query/canonical-query.ts';
import type { CanonicalQuery, DateRangeText, Query, TimeDimension } from '../../ask/query/query.ts';

/** A query without breakdown: what its measures come to over all that it asks about. */
export function toTotalQuery({ measures, timeDimensions = [], segments, filters, timezone }: CanonicalQuery): CanonicalQuery {
  const ranges = timeDimensions
    .filter(({ dateRange, compareDateRange }) => dateRange !== undefined || compareDateRange !== undefined)
    .map(({ dimension, dateRange, compareDateRange }): TimeDimension => ({ dimension, dateRange, compareDateRange }));
  return toCanonicalQuery({ measures, timeDimensions: ranges, segments, filters, timezone });
}

/** The range of time that a query asks about: of its first time dimension that has one, or of its first filter by one. */
export function rangeOf({ timeDimensions = [], filters = [] }: CanonicalQuery): { readonly dimension: string; readonly range: DateRangeText } | undefined {
  for (const { dimension, dateRange } of timeDimensions) if (dateRange !== undefined) return { dimension, range: dateRange };
  for (const filter of filters) {
    if ('member' in filter && filter.operator === 'inDateRange') return { dimension: filter.member, range: (filter.values ?? []).filter((value) => value !== null) };
  }
  return undefined;
}

/** The query about its own range and another one. */
export function toComparison(query: CanonicalQuery, other: DateRangeText): CanonicalQuery {
  const asked = rangeOf(query);
  if (!asked) return query;
  const { dimension, range } = asked;
  const times = query.timeDimensions ?? [];
  const at = times.findIndex((time) => time.dimension === dimension && time.dateRange !== undefined);
  const bare = at === -1 ? times.findIndex((time) => time.dimension === dimension) : at;
  const { dateRange: _, ...time } = times[bare] ?? { dimension };
  const compared: TimeDimension = { ...time, compareDateRange: [range, other] };
  // A range of a filter moves to where ranges are compared.
  const filters = at === -1 ? withoutRange(query.filters ?? [], dimension) : query.filters;
  return toCanonicalQuery({ ...query, filters, timeDimensions: bare === -1 ? [...times, compared] : times.with(bare, compared) });
}

function withoutRange(filters: NonNullable<Query['filters']>, dimension: string): NonNullable<Query['filters']> {
  const at = filters.findIndex((filter) => 'member' in filter && filter.member === dimension && filter.operator === 'inDateRange');
  return filters.filter((_, index) => index !== at);
}
