import { columnOrder } from '../../../plan/column-order.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { toDuckDbValue } from '../../../plan/sql/duckdb.ts';
import type { Statement } from '../../../plan/sql/statement.ts';
import { joinChecks } from '../../../plan/sql/join-check.ts';
import { toStatement, toTotalStatement } from '../../../plan/sql/to-statement.ts';
import type { BoundStatement } from '../engine/run-statement.ts';
import { eventsReach } from '../../events/events-reach.ts';
import type { EngineQuestion } from './answer.ts';
import { cohortTables } from '../../analysis/cohort-tables.ts';

/** The engine's question for a plan. */
export function toQuestion(plan: Plan, dialect: Dialect): EngineQuestion {
  const tables = cohortTables(plan, dialect);
  const statement = toStatement(plan, dialect, tables);
  return {
    statement: toBound(statement, plan),
    uncounted: statement.uncounted.map(({ what }) => what),
    total: plan.total
      ? { ...toBound(toTotalStatement(plan, dialect, tables), plan), columns: [], counters: 1 }
      : undefined,
    ...(plan.root.source.kind === 'sessions' && { sessions: plan }),
    reach: eventsReach(plan, () => statement.text),
    ranged: plan.times.some(({ range }) => range !== undefined),
    timed: plan.times.length > 0,
    joins: joinChecks(plan, dialect),
  };
}

function toBound(statement: Statement, plan: Plan): BoundStatement {
  return {
    text: statement.text,
    parameters: statement.parameters.map(toDuckDbValue),
    columns: plan.columns,
    shown: columnOrder(plan.columns, plan.query.columns),
    counters: statement.uncounted.length,
    zone: plan.zone,
    light:
      plan.ungrouped &&
      plan.joins.length === 0 &&
      (plan.root.source.kind === 'events' || plan.root.source.kind === 'table'),
  };
}
