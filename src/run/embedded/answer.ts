import { AbortedError, SluiceError, throwIfAborted } from '../../ask/sluice-error.ts';
import { nothingRejected, type Answer, type Batch } from '../backend.ts';
import type { Engine } from './engine.ts';
import type { EventStore } from './event-store.ts';
import type { EventsReach } from './events-reach.ts';
import { runStatement, type BoundStatement, type RunningStatement } from './run-statement.ts';
import { toBackendError, type Circumstances } from './to-backend-error.ts';

/** An open engine with what it answers from. */
export interface Session {
  readonly engine: Engine;
  /** undefined: no events, only tables. */
  readonly store: EventStore | undefined;
  readonly circumstances: Circumstances;
}

export interface Question {
  readonly statement: BoundStatement;
  /** What the statement's counters count, in their order. */
  readonly uncounted: readonly string[];
  /** Gives the number of all rows as its one counter. */
  readonly total: BoundStatement | undefined;
  readonly reach: EventsReach;
}

/**
 * Answers a statement. Where DuckDB refuses a file, the file is mended and the statement runs again; the lines that
 * stay out are in the facts. All of this happens before the first batch.
 */
export async function answer(session: Session, question: Question, signal?: AbortSignal): Promise<Answer> {
  const { store } = session;
  const total = question.total && quietly(countSteadily(session, question.total, signal));
  const inspection = store && question.reach !== 'none' ? quietly(inspect(store, question.reach)) : undefined;
  const running = await runSteadily(session, question.statement, signal);
  if (question.reach === 'all') store?.markTextRead();
  let totalRows: number | undefined;

  async function* batches(): AsyncGenerator<Batch, void, undefined> {
    yield* running.batches;
    totalRows = await total;
    if (inspection) await unlessAborted(inspection.catch(rethrown(session, question.statement)), signal);
  }

  return {
    batches: batches(),
    facts: () => ({
      total: totalRows,
      uncounted: question.uncounted.map((what, index) => ({ what, rows: running.counters[index] ?? 0 })),
      rejected: question.reach === 'none' ? nothingRejected : store?.rejected ?? nothingRejected,
      freshness: question.reach === 'none' ? undefined : store?.latest,
    }),
  };
}

async function inspect(store: EventStore, reach: EventsReach): Promise<void> {
  await Promise.all([store.inspectParquet(), reach === 'some' ? store.inspectText() : undefined]);
}

/** Files that change while they are read could break again and again. */
const mostAttempts = 4;

async function runSteadily(session: Session, statement: BoundStatement, signal: AbortSignal | undefined): Promise<RunningStatement> {
  for (let attempt = 1; ; attempt++) {
    const generation = session.store?.generation;
    try {
      return await runStatement(session.engine, statement, signal);
    } catch (error) {
      await mendOrThrow(session, statement, error, generation, attempt, signal);
    }
  }
}

async function countSteadily(session: Session, statement: BoundStatement, signal: AbortSignal | undefined): Promise<number | undefined> {
  const { batches, counters } = await runSteadily(session, statement, signal);
  for await (const _batch of batches);
  return counters[0];
}

async function mendOrThrow(
  session: Session, statement: BoundStatement, error: unknown, generation: number | undefined, attempt: number, signal: AbortSignal | undefined,
): Promise<void> {
  const { store } = session;
  if (store && attempt < mostAttempts && mayBeTheData(error)) {
    const mended = store.generation !== generation || (await unlessAborted(quietly(store.mend()), signal).catch(rethrown(session, statement)));
    if (mended) return;
  }
  throw await toBackendError(error, { ...session.circumstances, statement: statement.text });
}

function mayBeTheData(error: unknown): boolean {
  return error instanceof Error && !(error instanceof SluiceError) && !/^(Binder|Parser|Catalog|Out of Memory|INTERRUPT)\b/.test(error.message);
}

function rethrown({ circumstances }: Session, { text }: BoundStatement): (error: unknown) => Promise<never> {
  return async (error) => {
    throw await toBackendError(error, { ...circumstances, statement: text });
  };
}

/** The work goes on and may serve others; the caller is let go. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  quietly(work);
  throwIfAborted(signal);
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(new AbortedError(signal.reason));
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Its failure is met where it is awaited, maybe later. */
function quietly<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}
