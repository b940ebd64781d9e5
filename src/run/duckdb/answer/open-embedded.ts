import { BackendError } from '../../../ask/sluice-error.ts';
import type { Column } from '../../../plan/column.ts';
import type { Cube, Measure } from '../../../plan/model/model.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { addsUpValues, duckDb, duckDbForTypes, duckDbWithFloats } from '../../../plan/sql/duckdb.ts';
import { leafMeasures } from '../../../plan/sql/leaf-measures.ts';
import { toStatement } from '../../../plan/sql/to-statement.ts';
import type { Backend, Explanation, JsonAnswer, JsonChunk, JsonOptions, JsonRow } from '../../backend.ts';
import { kindOf } from '../engine/decode-column.ts';
import { type Engine, openEngine } from '../engine/engine.ts';
import { jsonExpression } from '../engine/json-expression.ts';
import { runJsonStatement } from '../engine/run-json-statement.ts';
import type { BoundStatement } from '../engine/run-statement.ts';
import { spoolJsonStatement } from '../engine/spool-json-statement.ts';
import { quoteText } from '../engine/sql-text.ts';
import { toBackendError } from '../engine/to-backend-error.ts';
import type { UserOrder } from '../reading/event-columns.ts';
import { type EventFiles, openEventFiles } from '../reading/event-files.ts';
import { findFiles } from '../reading/find-files.ts';
import { joinEvents } from '../reading/join-events.ts';
import { openStoreEvents } from '../store/store-events.ts';
import {
  answer, askBeside, type Beside, type Question, type Session, steadily, storeAnswer, toFacts,
} from './answer.ts';
import { findTables, openTables, type TableFiles } from './table-views.ts';
import { toQuestion } from './to-question.ts';

/** So many rows come as one text. */
const rowsAtOnce = 500;

/** Answers a question with rows as JSON text; undefined where a column's values only read right one by one. Errors: as `answer`. */
async function answerJson(session: Session, question: Question, plan: Plan, row: JsonRow, { signal, sparing = false }: JsonOptions = {}): Promise<JsonAnswer | undefined> {
  const values = await jsonValues(session, question.statement, plan);
  if (!values) return undefined;
  const beside = askBeside(session, question, signal);
  const spooled = sparing && question.statement.counters === 0;
  const statement = (spooled ? lineStatement : jsonStatement)(question.statement, values, row);
  const running = await steadily(session, statement, spooled ? spoolJsonStatement : runJsonStatement, signal);
  if (question.reach === 'all') session.events?.markTextRead();
  let known: Beside | undefined;

  async function* chunks(): AsyncGenerator<JsonChunk, void, undefined> {
    yield* running.chunks;
    known = await beside();
  }

  return { chunks: chunks(), facts: () => toFacts(session, question, running.counters, known) };
}

/** SQL for the JSON of each column; undefined also where the statement cannot be prepared: to run it tells why. */
async function jsonValues({ engine }: Session, { text, columns, zone }: BoundStatement, plan: Plan): Promise<readonly string[] | undefined> {
  const types = await engine.work(async (connection) => {
    const prepared = await connection.prepare(text);
    try {
      return columns.map((_, index) => prepared.columnType(index));
    } finally {
      prepared.destroySync();
    }
  }).catch(() => undefined);
  const values = types?.map((type, index) => jsonExpression(type, plan.columns[index] as Column, zone, `c${index}`));
  return values?.every((value) => value !== undefined) ? values : undefined;
}

/** The statement's rows in their order, each as one text. It counts nothing. */
function lineStatement(statement: BoundStatement, values: readonly string[], row: JsonRow): BoundStatement {
  const names = statement.columns.map((_, index) => `c${index}`).join(', ');
  return { ...statement, columns: [], text: `SELECT ${rowText(values, row)} FROM (${statement.text}\n) AS answer(${names})` };
}

function rowText(values: readonly string[], row: JsonRow): string {
  return `concat(${row.map((part) => (typeof part === 'string' ? quoteText(part) : `${values[part]}`)).join(', ')})`;
}

/** The same, so many of them in a row. */
function jsonStatement(statement: BoundStatement, values: readonly string[], row: JsonRow): BoundStatement {
  const { columns, counters } = statement;
  const counterNames = Array.from({ length: counters }, (_, index) => `u${index}`);
  const names = [...columns.map((_, index) => `c${index}`), ...counterNames].join(', ');
  const sums = counterNames.map((name) => `, sum(${name})`).join('');
  return {
    ...statement,
    columns: [],
    text: `SELECT encode(string_agg(json, ',' ORDER BY position)), count(*)${sums}
FROM (SELECT row_number() OVER () AS position, ${[`${rowText(values, row)} AS json`, ...counterNames].join(', ')}
FROM (${statement.text}
) AS answer(${names}))
GROUP BY (position - 1) // ${rowsAtOnce}
ORDER BY (position - 1) // ${rowsAtOnce}`,
  };
}

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
  const funnels = () => import('./answer-funnel.ts');
  const dialectOf = openDialects(session.engine, async () => session.events?.refresh());
  const questionOf = async (plan: Plan) => toQuestion(plan, await dialectOf(plan));
  return {
    name: 'embedded',
    run: async (plan, options) => (plan.funnel ? (await funnels()).answerFunnel(session, plan, options?.signal) : answer(session, await questionOf(plan), options?.signal)),
    // A funnel has as many rows as steps.
    store: async (plan, options) => (plan.funnel ? undefined : storeAnswer(session, await questionOf(plan), options?.signal)),
    runJson: async (plan, row, options) => (plan.funnel ? undefined : answerJson(session, await questionOf(plan), plan, row, options)),
    followFunnel: async (plan, options) => (await import('./follow-funnel.ts')).followFunnel(session, plan, options),
    streamFunnelUsers: async (plan, options) => (await import('./follow-funnel.ts')).streamFunnelUsers(session, plan, options),
    explain: async (plan) => explain(session, plan.funnel ? (await funnels()).funnelStatement(plan) : (await questionOf(plan)).statement),
    [Symbol.asyncDispose]: () => session.engine[Symbol.asyncDispose](),
  };
}

/** The statement, its parameters, and DuckDB's plan for it, which reads none of the data. */
async function explain({ engine, circumstances }: Session, { text, parameters }: BoundStatement): Promise<Explanation> {
  const rows = await engine.rows(`EXPLAIN ${text}`, parameters).catch(async (error: unknown) => {
    throw await toBackendError(error, { ...circumstances, statement: text });
  });
  return { statement: text, parameters, enginePlan: rows.map(([, plan]) => String(plan)).join('\n') };
}

/** The dialect that a plan is to be asked in. */
type DialectFinder = (plan: Plan) => Promise<Dialect>;

/**
 * Finds which measures add up floats, by the types that DuckDB gives their values: a model's SQL does not tell. Each
 * measure is asked about once, by preparing a statement that is not run. `refresh` makes the views that it reads.
 */
function openDialects(engine: Engine, refresh: () => Promise<void>): DialectFinder {
  const known = new WeakMap<Measure, boolean>();
  return async (plan) => {
    const leaves = leafMeasures(plan).filter(({ cube, measure }) => addsUpValues(measure) && measure.sql !== undefined && !isWhole(cube));
    const unknown = leaves.filter(({ measure }) => !known.has(measure));
    if (unknown.length > 0) {
      await refresh().catch(() => undefined);
      const types = await typesOf(engine, plan, unknown.map(({ cube, measure }) => ({ cube, measure })));
      // What cannot be prepared fails when it is asked, with its own words.
      unknown.forEach(({ measure }, index) => types && known.set(measure, types[index] === 'double'));
    }
    const floats = new Set(leaves.map(({ measure }) => measure).filter((measure) => known.get(measure)));
    return floats.size === 0 ? duckDb : duckDbWithFloats(floats);
  };
}

/** Sessions and users hold counts and whole milliseconds. */
function isWhole({ source }: Cube): boolean {
  return source.kind === 'sessions' || source.kind === 'users';
}

async function typesOf(engine: Engine, plan: Plan, measures: readonly Pick<Plan['measures'][number], 'cube' | 'measure'>[]) {
  const columns = measures.map((_, index): Column => ({
    key: `value_${index}`, member: `value_${index}`, kind: 'measure', type: 'number', title: '', shortTitle: '', additive: false, whenAbsent: null,
  }));
  const asked: Plan = {
    ...plan, columns, dimensions: [], measures: measures.map((measure, column) => ({ ...measure, column })),
    times: plan.times.map((time) => ({ ...time, granularity: undefined, column: undefined })),
    groupConditions: [], order: [], limit: undefined, offset: 0, total: false, ungrouped: false, series: undefined,
  };
  const { text } = toStatement(asked, duckDbForTypes);
  return engine.work(async (connection) => {
    const prepared = await connection.prepare(text);
    try {
      return measures.map((_, index) => kindOf(prepared.columnType(index)));
    } finally {
      prepared.destroySync();
    }
  }).catch(() => undefined);
}
