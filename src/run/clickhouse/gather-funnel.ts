import { BackendError } from '../../ask/sluice-error.ts';
import { funnelOf } from '../../plan/analysis/funnel/bind-funnel.ts';
import { askedDates } from '../../plan/computed/asked-dates.ts';
import type { Plan } from '../../plan/plan.ts';
import { clickHouse } from '../../plan/sql/clickhouse/dialect.ts';
import { eventsWithSessions } from '../../plan/sql/clickhouse/sources.ts';
import { allOf, anyOf, boundText, type Expression, joined, sql, trusted } from '../../plan/sql/expression.ts';
import { printStatement, withTables } from '../../plan/sql/print-statement.ts';
import { distinctConditions, holds, ofRange, toRange, type FunnelProgram } from '../analysis/funnel/funnel-program.ts';
import { planToProgram } from '../analysis/funnel/funnel-plan.ts';
import { type EventKinds, openEventKinds } from '../analysis/funnel/user-events.ts';
import { toRules } from '../analysis/funnel/walk-users.ts';
import type { FollowFunnelOptions } from '../followed-funnel.ts';
import type { ServerStatement } from './connection.ts';
import { withEvents } from './question.ts';
import { canBeTied, walkExpression } from './walk/walk-in-arrays.ts';
import type { ServerSession } from './server-session.ts';

/** Maximum number of conditions, each a bit of one integer. */
const mostConditions = 52;

export type Options = Omit<FollowFunnelOptions, 'bucketOf'> & {
  readonly keys?: boolean;
  /** Epoch milliseconds; defaults to the plan's dates. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
};

/** The statements and rules for following a funnel on the server. */
export interface Gathering {
  readonly program: FunnelProgram;
  readonly codes: { readonly kinds: EventKinds; readonly conditions: readonly number[] };
  /** One row for each user who starts: see `walkExpression`. */
  readonly walk: Expression;
  /**
   * The `tied` walk over the users who are hard in `walk`, which takes longer; undefined if there are too many steps.
   */
  readonly tiedWalk: Expression | undefined;
  /** One row for each relevant event of users who are hard in both walks, ordered by user and time. */
  readonly hardEvents: ServerStatement;
  /** The number of events without a user. */
  readonly nobody: ServerStatement;
  /** The number of users' events that lack a held value; undefined if there are no held values. */
  readonly unheld: ServerStatement | undefined;
  readonly entriesBefore: number;
  print(expression: Expression): ServerStatement;
}

/** Limits the memory for arrays, and permits one nested query for each step. Both settings help but are optional. */
const walkSettings = { max_block_size: 8192, max_subquery_depth: 1000 } as const;

/**
 * Both walks in one statement nest more deeply than the 1,000 levels that a server parses by default. With more steps
 * than the tied walk has, the default refuses what a server would plan for minutes.
 */
const tiedSettings = { ...walkSettings, max_parser_depth: 10_000 } as const;

/**
 * The server selects the events that can be steps or exclusions, and follows each user in arrays. Its `windowFunnel`
 * has other rules for simultaneous events, for events that match several steps, and for exclusions.
 */
export async function gather(
  { connection, events: eventsThere }: ServerSession,
  plan: Plan,
  { byEntry = false, ...dates }: Options,
): Promise<Gathering> {
  const events = await eventsThere();
  const mayChange = (await connection.facts()).readonly !== 1;
  const planned = planToProgram(plan, clickHouse);
  const isBySession = funnelOf(plan)?.definition.by === 'session';
  const program = isBySession ? { ...planned, source: eventsWithSessions(plan.project) } : planned;
  const { all, conditions } = distinctConditions([...program.steps, ...program.exclusions]);
  if (all.length > mostConditions)
    throw new BackendError(`A funnel on ClickHouse can have ${mostConditions} different steps and exclusions.`, {
      code: 'not-on-clickhouse',
      hint: 'Ask the same events with the embedded engine: `--backend embedded`.',
    });
  const codes = { kinds: openEventKinds(all.length), conditions };
  const isHeld = program.hold.length > 0;
  const range = toRange(program, { ...askedDates(plan), ...dates, byEntry });
  const tests = all.map(({ paths, also }) =>
    paths
      ? allOf([
          also,
          sql`doc_path IN (${joined(
            paths.map((path) => boundText(path)),
            ', ',
          )})`,
        ])
      : also,
  );
  const matters = sql`(${anyOf(tests)})`;
  const looked = [
    ...ofRange(program, range),
    ...(program.order === 'strict' ? [] : [matters]),
    ...(isHeld ? [holds(program)] : []),
  ];
  const met = joined(
    tests.map((test, index) => sql`if(ifNull(${test}, false), toUInt64(${trusted(String(2 ** index))}), toUInt64(0))`),
    ' + ',
  );
  const value = program.breakdown ? sql`, ${program.breakdown.value} AS step_value` : trusted('');
  // The text of a tuple quotes the values, so different tuples have different texts.
  const held = isHeld ? sql`, toString(tuple(${joined(program.hold, ', ')})) AS held` : trusted('');
  const rules = toRules(program, codes);
  const settings = canBeTied(rules) ? tiedSettings : walkSettings;
  const print = (expression: Expression) => ({
    ...withEvents(printStatement(withTables(program.tables ?? [], expression), clickHouse), events),
    settings: mayChange ? settings : undefined,
  });
  const selected = (further: readonly Expression[]) =>
    sql`SELECT assumeNotNull(${program.follow}) AS who, toUnixTimestamp64Micro(assumeNotNull(utc_time)) AS ticks,
      ${met} AS met${held}${value} FROM ${program.source} AS looked_at
      WHERE ${allOf([...looked, sql`${program.follow} IS NOT NULL`, ...further])}`;
  const followed = {
    rules,
    isHeld,
    attribution: program.breakdown?.attribution,
    entriesBefore: range.entriesBefore * 1000,
  };
  const walk = walkExpression({ ...followed, events: selected([]) });
  const ofHard = (of: Expression) => selected([sql`${program.follow} IN (SELECT who FROM (${of}) WHERE hard)`]);
  const tiedWalk = canBeTied(rules) ? walkExpression({ ...followed, events: ofHard(walk), tied: true }) : undefined;
  return {
    program,
    codes,
    walk,
    tiedWalk,
    hardEvents: print(sql`${ofHard(tiedWalk ?? walk)} ORDER BY who, ${trusted(isHeld ? 'held, ' : '')}ticks`),
    nobody: print(
      sql`SELECT count() FROM ${program.source} AS looked_at WHERE ${allOf([...looked, sql`${program.follow} IS NULL`])}`,
    ),
    unheld: isHeld
      ? print(
          sql`SELECT count() FROM ${program.source} AS looked_at
            WHERE ${allOf([...ofRange(program, range), matters, sql`${program.follow} IS NOT NULL AND NOT (${holds(program)})`])}`,
        )
      : undefined,
    entriesBefore: range.entriesBefore,
    print,
  };
}

/** Counts the events that no user's figures include. */
export async function countLeftOut(
  { connection }: ServerSession,
  { nobody, unheld }: Gathering,
  signal: AbortSignal | undefined,
): Promise<{ readonly withoutUser: number; readonly unheld: number }> {
  const count = async ({ text, parameters }: ServerStatement) =>
    Number((await connection.rows(text, parameters, signal))[0]?.[0] ?? 0);
  const [withoutUser, without = 0] = await Promise.all([count(nobody), unheld && count(unheld)]);
  return { withoutUser, unheld: without };
}

/** Epoch milliseconds of a time, rounded down. */
export const entryOf = 'intDiv(chain[1] - positiveModulo(chain[1], 1000), 1000)';
