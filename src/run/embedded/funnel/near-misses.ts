import type { Plan } from '../../../plan/plan.ts';
import { duckDb, toDuckDbValue } from '../../../plan/sql/duckdb.ts';
import { bound, joined, sql, trusted } from '../../../plan/sql/expression.ts';
import { printStatement } from '../../../plan/sql/print-statement.ts';
import type { NearMiss } from '../../followed-funnel.ts';
import { steadily, type Session } from '../answer.ts';

/** So many are told of each step. */
const mostOfStep = 3;

/**
 * For steps that nobody reached, and whose targets occur nowhere: paths that differ from them by case or a slash at the
 * end alone. Errors: as `answerFunnel`.
 */
export async function findNearMisses(session: Session, { funnel, zone }: Plan, reached: readonly number[], signal: AbortSignal | undefined): Promise<readonly NearMiss[]> {
  const wanted = (funnel?.funnel.steps ?? []).flatMap(({ targets }, step) => (reached[step] === 0 ? targets.filter(({ isPattern }) => !isPattern).map(({ path }) => ({ step, target: path })) : []));
  if (wanted.length === 0) return [];
  const loose = [...new Set(wanted.map(({ target }) => loosened(target)))];
  const { text, parameters } = printStatement(sql`SELECT doc_path, count(*) AS events FROM "events"
    WHERE coalesce(nullif(rtrim(lower(doc_path), '/'), ''), '/') IN (${joined(loose.map((value) => bound({ type: 'text', value })), ', ')})
    GROUP BY doc_path ORDER BY events DESC, doc_path LIMIT ${trusted('1000')}`, duckDb);
  const statement = { text, parameters: parameters.map(toDuckDbValue), columns: [], counters: 0, zone };
  const rows = await steadily(session, statement, (engine) => engine.rows(statement.text, statement.parameters), signal);
  const found = rows.map(([path, events]) => ({ path: String(path), events: Number(events) }));
  return wanted.flatMap(({ step, target }) => {
    if (found.some(({ path }) => path === target)) return [];
    return found.filter(({ path }) => loosened(path) === loosened(target)).slice(0, mostOfStep).map((near) => ({ step, target, ...near }));
  });
}

function loosened(path: string): string {
  return path.toLowerCase().replace(/\/+$/, '') || '/';
}
