import { openSwitches } from './check-measures.ts';
import { errorCount, errorIssue, type IssuePath } from '../../ask/outcome.ts';
import type { CanonicalQuery } from '../../ask/query/query.ts';
import { enginePlans, mostGroups, withoutLimit } from '../groups.ts';
import { isPerUser } from '../model/model.ts';
import type { Plan } from '../plan.ts';
import { comparesGroups } from '../sql/stage-part.ts';
import type { Binding } from './bind-context.ts';

/**
 * Binds a query without `other`. `beside`: dimensions that it can test although it has none; its shares are those of a
 * breakdown by them. `isRank`: its formulas are those over the whole range.
 */
export type BindOne = (
  query: CanonicalQuery,
  options?: { readonly beside?: readonly string[] | undefined; readonly isRank?: boolean },
) => Plan | undefined;

/**
 * Binds the first groups of a query plus one group for all others. `greatest`: the most rows that the backend returns
 * at once; undefined if unlimited.
 */
export function bindOthers(
  query: CanonicalQuery,
  bindOne: BindOne,
  greatest: number | undefined,
  { issues }: Binding,
): Plan | undefined {
  const refuse = (code: string, message: string, hint: string, path: IssuePath = ['other']): undefined => {
    issues.push(errorIssue(code, message, { path, hint }));
    return undefined;
  };
  const { other: _other, limit, ...plain } = query;
  const times = query.timeDimensions ?? [];
  const measures = query.measures ?? [];
  if (!query.dimensions || measures.length === 0 || query.ungrouped)
    return refuse(
      'other-without-groups',
      '"other" needs a measure and a dimension to rank.',
      'Write `count by docPath top 5 with other`.',
    );
  if (limit === undefined || limit < 1 || limit > mostGroups)
    return refuse(
      'other-without-limit',
      `"other" needs a limit from 1 to ${mostGroups}.`,
      'Write `top 5 … with other`, or in code `.limit(5).withOther()`.',
    );
  if ((query.offset ?? 0) > 0)
    return refuse('other-with-offset', '"other" cannot be combined with an offset.', 'Leave the offset out.', [
      'offset',
    ]);
  const hasBuckets = times.some(({ granularity }) => granularity !== undefined);
  const isTime = (name: string) =>
    times.some(({ dimension, granularity }) => name === dimension || name === `${dimension}.${granularity}`);
  const order = query.order?.filter(([member]) => !isTime(member));
  const { order: _order, ...unordered } = plain;
  const before = errorCount(issues);
  const rank = bindOne(
    hasBuckets
      ? {
          ...unordered,
          timeDimensions: times
            .filter(({ dateRange }) => dateRange !== undefined)
            .map(({ granularity: _, ...time }) => time),
          ...(order && order.length > 0 && { order }),
          limit: limit + 1,
        }
      : { ...plain, limit: limit + 1 },
    { isRank: hasBuckets },
  );
  const { total: _total, ...whole } = plain;
  const [axis] = times.filter(({ granularity }) => granularity !== undefined);
  const byTime = query.order?.filter(([member]) => isTime(member)) ?? [];
  const base = axis
    ? bindOne({ ...whole, order: byTime.length > 0 ? byTime : [[`${axis.dimension}.${axis.granularity}`, 'asc']] })
    : undefined;
  const outer = axis ? base : rank;
  if (!rank || !outer || errorCount(issues) > before) return undefined;
  if (rank.subQueries?.some(({ dimension }) => isPerUser(dimension)))
    return refuse(
      'other-with-per-user',
      '"other" cannot be combined with figures of each user, which belong to the groups themselves.',
      'Leave "other" out, and raise the limit.',
    );
  if (rank.groupConditions.length > 0)
    return refuse(
      'other-with-measure-filter',
      '"other" cannot be combined with a filter on a measure, which would leave out groups.',
      'Remove the filter, or query without "other".',
    );
  if (enginePlans(rank).some(comparesGroups))
    return refuse(
      'other-of-compared-groups',
      '"other" cannot be combined with a measure that compares groups, such as a rank.',
      'Query without "other", or write `share` after a measure for its share of the total.',
    );
  if (rank.computed) return refuse('other-of-computed', '"other" does not support analyses.', 'Query without "other".');
  if (openSwitches(rank).length > 0)
    return refuse(
      'other-of-switch',
      'Groups of a switch contain the same rows, so there are no others.',
      'Query without "other", or filter the switch by one value.',
    );
  const timed = rank.dimensions.find(({ dimension }) => dimension.type === 'time');
  if (timed)
    return refuse(
      'other-of-times',
      '"other" cannot rank times without a granularity.',
      'Group the time by day, for example.',
    );
  const { dimensions, ...undivided } = whole;
  const rest = bindOne({ ...undivided, order: [] }, { beside: dimensions });
  if (!rest || errorCount(issues) > before) return undefined;
  return {
    ...outer,
    query,
    limit,
    offset: 0,
    total: false,
    derived: undefined,
    others: {
      rank,
      base: base && withoutLimit(base, greatest),
      rest: withoutLimit(rest, greatest),
      dimensions: rank.dimensions.map((bound) => ({ ...bound, member: rank.columns[bound.column]!.member })),
    },
  };
}
