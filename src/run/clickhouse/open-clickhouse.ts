import { setImmediate } from 'node:timers/promises';
import { BackendError } from '../../ask/sluice-error.ts';
import { plural, quote } from '../../ask/text.ts';
import { writeUtc } from '../../ask/time/local-time.ts';
import type { MappedEvents } from '../../plan/events/mapped-events.ts';
import type { PropertyProfile } from '../../plan/model/property-members.ts';
import type { Plan } from '../../plan/plan.ts';
import { duckDb } from '../../plan/sql/duckdb.ts';
import { toStatement } from '../../plan/sql/to-statement.ts';
import {
  type Answer,
  type AnswerFacts,
  type Batch,
  type FurtherAnswers,
  type LocalBackend,
  nothingRejected,
} from '../backend.ts';
import type { CheckStatement, JoinCheck, JoinFaults } from '../../plan/sql/join-check.ts';
import { countFaults, joinFaults, noJoinFaults } from '../events/join-faults.ts';
import { cohortTables } from '../analysis/cohort-tables.ts';
import type { UserOrder } from '../../plan/model/event-fields.ts';
import { type ClickHouseOptions, type Connection, openConnection } from './connection.ts';
import { openDecoder, toClaim, type ValueDecoder } from './decode-values.ts';
import { eventsOfTable, type MappedFields, type TableEvents, unreadableEvents } from './events-relation.ts';
import { countSessionless, tellSessionless, toSessionless } from '../sessionless-events.ts';
import { quotedName } from '../../plan/sql/clickhouse/event-table.ts';
import { lackingFacts } from './lacking-facts.ts';
import { openDialects } from './open-dialects.ts';
import type { NativeBlock, RawValue } from './native-reader.ts';
import type { ServerSession } from './server-session.ts';
import { type ServerQuestion, toBoundedQuestion, withEvents } from './question.ts';

export interface BackendOptions extends ClickHouseOptions {
  /** The table of events, `events` or `other_database.events`. */
  readonly table: string;
  readonly userOrder: UserOrder;
  readonly mapped: MappedFields;
  /** Events that a model derives from other tables; replaces `table`. */
  readonly made?: MappedEvents | undefined;
}

/**
 * Answers plans on a ClickHouse server. Nothing is sent before the first question. Asking only requires the right to
 * read the tables. Errors: those of `toClickHouseError`, `not-on-clickhouse`, and those of `eventsOfTable`.
 */
export async function openClickHouse(options: BackendOptions): Promise<LocalBackend> {
  const connection = await openConnection(options);
  const eventsOf = openEvents(connection, options);
  const properties: PropertyProfile[] = [];
  const joins = options.made?.joins ?? [];
  const session: ServerSession = {
    connection,
    properties,
    // Questions about other tables of a model do not need the events.
    events: async () => Object.assign(await eventsOf().catch(unreadableEvents), { properties, joins }),
  };
  const dialectOf = openDialects(session);
  const questionOf = async (plan: Plan, signal?: AbortSignal) => {
    const { dialect, notes } = await dialectOf(plan);
    return { ...(await toBoundedQuestion(session, plan, dialect, signal)), notes };
  };
  const demandJoins = async (question: ServerQuestion): Promise<ServerQuestion> => {
    if (/\b(?:LEFT|FULL) JOIN\b/.test(question.statement.text) || question.statement.settings)
      await demandSettings(connection);
    return question;
  };
  const answerWith = async (plan: Plan, question: ServerQuestion, signal: AbortSignal | undefined) =>
    answer(session, plan, await demandJoins(question), signal);
  const withCohorts = async (plan: Plan, signal: AbortSignal | undefined): Promise<Plan> =>
    plan.cohorts ? (await import('./answer-computed.ts')).findReachedThere(session, plan, signal) : plan;
  return {
    name: 'clickhouse',
    reach: 'local',
    async run(asked, { signal } = {}) {
      const plan = await withCohorts(asked, signal);
      const own = async () => answerWith(plan, await questionOf(plan, signal), signal);
      if (!plan.computed && !plan.cohorts) return own();
      const { answerComputed, answerWithCohorts } = await import('./answer-computed.ts');
      if (!plan.computed) return answerWithCohorts(session, plan, own, signal);
      return answerComputed(session, plan, (over, question) => answerWith(over, question, signal), signal);
    },
    store: async () => undefined,
    runJson: async () => undefined,
    properties: async (...paths) => (await import('./find-properties.ts')).findPropertiesThere(session, ...paths),
    further: async <T>({ analysis }: FurtherAnswers<T>) => {
      if (analysis !== 'funnel') return undefined;
      const { openFollower } = await import('./follow-funnel.ts');
      return openFollower(session, async (signal) => {
        const [timeless, extent, { uncounted, ...faults }] = await Promise.all([
          rowsWithoutTime(session, signal),
          findExtent(session, signal),
          checkJoinsThere(session, joins, signal),
        ]);
        const lacking = timeless.length > 0 ? { lacking: timeless } : {};
        return { uncounted, rejected: nothingRejected, ...lacking, ...faults, ...toAge(extent) };
      }) as T;
    },
    async explain(plan) {
      const statement = plan.computed
        ? await (await import('./answer-computed.ts')).computedStatement(session, plan)
        : (await questionOf(plan)).statement;
      const rows = await connection.rows(
        `EXPLAIN indexes = 1 ${statement.text}`,
        statement.parameters,
        undefined,
        statement.settings,
      );
      return {
        statement: statement.text,
        parameters: statement.parameters.map(({ type, value }) => (type === 'instant' ? writeUtc(value) : value)),
        enginePlan: rows.map(([line]) => String(line)).join('\n'),
      };
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

/** Error: `forbidden` if the user cannot change settings and the server's would change results. */
async function demandSettings(connection: Connection): Promise<void> {
  if ((await connection.facts()).joinsGiveNull) return;
  throw new BackendError(`The user of ${connection.address} may change no setting, and joins need one.`, {
    code: 'forbidden',
    hint: 'Set `join_use_nulls = 1` in the profile of the user, or give the user `readonly = 2`.',
  });
}

/** The relation of the events table, from the columns that it has at the first use. */
export function openEvents(
  connection: Connection,
  { table, userOrder, mapped: mappedInTable, made }: BackendOptions,
): () => Promise<TableEvents> {
  const source = made ? `(${made.sql})` : table.split('.').map(quotedName).join('.');
  const name = made ? `of the events cube ${quote(made.cube)}` : source;
  const mapped = made ? new Map() : mappedInTable;
  const written = [...mapped.values()]
    .flat()
    .flatMap((one) => (typeof one === 'object' && 'sql' in one ? [one.sql] : []));
  let known: Promise<TableEvents> | undefined;
  const describe = async (statement: string) =>
    (await connection.rows(`DESCRIBE TABLE ${statement}`)).map(([column, type]) => ({
      name: String(column),
      type: String(type),
    }));
  const read = async () => {
    const columns = await describe(source);
    const list = written.map((sql, index) => `(${sql}) AS \`expression ${index}\``).join(', ');
    const types = written.length === 0 ? [] : await describe(`(SELECT ${list} FROM ${source} AS own_table)`);
    const expressions = new Map(written.map((sql, index) => [sql, types[index]!.type]));
    return eventsOfTable(
      { source, name, columns, expressions, isMade: made !== undefined },
      { user: userOrder, mapped },
    );
  };
  return () => {
    known ??= read().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

async function answer(
  session: ServerSession,
  plan: Plan,
  question: ServerQuestion,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const { connection } = session;
  const isAboutEvents = question.readsEvents;
  const starting = quietly(connection.query(question.statement, signal));
  // Let the statement be sent first, so that the server works on it during the other requests.
  await setImmediate();
  const total =
    question.total &&
    quietly(connection.rows(question.total.text, question.total.parameters, signal, question.statement.settings));
  const beside = isAboutEvents && !question.tellsExtent ? quietly(findExtent(session, signal)) : undefined;
  const lacking = isAboutEvents
    ? quietly(lackingFacts(session, { asked: factsAsked(plan, question), zone: plan.zone }, signal))
    : undefined;
  const timeless = isAboutEvents ? quietly(rowsWithoutTime(session, signal)) : undefined;
  const sessionless = quietly(eventsInNoSession(session, plan, signal));
  const joins = quietly(checkJoinsThere(session, question.joins, signal));
  const running = await starting;
  // The first block has the types, even in an answer without rows.
  const first = await running.blocks.next();
  const counters = question.uncounted.map(() => 0);
  const decoders = first.done
    ? []
    : question.columns.map((column, index) => openDecoder(first.value.columns[index]!.type, column, question.zone));
  let facts: AnswerFacts | undefined;
  let extent: readonly (RawValue | undefined)[] | undefined;
  const read = (block: NativeBlock) => {
    const further = decoders.length + counters.length;
    if (question.tellsExtent) extent ??= block.columns.slice(further).map(({ values }) => values[0] as RawValue);
    return batchOf(block, decoders, counters);
  };

  async function* batches(): AsyncGenerator<Batch, void, undefined> {
    if (!first.done) {
      yield* read(first.value);
      for await (const block of running.blocks) yield* read(block);
    }
    const told = [...(question.notes ?? []), ...((await timeless) ?? []), ...((await lacking) ?? [])];
    const { repeated, ...faults } = await joins;
    const notes = [...faults.notes, ...(await sessionless)];
    const uncounted = question.uncounted.map((what, index) => ({ what, rows: counters[index] ?? 0 }));
    facts = {
      ...(total ? { total: Number((await total)[0]?.[0] ?? 0) } : {}),
      uncounted: [...uncounted, ...faults.uncounted],
      ...(repeated.length > 0 ? { repeated } : {}),
      rejected: nothingRejected,
      ...(told.length > 0 ? { lacking: told } : {}),
      ...(notes.length > 0 ? { notes } : {}),
      // Without rows there are no columns with the times.
      ...toAge(extent ?? (isAboutEvents ? await (beside ?? findExtent(session, signal)) : [])),
      queryId: running.queryId,
    };
  }

  return {
    batches: batches(),
    types: first.done ? [] : question.columns.map((column, index) => toClaim(first.value.columns[index]!.type, column)),
    facts: () =>
      facts ?? {
        uncounted: question.uncounted.map((what, index) => ({ what, rows: counters[index] ?? 0 })),
        rejected: nothingRejected,
      },
  };
}

/** The question as SQL that `lackingFacts` can search. */
function factsAsked(plan: Plan, question: ServerQuestion): string {
  if (plan.root.source.kind === 'computed') return question.asked();
  return toStatement(plan, duckDb, cohortTables(plan, duckDb)).text;
}

function* batchOf(block: NativeBlock, decoders: readonly ValueDecoder[], counters: number[]) {
  if (block.rowCount === 0) return;
  counters.forEach((sum, index) => {
    let more = 0;
    for (const value of block.columns[decoders.length + index]!.values) more += Number(value ?? 0);
    counters[index] = sum + more;
  });
  yield { rowCount: block.rowCount, columns: decoders.map((decode, index) => decode(block.columns[index]!.values)) };
}

/** A note on rows without a time, which are not events. */
async function rowsWithoutTime(
  { connection, events }: ServerSession,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const { timeless } = await events();
  if (timeless === undefined) return [];
  const [[rows] = []] = await connection.rows(timeless, [], signal);
  const count = Number(rows);
  return count === 0
    ? []
    : [
        `${count} ${plural(count, 'row')} of the table ${plural(count, 'has', 'have')} no time that can be read, ` +
          `and ${plural(count, 'is', 'are')} not counted.`,
      ];
}

/** What is wrong with the rows that joins connect, now. Nothing is said of a join that cannot be checked. */
async function checkJoinsThere(
  { connection, events }: ServerSession,
  checks: readonly JoinCheck[],
  signal: AbortSignal | undefined,
): Promise<JoinFaults> {
  if (checks.length === 0) return noJoinFaults;
  const relation = await events();
  const rowsOf = async (statement: CheckStatement) => {
    const { text, parameters } = withEvents(statement, relation);
    return connection.rows(text, parameters, signal);
  };
  return joinFaults(
    await Promise.all(
      checks.map((check) =>
        countFaults(check, rowsOf).catch((error: unknown) => {
          if (signal?.aborted) throw error;
          return noJoinFaults;
        }),
      ),
    ),
  );
}

async function eventsInNoSession(
  { connection, events }: ServerSession,
  plan: Plan,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  if (plan.root.source.kind !== 'sessions') return [];
  const { text } = withEvents({ text: countSessionless('"events"'), parameters: [] }, await events());
  return tellSessionless(plan, toSessionless(await connection.rows(text, [], signal)));
}

async function findExtent({ connection, events }: ServerSession, signal?: AbortSignal): Promise<readonly RawValue[]> {
  const [extent = []] = await connection.rows((await events()).extent, [], signal);
  return extent;
}

function toAge([first, last]: readonly (RawValue | undefined)[]): Pick<AnswerFacts, 'earliest' | 'freshness'> {
  const timeOf = (end: RawValue | undefined) => (end === null || end === undefined ? undefined : writeUtc(Number(end)));
  return { earliest: timeOf(first), freshness: timeOf(last) };
}

/** Avoids an unhandled rejection until the work is awaited. */
function quietly<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}
