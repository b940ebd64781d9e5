import path from 'node:path';
import { writeInstantLocal, writeUtc } from '../../../ask/time/local-time.ts';
import type { TimeRange } from '../../../ask/time/range.ts';

const unitPattern = /^\d{4}-\d{2}-\d{2}\/part-\d{8}T\d{9}Z-\d{8}T\d{9}Z(?:-r\d+)?\.(?:ndjson|json|csv|parquet)(?:\.gz|\.zst)?$/;

/**
 * Where the data file of a window lies below the folder of its export, with `/`: in a folder for the day on which it
 * starts in the zone, named by its first instant and the one behind its last, in UTC, to the millisecond.
 * `2026-09-01/part-20260901T000000000Z-20260901T060000000Z.ndjson.zst`; later revisions bear their number, so that none
 * is ever written over another.
 */
export function unitPath({ start, end }: TimeRange, revision: number, zone: string, ending: string): string {
  const day = writeInstantLocal(start, zone).slice(0, 10);
  return `${day}/part-${compact(start)}-${compact(end)}${revision === 1 ? '' : `-r${revision}`}${ending}`;
}

/** Whether a path below the folder of an export, with `/`, could be one of `unitPath`. */
export function isUnitPath(name: string): boolean {
  return unitPattern.test(name);
}

/** Whether a data file bears the name of a window. */
export function isNamedFor(file: string, { start, end }: TimeRange): boolean {
  return path.basename(file).startsWith(`part-${compact(start)}-${compact(end)}`);
}

function compact(instant: number): string {
  return writeUtc(instant).replaceAll(/[-:.]/g, '');
}
