import type { Outcome } from '../ask/outcome.ts';
import { hashQuery } from '../ask/query/hash-query.ts';
import type { Query } from '../ask/query/query.ts';
import type { FillMode } from '../ask/query/saved-query.ts';
import type { Model } from '../plan/model/model.ts';
import { bind } from '../plan/bind/bind.ts';
import type { Plan } from '../plan/plan.ts';
import type { Engine } from '../run/embedded/engine.ts';
import { reachOf, type Backend, type Explanation } from '../run/backend.ts';
import { collect } from '../shape/collect.ts';
import { decideFill } from '../shape/decide-fill.ts';
import { fill } from '../shape/fill.ts';
import type { Result } from '../shape/result.ts';
import type { Settings } from './config/settings.ts';
import { openBackend } from './open-backend.ts';
import { noteIfStale } from './note-if-stale.ts';
import { showPath } from './show-path.ts';

/** What a question is bound against, where it differs from the session's own. */
export interface BindOptions {
  /** `remote`: 10,000 rows where the query names no limit, 50,000 at most, as the platform has it. The backend's own where not set. */
  readonly limits?: 'local' | 'remote' | undefined;
  /** The present, epoch milliseconds; the clock's where not set. */
  readonly asOf?: number | undefined;
}

export interface FillOptions {
  readonly fill?: FillMode | undefined;
  readonly fillWith?: 0 | undefined;
}

export interface RunPlanOptions extends FillOptions {
  readonly signal?: AbortSignal | undefined;
  /** Sentences that came up before, for the answer's notes. */
  readonly notes?: readonly string[] | undefined;
}

/** The stages put together: a model, a backend that is opened when it is first needed, settings and a clock. */
export interface Session extends AsyncDisposable {
  readonly model: Model;
  readonly settings: Settings;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** What a query means: a plan for each range of its comparison, or one. */
  bind(query: Query, options?: BindOptions): Outcome<readonly Plan[]>;
  /** Answers one plan. */
  run(plan: Plan, options?: RunPlanOptions): Promise<Result>;
  explain(plan: Plan, options?: { readonly signal?: AbortSignal | undefined }): Promise<Explanation>;
  /** Begins to open the backend, so that it is ready when it is asked. */
  prepare(): void;
}

export interface SessionParts {
  readonly model: Model;
  readonly settings: Settings;
  readonly now: () => number;
  /** Absolute path: what paths are shown relative to. */
  readonly cwd: string;
  /** The embedded engine, where it is starting already. */
  readonly engine?: Promise<Engine> | undefined;
}

/** Puts the stages together. The backend opens with the first question or `prepare`, and is closed with the session. */
export function openSession({ model, settings, now, cwd, engine: starting }: SessionParts): Session {
  let backend: Promise<Backend> | undefined;
  let unused = starting;
  const opened = () => {
    backend ??= openBackend(settings, cwd, unused).catch((error: unknown) => {
      // The files may be there the next time. The engine that was starting may be closed by then.
      backend = undefined;
      unused = undefined;
      throw error;
    });
    return backend;
  };
  const source = describeSource(settings, cwd);

  return {
    model,
    settings,
    now,
    bind: (query, options = {}) => bind(query, model, {
      now: options.asOf ?? now(),
      zone: settings.timezone.value,
      weekStart: settings.weekStart.value,
      project: settings.project.value,
      limits: options.limits ?? reachOf(settings.backend.value),
    }),
    async run(plan, options = {}) {
      const started = performance.now();
      const engine = await opened();
      const decision = decideFill(plan, {
        mode: options.fill ?? settings.fill.value,
        completeness: reachOf(engine.name),
      });
      const why = decision.kind === 'leave' ? decision.why : undefined;
      const running = decision.kind === 'fill' ? decision.run : plan;
      const answer = await engine.run(running, { signal: options.signal });
      const result = await collect(running, answer, {
        queryHash: hashQuery(plan.query),
        backend: engine.name,
        source,
        notes: [...(options.notes ?? []), ...(why === undefined ? [] : [why])],
        elapsedMs: () => performance.now() - started,
      });
      const noted = noteIfStale(result);
      if (decision.kind === 'leave') return noted;
      return fill(noted, plan, { fillWith: options.fillWith ?? settings.fillWith.value });
    },
    async explain(plan, options) {
      return (await opened()).explain(plan, options);
    },
    prepare() {
      // Who asks will hear of it.
      opened().catch(() => undefined);
    },
    async [Symbol.asyncDispose]() {
      await (await backend?.catch(() => undefined))?.[Symbol.asyncDispose]();
    },
  };
}

function describeSource({ events, tables }: Settings, cwd: string): string {
  const files = events.value.length > 0 ? events.value : Object.values(tables.value).flat();
  return files.map((file) => showPath(file, cwd)).join(', ');
}
