import { toNormalizedQuery } from '../../shape/envelope/envelope-query.ts';
import type { BoundLoad } from '../answer/read-load.ts';
import type { Session } from '../session.ts';

/** What Cube's `/sql` answers: the statement of each query with its parameters, and which column is which member. */
export async function toSqlResponse({ plans, queryType }: BoundLoad, session: Session, signal: AbortSignal): Promise<object> {
  const answers: object[] = [];
  for (const plan of plans) {
    const { statement, parameters } = await session.explain(plan, { signal });
    answers.push({
      sql: {
        status: 'ok',
        sql: [statement, parameters.map((parameter) => (typeof parameter === 'bigint' ? String(parameter) : parameter))],
        query: toNormalizedQuery(plan),
        order: plan.order.map(({ column, descending }) => ({ id: plan.columns[column]?.key, desc: descending })),
        aliasNameToMember: Object.fromEntries(plan.columns.map(({ key, member }) => [key, member])),
        dataSource: 'default',
        external: false,
      },
    });
  }
  return queryType === 'regularQuery' && answers.length === 1 ? (answers[0] as object) : answers;
}
