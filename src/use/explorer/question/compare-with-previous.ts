import { bad, errorIssue, good, type Outcome } from '../../../ask/outcome.ts';
import type { CanonicalQuery } from '../../../ask/query/query.ts';
import { previousRange, writeRange } from '../../../ask/time/previous-range.ts';
import type { DrillFacts } from '../../answer/drill-down.ts';

/**
 * The question beside the same one about the stretch of time before: of as many months or days, else as long.
 * Issues: `no-range`, `compared-already`.
 */
export function compareWithPrevious({
  query,
  ranges,
  zone,
}: Pick<DrillFacts, 'query' | 'ranges' | 'zone'>): Outcome<CanonicalQuery> {
  const times = query.timeDimensions ?? [];
  if (times.some(({ compareDateRange }) => compareDateRange))
    return bad([
      errorIssue('compared-already', 'This question is already a comparison.', {
        hint: 'Press `i` to edit its ranges.',
      }),
    ]);
  const index = times.findIndex(({ dateRange }) => dateRange !== undefined);
  const range = ranges[index];
  const time = times[index];
  if (!time?.dateRange || !range)
    return bad([
      errorIssue('no-range', 'The question has no time range to compare.', {
        hint: 'Add a range, such as `last 7 days`.',
      }),
    ]);
  const { dateRange, ...rest } = time;
  return good({
    ...query,
    timeDimensions: times.with(index, {
      ...rest,
      compareDateRange: [dateRange, writeRange(previousRange(range, zone), zone)],
    }),
  });
}
