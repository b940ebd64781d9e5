import { rm } from 'node:fs/promises';
import path from 'node:path';
import { invariant } from '../../../ask/invariant.ts';
import { throwIfAborted } from '../../../ask/sluice-error.ts';
import { userKeyColumn } from '../../../plan/model/event-fields.ts';
import { isEvenZone, zoneOfDays } from '../../../plan/projection/fit.ts';
import {
  codedEvents,
  type EventCounts,
  eventCountColumn,
  eventCounts,
  slotLength,
} from '../../../plan/projection/projections.ts';
import { keepToOwner, makeOwnFolder } from '../../file/owner-only.ts';
import {
  codesOf,
  describeProjection,
  isUntouched,
  openFileChecks,
  type ProjectionFile,
  projectionOf,
  projectionPath,
  projectionsVersion,
  type SegmentProjections,
  type StoreProjections,
  writtenAt,
  type ZoneDays,
} from '../../store/projection-files.ts';
import { extentOf, manifestPath, type Segment, segmentPath, type StoreManifest } from '../../store/store-manifest.ts';
import { quotePaths, quoteText } from '../engine/sql-text.ts';
import { userKey } from '../reading/columns/event-columns.ts';
import type { FileWriter } from './file-writer.ts';
import { rowsOf } from './segment-columns.ts';
import { writeSessions } from './write-sessions.ts';
import { writeUserDays } from './write-user-days.ts';

type Projected = Pick<StoreManifest, 'segments' | 'projections'>;

/**
 * Writes missing projections and returns the manifest's description of all of them. `removes`: the change removes
 * events, so users without events must leave the list of codes. If writing fails, segments stay without projections and
 * the events answer.
 */
export async function writeProjections(
  writer: FileWriter,
  change: Projected & { readonly before: readonly Segment[]; readonly removes: boolean },
  signal: AbortSignal | undefined,
): Promise<Projected> {
  const { segments } = change;
  try {
    await makeOwnFolder(path.join(writer.folder, 'projections'));
    const checks = openFileChecks(writer.folder);
    const written = await writtenAt(manifestPath(writer.folder));
    // These files are read only to find users without events.
    const isGood = (file: ProjectionFile) =>
      change.removes ? checks.areWhole([file]) : isUntouched(writer.folder, file, written);
    const codes = codesOf(change);
    const kept = codes && (await checks.areWhole(codes.users)) ? codes : undefined;
    const present = new Map<Segment, boolean>();
    for (const segment of segments) {
      const files = eventCounts.map(({ name }) => projectionOf(segment, name));
      const isThere = await Promise.all(files.map((file) => file && isGood(file)));
      present.set(segment, kept !== undefined && isThere.every((is) => is === true));
    }
    const missing = segments.filter((segment) => present.get(segment) !== true);
    const sessions = kept?.sessions && (await checks.areWhole(kept.sessions)) ? kept.sessions : undefined;
    const days: ZoneDays[] = [];
    for (const each of kept?.days ?? []) if (await checks.areWhole(each.files)) days.push(each);
    const isComplete = sessions && zonesOf(writer, segments).every((zone) => days.some((each) => each.zone === zone));
    if (missing.length === 0 && isComplete && !change.removes) return { segments, projections: kept };
    const gone = change.removes ? change.before.filter((segment) => !segments.includes(segment)) : undefined;
    return await project(writer, { segments, missing, gone, before: kept && { ...kept, sessions, days } }, signal);
  } catch {
    throwIfAborted(signal);
    if (!change.removes) return { segments, projections: change.projections };
    // The codes name users whose events are removed, so drop all projections.
    return { segments: segments.map(({ projections: _projections, ...segment }) => segment), projections: undefined };
  }
}

interface ProjectOrder {
  readonly segments: readonly Segment[];
  /** The segments without projections. */
  readonly missing: readonly Segment[];
  /** Earlier segments that are gone; undefined if no event was removed. */
  readonly gone: readonly Segment[] | undefined;
  readonly before: StoreProjections | undefined;
}

async function project(
  writer: FileWriter,
  { segments, missing, gone, before }: ProjectOrder,
  signal: AbortSignal | undefined,
): Promise<Projected> {
  if (segments.length === 0) return { segments, projections: undefined };
  const table = `user_codes_${writer.engine.nextNumber()}`;
  const written = new Map<Segment, SegmentProjections>();
  let codes = before;
  try {
    if (missing.length > 0) {
      const paths = missing.map((segment) => segmentPath(writer.folder, segment));
      codes = await takeCodes(writer, table, paths, before);
      for (const segment of missing) written.set(segment, await projectSegment(writer, segment, table));
    }
  } finally {
    await writer.rows(`DROP TABLE IF EXISTS ${table}`);
  }
  invariant(codes, 'segments that have projections have codes');
  const all = segments.map((segment) => {
    const projections = written.get(segment);
    return projections ? { ...segment, projections } : segment;
  });
  const rows = segments.reduce((sum, segment) => sum + segment.rows, 0);
  const days = await projectDays(writer, { segments: all, missing, gone, before }, signal);
  const { sessionsFailed, ...own } = { ...(gone ? await withoutIdle(writer, all, codes) : codes), days };
  // Sessions that did not fit in memory will not fit next time either.
  if (!before?.sessions && sessionsFailed !== undefined && rows < 2 * sessionsFailed)
    return { segments: all, projections: { ...own, sessions: undefined, sessionsFailed } };
  try {
    const sessions = await writeSessions(writer, {
      segments,
      fresh: missing,
      gone: gone ?? [],
      before: before?.sessions,
      filesOf: (files) => filesOf(writer, files),
      codes: codesRelation(writer, codes.users),
      writeFile: (kind, select) => writeFile(writer, kind, select),
    });
    return { segments: all, projections: { ...own, sessions } };
  } catch {
    throwIfAborted(signal);
    return { segments: all, projections: { ...own, sessions: undefined, sessionsFailed: rows } };
  }
}

/** The zones in which the days of users are kept. */
function zonesOf({ zone = 'UTC' }: FileWriter, segments: readonly Segment[]): readonly string[] {
  const extent = extentOf(segments);
  const zones = new Set(['UTC', zoneOfDays(zone, extent)]);
  return [...zones].filter((each) => isEvenZone(each, extent, slotLength));
}

/** The days of users in each zone. If writing a zone fails, it is left out and the counts answer. */
async function projectDays(
  writer: FileWriter,
  { segments, missing, gone = [], before }: ProjectOrder,
  signal: AbortSignal | undefined,
): Promise<readonly ZoneDays[]> {
  const countsOfAll = (some: readonly Segment[]) => some.map((segment) => projectionOf(segment, userCounts.name));
  const areThere = (files: readonly (ProjectionFile | undefined)[]): files is readonly ProjectionFile[] =>
    !files.includes(undefined);
  const fresh = new Set(missing.map(({ name }) => name));
  const counts = countsOfAll(segments);
  const changed = countsOfAll([...segments.filter(({ name }) => fresh.has(name)), ...gone]);
  if (!areThere(counts) || !(await openFileChecks(writer.folder).areWhole(counts))) return [];
  const days: ZoneDays[] = [];
  for (const zone of zonesOf(writer, segments)) {
    const known = areThere(changed) ? before?.days?.find((each) => each.zone === zone)?.files : undefined;
    try {
      const files = await writeUserDays(writer, {
        zone,
        extent: extentOf(segments),
        before: known,
        counts: filesOf(writer, counts),
        changed: changed.length > 0 && areThere(changed) ? filesOf(writer, changed) : undefined,
        rows: (known ? missing : segments).reduce((sum, segment) => sum + segment.rows, 0),
        filesOf: (some) => filesOf(writer, some),
        writeFile: (kind, select) => writeFile(writer, kind, select),
      });
      days.push({ zone, files });
    } catch {
      throwIfAborted(signal);
    }
  }
  return days;
}

/** The smallest projection that distinguishes users. */
const userCounts = eventCounts.find(({ ofAllUsers }) => !ofAllUsers)!;

/** Creates a table with the codes of the users in segments. New users get the next codes, ordered by first event. */
async function takeCodes(
  writer: FileWriter,
  table: string,
  paths: readonly string[],
  before: StoreProjections | undefined,
): Promise<StoreProjections> {
  const { users, nextCode } = before ?? { users: [], nextCode: 0 };
  await writer.rows(`CREATE TABLE ${table} AS
    WITH wanted AS MATERIALIZED (
      SELECT user_key, min(utc_time) AS first_at FROM (SELECT ${userKey('anonymous')} AS user_key, utc_time FROM ${rowsOf(paths)})
      WHERE user_key IS NOT NULL GROUP BY user_key
    ), known AS MATERIALIZED (
      SELECT user_key, code FROM ${codesRelation(writer, users)} SEMI JOIN wanted USING (user_key)
    )
    SELECT user_key, code, false AS fresh FROM known UNION ALL
    SELECT user_key, CAST(${nextCode} + row_number() OVER (ORDER BY first_at, user_key) - 1 AS INTEGER) AS code, true AS fresh
    FROM wanted ANTI JOIN known USING (user_key)`);
  const [row] = await writer.rows(`SELECT count(*) FROM ${table} WHERE fresh`);
  const fresh = Number(row?.[0]);
  const own = { ...before, version: projectionsVersion, nextCode: nextCode + fresh };
  if (fresh === 0) return { ...own, users };
  // Merge the last files of similar total size, so that each code is rewritten only rarely.
  let from = users.length;
  let size = fresh;
  while (from > 0 && users[from - 1]!.codes <= 2 * size) size += users[(from -= 1)]!.codes;
  const joined = users.slice(from);
  const old = joined.length === 0 ? '' : ` UNION ALL SELECT user_key, code FROM ${filesOf(writer, joined)}`;
  const file = await writeFile(writer, 'users', `SELECT user_key, code FROM ${table} WHERE fresh${old} ORDER BY code`);
  return { ...own, users: [...users.slice(0, from), { ...file, codes: size }] };
}

function codesRelation(writer: FileWriter, users: StoreProjections['users']): string {
  return users.length === 0
    ? '(SELECT CAST(NULL AS VARCHAR) AS user_key, CAST(NULL AS INTEGER) AS code WHERE false)'
    : filesOf(writer, users);
}

async function projectSegment(writer: FileWriter, segment: Segment, table: string): Promise<SegmentProjections> {
  const path = segmentPath(writer.folder, segment);
  const all = eventCounts.at(-1)!;
  const events = `SELECT ${all.columns.join(', ')}, utc_time AS ${codedEvents.timeColumn}, ${slotOf(all)} AS utc_time,
    code AS user_key, 1 AS ${eventCountColumn}
    FROM (SELECT * EXCLUDE (user_key), user_key AS key
    FROM (SELECT ${all.columns.join(', ')}, utc_time, ${userKey('anonymous')} AS user_key FROM ${rowsOf([path])}))
    LEFT JOIN (SELECT user_key AS key, code FROM ${table}) USING (key)`;
  const files: Record<string, ProjectionFile> = {};
  let from = `(${events})`;
  // Each projection is computed from the next larger one.
  for (const counts of eventCounts.toReversed()) {
    const file = await writeFile(writer, counts.name, countsOf(counts, from));
    files[counts.name] = file;
    from = filesOf(writer, [file]);
  }
  return files;
}

function countsOf(counts: EventCounts, from: string): string {
  if (counts.ungrouped) return `SELECT * FROM ${from}`;
  const user = counts.ofAllUsers ? '' : `, ${userKeyColumn}`;
  return `SELECT ${counts.columns.join(', ')}, ${slotOf(counts)} AS utc_time${user},
    CAST(sum(${eventCountColumn}) AS INTEGER) AS ${eventCountColumn} FROM ${from} GROUP BY ALL ORDER BY utc_time${user}`;
}

function slotOf({ slot }: EventCounts): string {
  return `time_bucket(to_milliseconds(${slot}), utc_time)`;
}

/** The codes of users that still have events. */
async function withoutIdle(
  writer: FileWriter,
  segments: readonly Segment[],
  codes: StoreProjections,
): Promise<StoreProjections> {
  if (codes.users.length === 0) return codes;
  const counts = segments.flatMap((segment) => projectionOf(segment, userCounts.name) ?? []);
  const living = `SELECT user_key, code FROM ${filesOf(writer, codes.users)} SEMI JOIN (SELECT DISTINCT user_key AS code
    FROM ${filesOf(writer, counts)}) USING (code)`;
  const [row] = await writer.rows(`SELECT count(*) FROM (${living})`);
  const left = Number(row?.[0]);
  if (left === codes.users.reduce((sum, file) => sum + file.codes, 0)) return codes;
  if (left === 0) return { ...codes, users: [] };
  return { ...codes, users: [{ ...(await writeFile(writer, 'users', `${living} ORDER BY code`)), codes: left }] };
}

/** Version 2 of Parquet stores ascending numbers in a few bits each. */
const projectionFormat =
  '(FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, COMPRESSION_LEVEL 1, ' +
  'ROW_GROUP_SIZE 122880, USE_TMP_FILE false)';

async function writeFile(writer: FileWriter, kind: string, select: string): Promise<ProjectionFile> {
  const name = writer.freshName(`-${kind}.parquet`);
  const file = projectionPath(writer.folder, { name });
  await rm(file, { force: true });
  await writer.rows(`COPY (${select}) TO ${quoteText(file)} ${projectionFormat}`);
  await keepToOwner(file);
  return describeProjection(writer.folder, name);
}

function filesOf({ folder }: FileWriter, files: readonly ProjectionFile[]): string {
  return `read_parquet(${quotePaths(files.map((file) => projectionPath(folder, file)))}, hive_partitioning = false)`;
}
