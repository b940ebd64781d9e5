import path from 'node:path';
import type { Annotation } from '../../ask/chart/annotation.ts';
import { good, type Outcome } from '../../ask/outcome.ts';
import type { SyncedMarks } from '../../plan/platform/synced-cube.ts';
import { syncedCubes } from '../../plan/platform/synced-cubes.ts';
import { listRecordFiles, readRows, type Row } from '../../run/platform/sync/record-file.ts';

/**
 * Reads the synced marks of a name (`milestones`) in order of time, without deleted ones. Returns undefined if there
 * are no such marks, or if they were not synced.
 */
export async function readSyncedMarks(
  synced: string,
  name: string,
): Promise<Outcome<readonly Annotation[]> | undefined> {
  const cube = syncedCubes.find(({ marks = {} }) => Object.hasOwn(marks, name));
  const marks = cube?.marks?.[name];
  if (!cube || !marks) return undefined;
  const files = await listRecordFiles(path.join(synced, cube.folder));
  if (files.length === 0) return undefined;
  const rows = await Promise.all(files.map(readRows));
  const found = rows.flatMap((each) => toMarks(each, marks));
  return good(found.toSorted((one, other) => (one.date < other.date ? -1 : Number(one.date > other.date))));
}

function toMarks(rows: readonly Row[], marks: SyncedMarks): readonly Annotation[] {
  const seen = new Set<unknown>();
  return rows.flatMap((row) => {
    const { date, title, kind, isDay, notFirstOf } = marks;
    const first = notFirstOf === undefined ? undefined : row[notFirstOf];
    const isFirst = notFirstOf !== undefined && !seen.has(first);
    seen.add(first);
    const at = row[date];
    const isMissing = marks.with !== undefined && row[marks.with] === null;
    if (isFirst || isMissing || row['deleted_at'] !== null || typeof at !== 'string') return [];
    const words = title.map((name) => row[name]).filter((word) => word !== null && word !== '');
    return [{ date: isDay ? at.slice(0, 10) : `${at}Z`, title: words.join(' ') || kind, kind }];
  });
}
