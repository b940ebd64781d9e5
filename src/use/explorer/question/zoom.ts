import { bad, errorIssue, good, type Outcome } from '../../../ask/outcome.ts';
import type { CanonicalQuery } from '../../../ask/query/query.ts';
import { hasGrid } from '../../../ask/time/granularity.ts';
import { writeRange } from '../../../ask/time/previous-range.ts';
import { granularityName } from '../../../plan/column.ts';
import { type DrillFacts, finer, toBucket, within } from '../../answer/drill-down.ts';

/** Fewer buckets than these are cut finer: they would be no chart. */
const leastBuckets = 3;

/**
 * The question over the buckets from one to another alone, as its rows name them. `count`: how many they are; where
 * they are few, the next finer buckets take their place. Issue: `not-zoomable`.
 */
export function zoomInto(
  facts: DrillFacts,
  key: string,
  { first, last, count }: { readonly first: string; readonly last: string; readonly count: number },
): Outcome<CanonicalQuery> {
  const { query, columns, ranges, zone } = facts;
  const column = columns.find((each) => each.key === key);
  const size = column?.custom ?? column?.granularity;
  const index = (query.timeDimensions ?? []).findIndex(
    (time) => column !== undefined && time.dimension === column.member && time.granularity === granularityName(column),
  );
  const time = query.timeDimensions?.[index];
  if (!column || !time || size === undefined || !hasGrid(size))
    return refuse('Only the model knows where these buckets end.', 'Group by a standard granularity, then zoom.');
  if (time.compareDateRange)
    return refuse('A comparison has several ranges.', 'Ask for one of them, then zoom into it.');
  const stretch = { start: toBucket(first, size, facts).start, end: toBucket(last, size, facts).end };
  const range = within(stretch, ranges[index]);
  if (!(range.start < range.end)) return refuse('There is no time in this range.', 'Mark other buckets.');
  const cut = typeof size === 'string' && count < leastBuckets ? finer[size] : undefined;
  const timeDimensions = (query.timeDimensions ?? []).with(index, {
    ...time,
    dateRange: writeRange(range, zone),
    ...(cut && { granularity: cut }),
  });
  return good({
    ...query,
    timeDimensions,
    ...(cut &&
      query.order && {
        order: query.order.map(([name, way]) => [name === key ? `${column.member}.${cut}` : name, way] as const),
      }),
  });
}

function refuse(message: string, hint: string): Outcome<never> {
  return bad([errorIssue('not-zoomable', message, { hint })]);
}
