import type { TimeRange } from '../../../ask/time/range.ts';
import { userKeyColumn } from '../../../plan/model/event-fields.ts';
import { eventCountColumn, eventCounts, keptSessions, slotLength } from '../../../plan/projection/projections.ts';
import { duckDb, lowerSessions } from '../../../plan/sql/duckdb.ts';
import { printStatement } from '../../../plan/sql/print-statement.ts';
import { codesOf, openFileChecks, projectionOf, projectionPath } from '../../store/projection-files.ts';
import type { StoreManifest } from '../../store/store-manifest.ts';
import type { Engine } from '../engine/engine.ts';
import { quotePaths } from '../engine/sql-text.ts';
import type { ProjectionsAtHand } from '../reading/event-files.ts';
import type { UserOrder } from '../reading/event-columns.ts';

/** The projections of a store, as its readers use them. */
export interface StoredProjections {
  atHand(manifest: StoreManifest): Promise<ProjectionsAtHand>;
  /** Makes those relations that a statement names, over a revision whose events are in the view `events`. */
  refresh(manifest: StoreManifest, statement: string): Promise<void>;
  /** Looks at the files again. True: some are not to be used any more. */
  recheck(manifest: StoreManifest): Promise<boolean>;
}

/** `view`: of the events. */
export function openProjections(engine: Engine, folder: string, view: string, user: UserOrder): StoredProjections {
  const checks = openFileChecks(folder);
  /** What each relation was made of. */
  const made = new Map<string, string>();

  const filesOf = async (manifest: StoreManifest, name: string) => {
    const files = manifest.segments.map((segment) => projectionOf(segment, name));
    const isThere = codesOf(manifest) !== undefined && files.every((file) => file !== undefined);
    return isThere && (await checks.areWhole(files)) ? files : undefined;
  };

  /** The projection's rows, or the same of the events: users are told apart by their codes, or by their names. */
  const relationOf = async (manifest: StoreManifest, { name, columns }: (typeof eventCounts)[number]) => {
    const files = user === 'anonymous' && manifest.segments.length > 0 ? await filesOf(manifest, name) : undefined;
    const keys = columns.join(', ');
    return files
      ? `SELECT ${keys}, utc_time, ${userKeyColumn}, ${eventCountColumn} FROM read_parquet(${quotePaths(files.map((file) => projectionPath(folder, file)))}, hive_partitioning = false)`
      : `SELECT ${keys}, time_bucket(to_milliseconds(${slotLength}), utc_time) AS utc_time, ${userKeyColumn}, 1 AS ${eventCountColumn} FROM ${view}`;
  };

  const sessionFilesOf = async (manifest: StoreManifest) => {
    const files = codesOf(manifest)?.sessions;
    return files && files.length > 0 && (await checks.areWhole(files)) ? files : undefined;
  };

  /** Sessions are counted by their keys, of which nobody asks more than that there is one. */
  const sessionsOf = async (manifest: StoreManifest) => {
    const files = user === 'anonymous' && manifest.segments.length > 0 ? await sessionFilesOf(manifest) : undefined;
    if (!files) return printStatement(lowerSessions(new Set(['shared']), undefined), duckDb).text;
    const kept = `SELECT *, start_at + to_microseconds(duration_us) AS end_at FROM read_parquet(${quotePaths(files.map((file) => projectionPath(folder, file)))}, hive_partitioning = false)`;
    return `SELECT project_id, '' AS session_key, '' AS session_id, derived, ${userKeyColumn}, shared, start_at, end_at, epoch_ms(end_at - start_at) AS duration_ms FROM (${kept})`;
  };

  const relationsOf = (manifest: StoreManifest) => [
    ...eventCounts.map((counts) => ({ relation: counts.relation, make: () => relationOf(manifest, counts) })),
    { relation: keptSessions.relation, make: () => sessionsOf(manifest) },
  ];

  return {
    async atHand(manifest) {
      const { segments } = manifest;
      if (segments.length === 0) return { names: new Set(), why: 'The store is empty.' };
      if (user !== 'anonymous') return { names: new Set(), why: 'Projections count users by their anonymous IDs.' };
      const names = new Set<string>();
      for (const { name } of eventCounts) if (await filesOf(manifest, name)) names.add(name);
      if (await sessionFilesOf(manifest)) names.add(keptSessions.name);
      return names.size > 0
        ? { names, extent: extentOf(manifest) }
        : { names, why: 'The store has no projections, or they are damaged. The next `sluice ingest` writes them.' };
    },
    async refresh(manifest, statement) {
      for (const { relation, make } of relationsOf(manifest)) {
        if (!statement.includes(`"${relation}"`)) continue;
        const rows = await make();
        if (made.get(relation) === rows) continue;
        await engine.rows(`CREATE OR REPLACE VIEW "${relation}" AS ${rows}`);
        made.set(relation, rows);
      }
    },
    async recheck(manifest) {
      const before = await Promise.all(relationsOf(manifest).map(({ make }) => make()));
      checks.forget();
      const after = await Promise.all(relationsOf(manifest).map(({ make }) => make()));
      return before.some((relation, index) => relation !== after[index]);
    },
  };
}

function extentOf({ segments }: StoreManifest): TimeRange {
  return {
    start: segments.reduce((least, { first }) => Math.min(least, first), Infinity),
    end: segments.reduce((most, { last }) => Math.max(most, last + 1), -Infinity),
  };
}
