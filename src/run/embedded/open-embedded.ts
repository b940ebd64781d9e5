import { BackendError } from '../../ask/sluice-error.ts';
import type { Plan } from '../../plan/plan.ts';
import { duckDb, toDuckDbValue } from '../../plan/sql/duckdb.ts';
import type { Statement } from '../../plan/sql/statement.ts';
import { toStatement, toTotalStatement } from '../../plan/sql/to-statement.ts';
import type { Backend } from '../backend.ts';
import { answerJson } from './answer-json.ts';
import { answer, storeAnswer, type Question, type Session } from './answer.ts';
import { openEngine, type Engine } from './engine.ts';
import { openStoreEvents } from '../store/store-events.ts';
import { openEventFiles, type EventFiles } from './event-files.ts';
import { joinEvents } from './join-events.ts';
import type { UserOrder } from './event-columns.ts';
import { eventsReach } from './events-reach.ts';
import { explain } from './explain.ts';
import { findFiles } from './find-files.ts';
import type { BoundStatement } from './run-statement.ts';
import { openTables, type TableFiles } from './table-views.ts';
import { toBackendError } from './to-backend-error.ts';

export interface EmbeddedOptions {
  /** Files, patterns and folders of raw events. */
  readonly events?: readonly string[] | undefined;
  /** The folder of a store, absolute; its events and those of the files are together. */
  readonly store?: string | undefined;
  /** The files behind the tables of a model, by the tables' names. */
  readonly tables?: TableFiles | undefined;
  /** Which id makes a user; the other one counts where it is empty. `anonymous` where not set. */
  readonly user?: UserOrder | undefined;
  /** What relative paths start from. */
  readonly workingDirectory: string;
  readonly threads?: number | undefined;
  /** As DuckDB writes it, e.g. `4GB`. */
  readonly memoryLimit?: string | undefined;
  /** An engine that is being opened already, with settings of its own: it is used, and closed with the backend. */
  readonly engine?: Promise<Engine> | undefined;
}

/**
 * Opens DuckDB in this process over files of events (NDJSON, JSON, CSV, Parquet, Arrow, Snowplow enriched events, also packed by gzip or zstd) and over
 * the tables of a model, straight from the files, without network; or over the events of a store, of which every question
 * gets what it holds by then. Errors: `BackendError` with the codes `store-not-found`, `store-damaged`, `store-too-new`, `events-not-found`, `table-files-not-found`, `table-name-taken`, `file-vanished`, `file-unreadable`, `file-corrupt`,
 * `events-without-time`, `not-parquet`, `not-utf-8`, `column-named-twice`, `not-a-regular-file`, `engine-unavailable`.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Backend> {
  const { events = [], store, tables = {}, user = 'anonymous', workingDirectory } = options;
  if ((events.length > 0 || store !== undefined) && Object.keys(tables).some((table) => table.toLowerCase() === 'events')) {
    throw new BackendError('The table "events" and the files of raw events would have the same name.', {
      code: 'table-name-taken', hint: 'Set either `events:` or `tables: {events: …}`, or call the table something else.',
    });
  }
  const files = await findFiles(events, workingDirectory, {
    code: 'events-not-found', what: 'events', hint: 'Correct the path, or make some events to play with by `sluice sample`.',
  });
  const engine = await (options.engine ?? openEngine(options));
  const circumstances = { files, tables: Object.keys(tables), hasEvents: files.length > 0 || store !== undefined };
  try {
    const tableFiles = await openTables(engine, tables, workingDirectory);
    return toBackend({ engine, events: await openAllEvents(engine, files, store, user), circumstances: { ...circumstances, files: [...files, ...tableFiles] } });
  } catch (error) {
    await engine[Symbol.asyncDispose]();
    throw await toBackendError(error, circumstances);
  }
}

async function openAllEvents(engine: Engine, files: readonly string[], store: string | undefined, user: UserOrder): Promise<EventFiles | undefined> {
  if (store === undefined) return files.length > 0 ? openEventFiles(engine, files, user) : undefined;
  if (files.length === 0) return openStoreEvents(engine, store, user);
  return joinEvents(engine, { stored_events: await openStoreEvents(engine, store, user, 'stored_events'), file_events: await openEventFiles(engine, files, user, 'file_events') });
}

function toBackend(session: Session): Backend {
  return {
    name: 'embedded',
    run: (plan, options) => answer(session, toQuestion(plan), options?.signal),
    store: (plan, options) => storeAnswer(session, toQuestion(plan), options?.signal),
    runJson: (plan, row, options) => answerJson(session, toQuestion(plan), plan, row, options?.signal),
    explain: (plan) => explain(session, toBound(toStatement(plan, duckDb), plan)),
    [Symbol.asyncDispose]: () => session.engine[Symbol.asyncDispose](),
  };
}

function toQuestion(plan: Plan): Question {
  const statement = toStatement(plan, duckDb);
  return {
    statement: toBound(statement, plan),
    uncounted: statement.uncounted.map(({ what }) => what),
    total: plan.total ? { ...toBound(toTotalStatement(plan, duckDb), plan), columns: [], counters: 1 } : undefined,
    reach: eventsReach(plan, statement.text),
  };
}

function toBound(statement: Statement, plan: Plan): BoundStatement {
  return {
    text: statement.text,
    parameters: statement.parameters.map(toDuckDbValue),
    columns: plan.columns,
    counters: statement.uncounted.length,
    zone: plan.zone,
  };
}
