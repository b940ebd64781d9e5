import { toCanonicalQuery } from '../../ask/query/canonical-query.ts';
import { withShownColumns } from '../../plan/column-order.ts';
import { enginePlans } from '../../plan/groups.ts';
import type { Emptiness } from './unknown-values.ts';
import type { Model } from '../../plan/model/model.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Batch, Explanation, StoredAnswer, Wait } from '../../run/backend.ts';
import { arrange } from '../../shape/select.ts';
import { withParts } from '../../ask/cloneable.ts';
import type { Result } from '../../shape/result/result.ts';
import { type FormatName, isBinaryFormat, isRowFormat } from '../../show/format-name.ts';
import type { RowSource } from '../../show/text/row-source.ts';
import { tellInResult } from '../workspace/at-one-state.ts';
import type { BindOptions, FillOptions, Session } from '../workspace/session.ts';
import type { StoredRows } from '../workspace/stored-rows.ts';
import { bindQuestion, type BoundQuestion } from './bind-question.ts';
import type { Asking } from './question.ts';

/** Options for answering a question. */
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

/** Options for rows that are read in batches. */
interface StreamOptions {
  /** Requires the type of each column before the first row. */
  readonly typed?: boolean | undefined;
}

/** Options for writing rows in these formats; undefined if a format needs the whole answer. */
export function streamFor(
  formats: readonly FormatName[],
  { withProvenance }: { readonly withProvenance?: boolean | undefined },
): StreamOptions | undefined {
  if (withProvenance || !formats.every(isRowFormat)) return undefined;
  return { typed: formats.some(isBinaryFormat) };
}

/**
 * An answer: all rows in memory (`whole`), or on disk until it is closed. Writers take `rows` in both cases and write
 * the same bytes.
 */
export type Answered = AsyncDisposable &
  (
    | { readonly rows: Result; readonly whole: Result; readonly stored?: undefined }
    | { readonly rows: RowSource; readonly whole?: undefined; readonly stored: StoredAnswer }
  );

/** Up to this many rows take little memory and are faster to load at once. */
const fewRows = 10_000;

/**
 * Answers a bound question and arranges the ranges of a comparison. With `stream`, rows may stay on disk, so that
 * memory use does not grow with their number. Rows are loaded into memory if they are few, or if all are needed to
 * fill, compare or type them. Throws subclasses of `SluiceError`.
 */
export async function answerQuestion(
  session: Session,
  bound: BoundQuestion,
  { stream, ...options }: AnswerOptions & { readonly stream?: StreamOptions | undefined },
): Promise<Answered> {
  const stored = stream && (await storeRows(session, bound, stream, options));
  if (stored) {
    const plan = withShownColumns(bound.plans[0]);
    const emptiness = async () =>
      stored.stored.rowCount <= 1 && (await hasOnlyZeros(stored.stored.batches(), plan)) ? 'whole' : 'none';
    const close = () => stored[Symbol.asyncDispose]();
    const rows = await withDoubts(stored, session, [plan], emptiness, options.signal).catch(async (error: unknown) => {
      await close();
      throw error;
    });
    return { rows, stored: stored.stored, [Symbol.asyncDispose]: close };
  }
  const whole = await answerWhole(session, bound, options);
  return { rows: whole, whole, [Symbol.asyncDispose]: async () => undefined };
}

/** Binds a question and returns its whole answer. */
export async function resultOf(
  session: Session,
  asking: Asking,
  options: AnswerOptions & BindOptions,
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

/** Returns the whole answer to a bound question. Throws subclasses of `SluiceError`. */
export async function answerWhole(session: Session, bound: BoundQuestion, options: AnswerOptions): Promise<Result> {
  const { plans, question } = bound;
  const run = (plan: Plan) => session.run(plan, toRunOptions(bound, options));
  const [plan] = plans;
  const compared = plan.comparison === undefined ? undefined : await import('./answer-comparison.ts');
  const result = compared
    ? await session.atOneState(
        () =>
          compared.answerComparison(plans, toCanonicalQuery(question.saved.query), options.ranges ?? 'stacked', run),
        { tell: tellInResult },
      )
    : arrange(await run(plan), plan.query.columns);
  return withDoubts(result, session, plans, async () => emptinessOf(result, plan), options.signal);
}

/**
 * Adds a sentence for each filter text that matches no row, for a project without events, and for several currencies.
 */
async function withDoubts<Rows extends Pick<Result, 'provenance'>>(
  rows: Rows,
  session: Session,
  plans: readonly [Plan, ...Plan[]],
  emptiness: () => Promise<Emptiness>,
  signal: AbortSignal | undefined,
): Promise<Rows> {
  const [plan] = plans;
  const mayBeUnknown = plan.project !== undefined || enginePlans(plan).some(({ query }) => query.filters?.length);
  const unknown = mayBeUnknown
    ? await (await import('./unknown-values.ts')).tellUnknownValues(session, plan, await emptiness(), signal)
    : [];
  const mixed = hasCurrencies(session.model)
    ? await (await import('./mixed-currencies.ts')).tellMixedCurrencies(session, plans, signal)
    : [];
  if (unknown.length + mixed.length === 0) return rows;
  const { provenance } = rows;
  const lacking = [...(provenance.lacking ?? []), ...unknown, ...mixed];
  return withParts<Pick<Result, 'provenance'>>(rows, { provenance: { ...provenance, lacking } }) as Rows;
}

/** A cheap test, because it runs with each question. */
function hasCurrencies({ cubes }: Model): boolean {
  return cubes.some(({ dimensions }) => dimensions.some(({ name }) => /currency/i.test(name)));
}

function emptinessOf(result: Result, { measures, columns }: Plan): Emptiness {
  const keys = measures.map(({ column }) => columns[column]!.key);
  const shown = keys.filter((key) => result.columns.some((column) => column.key === key));
  const empty = shown.filter((key) => areAllNothing(result.values(key)));
  if (result.rowCount === 0 || (shown.length > 0 && empty.length === shown.length)) return 'whole';
  return empty.length > 0 ? 'partly' : 'none';
}

async function hasOnlyZeros(batches: AsyncIterable<Batch>, { measures }: Plan): Promise<boolean> {
  for await (const { rowCount, columns } of batches)
    if (rowCount > 0 && !(measures.length > 0 && measures.every(({ column }) => areAllNothing(columns[column]!))))
      return false;
  return true;
}

function areAllNothing(values: Iterable<unknown>): boolean {
  for (const value of values) if (value !== null && Number(value) !== 0) return false;
  return true;
}

/** Explains how a bound question would run: one explanation for each plan that an engine runs. */
export async function explainQuestion(
  session: Session,
  { plans }: BoundQuestion,
  { signal }: Pick<AnswerOptions, 'signal'> = {},
): Promise<readonly Explanation[]> {
  const explanations: Explanation[] = [];
  for (const plan of plans.flatMap(enginePlans)) explanations.push(await session.explain(plan, { signal }));
  return explanations;
}
