import { offsetAt, transitions } from '../../ask/time/zone.ts';
import { asksTimesOfDay, type ExpectedFact, factsRead, tellLacking } from '../events/expected-facts.ts';
import { withEvents } from './question.ts';
import type { ServerSession } from './server-session.ts';

/**
 * Notes on facts that a question needs and that no event has, as the embedded engine gives them. `asked`: the question
 * in that engine's SQL. `zone`: its time zone, because the table does not record the zone of dates without times.
 */
export async function lackingFacts(
  session: ServerSession,
  { asked, zone }: { readonly asked: string; readonly zone: string },
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const { connection, events } = session;
  const facts = factsRead(asked);
  if (facts.length === 0 && !asksTimesOfDay(asked)) return [];
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
  return tellLacking(asked, { lacking, files: 0, isDated: () => false, holds, isTimed: isTimed(zone) });
}

const day = 86_400_000;

/**
 * Condition: the event's time is not midnight, neither in UTC nor in the zone. It uses numeric offsets, because the
 * server's zone tables may differ.
 */
function isTimed(zone: string): string {
  const [from, to] = [Date.UTC(2000, 0, 1), Date.UTC(2100, 0, 1)];
  const offsets = [0, offsetAt(zone, from), ...transitions(zone, from, to).map(({ offset }) => offset)];
  const midnights = [...new Set(offsets.map((offset) => ((day - offset) % day) * 1000))];
  return `positiveModulo(toUnixTimestamp64Micro(utc_time), toInt64(${day}000)) NOT IN (${midnights.join(', ')})`;
}

/** Facts that some event has. Later events cannot change this. */
const found = new WeakMap<ServerSession, Set<string>>();
