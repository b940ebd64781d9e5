import type { SluiceErrorCode } from '../../../ask/error-codes.ts';
import type { EventMatch } from '../../../ask/analysis/event-match.ts';
import type { Funnel, FunnelOrder } from '../../../ask/funnel/funnel.ts';
import { errorIssue, type Issue } from '../../../ask/outcome.ts';
import { InvalidInputError } from '../../../ask/sluice-error.ts';
import { userKeyColumn } from '../../../plan/model/event-fields.ts';
import { allOf, type Expression, name, present, sql, trusted, boundInstant } from '../../../plan/sql/expression.ts';
import { ofProject, whereProject } from '../../../plan/sql/of-project.ts';
import { matchConditions, typeCondition } from '../event-condition.ts';
import { duckDb } from '../../../plan/sql/duckdb.ts';
import { printStatement } from '../../../plan/sql/print-statement.ts';
import type { CommonTable } from '../../../plan/sql/statement.ts';

/** A funnel for the engine: SQL conditions over one relation, and numbers. Plain data. */
export interface FunnelProgram {
  readonly order: FunnelOrder;
  /** Maximum seconds from the first to the last step, inclusive. */
  readonly window: number;
  readonly steps: readonly ProgramStep[];
  readonly exclusions: readonly ProgramExclusion[];
  /** Additional tables that the conditions read. */
  readonly tables?: readonly CommonTable[] | undefined;
  /** The relation of the events: `events`, or one with more columns. */
  readonly source: Expression;
  /** The key to follow: a column or expression that gives text; null for nobody. */
  readonly follow: Expression;
  /** Condition for all events that are read; undefined for all. */
  readonly looksAt: Expression | undefined;
  /** The values that all steps of an attempt share; each gives text, or null. */
  readonly hold: readonly Expression[];
  readonly breakdown: ProgramBreakdown | undefined;
}

/** A condition on events: one of the paths, and the SQL condition. */
export interface EventCondition {
  /** Exact paths; undefined for any. */
  readonly paths: readonly string[] | undefined;
  readonly also: Expression;
}

interface ProgramStep extends EventCondition {
  /** Maximum seconds since the previous step, inclusive; undefined if only the funnel's window applies. */
  readonly within: number | undefined;
}

/** Spoils an attempt if it occurs after the step `from` and before the step `to`, both counted from 0. */
interface ProgramExclusion extends EventCondition {
  readonly from: number;
  readonly to: number;
}

interface ProgramBreakdown {
  /** Gives text, or null. */
  readonly value: Expression;
  readonly attribution: 'first' | 'last' | number;
}

/** The column that `withSessions` adds to the events; null if an event has neither session nor user. */
const sessionKeyColumn = 'funnel_session';

/**
 * All events with a session key: the tracker's session, or else the user's events with gaps of at most 30:00 minutes
 * over all history, as in the cube `Sessions`.
 */
function withSessions(project: string | undefined): Expression {
  const where = whereProject(project);
  const key = trusted(`coalesce(length(project_id) || ':' || project_id || '/', '')`);
  const tracked = sql`SELECT *, ${key} || 'tracked:' || session_id AS ${trusted(sessionKeyColumn)} FROM "events"${where}`;
  const owner = trusted('PARTITION BY project_id, user_key ORDER BY utc_time');
  return sql`(SELECT * FROM (${tracked}) AS tracked WHERE session_id <> ''
    UNION ALL BY NAME
    SELECT * EXCLUDE (goes_on, number),
    CASE WHEN user_key IS NOT NULL THEN ${key} || 'derived:' || number || ':' || user_key END AS ${trusted(sessionKeyColumn)}
    FROM (SELECT *, count(*) FILTER (WHERE goes_on IS NOT TRUE) OVER (${owner} RANGE UNBOUNDED PRECEDING) AS number
      FROM (SELECT *, utc_time - lag(utc_time) OVER (${owner}) <= INTERVAL 30 MINUTE AS goes_on
        FROM (SELECT * FROM "events"${where}) AS visible WHERE coalesce(session_id, '') = '') AS gapped) AS numbered)`;
}

/** A funnel's filters and dimension as SQL over the relation `events`, in the order of the funnel. */
interface LoweredFilters {
  readonly all?: Expression | undefined;
  readonly steps?: readonly (Expression | undefined)[] | undefined;
  readonly exclude?: readonly (Expression | undefined)[] | undefined;
  /** The key of the one who is followed, if not a user or session. */
  readonly follow?: Expression | undefined;
  readonly hold?: readonly Expression[] | undefined;
  readonly breakdown?: Expression | undefined;
}

/**
 * Converts a funnel for the embedded engine. Errors: `InvalidInputError` with the codes `unordered-within`,
 * `unordered-stretch`, `unordered-attribution` for settings that require ordered steps.
 */
export function toFunnelProgram(funnel: Funnel, filters: LoweredFilters = {}, project?: string): FunnelProgram {
  if (funnel.order === 'unordered') demandNoOrder(funnel);
  const source = funnel.by === 'session' ? withSessions(project) : name('events');
  const looksAt = [...ofProject(project), ...present(filters.all)];
  return {
    order: funnel.order,
    window: funnel.secondsToConvert,
    steps: funnel.steps.map((step, index) => ({ ...toCondition(step, filters.steps?.[index]), within: step.within })),
    exclusions: funnel.exclude.map((one, index) => ({
      ...toCondition(one, filters.exclude?.[index]),
      from: one.from,
      to: one.to,
    })),
    source,
    follow: filters.follow ?? name(funnel.by === 'session' ? sessionKeyColumn : userKeyColumn),
    looksAt: looksAt.length === 0 ? undefined : allOf(looksAt),
    hold: filters.hold ?? [],
    breakdown: funnel.breakdown &&
      filters.breakdown && { value: filters.breakdown, attribution: funnel.breakdown.attribution },
  };
}

function toCondition(match: EventMatch, filter: Expression | undefined): EventCondition {
  const literal = match.targets.length > 0 && match.targets.every(({ isPattern }) => !isPattern);
  return {
    paths: literal ? match.targets.map((target) => target.path) : undefined,
    also: allOf([...(literal ? typeCondition(match) : matchConditions(match)), ...present(filter)]),
  };
}

function demandNoOrder({ steps, exclude, breakdown }: Funnel): void {
  const timed = steps.find((step) => step.within !== undefined);
  if (timed) {
    throw refusal(
      'unordered-within',
      `The step "${timed.name}" has a time limit since the previous step, ` +
        'but `order: unordered` has no previous step.',
      'Remove `within`, or choose another order.',
    );
  }
  if (exclude.some(({ from, to }) => from !== 0 || to !== steps.length - 1)) {
    throw refusal(
      'unordered-stretch',
      'Exclusions between two steps require an order, but the funnel has `order: unordered`.',
      'Remove `after` and `before` to exclude the whole attempt.',
    );
  }
  if (typeof breakdown?.attribution === 'number') {
    throw refusal(
      'unordered-attribution',
      'With `order: unordered`, several events can match a step, so the breakdown cannot use the value of a step.',
      'Use `attribution: first` or `attribution: last`.',
    );
  }
}

function refusal(code: SluiceErrorCode, message: string, hint: string): InvalidInputError {
  return new InvalidInputError(message, [], { code, hint });
}

/** Problems of a valid funnel that the engine cannot follow. Issue paths point into its file. */
export function checkFunnelProgram(funnel: Funnel): readonly Issue[] {
  try {
    toFunnelProgram(funnel);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    return [errorIssue(error.code, error.message, { path: ['sluice', 'order'], hint: error.hint })];
  }
}

/** The distinct conditions, and for each given condition its index among them. */
export function distinctConditions(given: readonly EventCondition[]): {
  readonly all: readonly EventCondition[];
  readonly conditions: readonly number[];
} {
  const distinct = new Map<string, { readonly index: number; readonly condition: EventCondition }>();
  const conditions = given.map((condition) => {
    const key = keyOf(condition);
    const known = distinct.get(key) ?? { index: distinct.size, condition };
    distinct.set(key, known);
    return known.index;
  });
  return { all: [...distinct.values()].map(({ condition }) => condition), conditions };
}

function keyOf({ paths, also }: EventCondition): string {
  return JSON.stringify([paths && [...new Set(paths)].sort(), textOf(also)]);
}

/** Equal for equal expressions. */
export function textOf(expression: Expression): string {
  const { text, parameters } = printStatement(expression, duckDb);
  return JSON.stringify([text, parameters.map(({ type, value }) => [type, String(value)])]);
}

/** Whether an event has all values that the program holds. */
export function holds({ hold }: Pick<FunnelProgram, 'hold'>): Expression {
  return allOf(hold.map((value) => sql`${value} IS NOT NULL`));
}

/** Conditions for all events that the funnel reads. */
export function ofRange(
  { looksAt }: FunnelProgram,
  { from, to }: Pick<LookedAt, 'from' | 'to'>,
): readonly Expression[] {
  return [
    ...(from === undefined ? [] : [sql`utc_time >= ${boundInstant(from)}`]),
    ...(to === undefined ? [] : [sql`utc_time < ${boundInstant(to)}`]),
    ...(looksAt ? [looksAt] : []),
  ];
}

/** Epoch milliseconds, `to` exclusive. */
interface LookedAt {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly entriesBefore: number;
}

/** `byEntry`: the range is that of first steps only. Later steps are read to the end of their windows. */
interface AskedRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly byEntry?: boolean | undefined;
}

/** The latest instant of a JavaScript date. */
const lastInstant = 8.64e15;

/** The range of events to read, and the limit before which attempts start. */
export function toRange(
  { window }: Pick<FunnelProgram, 'window'>,
  { from, to, byEntry = false }: AskedRange,
): LookedAt {
  if (to === undefined || !byEntry) return { from, to, entriesBefore: Infinity };
  const end = to + window * 1000;
  return { from, to: end > lastInstant ? undefined : end, entriesBefore: to };
}
