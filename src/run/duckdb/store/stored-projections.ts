import type { TimeRange } from '../../../ask/time/range.ts';
import { userKeyColumn } from '../../../plan/model/event-fields.ts';
import {
  codedEvents,
  type EventCounts,
  eventCountColumn,
  eventCounts,
  keptSessions,
} from '../../../plan/projection/projections.ts';
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
  atHand(manifest: StoreManifest): ProjectionsAtHand;
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

  const rowsOf = async (manifest: StoreManifest, name: string) => {
    const files = user === 'anonymous' && manifest.segments.length > 0 ? await filesOf(manifest, name) : undefined;
    return (
      files &&
      `read_parquet(${quotePaths(files.map((file) => projectionPath(folder, file)))}, hive_partitioning = false)`
    );
  };

  /** The projection's rows, or the same of the events: users are told apart by their codes, or by their names. */
  const relationOf = async (manifest: StoreManifest, { name, columns, slot, ofAllUsers }: EventCounts) => {
    const rows = await rowsOf(manifest, name);
    const keys = [...columns, ...(ofAllUsers ? [] : [userKeyColumn])].join(', ');
    return rows
      ? `SELECT ${keys}, utc_time, ${eventCountColumn} FROM ${rows}`
      : `SELECT ${keys}, time_bucket(to_milliseconds(${slot}), utc_time) AS utc_time, 1 AS ${eventCountColumn} FROM ${view}`;
  };

  const codedEventsOf = async (manifest: StoreManifest) => {
    const rows = await rowsOf(manifest, codedEvents.name);
    const columns = codedEvents.columns.map((column) =>
      rows && column === 'utc_time' ? `${codedEvents.timeColumn} AS ${column}` : column,
    );
    return `SELECT ${columns.join(', ')}, ${userKeyColumn} FROM ${rows ?? view}`;
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
    { relation: codedEvents.relation, make: () => codedEventsOf(manifest) },
    { relation: keptSessions.relation, make: () => sessionsOf(manifest) },
  ];

  return {
    atHand(manifest) {
      if (manifest.segments.length === 0) return { why: 'The store is empty.' };
      if (user !== 'anonymous') return { why: 'Projections count users by their anonymous IDs.' };
      return {
        has: async (name) =>
          (await (name === keptSessions.name ? sessionFilesOf(manifest) : filesOf(manifest, name))) !== undefined,
        extent: extentOf(manifest),
      };
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
