import { toCanonicalQuery } from '../../ask/query/canonical-query.ts';
import { greatestRemoteLimit } from '../../plan/bind/bind.ts';
import { enginePlans, onlyGroups, withoutLimit } from '../../plan/groups.ts';
import type { Plan } from '../../plan/plan.ts';
import { type Explanation, reachOf, type StoredAnswer, type Wait } from '../../run/backend.ts';
import { compare } from '../../shape/compare.ts';
import { formatComparison } from '../../shape/format/format-comparison.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import { withGroupsOf } from '../../shape/others.ts';
import { keepGroups } from '../../shape/keep-groups.ts';
import { withNote } from '../../shape/result/provenance.ts';
import type { Result } from '../../shape/result/result.ts';
import { limitRows } from '../../shape/result/take-rows.ts';
import { stack } from '../../shape/stack.ts';
import type { RowSource } from '../../show/text/row-source.ts';
import type { BindOptions, FillOptions, Session } from '../workspace/session.ts';
import type { StoredRows } from '../workspace/stored-rows.ts';
import { bindQuestion, type BoundQuestion } from './bind-question.ts';
import type { Asking } from './question.ts';
import { withParts } from '../../shape/result/cloneable.ts';

/**
 * Answers each range of a comparison, the current one first. Limit and order choose the groups by the current range.
 * The other ranges are asked for exactly these groups. If the current range has fewer groups than the limit allows,
 * groups of the other ranges follow up to the limit. Rows that are not grouped have no groups to choose: each range is
 * limited alone.
 */
async function answerRanges(plans: readonly Plan[], run: (plan: Plan) => Promise<Result>): Promise<readonly Result[]> {
  const [plan, ...earlier] = plans;
  if (!plan) return [];
  const current = await run(plan);
  const results = [current];
  if (plan.others) {
    for (const other of earlier) results.push(await run(withGroupsOf(other, current)));
    return results;
  }
  const isOneRow = plan.dimensions.length === 0 && plan.times.every(({ granularity }) => granularity === undefined);
  const isCut = current.provenance.truncated !== null || plan.offset > 0;
  for (const other of earlier) {
    if (plan.ungrouped || isOneRow || plan.limit === 0) results.push(await run(other));
    else results.push(await (isCut ? answerGroups(other, current, run) : answerAllGroups(other, current, run)));
  }
  return earlier.length === 0 || plan.ungrouped || isOneRow || plan.limit === 0
    ? results
    : keepGroups(results, plans, isCut);
}

/** All groups of a range, even if they are more than the limit. */
async function answerAllGroups(plan: Plan, current: Result, run: (plan: Plan) => Promise<Result>): Promise<Result> {
  const result = await run(plan);
  if (result.provenance.truncated === null) return result;
  return withTotal(noteMissing(await run(toUnlimited(plan, current)), plan), result);
}

/** The groups of the current range, and maybe others. */
async function answerGroups(plan: Plan, current: Result, run: (plan: Plan) => Promise<Result>): Promise<Result> {
  const valuesOf = (key: string) => current.codes(key).dictionary;
  const limited = plan.total || current.rowCount === 0 ? await run(plan) : undefined;
  // The offset is beyond the current range: no group is chosen.
  if (limited && current.rowCount === 0) return withTotal(limitRows(limited, 0, 0), limited);
  return withTotal(noteMissing(await run(onlyGroups(toUnlimited(plan, current), valuesOf)), plan), limited);
}

/** The total counts what there would be without a limit, whatever groups were asked for. */
function withTotal(result: Result, limited: Result | undefined): Result {
  const total = limited?.provenance.total;
  return total === undefined ? result : withParts(result, { provenance: { ...result.provenance, total } });
}

/** A server gives no more rows at once than its greatest limit. */
function toUnlimited(plan: Plan, { provenance }: Result): Plan {
  const isLocal = reachOf(provenance.backend as Parameters<typeof reachOf>[0]) === 'local';
  return withoutLimit(plan, isLocal ? undefined : greatestRemoteLimit);
}

function noteMissing(result: Result, plan: Plan): Result {
  const { truncated } = result.provenance;
  if (truncated === null) return result;
  const range = formatComparison(plan.comparison ?? 'the earlier range');
  const note = `Values of ${range} may be missing: the server returns at most ${formatNumber(truncated.limit)} rows at once.`;
  return withParts(result, { provenance: withNote(result.provenance, note) });
}

/** Options of an answer. */
export interface AnswerOptions extends FillOptions {
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
  /** Called each time a server reports that it is still working. */
  readonly onWait?: ((wait: Wait) => void) | undefined;
  /**
   * How to arrange the ranges of a comparison: `stacked` below each other, as the load API does (default), or `beside`
   * each other with their changes.
   */
  readonly ranges?: 'stacked' | 'beside' | undefined;
}

/** How rows are wanted that are to be read piece by piece. */
export interface StreamOptions {
  /** Each column's type must be known before the first row. */
  readonly typed?: boolean | undefined;
}

/**
 * An answer: all of its rows at hand (`whole`), or on the disk until it is closed. Writers take `rows` either way, and
 * make the same bytes of them.
 */
export type Answered = AsyncDisposable &
  (
    | { readonly rows: Result; readonly whole: Result; readonly stored?: undefined }
    | { readonly rows: RowSource; readonly whole?: undefined; readonly stored: StoredAnswer }
  );

/** So many rows take little memory, and are sooner at hand all at once. */
const fewRows = 10_000;

/**
 * Answers a bound question, a comparison's ranges as the options have them. With `stream`, rows may stay on the disk,
 * so that memory does not grow with their number; unless they are few, or all of them are needed to fill, compare or
 * type them. Throws the SluiceError family.
 */
export async function answerQuestion(
  session: Session,
  bound: BoundQuestion,
  { stream, ...options }: AnswerOptions & { readonly stream?: StreamOptions | undefined } = {},
): Promise<Answered> {
  const stored = stream && (await storeRows(session, bound, stream, options));
  if (stored)
    return { rows: stored, stored: stored.stored, [Symbol.asyncDispose]: () => stored[Symbol.asyncDispose]() };
  const whole = await answerWhole(session, bound, options);
  return { rows: whole, whole, [Symbol.asyncDispose]: async () => undefined };
}

/** The whole answer to what is asked: `bindQuestion` and `answerQuestion` in one. */
export async function resultOf(
  session: Session,
  asking: Asking,
  options: AnswerOptions & BindOptions = {},
): Promise<Result> {
  return answerWhole(session, await bindQuestion(session, asking, options), options);
}

function toRunOptions({ question: { saved }, notes }: BoundQuestion, options: AnswerOptions) {
  return {
    signal: options.signal,
    onWait: options.onWait,
    fill: options.fill ?? saved.fill,
    fillWith: options.fillWith ?? saved.fillWith,
    notes,
  };
}

async function storeRows(
  session: Session,
  bound: BoundQuestion,
  { typed }: StreamOptions,
  options: AnswerOptions,
): Promise<StoredRows | undefined> {
  const [plan, another] = bound.plans;
  if (another || plan.comparison !== undefined || (plan.limit !== undefined && plan.limit <= fewRows)) return undefined;
  const rows = await session.store(plan, toRunOptions(bound, options));
  if (!rows || !typed || rows.types()) return rows;
  await rows[Symbol.asyncDispose]();
  return undefined;
}

/** All rows of a bound question. Throws the SluiceError family. */
export async function answerWhole(
  session: Session,
  bound: BoundQuestion,
  options: AnswerOptions = {},
): Promise<Result> {
  const { plans, question } = bound;
  const results = await answerRanges(plans, (plan) => session.run(plan, toRunOptions(bound, options)));
  const [only] = results;
  if (only && plans[0].comparison === undefined) return only;
  const isBeside = options.ranges === 'beside' && plans.length > 1;
  const labels = plans.map((plan, index) => (isBeside ? String(index) : (plan.comparison ?? '')));
  const stacked = stack(
    results.map((result, index) => ({ result, label: labels[index] ?? '' })),
    toCanonicalQuery(question.saved.query),
  );
  return isBeside
    ? beside(compare(stacked, plans, labels, results.map(isComplete(plans))), plans, results[0])
    : stacked;
}

/** Whether a range that lacks a group of another is proven to have none. All groups of the current range are at hand. */
function isComplete([plan]: readonly Plan[]): (result: Result, range: number) => boolean {
  const hasAll = plan !== undefined && !plan.ungrouped && !plan.computed && plan.groupConditions.length === 0;
  return ({ provenance }, range) => hasAll && (range === 0 || provenance.truncated === null);
}

/** What a reader of rows with several ranges in each must know besides. */
function beside(result: Result, [plan]: readonly Plan[], current: Result | undefined): Result {
  const { truncated, total } = result.provenance;
  const provenance = {
    ...result.provenance,
    ...(total === undefined ? {} : { total: truncated ? current?.provenance.total : result.rowCount }),
  };
  const isFiltered = plan?.groupConditions.length !== 0;
  return withParts(result, { provenance: isFiltered ? withNote(provenance, filteredRanges) : provenance });
}

const filteredRanges = 'Each range is filtered by its own measure values. A missing value may have been filtered out.';

/** How a bound question would be answered: an explanation for each plan that an engine runs. */
export async function explainQuestion(
  session: Session,
  { plans }: BoundQuestion,
  { signal }: Pick<AnswerOptions, 'signal'> = {},
): Promise<readonly Explanation[]> {
  const explanations: Explanation[] = [];
  for (const plan of plans.flatMap(enginePlans)) explanations.push(await session.explain(plan, { signal }));
  return explanations;
}
