import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { writeUtc } from '../../ask/time/local-time.ts';
import { askedRanges } from '../../plan/asked-ranges.ts';
import type { Model } from '../../plan/model/model.ts';
import type { Plan } from '../../plan/plan.ts';
import { type SyncedCube, toSyncedCube } from '../../plan/platform/synced-cube.ts';
import { syncedCubes } from '../../plan/platform/synced-cubes.ts';
import { quoteText } from '../../run/duckdb/engine/sql-text.ts';
import { listRecordFiles } from '../../run/platform/sync/record-file.ts';
import { overlapMs, readSyncState, readTime } from '../../run/platform/sync/sync-state.ts';

/** The file of a synced list. Its name is hashed, so that it does not reveal the platform or the project. */
export function syncFile(synced: string, { folder }: SyncedCube, url: string, scope: string): string {
  const name = createHash('sha256').update(`${url}\n${scope}`).digest('hex').slice(0, 16);
  return path.join(synced, folder, `${name}.ndjson`);
}

/** Adds the synced cubes that have files. Existing cubes of the same name are kept. */
export async function withSyncedCubes(model: Model, synced: string): Promise<Model> {
  const taken = new Set(model.cubes.map(({ name }) => name));
  const folders = new Set(await readdir(synced).catch(() => []));
  const cubes = syncedCubes
    .filter(({ name, folder }) => folders.has(folder) && !taken.has(name))
    .map((cube) => {
      const folder = path.join(synced, cube.folder).replaceAll(/[*?[]/g, '[$&]');
      return toSyncedCube(cube, quoteText(path.join(folder, '*.ndjson')));
    });
  return cubes.length === 0 ? model : { ...model, cubes: [...model.cubes, ...cubes] };
}

/** Describes what an answer over synced rows lacks: rows after the last sync, or before its first day. */
export async function describeSynced(synced: string, plan: Plan): Promise<readonly string[]> {
  const { name } = plan.root;
  const cube = syncedCubes.find((each) => each.name === name);
  if (!cube) return [];
  const states = await Promise.all((await listRecordFiles(path.join(synced, cube.folder))).map(readSyncState));
  const ranges = askedRanges(plan);
  const start = Math.min(...ranges.map((range) => range.start));
  const end = Math.min(plan.now, Math.max(-Infinity, ...ranges.map((range) => range.end)));
  const needed = ranges.length === 0 ? plan.now : end;
  const untils = states.map((state) => (state?.until ? readTime(state.until) : undefined));
  const isUnfinished = states.some((state) => !state?.until || state.resume !== null);
  const until = Math.min(...untils.map((each) => each ?? Infinity));
  const since = Math.max(...states.map((state) => (state?.since ? readTime(state.since) : -Infinity)));
  // Older rows were only read in full syncs.
  const again = until - overlapMs;
  const whole = Math.min(...states.map((state) => (state?.whole === undefined ? Infinity : readTime(state.whole))));
  const isStale = whole < until && since < again && (ranges.length === 0 || start < again);
  const day = (instant: number) => writeUtc(instant).slice(0, 10);
  return [
    ...(isUnfinished
      ? [`The last sync of ${name} was not finished, and rows may be missing. Run \`sluice sync ${name}\`.`]
      : []),
    ...(until < needed ? [`${name} is as of the sync at ${writeUtc(until).slice(0, 16)} UTC.`] : []),
    ...(since > (ranges.length === 0 ? -Infinity : start)
      ? [`${name} was synced from ${day(since)} on. For more, run \`sluice sync ${name} --since DATE\`.`]
      : []),
    ...(isStale
      ? [
          `${name} before ${day(again)} are as of ${day(whole)}: what was pushed later is not included. ` +
            `To read them again, run \`sluice sync ${name} --since ${day(since)}\`.`,
        ]
      : []),
    ...(cube.without === undefined ? [] : [cube.without]),
  ];
}
