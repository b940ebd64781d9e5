import {
  type ExpectedFact,
  factsRead,
  lackPageViews,
  noPageViews,
  tellLacking,
} from '../duckdb/reading/recognise-fields.ts';
import { withEvents } from './question.ts';
import type { ServerSession } from './server-session.ts';

/**
 * Sentences on what a question asks about and no event has, as the embedded engine tells them. `asked`: the question in
 * that engine's SQL, whose words tell what it reads.
 */
export async function lackingFacts(
  session: ServerSession,
  asked: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const { connection, events } = session;
  const facts = factsRead(asked, undefined);
  if (facts.length === 0) return [];
  const relation = await events();
  const some = async (condition: string) => {
    const known = found.get(session) ?? new Set();
    found.set(session, known);
    if (known.has(condition)) return true;
    const { text } = withEvents(
      { text: `SELECT 1 FROM "events" WHERE ${condition} LIMIT 1`, parameters: [] },
      relation,
    );
    const isFound = (await connection.rows(text, [], signal)).length > 0;
    if (isFound) known.add(condition);
    return isFound;
  };
  if (!(await some('true'))) return [];
  const lacking = [];
  const holds = async (fact: ExpectedFact) => {
    const filled = (fact.from ?? fact.columns).map((column) => `ifNull(toString(${column}), '') <> ''`).join(' OR ');
    return (await some(filled)) && (fact.holds === undefined || (await some(fact.holds)));
  };
  for (const fact of facts) if (!(await holds(fact))) lacking.push({ ...fact, files: [] });
  return [...tellLacking(lacking, 0), ...((await lackPageViews(asked, holds)) ? [noPageViews] : [])];
}

/** What some event was found to tell: others that come do not change that. */
const found = new WeakMap<ServerSession, Set<string>>();
