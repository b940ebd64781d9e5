import { sizeName } from '../../ask/time/granularity.ts';
import * as z from 'zod';
import { readValue } from '../../ask/document/read-value.ts';
import { bad, badWith, errorIssue, good, type Issue, type Outcome } from '../../ask/outcome.ts';
import { cacheModes } from '../../ask/query/query.ts';
import { isPropertyName } from '../../ask/query/property-name.ts';
import { readQuery } from '../../ask/query/query-schema.ts';
import type { Plan } from '../../plan/plan.ts';
import type { QueryType } from '../../shape/envelope/envelope-query.ts';
import type { Session } from '../workspace/session.ts';
import { withFreshModel } from '../workspace/with-fresh-model.ts';

export interface ReadLoadOptions {
  /** The `queryType` of the URL. Defaults to `multi` if the body has none either. */
  readonly queryType?: string | undefined;
  /** Only events of this project. Defaults to the configured project. */
  readonly project?: string | undefined;
}

/** A load request, bound. */
export interface BoundLoad {
  /** At least one plan. */
  readonly plans: readonly Plan[];
  readonly queryType: QueryType;
  /** Whether the client accepts several results. */
  readonly multi: boolean;
}

const bodySchema = z.object({
  query: z.unknown(),
  queryType: z.string().optional(),
  cache: z.enum(cacheModes).optional(),
});

/** Reads a load request (`{query, queryType?, cache?}`). Other keys are ignored, as on the platform. */
export function readLoad(body: unknown, session: Session, options: ReadLoadOptions = {}): Outcome<BoundLoad> {
  const envelope = readValue(body, bodySchema);
  if (!envelope.ok) return envelope;
  const query = parsedQuery(envelope.value.query);
  if (query === undefined || query === null)
    return badWith('no-query', '"query" is missing.', {
      hint: 'Send a body such as `{"query": {"measures": ["TrackedEvents.count"]}}`.',
    });
  const multi = (envelope.value.queryType ?? options.queryType ?? 'multi') === 'multi';
  const blending = Array.isArray(query);
  const asked: readonly unknown[] = blending ? query : [query];
  const bound = asked.map((one, index) => bindOne(one, session, blending ? [index] : [], options));
  const issues = bound.flatMap((one) => one.issues);
  if (bound.some((one) => !one.ok)) return bad(issues);
  const plans = bound.flatMap((one) => (one.ok ? one.value : []));
  const queryType: QueryType = blending
    ? 'blendingQuery'
    : plans.some((plan) => plan.comparison !== undefined)
      ? 'compareDateRangeQuery'
      : 'regularQuery';
  const wrong = checkType(plans, queryType, multi);
  return wrong ? bad([wrong]) : good({ plans, queryType, multi });
}

/** Like `readLoad`, but first searches the events for properties that the model lacks. */
export function readFreshLoad(
  body: unknown,
  session: Session,
  options: ReadLoadOptions,
  signal?: AbortSignal,
): Promise<Outcome<BoundLoad>> {
  const searching: Pick<Session, 'refreshModel' | 'noticeChanges'> = {
    noticeChanges: (aborting) => session.noticeChanges(aborting),
    refreshModel: async (aborting, names = []) =>
      names.some(isPropertyName) && (await session.refreshModel(aborting, names)),
  };
  return withFreshModel<Outcome<BoundLoad>>(searching, () => readLoad(body, session, options), signal);
}

/** Cube's clients also send the query as text. */
export function parsedQuery(query: unknown): unknown {
  if (typeof query !== 'string') return query;
  try {
    return JSON.parse(query);
  } catch {
    return query;
  }
}

function bindOne(
  value: unknown,
  session: Session,
  prefix: readonly number[],
  { project }: ReadLoadOptions,
): Outcome<readonly Plan[]> {
  const read = readQuery(value);
  const own = read.ok ? (['formulas', 'other'] as const).filter((key) => read.value[key] !== undefined) : [];
  const query = own.length === 0 ? read : bad(own.map(notOnWire));
  const bound = query.ok ? session.bind(query.value, { limits: 'remote', project, ignoresUnknownOrder: true }) : query;
  const issues = bound.issues.map((issue) => ({ ...issue, path: [...prefix, ...issue.path] }));
  return bound.ok ? good(bound.value, issues) : bad(issues);
}

/** `formulas` and `other` are not part of the load API of the platform and Cube. */
function notOnWire(key: string): Issue {
  return errorIssue('unknown-key', `Unknown key "${key}".`, {
    path: [key],
    hint: `Ask by \`sluice query\`: a load body has no "${key}".`,
  });
}

function checkType(plans: readonly Plan[], queryType: QueryType, multi: boolean): Issue | undefined {
  if (queryType !== 'regularQuery' && !multi) {
    return errorIssue('not-multi', `A "${queryType}" has several results. The request needs "queryType=multi".`);
  }
  if (queryType !== 'blendingQuery') return undefined;
  const granularities = plans
    .map((plan) => plan.times.find((time) => time.granularity !== undefined)?.granularity)
    .map((size) => size && sizeName(size));
  if (plans.length === 0 || granularities.includes(undefined))
    return errorIssue(
      'blending-without-granularity',
      'Queries in a list are blended by time. Each needs a granularity.',
    );
  return new Set(granularities).size > 1
    ? errorIssue('blending-granularities', 'Queries in a list are blended by time. All need the same granularity.')
    : undefined;
}
