import { countSessionless, type SessionlessEvents, toSessionless } from '../../../sessionless-events.ts';
import type { Engine } from '../../engine/engine.ts';
import type { EventSource } from './event-source.ts';
import { eventsRelation } from './events-relation.ts';
import type { FactKeeper } from './find-fact.ts';
import { isMuch, lookThrough } from './look-through.ts';

const columns: ReadonlySet<string> = new Set(['utc_time', 'project_id', 'session_id', 'user_id', 'user_anonymous_id']);

/** Counts the events of files in no session; undefined if they are too many to look through. `files`: as given. */
export function openSessionlessFinder(engine: Engine, files: readonly string[], keeper: FactKeeper | undefined) {
  return lookThrough(async (sources: readonly EventSource[]): Promise<SessionlessEvents | undefined> => {
    if (await isMuch(sources)) return undefined;
    const relation = `(${eventsRelation(sources, undefined, columns)})`;
    const find = async () => JSON.stringify([...toSessionless(await engine.rows(countSessionless(relation)))]);
    return new Map(JSON.parse(await (keeper ? keeper.keep('events in no session', files, find) : find())));
  });
}
