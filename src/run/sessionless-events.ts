import { plural } from '../ask/text.ts';
import type { Plan } from '../plan/plan.ts';
import { groupedDigits } from '../plan/model/property-members.ts';

/** How many events of each project are in no session, whatever their time. */
export type SessionlessEvents = ReadonlyMap<string | null, number>;

/** SQL, for any engine: an event has neither a session ID nor a user, so that it is in no session. */
export const isSessionless = ['session_id', 'user_id', 'user_anonymous_id']
  .map((column) => `coalesce(${column}, '') = ''`)
  .join(' AND ');

/** A statement over a relation of events, whose rows `toSessionless` reads. */
export function countSessionless(events: string): string {
  return `SELECT project_id, count(*) FROM ${events} WHERE ${isSessionless} GROUP BY project_id`;
}

export function toSessionless(rows: readonly (readonly unknown[])[]): SessionlessEvents {
  return new Map(rows.map(([project, events]) => [project === null ? null : String(project), Number(events)]));
}

/** A sentence for answers about sessions. It does not depend on the range: counting its events would take longer. */
export function tellSessionless(
  { root, project }: Pick<Plan, 'root' | 'project'>,
  sessionless: SessionlessEvents | undefined,
): readonly string[] {
  if (root.source.kind !== 'sessions' || !sessionless) return [];
  const own = [...sessionless].filter(([of]) => project === undefined || of === project);
  const events = own.reduce((sum, [, some]) => sum + some, 0);
  if (events === 0) return [];
  return [
    `Of all events, whatever their time, ${groupedDigits(events)} ${plural(events, 'has', 'have')}` +
      ` neither a session ID nor a user, and ${plural(events, 'is', 'are')} in no session.`,
  ];
}
