import type { EventMatch, Funnel } from '../../../ask/funnel/funnel.ts';
import { InvalidInputError } from '../../../ask/sluice-error.ts';
import { userKeyColumn } from '../../../plan/model/event-fields.ts';
import { allOf, bound, type Expression, name, sql, trusted } from '../../../plan/sql/expression.ts';
import type { EventCondition, FunnelProgram } from './funnel-program.ts';
import { pathCondition } from './step-matcher.ts';

/** The column that `withSessions` adds to the events; null where an event has neither session nor user. */
const sessionKeyColumn = 'funnel_session';

/**
 * All events with the key of their session: the tracker's where an event has one, else one user's events with at most
 * 30:00 minutes between neighbours, over all history: as sessions are in the cube `Sessions`.
 */
function withSessions(project: string | undefined): Expression {
  const ofProject = project === undefined ? trusted('') : sql` WHERE project_id = ${bound({ type: 'text', value: project })}`;
  const key = trusted(`coalesce(length(project_id) || ':' || project_id || '/', '')`);
  const tracked = sql`SELECT *, ${key} || 'tracked:' || session_id AS ${trusted(sessionKeyColumn)} FROM "events"${ofProject}`;
  const owner = trusted('PARTITION BY project_id, user_key ORDER BY utc_time');
  return sql`(SELECT * FROM (${tracked}) AS tracked WHERE session_id <> ''
    UNION ALL BY NAME
    SELECT * EXCLUDE (goes_on, number), CASE WHEN user_key IS NOT NULL THEN ${key} || 'derived:' || number || ':' || user_key END AS ${trusted(sessionKeyColumn)}
    FROM (SELECT *, count(*) FILTER (WHERE goes_on IS NOT TRUE) OVER (${owner} RANGE UNBOUNDED PRECEDING) AS number
      FROM (SELECT *, utc_time - lag(utc_time) OVER (${owner}) <= INTERVAL 30 MINUTE AS goes_on
        FROM (SELECT * FROM "events"${ofProject}) AS visible WHERE coalesce(session_id, '') = '') AS gapped) AS numbered)`;
}

/** What the filters and the dimension of a funnel are in SQL over the relation `events`. Lists are in the funnel's own order. */
export interface LoweredFilters {
  readonly all?: Expression | undefined;
  readonly steps?: readonly (Expression | undefined)[] | undefined;
  readonly exclude?: readonly (Expression | undefined)[] | undefined;
  readonly breakdown?: Expression | undefined;
}

/**
 * A funnel for the embedded engine. Errors: `InvalidInputError` with the codes `unordered-within`, `unordered-stretch`,
 * `unordered-attribution`: what needs steps that follow each other, where any order will do.
 */
export function toFunnelProgram(funnel: Funnel, filters: LoweredFilters = {}, project?: string): FunnelProgram {
  if (funnel.order === 'unordered') demandNoOrder(funnel);
  const source = funnel.by === 'session' ? withSessions(project) : name('events');
  const looksAt = [...(project === undefined ? [] : [sql`project_id = ${bound({ type: 'text', value: project })}`]), ...present(filters.all)];
  return {
    order: funnel.order,
    window: funnel.secondsToConvert,
    steps: funnel.steps.map((step, index) => ({ ...toCondition(step, filters.steps?.[index]), within: step.within })),
    exclusions: funnel.exclude.map((one, index) => ({ ...toCondition(one, filters.exclude?.[index]), from: one.from, to: one.to })),
    source,
    follow: name(funnel.by === 'session' ? sessionKeyColumn : userKeyColumn),
    looksAt: looksAt.length === 0 ? undefined : allOf(looksAt),
    breakdown: funnel.breakdown && filters.breakdown && { value: filters.breakdown, attribution: funnel.breakdown.attribution },
  };
}

function toCondition(match: EventMatch, filter: Expression | undefined): EventCondition {
  const event = match.event === undefined ? [] : [sql`event_type = ${bound({ type: 'text', value: match.event })}`];
  const literal = match.targets.length > 0 && match.targets.every(({ isPattern }) => !isPattern);
  const path = literal || match.targets.length === 0 ? [] : [pathCondition(name('doc_path'), match.targets)];
  return { paths: literal ? match.targets.map((target) => target.path) : undefined, also: allOf([...event, ...path, ...present(filter)]) };
}

function present(expression: Expression | undefined): readonly Expression[] {
  return expression ? [expression] : [];
}

function demandNoOrder({ steps, exclude, breakdown }: Funnel): void {
  const timed = steps.find((step) => step.within !== undefined);
  if (timed) {
    throw refusal('unordered-within', `The step "${timed.name}" has a time since the step before, but with \`order: unordered\` none comes before.`, 'Take `within` out, or choose another order.');
  }
  if (exclude.some(({ from, to }) => from !== 0 || to !== steps.length - 1)) {
    throw refusal('unordered-stretch', 'What spoils an attempt between two steps has no place with `order: unordered`: no step comes before another.', 'Take `after` and `before` out: it then spoils the whole attempt.');
  }
  if (typeof breakdown?.attribution === 'number') {
    throw refusal('unordered-attribution', "With `order: unordered` several events may stand for a step, so that none of them can give the breakdown's value.", 'Write `attribution: first` or `attribution: last`.');
  }
}

function refusal(code: string, message: string, hint: string): InvalidInputError {
  return new InvalidInputError(message, [], { code, hint });
}
