import path from 'node:path';
import { readdir, stat } from 'node:fs/promises';
import { writeUtc } from '../../../ask/time/local-time.ts';
import { readStore } from '../../store/store-contents.ts';
import { demandSegments, missingStore } from '../../store/store-manifest.ts';
import { openEngine } from '../engine/engine.ts';
import { userKey } from '../reading/columns/event-columns.ts';
import type { UserOrder } from '../../../plan/model/event-fields.ts';
import { rejectedFolder } from './sweep-store.ts';
import { rowsOf } from './segment-columns.ts';

export interface StoreStats {
  readonly folder: string;
  readonly events: number;
  /** ISO instants of the first and last event; null if there are none. */
  readonly first: string | null;
  readonly last: string | null;
  readonly users: number;
  readonly projects: readonly ProjectStats[];
  /** Loaded files, and how many of them are export windows. */
  readonly files: number;
  readonly windows: number;
  readonly segments: number;
  /** Bytes on disk, including rejected lines. */
  readonly bytes: number;
  readonly rejected: number;
  readonly rejectedFolder: string | null;
  readonly forgottenUsers: number;
  /** ISO instant before which events were removed by `store prune`; null if none were. */
  readonly prunedBefore: string | null;
  /** ISO instant of the last ingest. */
  readonly lastIngest: string | null;
  readonly revision: number;
}

export interface ProjectStats {
  /** null for events without a project. */
  readonly project: string | null;
  readonly events: number;
  readonly users: number;
  readonly first: string;
  readonly last: string;
}

export interface StatsOptions {
  readonly folder: string;
  readonly user?: UserOrder | undefined;
}

/** Statistics of a store. Errors: `store-not-found`, and those of `readStore`. */
export async function storeStats({ folder, user = 'anonymous' }: StatsOptions): Promise<StoreStats> {
  const store = await readStore(folder);
  if (!store) throw missingStore(folder);
  const { segments, sources } = store;
  const paths = segments.map((segment) => segment.path);
  await using engine = await openEngine({});
  const rows =
    paths.length === 0
      ? []
      : await engine
          .rows(`SELECT project_id, count(*), count(DISTINCT ${userKey(user)}), epoch_ms(min(utc_time)),
            epoch_ms(max(utc_time)), grouping(project_id)
    FROM ${rowsOf(paths)} GROUP BY GROUPING SETS ((project_id), ()) ORDER BY project_id NULLS LAST`)
          .catch(async (error: unknown) => {
            await demandSegments(folder, store);
            throw error;
          });
  const projects = rows
    .filter((row) => Number(row[5]) === 0)
    .map(
      ([project, events, users, first, last]): ProjectStats => ({
        project: project === null ? null : String(project),
        events: Number(events),
        users: Number(users),
        first: writeUtc(Number(first)),
        last: writeUtc(Number(last)),
      }),
    );
  const [, events, users, first, last] = rows.find((row) => Number(row[5]) === 1) ?? [];
  const rejected = sources.reduce((sum, source) => sum + source.rejected, 0);
  const isEmpty = first === undefined || first === null;
  return {
    folder,
    projects,
    events: Number(events ?? 0),
    users: Number(users ?? 0),
    first: isEmpty ? null : writeUtc(Number(first)),
    last: isEmpty ? null : writeUtc(Number(last)),
    files: sources.length,
    windows: sources.filter(({ window }) => window !== undefined).length,
    segments: segments.length,
    bytes:
      (await bytesIn(folder)) +
      (await bytesIn(path.join(folder, 'segments'))) +
      (await bytesIn(path.join(folder, 'projections'))) +
      (await bytesIn(rejectedFolder(folder))),
    rejected,
    rejectedFolder: rejected > 0 ? rejectedFolder(folder) : null,
    forgottenUsers: store.forgotten.length,
    prunedBefore: store.pruned === undefined ? null : writeUtc(store.pruned),
    lastIngest:
      sources
        .map(({ time }) => time)
        .sort()
        .at(-1) ?? null,
    revision: store.revision,
  };
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(path.join(folder, name)).then(
        (found) => (found.isFile() ? found.size : 0),
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
