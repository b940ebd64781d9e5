import { AbortedError, SluiceError, throwIfAborted } from '../../../ask/sluice-error.ts';
import { type Answer, type AnswerFacts, type Batch, nothingRejected, type StoredAnswer } from '../../backend.ts';
import type { Engine } from '../engine/engine.ts';
import { type BoundStatement, runStatement } from '../engine/run-statement.ts';
import { type Circumstances, isOutOfMemory, toBackendError } from '../engine/to-backend-error.ts';
import type { EventFiles } from '../reading/event-files.ts';
import { tellSessionless } from '../../sessionless-events.ts';
import type { Plan } from '../../../plan/plan.ts';
import { type JoinCheck, type JoinFaults, tellRepeatedKeys } from '../../../plan/sql/join-check.ts';
import { checkJoins } from './check-joins.ts';
import { type EventSpan, unknownSpan } from '../reading/source/event-span.ts';
import type { OwnEvents } from '../reading/source/open-mapped-events.ts';
import type { EventsReach } from '../../events/events-reach.ts';
import { nothingSurveyed, type Survey } from '../reading/survey.ts';

/** An open engine with its data. */
export interface EngineSession {
  readonly engine: Engine;
  /** undefined if there are only tables. */
  readonly events: EventFiles | undefined;
  /** Events in a model's own table. */
  readonly own?: OwnEvents | undefined;
  readonly circumstances: Circumstances;
}

export interface EngineQuestion {
  readonly statement: BoundStatement;
  /** The facts that the statement's counters count, in order. */
  readonly uncounted: readonly string[];
  /** Whether its only counter is the number of all rows. */
  readonly total: BoundStatement | undefined;
  readonly reach: EventsReach;
  /** Set if it asks about sessions, which some events may not be in. */
  readonly sessions?: Pick<Plan, 'root' | 'project'> | undefined;
  /** Whether it asks for a range of time, so that it matters where the events begin and end. */
  readonly ranged: boolean;
  /** Whether it asks for a range or groups by time, so that the zone of times matters. */
  readonly timed: boolean;
  /** Sentences on how its times are read. */
  readonly notes?: readonly string[] | undefined;
  /** Checks of the joins that it follows. */
  readonly joins?: readonly JoinCheck[] | undefined;
  /** If the statement asks a projection: the same question over the events, which shows the columns it needs. */
  readonly overEvents?: string | undefined;
}

/**
 * Answers a statement. If DuckDB refuses a file, the file is repaired and the statement runs again; the facts list the
 * lines left out. All of this happens before the first batch.
 */
export async function answer(session: EngineSession, question: EngineQuestion, signal?: AbortSignal): Promise<Answer> {
  const beside = askCompanions(session, question, signal);
  const running = await steadily(session, question.statement, runStatement, signal, question.reach);
  if (question.reach === 'all') session.events?.markTextRead();
  let known: Companions | undefined;

  async function* batches(): AsyncGenerator<Batch, void, undefined> {
    yield* running.batches;
    known = await beside();
  }

  return { batches: batches(), types: running.types, facts: () => toFacts(session, question, running.counters, known) };
}

/**
 * The same with its rows in a file, and all facts known, to which `tell` adds. undefined: they would not come back as
 * they are.
 */
export async function storeAnswer(
  session: EngineSession,
  question: EngineQuestion,
  signal: AbortSignal | undefined,
  tell: (facts: AnswerFacts) => AnswerFacts,
): Promise<StoredAnswer | undefined> {
  const [{ storeStatement }, { openStoredAnswer }] = await Promise.all([
    import('../stored/store-statement.ts'),
    import('../stored/stored-answer.ts'),
  ]);
  const { engine } = session;
  const beside = askCompanions(session, question, signal);
  const stored = await steadily(session, question.statement, storeStatement, signal, question.reach);
  if (!stored) return undefined;
  if (question.reach === 'all') session.events?.markTextRead();
  return openStoredAnswer(
    engine,
    stored,
    question.statement.zone,
    tell(toFacts(session, question, stored.counters, await beside())),
  );
}

/** Facts found while the statement runs. */
export interface Companions {
  readonly total: number | undefined;
  /** Sentences about fields that the question needs and the events lack. */
  readonly lacking: readonly string[];
  /** Sentences about events that repeat the ID of another one. */
  readonly repeated: readonly string[];
  /** A sentence about events in no session, if the question is about sessions. */
  readonly sessionless: readonly string[];
  readonly span: EventSpan;
  readonly joins: JoinFaults;
}

/** Starts immediately; the reader of the rows awaits the rest. */
export function askCompanions(
  session: EngineSession,
  question: EngineQuestion,
  signal: AbortSignal | undefined,
): () => Promise<Companions> {
  const { events } = session;
  const { statement } = question;
  const zone = question.timed ? statement.zone : undefined;
  const total = question.total && quietly(countSteadily(session, question.total, signal));
  const inspection = events && question.reach !== 'none' ? quietly(inspect(events, question.reach)) : undefined;
  const lacking =
    events && question.reach !== 'none'
      ? quietly(events.lacking(question.overEvents ?? statement.text, zone).catch(rethrown(session, statement)))
      : [];
  const survey = beginSurvey(session, question);
  const followed = question.reach === 'none' ? [] : (session.own?.joins ?? []);
  const joins = checkJoins(session.engine, [...(question.joins ?? []), ...followed]);
  return async () => {
    const beside = { total: await total, lacking: await lacking, joins: await joins };
    if (inspection) await unlessAborted(inspection.catch(rethrown(session, question.statement)), signal);
    const { span, repeated, sessionless } = await unlessAborted(survey(), signal);
    return {
      ...beside,
      span,
      repeated,
      sessionless: question.sessions ? tellSessionless(question.sessions, sessionless) : [],
    };
  };
}

/** Begins immediately. Files that are read differently by the end are looked through again. */
function beginSurvey(
  { events, own }: EngineSession,
  { reach, ranged, sessions }: EngineQuestion,
): () => Promise<Survey> {
  const look = async (): Promise<Survey> => {
    if (reach === 'none') return nothingSurveyed;
    if (events) return events.survey({ ends: ranged, sessions: sessions !== undefined });
    if (!own) return nothingSurveyed;
    const [repeated, sessionless] = await Promise.all([own.repeatedKeys(), sessions && own.sessionless()]);
    return {
      span: ranged ? own.span : unknownSpan,
      repeated: tellRepeatedKeys(own.cube, repeated),
      sessionless,
    };
  };
  void quietly(look());
  return look;
}

export function toFacts(
  { events }: EngineSession,
  { uncounted, reach, notes = [] }: EngineQuestion,
  counters: readonly number[],
  beside: Companions | undefined,
): AnswerFacts {
  const lacking = [...notes, ...(beside?.lacking ?? [])];
  const notesBeside = [...(beside?.joins.notes ?? []), ...(beside?.sessionless ?? [])];
  const repeated = [...(beside?.joins.repeated ?? []), ...(beside?.repeated ?? [])];
  return {
    total: beside?.total,
    uncounted: [
      ...uncounted.map((what, index) => ({ what, rows: counters[index] ?? 0 })),
      ...(beside?.joins.uncounted ?? []),
    ],
    rejected: reach === 'none' ? nothingRejected : (events?.rejected ?? nothingRejected),
    ...(lacking.length > 0 ? { lacking } : {}),
    ...(repeated.length > 0 ? { repeated } : {}),
    ...(notesBeside.length > 0 ? { notes: notesBeside } : {}),
    earliest: beside?.span.first,
    freshness: beside?.span.last,
  };
}

async function inspect(events: EventFiles, reach: EventsReach): Promise<void> {
  await Promise.all([events.inspectParquet(), reach === 'some' ? events.inspectText() : undefined]);
}

/** Limit the retries: files that change while they are read could fail again and again. */
const mostAttempts = 4;

export type Run<T> = (engine: Engine, statement: BoundStatement, signal?: AbortSignal) => Promise<T>;

export async function steadily<T>(
  session: EngineSession,
  statement: BoundStatement,
  run: Run<T>,
  signal: AbortSignal | undefined,
  reach: EventsReach = 'some',
): Promise<T> {
  const { events } = session;
  // Check before any statement: invalid UTF-8 can crash DuckDB.
  if (events && readsEvents(statement))
    await unlessAborted(events.inspectCsv(), signal).catch(rethrown(session, statement));
  let inspecting =
    events && readsEvents(statement)
      ? quietly(Promise.all([events.inspectPacking(), events.inspectFormats(reach)]))
      : undefined;
  let isAmple = false;
  for (let attempt = 1; ; attempt++) {
    let generation = events?.generation;
    try {
      await events?.refresh(statement.text);
      generation = events?.generation;
      const text = (await events?.quicken?.(statement.text)) ?? statement.text;
      const once = () => run(session.engine, { ...statement, text }, signal);
      const answered = await (isAmple ? session.engine.amply(once) : once());
      await events?.noticeChanges?.();
      if (inspecting) await unlessAborted(inspecting, signal);
      inspecting = undefined;
      if (events?.generation === generation) return answered;
    } catch (error) {
      if (!isAmple && isOutOfMemory(error)) {
        isAmple = true;
        continue;
      }
      await mendOrThrow(session, statement, error, generation, attempt, signal);
    }
  }
}

function readsEvents({ text }: BoundStatement): boolean {
  return /\bevents\b/i.test(text);
}

async function countSteadily(
  session: EngineSession,
  statement: BoundStatement,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const { batches, counters } = await steadily(session, statement, runStatement, signal);
  for await (const _batch of batches);
  return counters[0];
}

async function mendOrThrow(
  session: EngineSession,
  statement: BoundStatement,
  error: unknown,
  generation: number | undefined,
  attempt: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { events } = session;
  if (events && attempt < mostAttempts && mayBeTheData(error)) {
    const mended =
      events.generation !== generation ||
      (await unlessAborted(quietly(events.mend()), signal).catch(rethrown(session, statement)));
    if (mended) return;
  }
  throw await toBackendError(error, { ...session.circumstances, engine: session.engine, statement: statement.text });
}

function mayBeTheData(error: unknown): boolean {
  return (
    error instanceof Error &&
    !(error instanceof SluiceError) &&
    !/^(Binder|Parser|Catalog|Out of Memory|INTERRUPT)\b/.test(error.message)
  );
}

function rethrown(
  { circumstances, engine }: EngineSession,
  { text }: BoundStatement,
): (error: unknown) => Promise<never> {
  return async (error) => {
    throw await toBackendError(error, { ...circumstances, engine, statement: text });
  };
}

/** The work continues for other callers; only this caller stops waiting. */
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

/** Avoid an unhandled rejection until it is awaited. */
function quietly<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}
