import type { Engine } from '../engine/engine.ts';
import type { EventSource } from './event-source.ts';
import { eventsRelation } from './events-relation.ts';
import type { FactKeeper } from './find-fact.ts';
import { isMuch, lookThrough } from './look-through.ts';

/** The latest time of a relation of events, in epoch milliseconds; undefined if it has none. */
export async function latestOf(engine: Engine, relation: string): Promise<number | undefined> {
  const [row] = await engine.rows(`SELECT epoch_ms(max(utc_time)) FROM ${relation} WHERE isfinite(utc_time)`);
  const latest = row?.[0] ?? undefined;
  return latest === undefined ? undefined : Number(latest);
}

/**
 * The latest time of the events of files, in epoch milliseconds; undefined if there are none, or too many to look
 * through. `files`: as they were given. The statistics of Parquet files tell theirs without this.
 */
export function openLatestFinder(engine: Engine, files: readonly string[], keeper: FactKeeper | undefined) {
  return lookThrough(async (sources: readonly EventSource[]): Promise<number | undefined> => {
    if (await isMuch(sources)) return undefined;
    const find = async () =>
      String((await latestOf(engine, `(${eventsRelation(sources, undefined, new Set(['utc_time']))})`)) ?? '');
    const found = keeper ? await keeper.keep('latest event', files, find) : await find();
    return found === '' ? undefined : Number(found);
  });
}
