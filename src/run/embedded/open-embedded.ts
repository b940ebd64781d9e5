import { BackendError } from '../../ask/sluice-error.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Backend } from '../backend.ts';
import { answerJson } from './answer-json.ts';
import { answer, storeAnswer, type Session } from './answer.ts';
import { openEngine, type Engine } from './engine.ts';
import { openStoreEvents } from '../store/store-events.ts';
import { openEventFiles, type EventFiles } from './reading/event-files.ts';
import { joinEvents } from './reading/join-events.ts';
import type { UserOrder } from './reading/event-columns.ts';
import { openDialects } from './float-measures.ts';
import { explain } from './explain.ts';
import { findFiles } from './reading/find-files.ts';
import { findTables, openTables, type TableFiles } from './table-views.ts';
import { toBackendError } from './to-backend-error.ts';
import { toQuestion } from './to-question.ts';

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
 * `events-without-time`, `not-parquet`, `not-utf-8`, `column-named-twice`, `table-damaged`, `not-a-regular-file`, `engine-unavailable`.
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
  const tableFiles = await findTables(tables, workingDirectory);
  const engine = await (options.engine ?? openEngine(options));
  const circumstances = { files: [...files, ...[...tableFiles.values()].flat()], tables: Object.keys(tables), hasEvents: files.length > 0 || store !== undefined };
  try {
    if (options.engine && options.memoryLimit !== undefined) await engine.limitMemory(options.memoryLimit);
    await openTables(engine, tableFiles);
    return toBackend({ engine, events: await openAllEvents(engine, files, store, user), circumstances });
  } catch (error) {
    const told = await toBackendError(error, { ...circumstances, engine });
    await engine[Symbol.asyncDispose]();
    throw told;
  }
}

async function openAllEvents(engine: Engine, files: readonly string[], store: string | undefined, user: UserOrder): Promise<EventFiles | undefined> {
  if (store === undefined) return files.length > 0 ? openEventFiles(engine, files, user) : undefined;
  if (files.length === 0) return openStoreEvents(engine, store, user);
  return joinEvents(engine, { stored_events: await openStoreEvents(engine, store, user, 'stored_events'), file_events: await openEventFiles(engine, files, user, 'file_events') });
}

function toBackend(session: Session): Backend {
  const funnels = () => import('./funnel/answer-funnel.ts');
  const dialectOf = openDialects(session.engine, async () => session.events?.refresh());
  const questionOf = async (plan: Plan) => toQuestion(plan, await dialectOf(plan));
  return {
    name: 'embedded',
    run: async (plan, options) => (plan.funnel ? (await funnels()).answerFunnel(session, plan, options?.signal) : answer(session, await questionOf(plan), options?.signal)),
    // A funnel has as many rows as steps.
    store: async (plan, options) => (plan.funnel ? undefined : storeAnswer(session, await questionOf(plan), options?.signal)),
    runJson: async (plan, row, options) => (plan.funnel ? undefined : answerJson(session, await questionOf(plan), plan, row, options)),
    followFunnel: async (plan, options) => (await import('./funnel/follow-funnel.ts')).followFunnel(session, plan, options),
    streamFunnelUsers: async (plan, options) => (await import('./funnel/follow-funnel.ts')).streamFunnelUsers(session, plan, options),
    explain: async (plan) => explain(session, plan.funnel ? (await funnels()).funnelStatement(plan) : (await questionOf(plan)).statement),
    [Symbol.asyncDispose]: () => session.engine[Symbol.asyncDispose](),
  };
}
