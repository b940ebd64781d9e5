import type { EventMatch } from '../../../src/ask/analysis/event-match.ts';
import type { Funnel, FunnelStep } from '../../../src/ask/funnel/funnel.ts';
import type { Engine } from '../../../src/run/duckdb/engine/engine.ts';

/** One step per literal page; `*` makes a pattern. */
export function funnelOf(paths: readonly string[], more: Partial<Funnel> = {}): Funnel {
  const steps = paths.map(
    (path, index): FunnelStep => ({ name: `step_${index + 1}`, ...pageAt(path), within: undefined }),
  );
  return {
    name: 'some',
    secondsToConvert: 60,
    steps,
    order: 'ordered',
    by: 'user',
    where: [],
    exclude: [],
    hold: [],
    breakdown: undefined,
    extended: false,
    ...more,
  };
}

export function pageAt(...paths: readonly string[]): EventMatch {
  return { event: 'pageview', targets: paths.map((path) => ({ path, isPattern: path.includes('*') })), where: [] };
}

export interface SomeEvent {
  readonly user: string | null;
  /** Microseconds since the start of 2026. */
  readonly at: number;
  readonly path?: string | null;
  readonly type?: string;
  readonly agent?: string | null;
  readonly session?: string | null;
  readonly project?: string;
  /** Only for a custom event. */
  readonly custom?: string | null;
}

export const startOf2026 = Date.UTC(2026, 0, 1);

/** Creates a relation `events` of these rows, with the columns that funnels read. */
export async function layEvents(engine: Engine, events: readonly SomeEvent[]): Promise<void> {
  const rows = events.map(
    ({ user, at, path = null, type = 'pageview', agent = null, session = null, project = '1', custom = null }) =>
      `(${[text(user), `make_timestamp(${startOf2026}000 + (${at}))`, text(path), text(type), text(agent), text(session), text(project), text(custom)].join(', ')})`,
  );
  const columns =
    'events(user_key, utc_time, doc_path, event_type, agent_name, session_id, project_id, custom_event_name)';
  const relation =
    rows.length > 0
      ? `(VALUES ${rows.join(', ')})`
      : "(SELECT '', TIMESTAMP '2026-01-01', '', '', '', '', '', '' WHERE false)";
  await engine.rows(`CREATE OR REPLACE TABLE events AS SELECT * FROM ${relation} AS ${columns}`);
}

function text(value: string | null): string {
  return value === null ? 'CAST(NULL AS VARCHAR)' : `'${value.replaceAll("'", "''")}'`;
}
