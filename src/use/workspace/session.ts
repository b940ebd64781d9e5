import type { Outcome } from '../../ask/outcome.ts';
import { hashQuery } from '../../ask/query/canonical-query.ts';
import type { Query } from '../../ask/query/query.ts';
import type { FillMode } from '../../ask/query/saved-query.ts';
import { bind } from '../../plan/bind/bind.ts';
import { withShownColumns } from '../../plan/column-order.ts';
import type { Model } from '../../plan/model/model.ts';
import type { Plan } from '../../plan/plan.ts';
import {
  type Backend,
  type Explanation,
  type JsonAnswer,
  type JsonOptions,
  type JsonRow,
  reachOf,
  type Wait,
} from '../../run/backend.ts';
import type { Engine } from '../../run/duckdb/engine/engine.ts';
import type { KeepingBackend } from '../../run/kept/keep-answers.ts';
import { runToLimit } from '../../run/run-to-limit.ts';
import { withinMemory } from '../../run/within-memory.ts';
import { collect, type CollectFacts } from '../../shape/collect.ts';
import { withParts } from '../../ask/cloneable.ts';
import { decideFill } from '../../shape/fill/decide-fill.ts';
import { fill } from '../../shape/fill/fill.ts';
import { noteGaps } from '../../shape/fill/note-gaps.ts';
import { markStale, noteIfStale } from '../../shape/data-extent.ts';
import type { Result } from '../../shape/result/result.ts';
import { type Settings, zoneOf } from '../config/settings.ts';
import type { Present } from '../process/read-as-of.ts';
import { showPath } from '../process/show-path.ts';
import { type AtOneState, watchLocalData, tellInResult } from './at-one-state.ts';
import { describeComputation } from './analyses.ts';
import { describeSource, openBackend } from './open-backend.ts';
import { openGrowingModel } from './growing-model.ts';
import type { OpenedModel } from './open-model.ts';
import type { RemoteSurroundings } from './open-remote.ts';
import { tellOfStore } from './store-notes.ts';
import type { Proposed } from './with-proposed-columns.ts';
import type { StoredRows } from './stored-rows.ts';

/** How to bind a query. Each option overrides the setting of the session. */
export interface BindOptions {
  /**
   * Row limit of a query without one. `remote`: 10,000, and explicit limits up to 50,000, as on the platform. `local`:
   * 10,000, and any explicit limit. `none`: all rows.
   */
  readonly limits?: 'local' | 'remote' | 'none' | undefined;
  /** Reference time for relative ranges, in epoch milliseconds, or that of a zone. Defaults to the clock. */
  readonly asOf?: number | Present | undefined;
  /** Only events of this project; null: of all projects. Defaults to the configured project. */
  readonly project?: string | null | undefined;
  /** True for the load API, which ignores unknown members in an order, as Cube does. They are errors elsewhere. */
  readonly ignoresUnknownOrder?: boolean | undefined;
}

export interface FillOptions {
  /** Which gaps in a time series to fill. Defaults to the question's or the configured setting. */
  readonly fill?: FillMode | undefined;
  /** 0 fills averages, ratios and extremes with 0 as well, as the platform does. By default they become null. */
  readonly fillWith?: 0 | undefined;
}

interface RunPlanOptions extends FillOptions {
  readonly signal?: AbortSignal | undefined;
  /** Sentences to add to the notes of the result. */
  readonly notes?: readonly string[] | undefined;
  /** Called each time a server reports that it is still working. */
  readonly onWait?: ((wait: Wait) => void) | undefined;
}

/** The open backend, and facts about its answers. */
interface OpenedBackend {
  readonly backend: Backend;
  readonly facts: (plan: Plan) => Promise<CollectFacts>;
}

/** Model, backend, settings and clock. The backend opens when it is first needed. */
export interface Session extends AsyncDisposable {
  /** Changes when `refreshModel` finds new members. */
  readonly model: Model;
  readonly settings: Settings;
  /** The reference time in epoch milliseconds, for a canonical time zone (default: the configured one). */
  readonly now: (zone?: string) => number;
  /** Binds a query to the model: one plan for each range of a comparison, else one plan. */
  bind(query: Query, options?: BindOptions): Outcome<readonly Plan[]>;
  /** Runs one plan. */
  run(plan: Plan, options?: RunPlanOptions): Promise<Result>;
  /**
   * Runs one plan and keeps its rows on disk until they are closed, so memory does not grow with their number. Resolves
   * with undefined if the result needs fill or the backend cannot do this; use `run` then.
   */
  store(plan: Plan, options?: RunPlanOptions): Promise<StoredRows | undefined>;
  /** Runs one plan and returns unfilled rows as JSON text; undefined if the backend cannot write JSON itself. */
  runJson(plan: Plan, row: JsonRow, options?: JsonOptions): Promise<JsonAnswer | undefined>;
  /**
   * The sentences on how the events are read, which the notes of each result over events have. May change with files.
   */
  sourceNotes(): readonly string[];
  /** The backend, for features that only some backends have, such as following the users of a funnel. */
  openedBackend(): Promise<OpenedBackend>;
  explain(plan: Plan, options?: { readonly signal?: AbortSignal | undefined }): Promise<Explanation>;
  /**
   * Does work that asks several questions. If local data change meanwhile, does it again, so that all answers are of
   * one state of the data.
   */
  readonly atOneState: AtOneState;
  /**
   * The state of local data: another text if it has changed. Undefined for servers, addresses and archives, which
   * would have to be read.
   */
  readonly dataState: () => Promise<string | undefined>;
  /** Starts to open the backend, so that it is ready for the first query. */
  prepare(): void;
  /**
   * Fetches a cached remote model again, and searches local events for the properties among `names`. Resolves with true
   * if this found new members.
   */
  refreshModel(signal?: AbortSignal, names?: readonly string[]): Promise<boolean>;
  /** Forgets the properties that were found if event files have changed since. Call it before names are resolved. */
  noticeChanges(signal?: AbortSignal): Promise<void>;
  /** This session with a changed model, for definitions that are not in a file of the workspace. */
  extended(change: (model: Model) => Model): Session;
}

interface SessionParts extends Pick<OpenedModel, 'model' | 'backend' | 'again'> {
  readonly settings: Settings;
  readonly now: Present;
  /** Absolute path: what paths are shown relative to. */
  readonly cwd: string;
  /** An embedded engine that is already starting. */
  readonly engine?: Promise<Engine> | undefined;
  /** Dependencies of a remote backend, if one is opened. */
  readonly remote?: RemoteSurroundings | undefined;
  /** Limits of local engines if the options set none. By default, 10,000 rows for queries without a limit. */
  readonly limits?: 'local' | 'none' | undefined;
  /** The machine's clock in epoch milliseconds. If given, answers are cached as configured. */
  readonly clock?: (() => number) | undefined;
  /** Sentences to add to the notes of each result over events. */
  readonly notes?: readonly string[] | undefined;
  /** The settings and notes for files that changed. Default: the given ones. */
  readonly propose?: (() => Promise<Proposed>) | undefined;
}

/** Opens a session. The backend opens with the first question or `prepare`, and closes with the session. */
export function openSession({
  model: base,
  settings,
  now,
  cwd,
  engine: starting,
  backend: given,
  again,
  remote,
  limits,
  clock,
  notes = [],
  propose,
}: SessionParts): Session {
  const { atOneState, dataState } = watchLocalData(settings);
  let always = notes;
  const settle =
    propose &&
    (async () => {
      const proposed = await propose();
      always = proposed.notes;
      return proposed.settings;
    });
  const isLocal = reachOf(settings.backend.value) === 'local';
  const first = isLocal ? { ...base, searched: [] } : base;
  let backend: Promise<Backend> | undefined = given && Promise.resolve(given);
  let unused = starting;
  const opened = () => {
    backend ??= openBackend(settings, cwd, unused, remote, model.current(), clock, settle).catch((error: unknown) => {
      // Allow another attempt, because the files may exist by then. The starting engine may be closed by then, so drop
      // it.
      backend = undefined;
      unused = undefined;
      throw error;
    });
    return backend;
  };
  const model = openGrowingModel({ first, again, isLocal, opened });
  let forSynced: Promise<Backend> | undefined;
  /** Synced data are local files, even if a server answers everything else. */
  const openedFor = ({ root }: Plan) => {
    if (!root.synced || isLocal) return opened();
    forSynced ??= openBackend(withoutEvents(settings), cwd, undefined, remote).catch((error: unknown) => {
      forSynced = undefined;
      throw error;
    });
    return forSynced;
  };
  let source: Promise<string> | undefined;
  /** Description of the source that the backend answers from. */
  const sourceOf = async ({ root }: Plan) => {
    if (root.synced) return showPath(settings.synced.value, cwd);
    source ??= describeSource(settings, cwd).catch((error: unknown) => {
      source = undefined;
      throw error;
    });
    return source;
  };
  const factsOf = async (plan: Plan, engine: Backend, elapsedMs: () => number) => ({
    queryHash: hashQuery(plan.query),
    backend: engine.name,
    source: await sourceOf(plan),
    nameFile: (file: string) => showPath(file, cwd),
    elapsedMs,
  });
  const isLocalAuto = ({ reach }: Backend, options: RunPlanOptions) =>
    reach === 'local' && (options.fill ?? settings.fill.value) === 'auto';
  const decide = async (plan: Plan, { reach }: Backend, options: RunPlanOptions) => {
    const decision = decideFill(plan, { mode: options.fill ?? settings.fill.value, completeness: reach });
    const why = decision.kind === 'leave' ? decision.why : undefined;
    const computed = await describeComputation(plan.computed, reach);
    const synced = plan.root.synced
      ? await (await import('./synced-cubes.ts')).describeSynced(settings.synced.value, plan)
      : [];
    const ofStore = plan.root.synced || reach !== 'local' ? undefined : await tellOfStore(settings, plan, cwd);
    const notes = [
      ...(plan.root.synced ? [] : always),
      ...(options.notes ?? []),
      ...synced,
      ...computed,
      ...(ofStore?.notes ?? []),
    ];
    const lost = ofStore?.lost;
    if (ofStore?.isCut) return { decision: { kind: 'leave' } as const, told: { notes, lost } };
    return { decision, told: { notes: why === undefined ? notes : [...notes, why], lost } };
  };

  const bindIn = (query: Query, within: Model, options: BindOptions = {}) =>
    bind(query, within, {
      now: options.asOf ?? now,
      zone: settings.timezone.value,
      weekStart: settings.weekStart.value,
      project: options.project === null ? undefined : (options.project ?? settings.project.value),
      reach: reachOf(settings.backend.value),
      ignoresUnknownOrder: options.ignoresUnknownOrder,
      limits: options.limits ?? (isLocal ? (limits ?? 'local') : 'remote'),
    });

  const extend = (session: Session, change: (model: Model) => Model): Session => ({
    ...session,
    get model() {
      return change(model.current());
    },
    bind: (query, options) => bindIn(query, change(model.current()), options),
    extended: (more) => extend(session, (own) => more(change(own))),
  });

  const runPlain = async (plan: Plan, options: RunPlanOptions): Promise<Result> => {
    const elapsedMs = startStopwatch();
    const engine = await openedFor(plan);
    const { decision, told } = await decide(plan, engine, options);
    const running = decision.kind === 'fill' ? decision.run : plan;
    const asking = { signal: options.signal, onWait: options.onWait };
    const answer = await (engine.reach === 'local' ? runToLimit(engine, running, asking) : engine.run(running, asking));
    const result = await collect(running, withinMemory(answer), {
      ...(await factsOf(plan, engine, elapsedMs)),
      ...told,
    });
    const noted =
      engine.reach === 'remote'
        ? (await import('./finish-remote.ts')).finishRemote(result, running, answer.facts())
        : plan.root.synced
          ? result
          : noteIfStale(result);
    if (decision.kind === 'leave') {
      const labelsOf = (column: string) => noted.codes(column).dictionary;
      const provenance = isLocalAuto(engine, options) ? noteGaps(noted.provenance, plan, labelsOf) : noted.provenance;
      return markStale(withParts(noted, { provenance }), plan);
    }
    return markStale(fill(noted, plan, { fillWith: options.fillWith ?? settings.fillWith.value }), plan);
  };

  const runAny = async (plan: Plan, options: RunPlanOptions = {}): Promise<Result> => {
    const { others, derived } = plan;
    if (others) {
      const { runOthers } = await import('./run-others.ts');
      return atOneState(() => runOthers(plan, others, (inner) => runAny(inner, options)), { tell: tellInResult });
    }
    if (!derived) return runPlain(plan, options);
    const { runDerived } = await import('./run-derived.ts');
    const work = () =>
      runDerived(plan, derived, (inner, fill) => runAny(inner, { ...options, fill }), {
        fill: options.fill ?? settings.fill.value,
        fillWith: options.fillWith ?? settings.fillWith.value,
      });
    return atOneState(work, { tell: tellInResult });
  };

  return {
    get model() {
      return model.current();
    },
    settings,
    now: (zone = zoneOf(settings)) => now(zone),
    bind: (query, options) => bindIn(query, model.current(), options),
    run: runAny,
    async store(plan, options = {}) {
      if (plan.derived || plan.others) return undefined;
      const elapsedMs = startStopwatch();
      const engine = await openedFor(plan);
      const { decision, told } = await decide(plan, engine, options);
      if (engine.reach === 'remote' || decision.kind === 'fill') return undefined;
      const stored = await engine.store(plan, { signal: options.signal });
      if (!stored) return undefined;
      const { toStoredRows } = await import('./stored-rows.ts');
      const facts = { ...(await factsOf(plan, engine, elapsedMs)), ...told };
      return toStoredRows(withShownColumns(plan), stored, facts, isLocalAuto(engine, options));
    },
    async runJson(plan, row, options) {
      if (plan.derived || plan.others) return undefined;
      const engine = await openedFor(plan);
      return engine.reach === 'local' ? engine.runJson(plan, row, options) : undefined;
    },
    sourceNotes: () => always,
    async openedBackend() {
      const elapsedMs = startStopwatch();
      const engine = await opened();
      return {
        backend: engine,
        facts: (plan) => factsOf(plan, engine, elapsedMs),
      };
    },
    async explain(plan, options) {
      const asked = plan.others?.rank ?? plan;
      const explained = asked.derived?.base ?? asked;
      return (await openedFor(explained)).explain(explained, options);
    },
    atOneState,
    dataState,
    prepare() {
      // The next question reports the error.
      opened().then(
        (engine) => (engine as Partial<KeepingBackend>).prepare?.(),
        () => undefined,
      );
    },
    refreshModel(signal, names = []) {
      return model.refresh(this, names, signal);
    },
    noticeChanges(signal) {
      return model.noticeChanges(this, signal);
    },
    extended(change) {
      return extend(this, change);
    },
    async [Symbol.asyncDispose]() {
      for (const each of [backend, forSynced]) await (await each?.catch(() => undefined))?.[Symbol.asyncDispose]();
    },
  };
}

/**
 * Starts a stopwatch; the function returns the elapsed milliseconds. Loading `performance` would take the first of
 * them.
 */
function startStopwatch(): () => number {
  const started = process.hrtime.bigint();
  return () => Number(process.hrtime.bigint() - started) / 1e6;
}

/** Settings of an embedded engine with only synced data. */
function withoutEvents(settings: Settings): Settings {
  const origin = 'synced from the platform';
  return {
    ...settings,
    backend: { value: 'embedded', origin },
    events: { value: [], origin },
    tables: { value: {}, origin },
    knownAt: { value: undefined, origin },
  };
}

/** The session with a fixed reference time, in epoch milliseconds or depending on the question's time zone. */
export function atPresent(session: Session, present: number | Present): Session {
  const now = typeof present === 'number' ? () => present : present;
  return {
    ...session,
    get model() {
      return session.model;
    },
    now: (zone) => now(zone ?? session.settings.timezone.value),
    bind: (query, options = {}) => session.bind(query, { ...options, asOf: options.asOf ?? present }),
  };
}
