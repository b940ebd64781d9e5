import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { DuckDBType } from '@duckdb/node-api';
import { BackendError } from '../../../ask/sluice-error.ts';
import type { Column } from '../../../plan/column.ts';
import { ownEventsTable } from '../../../plan/events/events-table.ts';
import type { MappedEvents } from '../../../plan/events/mapped-events.ts';
import type { Plan } from '../../../plan/plan.ts';
import type {
  Explanation,
  FurtherAnswers,
  Answer,
  AnswerFacts,
  JsonAnswer,
  JsonChunk,
  JsonOptions,
  JsonRow,
  LocalBackend,
} from '../../backend.ts';
import type { FactKeeper } from '../reading/source/find-fact.ts';
import type { Encodings } from '../../file/encoding.ts';
import { loadEngineAnalysis } from '../analysis/engine-analyses.ts';
import { type Engine, openEngine } from '../engine/engine.ts';
import { jsonExpression } from '../engine/json-expression.ts';
import { runJsonStatement } from '../engine/run-json-statement.ts';
import type { BoundStatement } from '../engine/run-statement.ts';
import { spoolJsonStatement } from '../engine/spool-json-statement.ts';
import { quoteText } from '../engine/sql-text.ts';
import { toBackendError } from '../engine/to-backend-error.ts';
import type { UserOrder } from '../../../plan/model/event-fields.ts';
import { type EventFiles, openEventFiles } from '../reading/event-files.ts';
import { type Download, eventsPurpose, findFiles, findLeftOut } from '../reading/find-files.ts';
import type { MappingOf, OnRecognised, ReadingOptions } from '../reading/recognise/map-files.ts';
import { openMappedEvents } from '../reading/source/open-mapped-events.ts';
import { settleExports } from '../../export/files/settle-exports.ts';
import {
  answer,
  askCompanions,
  type Companions,
  type EngineQuestion,
  type EngineSession,
  steadily,
  storeAnswer,
  toFacts,
} from '../session/answer.ts';
import { chooseProjection } from '../session/choose-projection.ts';
import { withMore } from '../../analysis/more-facts.ts';
import { toQuestion } from '../session/to-question.ts';
import { openStoreEvents } from '../store/store-events.ts';
import { openDialects } from './open-dialects.ts';
import { findTables, openTables, type TableFiles } from './table-views.ts';

/** The number of rows in one text. */
const rowsAtOnce = 500;

/**
 * Answers a question with rows as JSON text; undefined if a column must be decoded value by value. Errors: as `answer`.
 */
async function answerJson(
  session: EngineSession,
  question: EngineQuestion,
  plan: Plan,
  row: JsonRow,
  { signal, sparing = false }: JsonOptions = {},
): Promise<JsonAnswer | undefined> {
  const values = await jsonValues(session, question.statement, plan);
  if (!values) return undefined;
  const beside = askCompanions(session, question, signal);
  const spooled = sparing && question.statement.counters === 0;
  const statement = (spooled ? lineStatement : jsonStatement)(question.statement, values, row);
  const running = await steadily(
    session,
    statement,
    spooled ? spoolJsonStatement : runJsonStatement,
    signal,
    question.reach,
  );
  if (question.reach === 'all') session.events?.markTextRead();
  let known: Companions | undefined;

  async function* chunks(): AsyncGenerator<JsonChunk, void, undefined> {
    yield* running.chunks;
    known = await beside();
  }

  return { chunks: chunks(), facts: () => toFacts(session, question, running.counters, known) };
}

/** Caches the column types of the last statement, since the windows of an export differ only in parameters. */
const lastTypes = new WeakMap<EngineSession, { readonly key: string; readonly types: readonly DuckDBType[] }>();

/**
 * SQL for the JSON of each column; also undefined if the statement cannot be prepared, since running it reports why.
 */
async function jsonValues(
  session: EngineSession,
  { text, columns, zone }: BoundStatement,
  plan: Plan,
): Promise<readonly string[] | undefined> {
  const { engine, events } = session;
  // Running the statement reports why it cannot be prepared.
  await events?.refresh(text).catch(() => undefined);
  const key = `${events?.generation ?? 0} ${text}`;
  const last = lastTypes.get(session);
  const types =
    last?.key === key
      ? last.types
      : await engine
          .work(async (connection) => {
            const prepared = await connection.prepare(text);
            try {
              return columns.map((_, index) => prepared.columnType(index));
            } finally {
              prepared.destroySync();
            }
          })
          .catch(() => undefined);
  if (types) lastTypes.set(session, { key, types });
  const values = types?.map((type, index) => jsonExpression(type, plan.columns[index] as Column, zone, `c${index}`));
  return values?.every((value) => value !== undefined) ? values : undefined;
}

/** The statement's rows in order, one text each, without counters. */
function lineStatement(statement: BoundStatement, values: readonly string[], row: JsonRow): BoundStatement {
  const names = statement.columns.map((_, index) => `c${index}`).join(', ');
  return {
    ...statement,
    columns: [],
    text: `SELECT ${rowText(values, row)} FROM (${statement.text}\n) AS answer(${names})`,
  };
}

function rowText(values: readonly string[], row: JsonRow): string {
  return `concat(${row.map((part) => (typeof part === 'string' ? quoteText(part) : `${values[part]}`)).join(', ')})`;
}

/** The same with several rows in one text. */
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

interface EmbeddedOptions {
  /** Files, patterns and folders of raw events. */
  readonly events?: readonly string[] | undefined;
  /** The mapping of each file's columns to event fields. */
  readonly mappingOf?: MappingOf | undefined;
  /** Called with each file that is recognised as a tracker's export. */
  readonly onRecognised?: OnRecognised | undefined;
  /** Keeps facts found about files. */
  readonly facts?: FactKeeper | undefined;
  /**
   * The absolute folder of a store. Its events are combined with those of the files; with `mapped`, they are the rows
   * of the model's own table `events`, as they are at the opening.
   */
  readonly store?: string | undefined;
  /** Read only events that the store had at this time (epoch milliseconds). */
  readonly knownAt?: number | undefined;
  /** The files of a model's tables, by table name. */
  readonly tables?: TableFiles | undefined;
  /** The id that identifies a user. If it is empty, the other id counts. Default: `anonymous`. */
  readonly user?: UserOrder | undefined;
  /** The encoding of text files that are not UTF-8 and have no byte order mark; see `readEncoding`. */
  readonly encoding?: Encodings;
  /** The encoding of the tables' text files. Default: `encoding`, if that is a single one. */
  readonly tableEncoding?: string | undefined;
  /** Events from a table. Excludes event files. */
  readonly mapped?: MappedEvents | undefined;
  /** The base of relative paths. */
  readonly workingDirectory: string;
  readonly threads?: number | undefined;
  /** In DuckDB's notation, such as `4GB`. */
  readonly memoryLimit?: string | undefined;
  /** Reads web addresses; undefined to refuse them. */
  readonly download?: Download | undefined;
  /** An engine that is already being opened with its own settings. The backend uses and closes it. */
  readonly engine?: Promise<Engine> | undefined;
}

/** A backend over the files that there were when it was opened. `followFiles` follows their changes. */
export interface EmbeddedBackend extends LocalBackend {
  /** Whether it still answers correctly, now that bytes were appended to these files. */
  mayGrow(paths: readonly string[]): boolean;
}

/**
 * Opens DuckDB in this process over event files (NDJSON, JSON, CSV, Parquet, Arrow, Snowplow enriched events, also
 * compressed by gzip or zstd), over the tables of a model, or over the events of a store. Reads files in place and uses
 * no network. Every question sees the current content of the store. Errors: `BackendError` with the codes
 * `store-not-found`, `store-damaged`, `store-too-new`, `events-not-found`, `table-files-not-found`, `table-name-taken`,
 * `file-vanished`, `file-unreadable`, `file-corrupt`, `events-without-time`, `not-parquet`, `not-utf-8`,
 * `column-named-twice`, `table-damaged`, `not-a-regular-file`, `engine-unavailable`.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedBackend> {
  const { encoding, events = [], store, mapped, user = 'anonymous', workingDirectory } = options;
  const tables = mapped ? withOwnEvents(options.tables ?? {}) : (options.tables ?? {});
  if (
    (events.length > 0 || store !== undefined) &&
    Object.keys(options.tables ?? {}).some((table) => table.toLowerCase() === 'events')
  ) {
    throw new BackendError('The table "events" conflicts with the event files.', {
      code: 'table-name-taken',
      hint: 'Set either `events:` or `tables: {events: …}`, or rename the table.',
    });
  }
  const { files, sentences } = await settleExports(
    await findFiles(events, workingDirectory, eventsPurpose, options.download),
  );
  // Continues while the engine starts. Folders that cannot be read have been reported by now.
  const leftOut = findLeftOut(events, workingDirectory).then(
    (others) => [...others, ...sentences],
    () => sentences,
  );
  const tableFiles = await findTables(tables, workingDirectory, options.download);
  const engine = await (options.engine ??
    openEngine({ ...options, threads: options.threads ?? { upTo: availableParallelism() } }));
  const unknownColumns: string[] = [];
  const circumstances = {
    unknownColumns,
    files: [...files, ...[...tableFiles.values()].flat()],
    tables: Object.keys(tables),
    hasEvents: files.length > 0 || store !== undefined || mapped !== undefined,
  };
  try {
    if (options.engine && options.memoryLimit !== undefined) await engine.limitMemory(options.memoryLimit);
    const inTables = options.tableEncoding ?? (typeof encoding === 'string' ? encoding : undefined);
    await engine.widen(await bytesOf(circumstances.files));
    unknownColumns.push(...(await openTables(engine, tableFiles, inTables)));
    const { knownAt } = options;
    if (mapped && store !== undefined) await openStoreEvents(engine, store, { user, knownAt, view: ownEventsTable });
    return toBackend({
      engine,
      events: mapped ? undefined : await openAllEvents(engine, files, { ...options, leftOut }),
      own: mapped && (await openMappedEvents(engine, mapped, user)),
      circumstances,
    });
  } catch (error) {
    const told = await toBackendError(error, { ...circumstances, engine });
    await engine[Symbol.asyncDispose]();
    throw told;
  }
}

/** A missing store is reported when it is read. */
async function bytesOf(files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** A table called `events` is renamed, because the events made from it take its name. */
function withOwnEvents(tables: TableFiles): TableFiles {
  return Object.fromEntries(
    Object.entries(tables).map(([table, files]) => [table.toLowerCase() === 'events' ? ownEventsTable : table, files]),
  );
}

async function openAllEvents(
  engine: Engine,
  files: readonly string[],
  { store, knownAt, user = 'anonymous', ...reading }: EmbeddedOptions & Pick<ReadingOptions, 'leftOut'>,
): Promise<EventFiles | undefined> {
  if (store !== undefined) return openStoreEvents(engine, store, { user, knownAt });
  return files.length > 0 ? openEventFiles(engine, files, user, 'events', { ...reading, narrow: true }) : undefined;
}

function toBackend(session: EngineSession): EmbeddedBackend {
  const dialectOf = openDialects(session.engine, async (text) => session.events?.refresh(text));
  const withCohorts = async <T>(plan: Plan, signal: AbortSignal | undefined, work: (plan: Plan) => Promise<T>) =>
    plan.cohorts ? (await import('../funnel/find-reached.ts')).withReached(session, plan, signal, work) : work(plan);
  const questionOf = async (plan: Plan): Promise<EngineQuestion> => {
    const [{ dialect, notes }, projection] = await Promise.all([
      dialectOf(plan),
      chooseProjection(session.events, plan),
    ]);
    const overEvents = { ...toQuestion(plan, dialect), notes };
    return projection?.use
      ? { ...toQuestion(plan, projection.use(dialect)), overEvents: overEvents.statement.text }
      : overEvents;
  };
  /** Adds to facts what the plan's cohorts name and no event has. */
  const unknownOf = async (
    plan: Plan,
    signal: AbortSignal | undefined,
  ): Promise<(facts: AnswerFacts) => AnswerFacts> => {
    if (!plan.cohorts) return (facts) => facts;
    const [{ tellUnknown }, { nothingNamed }] = await Promise.all([
      import('../session/rows-in.ts'),
      import('../../analysis/tell-unknown.ts'),
    ]);
    const lacking = await tellUnknown(session, plan, nothingNamed, signal);
    return (facts) => withMore(facts, { lacking });
  };
  const run = async (plan: Plan, signal: AbortSignal | undefined): Promise<Answer> => {
    if (plan.computed) return (await loadEngineAnalysis(plan.computed)).answer(session, plan, signal);
    const tell = await unknownOf(plan, signal);
    const answered = await answer(session, await questionOf(plan), signal);
    return { ...answered, facts: () => tell(answered.facts()) };
  };
  return {
    name: 'embedded',
    reach: 'local',
    run: (asked, options) => withCohorts(asked, options?.signal, (plan) => run(plan, options?.signal)),
    // Computed answers are in memory already.
    store: async (asked, options) =>
      asked.computed
        ? undefined
        : withCohorts(asked, options?.signal, async (plan) =>
            storeAnswer(session, await questionOf(plan), options?.signal, await unknownOf(plan, options?.signal)),
          ),
    runJson: async (asked, row, options) =>
      asked.computed
        ? undefined
        : withCohorts(asked, options?.signal, async (plan) => {
            await unknownOf(plan, options?.signal);
            return answerJson(session, await questionOf(plan), plan, row, options);
          }),
    properties: async (...paths) => (await import('./find-properties.ts')).findProperties(session, ...paths),
    columns: async () => session.events?.columns?.() ?? [],
    renames: async () => session.events?.renames?.(),
    further: async <T>(what: FurtherAnswers<T>) => (await loadEngineAnalysis(what)).openFurther(session) as T,
    explain: async (plan) => {
      const analysis = plan.computed && (await loadEngineAnalysis(plan.computed));
      const projected = await analysis?.overProjection?.(session, plan);
      const statement = projected?.statement ?? analysis?.toStatement(plan) ?? (await questionOf(plan)).statement;
      const projection = projected ? projected.used : (await chooseProjection(session.events, plan))?.used;
      return { ...(await explain(session, statement)), ...(projection && { projection }) };
    },
    mayGrow: (paths) => session.events?.mayGrow?.(paths) ?? false,
    [Symbol.asyncDispose]: () => session.engine[Symbol.asyncDispose](),
  };
}

/** The statement, its parameters, and DuckDB's plan, made without reading data. */
async function explain(
  { engine, events, circumstances }: EngineSession,
  { text, parameters }: BoundStatement,
): Promise<Explanation> {
  await events?.refresh(text);
  const rows = await engine.rows(`EXPLAIN ${text}`, parameters).catch(async (error: unknown) => {
    throw await toBackendError(error, { ...circumstances, statement: text });
  });
  return { statement: text, parameters, enginePlan: shortenBoxes(rows.map(([, plan]) => String(plan)).join('\n')) };
}

/** The most rows of text in a box of a plan. */
const mostRows = 12;

/** Cuts long boxes, and writes `…` in place of the rest: the clock changes of a time zone fill 2,000 rows. */
function shortenBoxes(plan: string): string {
  let rows = 0;
  return plan
    .split('\n')
    .flatMap((line) => {
      rows = /[┌└├]|──/.test(line) ? 0 : rows + 1;
      if (rows <= mostRows) return line;
      return rows === mostRows + 1 ? line.replace(/(?<=│)[^│]*[^│ ][^│]*(?=│)/g, toDots) : [];
    })
    .join('\n');
}

const toDots = (inside: string) => '…'.padStart(Math.ceil(inside.length / 2)).padEnd(inside.length);
