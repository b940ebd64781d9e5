import { plural } from '../../../ask/text.ts';
import type { FactKeeper } from './find-fact.ts';
import type { Engine } from '../engine/engine.ts';
import type { EventSource } from './event-source.ts';
import { eventsRelation } from './events-relation.ts';
import { isMuch, lookThrough, mostLookedAt } from './look-through.ts';
import { namesIn, recogniseFields } from './recognise-fields.ts';

/**
 * Sentences on events of files that have the ID of another event, as the store keeps each ID once: an ID is one within
 * its project. Nothing is read where no file has IDs, nor twice of the same files. `files`: as they were given.
 */
export function openRepeatFinder(engine: Engine, files: readonly string[], keeper: FactKeeper | undefined) {
  return lookThrough((sources) => find(engine, sources, files, keeper));
}

async function find(
  engine: Engine,
  sources: readonly EventSource[],
  files: readonly string[],
  keeper: FactKeeper | undefined,
): Promise<readonly string[]> {
  const withIds: EventSource[] = [];
  for (const source of sources) if (await hasIds(source)) withIds.push(source);
  if (withIds.length === 0) return [];
  if (await isMuch(withIds))
    return [
      'Files of this size are not checked for events with the same ID. The store keeps each ID once: load them with `sluice ingest`.',
    ];
  const count = async () => {
    const relation = eventsRelation(withIds, undefined, new Set(['utc_time', 'event_id', 'project_id']));
    const rows = `(${relation}) AS events_read WHERE event_id <> ''`;
    // Different hashes are of different IDs. Comparing hashes takes half the time, and most files repeat none.
    const [hashed] = await engine.rows(
      `SELECT count(*) = count(DISTINCT hash(coalesce(project_id, ''), event_id)) FROM ${rows}`,
    );
    if (hashed![0] === true) return '0';
    const [row] = await engine.rows(
      `SELECT coalesce(sum(n - 1), 0) FROM (SELECT count(*) AS n FROM ${rows} GROUP BY coalesce(project_id, ''), event_id)`,
    );
    return String(row![0]);
  };
  const repeated = Number(keeper ? await keeper.keep('repeated events', files, count) : await count());
  if (repeated === 0) return [];
  return [
    `${repeated} ${plural(repeated, 'event repeats', 'events repeat')} the ID of another one and ${plural(repeated, 'is', 'are')} counted. Load the files with \`sluice ingest\`, which keeps each ID once. If IDs are not unique, set \`eventId: {value: null}\` under \`columns:\`.`,
  ];
}

async function hasIds(source: EventSource): Promise<boolean> {
  if (source.kind === 'cleaned') return true;
  const [first, ...others] = source.paths;
  for (const path of [first!, ...others.slice(0, source.kind === 'json' ? mostLookedAt : 0)]) {
    const { recognised } = recogniseFields(await namesIn(source, path, { head: 1 << 16 }), source);
    if (recognised.some(({ column }) => column === 'event_id')) return true;
  }
  return false;
}
