import { BackendError } from '../../ask/sluice-error.ts';
import type { Column } from '../../plan/column.ts';
import type { Plan } from '../../plan/plan.ts';
import { withClickHouseFunctions } from '../../plan/sql/clickhouse/functions.ts';
import type { Dialect } from '../../plan/sql/dialect.ts';
import type { Statement } from '../../plan/sql/statement.ts';
import { toStatement, toTotalStatement } from '../../plan/sql/to-statement.ts';
import type { ServerStatement } from './connection.ts';

/** A plan as what the server is asked. */
export interface ServerQuestion {
  readonly statement: ServerStatement;
  readonly columns: readonly Column[];
  readonly zone: string;
  readonly uncounted: readonly string[];
  /** Gives the number of all rows. */
  readonly total: ServerStatement | undefined;
}

/** `events`: SQL of the events, whose columns are the canonical ones. */
export function toServerQuestion(plan: Plan, dialect: Dialect, events: string): ServerQuestion {
  const statement = toStatement(plan, dialect);
  return {
    statement: withEvents(statement, events),
    columns: plan.columns,
    zone: plan.zone,
    uncounted: statement.uncounted.map(({ what }) => what),
    total: plan.total ? withEvents(toTotalStatement(plan, dialect), events) : undefined,
  };
}

export function withEvents(
  { text, parameters }: Pick<Statement, 'text' | 'parameters'>,
  events: string,
): ServerStatement {
  return { text: withClickHouseFunctions(text, events), parameters };
}

export function notComputed(analysis: string): BackendError {
  return notOnServer(`The analysis ${analysis} cannot be computed on ClickHouse yet.`);
}

function notOnServer(message: string): BackendError {
  return new BackendError(message, {
    code: 'not-on-clickhouse',
    hint: 'Ask the same events with the embedded engine: `--backend embedded`.',
  });
}

/** Error: `not-on-clickhouse` for what would be answered wrongly, or not at all. */
export function demandSupported(plan: Plan): void {
  const refuse = (what: string): never => {
    throw notOnServer(`${what} cannot be asked of ClickHouse yet.`);
  };
  if (plan.computed && plan.computed.analysis !== 'funnel') throw notComputed(plan.computed.analysis);
  if (plan.cohorts?.length) refuse('Cohorts');
  const dimensions = plan.dimensions.map(({ dimension }) => dimension);
  const filtered = plan.rowConditions.flatMap(dimensionsOf);
  for (const { expression, name } of [...dimensions, ...filtered]) {
    if (expression.kind === 'touch') refuse(`Attributed dimensions, such as ${name},`);
    if (expression.kind === 'sql' && name.startsWith('props.')) refuse(`Properties, such as ${name},`);
  }
}

function dimensionsOf(condition: Plan['rowConditions'][number]): readonly Plan['dimensions'][number]['dimension'][] {
  if (condition.kind !== 'test') return condition.conditions.flatMap(dimensionsOf);
  return condition.operand.kind === 'dimension' ? [condition.operand.dimension] : [];
}
