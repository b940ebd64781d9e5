import type { Query } from '../../src/ask/query/query.ts';
import type { BindContext } from '../../src/plan/bind/bind-context.ts';
import { bind } from '../../src/plan/bind/bind.ts';
import type { Model } from '../../src/plan/model/model.ts';
import { readModel } from '../../src/plan/model/read/read-model.ts';
import type { TemplateValues } from '../../src/plan/model/context-call.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { duckDb } from '../../src/plan/sql/duckdb.ts';
import { toStatement, toTotalStatement } from '../../src/plan/sql/to-statement.ts';
import type { Row, TestEngine } from './engine.ts';

/** Wednesday. */
export const now = Date.parse('2024-03-13T15:30:00.000Z');

export const context: BindContext = { now, limits: 'local' };

export function modelOf(yaml: string, values?: TemplateValues): Model {
  const outcome = readModel([{ file: 'model.yaml', text: yaml }], values);
  if (!outcome.ok)
    throw new Error(outcome.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'));
  return outcome.value;
}

/** The plans of a query, which must bind. */
export function plansOf(query: Query, model: Model, changes: Partial<BindContext> = {}): readonly Plan[] {
  const outcome = bind(query, model, { ...context, ...changes });
  if (!outcome.ok)
    throw new Error(outcome.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'));
  return outcome.value;
}

export function planOf(query: Query, model: Model, changes: Partial<BindContext> = {}): Plan {
  const [plan, ...more] = plansOf(query, model, changes);
  if (!plan || more.length > 0) throw new Error(`${more.length + 1} plans`);
  return plan;
}

export function statementOf(query: Query, model: Model, changes: Partial<BindContext> = {}) {
  return toStatement(planOf(query, model, changes), duckDb);
}

export function ask(
  engine: TestEngine,
  query: Query,
  model: Model,
  changes: Partial<BindContext> = {},
): Promise<readonly Row[]> {
  return engine.run(statementOf(query, model, changes));
}

export async function askTotal(engine: TestEngine, query: Query, model: Model): Promise<number> {
  const [row] = await engine.run(toTotalStatement(planOf(query, model), duckDb));
  return Number(row?.total);
}
