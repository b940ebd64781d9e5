import { writePath } from '../../ask/document/located.ts';
import type { Issue } from '../../ask/outcome.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import { writeUtc } from '../../ask/time/local-time.ts';
import type { Plan } from '../../plan/plan.ts';
import { nothingRejected, type RejectedLines } from '../../run/backend.ts';
import { type DryRunResponse, toDryRun } from '../../shape/envelope/envelope-query.ts';
import { type LoadResponse, type LoadResult, toLoadResponse, toLoadResult } from '../../shape/envelope/envelope.ts';
import { fillOnWire, tooManyDays } from '../../shape/envelope/wire-fill.ts';
import type { Provenance } from '../../shape/result/provenance.ts';
import type { Result } from '../../shape/result/result.ts';
import type { Session } from '../workspace/session.ts';
import { readFreshLoad, type ReadLoadOptions } from './read-load.ts';

interface LoadOptions extends ReadLoadOptions {
  readonly signal?: AbortSignal | undefined;
}

/** A mistake in the request, in the format of the platform's API. */
export interface LoadError {
  readonly error: string;
}

/**
 * The response to a load request. With `status` 200, `body` is the platform's response, and `rejected` describes lines
 * that could not be read and are not counted. With `status` 400, the request is not valid, and `body.error` says why.
 */
export type LoadAnswer =
  | {
      readonly status: 200;
      readonly body: LoadResponse | LoadResult;
      /** Lines that could not be read and are not counted. Not part of the response. */
      readonly rejected: RejectedLines;
    }
  | { readonly status: 400; readonly body: LoadError };

type DryRunAnswer =
  | { readonly status: 200; readonly body: DryRunResponse }
  | { readonly status: 400; readonly body: LoadError };

/**
 * Answers a load request (`{query, queryType?}`) as the platform does: 10,000 rows by default and 50,000 at most,
 * numbers as text, and the platform's own zero-fill of days. Mistakes in the request give status 400; errors of the
 * backend are thrown. Contract: the platform's `product_analytics/request/load` and Cube's `/v1/load`.
 */
export async function answerLoad(
  body: unknown,
  session: Session,
  options: LoadOptions = {},
  tell: (provenance: Provenance) => void = () => undefined,
): Promise<LoadAnswer> {
  const read = await readFreshLoad(body, session, options, options.signal);
  if (!read.ok) return refusal(read.issues);
  const { plans, queryType, multi } = read.value;
  const unfillable = plans.map(({ query }) => tooManyDays(query)).filter((issue) => issue !== undefined);
  if (unfillable.length > 0) return refusal(unfillable);
  let parts: readonly { readonly plan: Plan; readonly result: Result }[];
  try {
    parts = await session.atOneState(async () => {
      const answered = [];
      for (const plan of plans)
        answered.push({ plan, result: await session.run(plan, { fill: 'none', signal: options.signal }) });
      return answered;
    });
  } catch (error) {
    if (error instanceof InvalidInputError) return refusal(error.issues);
    throw error;
  }
  for (const { result } of parts) tell(result.provenance);
  const lastRefreshTime = writeUtc(session.now());
  const [first] = parts;
  // All parts read the same files.
  const rejected = first?.result.provenance.rejected ?? nothingRejected;
  if (!multi && first) return { status: 200, body: filledOnWire(toLoadResult(first, { lastRefreshTime })), rejected };
  const response = toLoadResponse(parts, { queryType, lastRefreshTime });
  return { status: 200, body: { ...response, results: response.results.map(filledOnWire) }, rejected };
}

/** Answers a dry run: returns how the query is understood, and runs nothing. */
export async function answerDryRun(body: unknown, session: Session, options: LoadOptions = {}): Promise<DryRunAnswer> {
  const read = await readFreshLoad(body, session, { queryType: 'multi', ...options }, options.signal);
  return read.ok ? { status: 200, body: toDryRun(read.value.plans, read.value.queryType) } : refusal(read.issues);
}

function filledOnWire(result: LoadResult): LoadResult {
  if (!Array.isArray(result.data)) return result;
  return { ...result, data: fillOnWire(result.data, result.query) };
}

function refusal(issues: readonly Issue[]): { readonly status: 400; readonly body: LoadError } {
  return { status: 400, body: { error: sayIssues(issues) } };
}

/** All errors in one line, each with its path in the query and its hint. */
export function sayIssues(issues: readonly Issue[]): string {
  const errors = issues.filter((issue) => issue.severity === 'error');
  return errors
    .map(
      ({ path, message, hint }) =>
        `${path.length === 0 ? '' : `${writePath(path)}: `}${message}${hint === undefined ? '' : ` ${hint}`}`,
    )
    .join(' ');
}
