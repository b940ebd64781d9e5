import type { CanonicalQuery, DateRangeText, Query } from '../../ask/query/query.ts';
import { toCanonicalQuery } from '../../ask/query/canonical-query.ts';
import { bad, errorIssue, settle, type Issue, type Outcome } from '../../ask/outcome.ts';
import { earlierRange } from '../../ask/time/earlier-range.ts';
import type { TimeContext } from '../../ask/time/range.ts';
import { firstInstant, isInstant, lastInstant } from '../../ask/time/instant.ts';
import { readZone } from '../../ask/time/zone.ts';
import { toCatalog } from '../model/catalog.ts';
import type { Model } from '../model/model.ts';
import type { Plan } from '../plan.ts';
import type { BindContext, Binding } from './bind-context.ts';
import { bindQuery } from './bind-query.ts';

/**
 * What a query means under a model: one plan, or one for each range of a comparison. All that is wrong with it is
 * reported at once, with paths into the canonical query (`['filters', 0, 'operator']`).
 */
export function bind(query: Query, model: Model, context: BindContext): Outcome<readonly Plan[]> {
  const canonical = toCanonicalQuery(query);
  const issues: Issue[] = [];
  const zone = readZone(canonical.timezone ?? context.zone ?? 'UTC');
  issues.push(...zone.issues.map((issue) => ({ ...issue, path: ['timezone'] })));
  const name = zone.ok ? zone.value : 'UTC';
  const now = typeof context.now === 'function' ? context.now(name) : context.now;
  if (!isInstant(now)) {
    const hint = `The present is milliseconds since 1970, from ${firstInstant} to ${lastInstant}.`;
    return bad([errorIssue('invalid-present', `${now} is no instant to count relative ranges from.`, { hint })]);
  }
  const binding: Binding = {
    catalog: toCatalog(model),
    time: { now, zone: name, weekStart: context.weekStart },
    issues,
  };
  const plans = comparedQueries(canonical, binding).map((single) => bindQuery(single.query, query.filters ?? [], model, context, binding, single.compared));
  return settle(plans.filter((plan) => plan !== undefined), dropRepeats(issues));
}

interface ComparedQuery {
  readonly query: CanonicalQuery;
  /** Index of the time dimension that is compared. */
  readonly compared?: number;
}

/** A query for each range of its `compareDateRange`, or the query itself. */
function comparedQueries(query: CanonicalQuery, binding: Binding): readonly ComparedQuery[] {
  const times = query.timeDimensions ?? [];
  const index = times.findIndex((time) => time.compareDateRange);
  const compared = times[index];
  if (!compared?.compareDateRange) return [{ query }];
  if (times.some((time, other) => other !== index && time.compareDateRange)) {
    binding.issues.push(errorIssue('two-comparisons', 'Only one time dimension can be compared.', { path: ['timeDimensions'] }));
  }
  const { compareDateRange, ...rest } = compared;
  return toRanges(compareDateRange, binding.time).map((dateRange) => ({ compared: index, query: { ...query, timeDimensions: times.with(index, { ...rest, dateRange }) } }));
}

/** `previous …` means what lies before the range that stands before it. Where that cannot be read, its own issues are told. */
function toRanges([first, ...others]: readonly DateRangeText[], time: TimeContext): readonly DateRangeText[] {
  const ranges = first === undefined ? [] : [first];
  for (const other of others) {
    const before = ranges.at(-1);
    const range = before === undefined ? other : earlierRange(before, other, time);
    if (range !== undefined) ranges.push(range);
  }
  return ranges;
}

/** A comparison binds its common parts once for each range; what is wrong with them is said once. */
function dropRepeats(issues: readonly Issue[]): readonly Issue[] {
  const seen = new Set<string>();
  return issues.filter((issue) => {
    const key = JSON.stringify([issue.code, issue.path, issue.message]);
    return !seen.has(key) && seen.add(key);
  });
}
