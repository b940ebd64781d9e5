import { BackendError } from '../../ask/sluice-error.ts';
import type { Plan } from '../../plan/plan.ts';
import { duckDb, toDuckDbValue } from '../../plan/sql/duckdb.ts';
import type { Statement } from '../../plan/sql/statement.ts';
import { toStatement, toTotalStatement } from '../../plan/sql/to-statement.ts';
import type { Backend } from '../backend.ts';
import { answer, type Session } from './answer.ts';
import { openEngine, type Engine } from './engine.ts';
import { openEvents } from './event-store.ts';
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
 * Opens DuckDB in this process over files of events (NDJSON, JSON, CSV, Parquet, also packed by gzip or zstd) and over
 * the tables of a model, straight from the files, without network. Errors: `BackendError` with the codes
 * `events-not-found`, `table-files-not-found`, `table-name-taken`, `file-vanished`, `file-unreadable`, `file-corrupt`,
 * `events-without-time`, `not-parquet`, `not-utf-8`, `column-named-twice`, `not-a-regular-file`, `engine-unavailable`.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Backend> {
  const { events = [], tables = {}, user = 'anonymous', workingDirectory } = options;
  if (events.length > 0 && Object.keys(tables).some((table) => table.toLowerCase() === 'events')) {
    throw new BackendError('The table "events" and the files of raw events would have the same name.', {
      code: 'table-name-taken', hint: 'Set either `events:` or `tables: {events: …}`, or call the table something else.',
    });
  }
  const files = await findFiles(events, workingDirectory, {
    code: 'events-not-found', what: 'events', hint: 'Correct the path, or make some events to play with by `sluice sample`.',
  });
  const engine = await (options.engine ?? openEngine(options));
  const circumstances = { files, tables: Object.keys(tables), hasEvents: files.length > 0 };
  try {
    const tableFiles = await openTables(engine, tables, workingDirectory);
    const store = files.length > 0 ? await openEvents(engine, files, user) : undefined;
    return toBackend({ engine, store, circumstances: { ...circumstances, files: [...files, ...tableFiles] } });
  } catch (error) {
    await engine[Symbol.asyncDispose]();
    throw await toBackendError(error, circumstances);
  }
}

function toBackend(session: Session): Backend {
  return {
    name: 'embedded',
    async run(plan, options) {
      const statement = toStatement(plan, duckDb);
      return answer(session, {
        statement: toBound(statement, plan),
        uncounted: statement.uncounted.map(({ what }) => what),
        total: plan.total ? { ...toBound(toTotalStatement(plan, duckDb), plan), columns: [], counters: 1 } : undefined,
        reach: eventsReach(plan, statement.text),
      }, options?.signal);
    },
    explain: (plan) => explain(session, toBound(toStatement(plan, duckDb), plan)),
    [Symbol.asyncDispose]: () => session.engine[Symbol.asyncDispose](),
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
