import type { Query } from '../../../ask/query/query.ts';
import { plural } from '../../../ask/text.ts';
import { withShownColumns } from '../../../plan/column-order.ts';
import type { Plan } from '../../../plan/plan.ts';
import { AbortedError, SluiceError } from '../../../ask/sluice-error.ts';
import { type Batch, reachOf, type StoredAnswer } from '../../../run/backend.ts';
import { collect } from '../../../shape/collect.ts';
import { select } from '../../../shape/select.ts';
import { withNote } from '../../../shape/result/provenance.ts';
import { isBlankColumn, type Result } from '../../../shape/result/result.ts';
import { type Answered, answerQuestion } from '../../answer/answer-question.ts';
import { bindQuestion } from '../../answer/bind-question.ts';
import { askNameOrLine, askQuery, askSaved, type Asking } from '../../answer/question.ts';
import type { Session } from '../../workspace/session.ts';
import { type GridSource, sourceOfResult, sourceOfRows } from '../grid/grid-source.ts';
import { toDrillFacts } from '../../answer/drill-down.ts';
import type { Ask, CellAnswer } from '../state/state.ts';
import { withCommands } from './with-commands.ts';
import { withParts } from '../../../ask/cloneable.ts';
import { zoneOf } from '../../config/settings.ts';

/** An answer with its rows. Closing it deletes rows on disk. */
export interface RowsAnswer extends AsyncDisposable {
  readonly answer: Omit<CellAnswer, 'number'>;
  readonly source: GridSource;
  /** All rows, if they are in memory. */
  readonly whole: Result | undefined;
}

interface AnswerCellOptions {
  readonly signal: AbortSignal;
  readonly cwd: string;
  readonly onWait: (note: string) => void;
  /** Receives the first rows of a list of events, if they are found before the rest. */
  readonly onFirst?: (first: Result) => void;
}

/** Larger answers stay in the engine, which reads rows when they are viewed. */
const mostAtHand = 10_000;
/** Number of rows of such an answer in memory, for the cell. */
const headRows = 100;

/** Answers the question of a cell. Throws the SluiceError family. */
export async function answerCell(
  session: Session,
  ask: Exclude<Ask, { readonly kind: 'text' }>,
  { signal, cwd, onWait, onFirst }: AnswerCellOptions,
): Promise<RowsAnswer> {
  const bound = await bindQuestion(session, toAsking(ask, session, cwd), { signal });
  const [plan] = bound.plans;
  const { saved } = bound.question;
  const drill = toDrillFacts(saved.query, bound.plans);
  const done = new AbortController();
  if (onFirst) void tellFirst(session, plan, AbortSignal.any([signal, done.signal]), onFirst);
  const answered = await answerQuestion(session, bound, {
    signal,
    ranges: 'beside',
    stream: {},
    onWait: ({ waitedMs }) => onWait(`the server has been working for ${Math.round(waitedMs / 1000)} s`),
  }).finally(() => done.abort());
  const read = answered.stored
    ? await readStored(withShownColumns(plan), answered, signal)
    : { head: answered.whole, whole: answered.whole, source: sourceOfResult(answered.whole), close: undefined };
  const { head, whole, source, close } = plan.ungrouped && read.whole ? withoutEmptyColumns(read.whole) : read;
  return {
    answer: { head: withCommands(head), rowCount: source.rowCount, drill, saved },
    source,
    whole,
    [Symbol.asyncDispose]: async () => close?.(),
  };
}

/** The answer of a question of a report, whose rows are known; undefined if this session cannot ask its query. */
export async function holdResult(
  session: Session,
  whole: Result,
  signal: AbortSignal,
): Promise<RowsAnswer | undefined> {
  const { zone, backend } = whole.provenance;
  const { timezone: _, ...query } = whole.provenance.query;
  if (backend !== session.settings.backend.value) return undefined;
  // The report may have another zone than the session.
  const asked = zone === zoneOf(session.settings) ? query : { ...query, timezone: zone };
  const bound = await bindQuestion(session, askQuery(asked), { signal }).catch(() => undefined);
  if (!bound) return undefined;
  const { saved } = bound.question;
  const drill = toDrillFacts(saved.query, bound.plans);
  const answer = { head: withCommands(whole), rowCount: whole.rowCount, drill, saved };
  return { answer, whole, source: sourceOfResult(whole), [Symbol.asyncDispose]: async () => undefined };
}

/** Finds the latest events early, long before all are written. Not for groups: their first row requires all of them. */
async function tellFirst(
  session: Session,
  plan: Plan,
  signal: AbortSignal,
  onFirst: (first: Result) => void,
): Promise<void> {
  const isLong = plan.limit === undefined || plan.limit >= mostAtHand;
  if (!plan.ungrouped || !isLong || reachOf(session.settings.backend.value) !== 'local') return;
  try {
    const first = await session.run(withShownColumns({ ...plan, limit: headRows }), { signal });
    // Fewer rows than the limit are the whole answer, which arrives at once.
    if (signal.aborted || first.rowCount < headRows) return;
    const { head } = withoutEmptyColumns(first);
    onFirst(withParts(head, { provenance: { ...first.provenance, truncated: null } }));
  } catch {
    // The question itself reports the error.
  }
}

function withNotes(result: Result, notes: readonly string[]): Result {
  return notes.length === 0 ? result : withParts(result, { provenance: notes.reduce(withNote, result.provenance) });
}

/** Drops columns of raw events that have no values. */
function withoutEmptyColumns(whole: Result): StoredRows {
  const kept = whole.columns.filter(({ key }) => !isBlankColumn(whole, key));
  const hidden = whole.columns.length - kept.length;
  if (hidden === 0 || kept.length === 0) return { head: whole, whole, source: sourceOfResult(whole), close: undefined };
  const filled = withNotes(
    select(
      whole,
      kept.map(({ key }) => [key, key]),
    ),
    [`${hidden} empty ${plural(hidden, 'column is', 'columns are')} hidden.`],
  );
  return { head: filled, whole: filled, source: sourceOfResult(filled), close: undefined };
}

/** Number of events searched for values. */
const mostLookedAt = 1000;

/**
 * Dimensions of a cube without a value in any of its events, or in the latest `events` of them. Returns undefined if
 * asking costs money or single events are unknown.
 */
export async function findEmptyMembers(
  session: Session,
  home: string,
  signal: AbortSignal,
): Promise<{ readonly members: ReadonlySet<string>; readonly events: number } | undefined> {
  const cube = session.model.cubes.find(({ name }) => name === home);
  const own = cube?.dimensions.filter(({ public: seen, cohort, type }) => seen && !cohort && type !== 'time') ?? [];
  const time = cube?.timeMember && `${home}.${cube.timeMember}`;
  if (own.length === 0 || !time || reachOf(session.settings.backend.value) !== 'local') return undefined;
  const dimensions = own.map(({ name }) => `${home}.${name}`);
  const rowsOf = async (query: Query): Promise<Result | undefined> => {
    const bound = await bindQuestion(session, askQuery(query), { signal });
    await using answered = await answerQuestion(session, bound, { signal, fill: 'none' });
    return answered.whole;
  };
  try {
    const latest: Query = { ungrouped: true, dimensions: [time], order: [[time, 'desc']], limit: mostLookedAt };
    // Find their range first: reading all columns within it touches few events.
    const times = Array.from((await rowsOf(latest))?.values(time) ?? []).filter((value) => typeof value === 'string');
    const [newest, oldest] = [times[0], times.at(-1)];
    if (newest === undefined || oldest === undefined) return undefined;
    const whole = await rowsOf({
      ...latest,
      dimensions: [...dimensions, time],
      timeDimensions: [{ dimension: time, dateRange: [oldest, newest] }],
    });
    if (!whole) return undefined;
    const empty = whole.columns.filter(({ key }) => isBlankColumn(whole, key));
    return { members: new Set(empty.map(({ member }) => member)), events: whole.rowCount };
  } catch (error) {
    // A failed look-up is not worth an error message: the user only browses.
    if (error instanceof AbortedError || !(error instanceof SluiceError)) throw error;
    return undefined;
  }
}

/** The question of a cell, in either form. */
export function toAsking(ask: Exclude<Ask, { readonly kind: 'text' }>, { settings }: Session, cwd: string): Asking {
  return ask.kind === 'query' ? askSaved(ask.saved) : askNameOrLine(ask.line, settings.queries.value, cwd);
}

interface StoredRows {
  readonly head: Result;
  readonly whole: Result | undefined;
  readonly source: GridSource;
  /** Undefined if no rows remain on disk. */
  readonly close: (() => Promise<void>) | undefined;
}

/** Reads the answer from the engine's disk; many rows stay there. */
async function readStored(
  plan: Plan,
  answered: Extract<Answered, { readonly stored: StoredAnswer }>,
  signal: AbortSignal,
): Promise<StoredRows> {
  const {
    stored,
    rows: { provenance },
  } = answered;
  const { rowCount, view, extremes } = stored;
  const stays = rowCount > mostAtHand && view !== undefined && extremes !== undefined;
  try {
    const batches = stays ? firstOf(stored) : stored.batches(signal);
    const { queryHash, backend, source, elapsedMs } = provenance;
    const facts = { queryHash, backend, source, elapsedMs: () => elapsedMs };
    const collected = await collect(plan, { batches, facts: () => stored.facts }, facts);
    const head = withParts(collected, { provenance });
    const close = async () => answered[Symbol.asyncDispose]();
    if (stays)
      return { head, whole: undefined, source: sourceOfRows({ rowCount, view, extremes }, plan, provenance), close };
    await close();
    return { head, whole: head, source: sourceOfResult(head), close: undefined };
  } catch (error) {
    await answered[Symbol.asyncDispose]();
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
