import * as z from 'zod';
import { readValue } from '../ask/document/read-value.ts';
import { writePath } from '../ask/document/write-path.ts';
import { readQuery } from '../ask/query/read-query.ts';
import { bad, errorIssue, good, type Issue, type Outcome } from '../ask/outcome.ts';
import { nothingRejected, type RejectedLines } from '../run/backend.ts';
import type { Plan } from '../plan/plan.ts';
import { toDryRun, type DryRunResponse } from '../shape/dry-run.ts';
import { toLoadResponse, toLoadResult, type LoadResponse, type LoadResult } from '../shape/envelope.ts';
import type { QueryType } from '../shape/envelope-query.ts';
import { fillOnWire } from '../shape/wire-fill.ts';
import type { Session } from './session.ts';
import { writeUtc } from '../ask/time/local-time.ts';

export interface LoadOptions {
  /** What the request line says; `multi` where neither it nor the body says anything. */
  readonly queryType?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A person's mistake, told as the platform's API tells it. */
export interface LoadError {
  readonly error: string;
}

export type LoadAnswer =
  | { readonly status: 200; readonly body: LoadResponse | LoadResult; /** Lines that are in no figure: not on the wire. */ readonly rejected: RejectedLines }
  | { readonly status: 400; readonly body: LoadError };

export type DryRunAnswer =
  | { readonly status: 200; readonly body: DryRunResponse }
  | { readonly status: 400; readonly body: LoadError };

/**
 * Answers the body of a load request (`{query, queryType?}`) as the platform does: 10,000 rows by default and 50,000 at
 * most, numbers as text, its own fill of days. What a person got wrong is the answer's 400; what goes wrong with the
 * backend is thrown. Source of the contract: the platform's `product_analytics/request/load` and Cube's `/v1/load`.
 */
export async function answerLoad(body: unknown, session: Session, options: LoadOptions = {}): Promise<LoadAnswer> {
  const read = bindBody(body, session, options);
  if (!read.ok) return refusal(read.issues);
  const { plans, queryType, multi } = read.value;
  const parts = [];
  for (const plan of plans) parts.push({ plan, result: await session.run(plan, { fill: 'none', signal: options.signal }) });
  const lastRefreshTime = writeUtc(session.now());
  const [first] = parts;
  // Every part reads the same files.
  const rejected = first?.result.provenance.rejected ?? nothingRejected;
  if (!multi && first) return { status: 200, body: filledOnWire(toLoadResult(first, { lastRefreshTime })), rejected };
  const response = toLoadResponse(parts, { queryType, lastRefreshTime });
  return { status: 200, body: { ...response, results: response.results.map(filledOnWire) }, rejected };
}

/** Answers the body of a dry run: how it is understood. Nothing is run. */
export async function answerDryRun(body: unknown, session: Session, options: LoadOptions = {}): Promise<DryRunAnswer> {
  const read = bindBody(body, session, { queryType: 'multi', ...options });
  return read.ok ? { status: 200, body: toDryRun(read.value.plans, read.value.queryType) } : refusal(read.issues);
}

function filledOnWire(result: LoadResult): LoadResult {
  if (!Array.isArray(result.data)) return result;
  return { ...result, data: fillOnWire(result.data, result.query) };
}

interface BoundBody {
  readonly plans: readonly Plan[];
  readonly queryType: QueryType;
  /** The client takes several results. */
  readonly multi: boolean;
}

const bodySchema = z.object({
  query: z.unknown(),
  queryType: z.string().optional(),
});

function bindBody(body: unknown, session: Session, options: LoadOptions): Outcome<BoundBody> {
  const envelope = readValue(body, bodySchema);
  if (!envelope.ok) return envelope;
  const query = parsed(envelope.value.query);
  if (query === undefined || query === null) return bad([errorIssue('no-query', '"query" is missing.', { hint: 'The body reads `{"query": {"measures": ["TrackedEvents.count"]}}`.' })]);
  const multi = (envelope.value.queryType ?? options.queryType ?? 'multi') === 'multi';
  const blending = Array.isArray(query);
  const asked: readonly unknown[] = blending ? query : [query];
  const bound = asked.map((one, index) => bindOne(one, session, blending ? [index] : []));
  const issues = bound.flatMap((one) => one.issues);
  if (bound.some((one) => !one.ok)) return bad(issues);
  const plans = bound.flatMap((one) => (one.ok ? one.value : []));
  const queryType: QueryType = blending ? 'blendingQuery' : plans.some((plan) => plan.comparison !== undefined) ? 'compareDateRangeQuery' : 'regularQuery';
  const wrong = checkType(plans, queryType, multi);
  return wrong ? bad([wrong]) : good({ plans, queryType, multi });
}

/** Cube's clients send the query as text, too. */
function parsed(query: unknown): unknown {
  if (typeof query !== 'string') return query;
  try {
    return JSON.parse(query);
  } catch {
    return query;
  }
}

function bindOne(value: unknown, session: Session, prefix: readonly number[]): Outcome<readonly Plan[]> {
  const query = readQuery(value);
  const bound = query.ok ? session.bind(query.value, { limits: 'remote' }) : query;
  const issues = bound.issues.map((issue) => ({ ...issue, path: [...prefix, ...issue.path] }));
  return bound.ok ? good(bound.value, issues) : bad(issues);
}

function checkType(plans: readonly Plan[], queryType: QueryType, multi: boolean): Issue | undefined {
  if (queryType !== 'regularQuery' && !multi) {
    return errorIssue('not-multi', `A "${queryType}" has several results, which a request without "queryType=multi" does not take.`);
  }
  if (queryType !== 'blendingQuery') return undefined;
  const granularities = plans.map((plan) => plan.times.find((time) => time.granularity !== undefined)?.granularity);
  if (plans.length === 0 || granularities.includes(undefined)) return errorIssue('blending-without-granularity', 'Queries in a list are blended by time: each needs a granularity.');
  return new Set(granularities).size > 1 ? errorIssue('blending-granularities', 'Queries in a list are blended by time: all need the same granularity.') : undefined;
}

function refusal(issues: readonly Issue[]): { readonly status: 400; readonly body: LoadError } {
  const errors = issues.filter((issue) => issue.severity === 'error');
  const error = errors.map(({ path, message, hint }) => `${path.length === 0 ? '' : `${writePath(path)}: `}${message}${hint === undefined ? '' : ` ${hint}`}`).join(' ');
  return { status: 400, body: { error } };
}
