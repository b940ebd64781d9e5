import type { SavedQuery } from '../../../ask/query/saved-query.ts';
import type { Plan } from '../../../plan/plan.ts';
import { type Batch, reachOf, type StoredAnswer } from '../../../run/backend.ts';
import { readDefinition } from '../../../run/file/read-definition.ts';
import { collect } from '../../../shape/collect.ts';
import { decideFill } from '../../../shape/fill/decide-fill.ts';
import type { Result } from '../../../shape/result/result.ts';
import { answerQuestion, bindQuestion } from '../../answer/answer-question.ts';
import { type Question, questionInLine, questionOf } from '../../answer/question.ts';
import { listSavedQueries } from '../../answer/saved-queries.ts';
import { showPath } from '../../process/show-path.ts';
import type { Session } from '../../workspace/session.ts';
import { toStoredRows } from '../../workspace/stored-rows.ts';
import { withFreshModel } from '../../workspace/with-fresh-model.ts';
import { type GridSource, sourceOfResult, sourceOfRows } from '../grid/grid-source.ts';
import { toDrillFacts } from '../question/drill-down.ts';
import type { Ask, CellAnswer } from '../state/state.ts';

/** An answer with its rows. Closing it lets go of those that lie on the disk. */
export interface AskedAnswer extends AsyncDisposable {
  readonly answer: Omit<CellAnswer, 'number'>;
  readonly source: GridSource;
  /** All of the rows, where they are at hand. */
  readonly whole: Result | undefined;
}

export interface AskOptions {
  readonly signal: AbortSignal;
  readonly cwd: string;
  readonly onWait: (note: string) => void;
}

/** More rows than these stay with the engine, and are read from there as they are looked at. */
const mostAtHand = 10_000;
/** Of those, so many are at hand for the cell. */
const headRows = 100;

/** Answers what a cell asks. Throws the SluiceError family. */
export async function answerAsk(session: Session, ask: Exclude<Ask, { readonly kind: 'text' }>, options: AskOptions): Promise<AskedAnswer> {
  const question = await withFreshModel(session, () => questionOfAsk(session, ask, options.cwd), options.signal);
  const bound = await withFreshModel(session, () => bindQuestion(session, question), options.signal);
  const [plan] = bound.plans;
  const drill = toDrillFacts(question.saved.query, plan as Plan);
  const { saved } = question;
  const onlyPlan = bound.plans.length === 1 && plan?.comparison === undefined ? plan : undefined;
  const stored = onlyPlan && mayBeMany(onlyPlan) ? await answerStored(session, onlyPlan, saved, bound.notes, options.signal) : undefined;
  if (stored) return { answer: { head: stored.head, rowCount: stored.source.rowCount, drill, saved }, source: stored.source, whole: stored.whole, [Symbol.asyncDispose]: stored.close };
  const onWait = ({ waitedMs }: { readonly waitedMs: number }) => options.onWait(`the server is at work for ${Math.round(waitedMs / 1000)} s`);
  const result = await answerQuestion(session, question, { signal: options.signal, ranges: 'beside', onWait });
  return { answer: { head: result, rowCount: result.rowCount, drill, saved }, source: sourceOfResult(result), whole: result, [Symbol.asyncDispose]: async () => undefined };
}

export async function questionOfAsk(session: Session, ask: Exclude<Ask, { readonly kind: 'text' }>, cwd: string): Promise<Question> {
  if (ask.kind === 'query') return { ...questionOf(ask.saved.query), saved: ask.saved };
  const found = (await listSavedQueries(session.settings.queries.value)).find(({ name }) => name === ask.line);
  if (!found) return questionInLine(ask.line, session.model);
  const { readQueryFile } = await import('../../answer/read-query-file.ts');
  return readQueryFile(await readDefinition(found.path, showPath(found.path, cwd)), showPath(found.path, cwd));
}

function mayBeMany({ limit }: Plan): boolean {
  return limit === undefined || limit > mostAtHand;
}

interface StoredRows {
  readonly head: Result;
  readonly whole: Result | undefined;
  readonly source: GridSource;
  readonly close: () => Promise<void>;
}

/** The answer by way of the engine's own disk, where it stays if its rows are many; undefined where it has to be filled, or the engine cannot. */
async function answerStored(session: Session, plan: Plan, saved: SavedQuery, notes: readonly string[], signal: AbortSignal): Promise<StoredRows | undefined> {
  const { backend, facts } = await session.openedBackend();
  const decision = decideFill(plan, { mode: saved.fill ?? session.settings.fill.value, completeness: reachOf(backend.name) });
  if (!backend.store || reachOf(backend.name) === 'remote' || decision.kind === 'fill') return undefined;
  const stored = await backend.store(plan, { signal });
  if (!stored) return undefined;
  const why = decision.kind === 'leave' && decision.why !== undefined ? [decision.why] : [];
  const about = { ...(await facts(plan)), notes: [...notes, ...why] };
  const { rowCount, view, extremes } = stored;
  const stays = rowCount > mostAtHand && view !== undefined && extremes !== undefined;
  try {
    const { provenance } = await toStoredRows(plan, stored, about);
    const collected = await collect(plan, { batches: stays ? firstOf(stored) : stored.batches(signal), facts: () => stored.facts }, about);
    const head: Result = { ...collected, provenance };
    if (stays) return { head, whole: undefined, source: sourceOfRows({ rowCount, view, extremes }, plan), close: async () => stored[Symbol.asyncDispose]() };
    await stored[Symbol.asyncDispose]();
    return { head, whole: head, source: sourceOfResult(head), close: async () => undefined };
  } catch (error) {
    await stored[Symbol.asyncDispose]();
    throw error;
  }
}

async function* firstOf(stored: StoredAnswer): AsyncGenerator<Batch> {
  for await (const batch of stored.batches()) {
    const rowCount = Math.min(headRows, batch.rowCount);
    yield { rowCount, columns: batch.columns.map((values) => values.slice(0, rowCount)) };
    return;
  }
}
