import { userKeyColumn, type UserOrder } from '../../../plan/model/event-fields.ts';
import {
  codedEvents,
  type EventCounts,
  eventCountColumn,
  eventCounts,
  keptSessions,
  userDays,
} from '../../../plan/projection/projections.ts';
import { duckDb, lowerSessions } from '../../../plan/sql/duckdb.ts';
import { printStatement } from '../../../plan/sql/print-statement.ts';
import {
  codesOf,
  openFileChecks,
  type ProjectionFile,
  projectionOf,
  projectionPath,
} from '../../store/projection-files.ts';
import { extentOf, type StoreManifest } from '../../store/store-manifest.ts';
import type { Engine } from '../engine/engine.ts';
import { quotePaths } from '../engine/sql-text.ts';
import type { ProjectionsAtHand } from '../reading/event-files.ts';
import { toUserDays, userDaysIn } from './user-days.ts';

/** The projections of a store, for readers. */
export interface StoredProjections {
  atHand(manifest: StoreManifest): ProjectionsAtHand;
  /** Creates the relations that a statement names, for the revision that the view `events` shows. */
  refresh(manifest: StoreManifest, statement: string): Promise<void>;
  /** Checks the files again. Returns true if some can no longer be used. */
  recheck(manifest: StoreManifest): Promise<boolean>;
}

export function openProjections(engine: Engine, folder: string, user: UserOrder): StoredProjections {
  const checks = openFileChecks(folder);
  /** The SQL of each relation that exists. */
  const made = new Map<string, string>();
  /** Every zone whose days a statement may name, even if a later commit dropped them. */
  const zones = new Set<string>();

  /** SQL for the rows of files; undefined if a file is missing or damaged. */
  const rowsIn = async ({ segments }: StoreManifest, files: readonly (ProjectionFile | undefined)[] | undefined) => {
    if (user !== 'anonymous' || segments.length === 0 || !files || files.length === 0) return undefined;
    const isThere = files.every((file) => file !== undefined) && (await checks.areWhole(files));
    return isThere
      ? `read_parquet(${quotePaths(files.map((file) => projectionPath(folder, file)))}, hive_partitioning = false)`
      : undefined;
  };

  const rowsOf = (manifest: StoreManifest, name: string) =>
    rowsIn(manifest, codesOf(manifest) && manifest.segments.map((segment) => projectionOf(segment, name)));

  /** The rows of the projection, or the same rows computed from the events, with user names in place of codes. */
  const relationOf = async (manifest: StoreManifest, { name, columns, slot, ofAllUsers }: EventCounts) => {
    const rows = await rowsOf(manifest, name);
    const keys = [...columns, ...(ofAllUsers ? [] : [userKeyColumn])].join(', ');
    return rows
      ? `SELECT ${keys}, utc_time, ${eventCountColumn} FROM ${rows}`
      : `SELECT ${keys}, time_bucket(to_milliseconds(${slot}), utc_time) AS utc_time, 1 AS ${eventCountColumn} FROM events`;
  };

  const codedEventsOf = async (manifest: StoreManifest) => {
    const rows = await rowsOf(manifest, codedEvents.name);
    const columns = codedEvents.columns.map((column) =>
      rows && column === 'utc_time' ? `${codedEvents.timeColumn} AS ${column}` : column,
    );
    return `SELECT ${columns.join(', ')}, ${userKeyColumn} FROM ${rows ?? 'events'}`;
  };

  const sessionRowsOf = (manifest: StoreManifest) => rowsIn(manifest, codesOf(manifest)?.sessions);

  const daysRowsOf = (manifest: StoreManifest, zone: string) =>
    rowsIn(manifest, codesOf(manifest)?.days?.find((days) => days.zone === zone)?.files);

  const daysOf = async (manifest: StoreManifest, zone: string) => {
    const rows = await daysRowsOf(manifest, zone);
    if (rows) return userDaysIn(zone, rows);
    const events = `SELECT ${userDays.columns.join(', ')}, utc_time, ${userKeyColumn}, 1 AS ${eventCountColumn} FROM events`;
    return userDaysIn(zone, `(${toUserDays(zone, `(${events})`, extentOf(manifest.segments))})`);
  };

  /** Sessions are counted by their keys, so any key that is not null will do. */
  const sessionsOf = async (manifest: StoreManifest) => {
    const rows = await sessionRowsOf(manifest);
    if (!rows) return printStatement(lowerSessions(new Set(['shared']), undefined), duckDb).text;
    const kept = `SELECT *, start_at + to_microseconds(duration_us) AS end_at FROM ${rows}`;
    return `SELECT project_id, '' AS session_key, '' AS session_id, derived, ${userKeyColumn}, shared, start_at, end_at,
      epoch_ms(end_at - start_at) AS duration_ms, page_views FROM (${kept})`;
  };

  /** `rows`: SQL for the rows of the files; undefined if a file is missing or damaged. `make`: SQL for the relation. */
  const relationsOf = (manifest: StoreManifest) => {
    for (const { zone } of manifest.projections?.days ?? []) zones.add(zone);
    return [
      ...eventCounts.map((counts) => ({
        relation: counts.relation,
        rows: () => rowsOf(manifest, counts.name),
        make: () => relationOf(manifest, counts),
      })),
      {
        relation: codedEvents.relation,
        rows: () => rowsOf(manifest, codedEvents.name),
        make: () => codedEventsOf(manifest),
      },
      { relation: keptSessions.relation, rows: () => sessionRowsOf(manifest), make: () => sessionsOf(manifest) },
      ...[...zones].map((zone) => ({
        relation: userDays.relation(zone),
        rows: () => daysRowsOf(manifest, zone),
        make: () => daysOf(manifest, zone),
      })),
    ];
  };

  return {
    atHand(manifest) {
      if (manifest.segments.length === 0) return { why: 'The store is empty.' };
      if (user !== 'anonymous') return { why: 'Projections count users by their anonymous IDs.' };
      return {
        has: async (name) => {
          const found = relationsOf(manifest).find(({ relation }) => relation === name);
          return (await found?.rows()) !== undefined;
        },
        extent: extentOf(manifest.segments),
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
      const before = await Promise.all(relationsOf(manifest).map(({ rows }) => rows()));
      checks.forget();
      const after = await Promise.all(relationsOf(manifest).map(({ rows }) => rows()));
      return before.some((relation, index) => relation !== after[index]);
    },
  };
}
