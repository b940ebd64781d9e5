import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { drawIssues } from '../../../ask/document/draw-issue.ts';
import { writeInstantLocal, writeUtc } from '../../../ask/time/local-time.ts';
import type { TimeRange } from '../../../ask/time/range.ts';
import { unlessMissing } from '../../file/system-error.ts';
import { type ExportManifest, findExportManifest, isManifestPath, manifestPathOf } from './export-manifest.ts';
import { recordName } from './export-record.ts';
import { lockName } from './lock-export.ts';

/** A committed window. */
export interface Unit {
  /** Absolute path of its data file. */
  readonly file: string;
  readonly window: TimeRange;
  readonly bytes: number;
  readonly manifest: ExportManifest;
}

/** The contents of an export folder. */
export interface UnitListing {
  /** Ordered by start; the latest revision of each window. */
  readonly units: readonly Unit[];
  /** Files of interrupted writers and superseded revisions, safe to delete. Absolute paths. */
  readonly leftovers: readonly string[];
  /** Files that do not belong to the export, except names that begin with a dot. Absolute paths. */
  readonly foreign: readonly string[];
  readonly damaged: readonly DamagedUnit[];
}

interface DamagedUnit {
  readonly file: string;
  /** The problem, as the end of a sentence: `is not as long as its manifest says`. */
  readonly what: string;
}

/** Lists the committed windows of a folder. A missing folder is empty. Rejects with the system's errors. */
export async function listUnits(folder: string): Promise<UnitListing> {
  const leftovers: string[] = [];
  const foreign: string[] = [];
  const damaged: DamagedUnit[] = [];
  const found: Unit[] = [];
  const paths = await filesBelow(folder);
  const present = new Set(paths);
  for (const name of paths) {
    const file = path.join(folder, name);
    if (isUnfinished(name)) leftovers.push(file);
    else if (name === recordName || name === lockName || path.basename(name).startsWith('.')) continue;
    else if (isManifestPath(name) && isUnitPath(dataPathOf(name))) {
      if (!present.has(dataPathOf(name))) leftovers.push(file);
    } else if (isUnitPath(name) && present.has(manifestPathOf(name))) {
      const unit = await readUnit(file);
      if ('what' in unit) damaged.push(unit);
      else found.push(unit);
    } else foreign.push(file);
  }
  const latest = new Map<string, Unit>();
  const byAge = found.toSorted((one, other) => one.manifest.revision - other.manifest.revision);
  for (const unit of byAge) {
    const key = `${unit.window.start} ${unit.window.end}`;
    const older = latest.get(key);
    if (older) leftovers.push(older.file, manifestPathOf(older.file));
    latest.set(key, unit);
  }
  return {
    units: [...latest.values()].sort(
      (one, other) => one.window.start - other.window.start || one.window.end - other.window.end,
    ),
    leftovers,
    foreign,
    damaged,
  };
}

async function readUnit(file: string): Promise<Unit | DamagedUnit> {
  const manifest = await findExportManifest(file);
  if (!manifest) return { file, what: 'has no manifest' };
  if (!manifest.ok)
    return {
      file,
      what: `has a manifest that cannot be read:\n${drawIssues(manifest.issues, { file: manifestPathOf(file) })}`,
    };
  const { window, bytes } = manifest.value;
  const { size } = await stat(file);
  if (!isNamedFor(file, { start: Date.parse(window.start), end: Date.parse(window.end) }))
    return { file, what: 'has a manifest for another window' };
  if (bytes !== undefined && bytes !== size) return { file, what: `has ${size} bytes, but its manifest says ${bytes}` };
  return {
    file,
    bytes: size,
    manifest: manifest.value,
    window: { start: Date.parse(window.start), end: Date.parse(window.end) },
  };
}

function dataPathOf(manifest: string): string {
  return manifest.slice(0, -'.manifest.json'.length);
}

/** Names that only writers use, for unfinished files. */
function isUnfinished(name: string): boolean {
  const base = path.posix.basename(name);
  return (
    /^\.part-\d{8}T\d{9}Z-.*\.part(?:\.\w+)?$/.test(base) ||
    /^\.export\.(?:lock\.\w+|manifest\.json\.\d+)\.part$/.test(base)
  );
}

/** Paths below the folder with `/`, in an order that does not depend on the machine. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = (await unlessMissing(readdir(folder, { recursive: true, withFileTypes: true }))) ?? [];
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .sort();
}

const unitPattern =
  /^\d{4}-\d{2}-\d{2}\/part-(\d{8}T\d{9}Z)-(\d{8}T\d{9}Z)(?:-r(\d+))?\.(?:ndjson|json|csv|parquet)(?:\.gz|\.zst)?$/;

/**
 * The path of a window's data file below the export folder, with `/`. The folder is the day on which the window starts
 * in the zone. The name contains the start and the exclusive end in UTC, to the millisecond:
 * `2026-09-01/part-20260901T000000000Z-20260901T060000000Z.ndjson.zst`. Later revisions add their number, so that no
 * file is overwritten.
 */
export function unitPath({ start, end }: TimeRange, revision: number, zone: string, ending: string): string {
  const day = writeInstantLocal(start, zone).slice(0, 10);
  return `${day}/part-${compact(start)}-${compact(end)}${revision === 1 ? '' : `-r${revision}`}${ending}`;
}

/** The window and the revision that the path of a data file names; undefined for other paths. See `unitPath`. */
export function readUnitPath(name: string): { readonly window: TimeRange; readonly revision: number } | undefined {
  const [, start, end, revision = '1'] = unitPattern.exec(name) ?? [];
  if (start === undefined || end === undefined) return undefined;
  return { window: { start: expand(start), end: expand(end) }, revision: Number(revision) };
}

/** True if a path below an export folder, with `/`, has the form of `unitPath`. */
export function isUnitPath(name: string): boolean {
  return unitPattern.test(name);
}

/** True if a data file is named after the window. */
function isNamedFor(file: string, { start, end }: TimeRange): boolean {
  return path.basename(file).startsWith(`part-${compact(start)}-${compact(end)}`);
}

function compact(instant: number): string {
  return writeUtc(instant).replaceAll(/[-:.]/g, '');
}

function expand(text: string): number {
  return Date.parse(text.replace(/(.{4})(..)(..)T(..)(..)(..)(...)Z/, '$1-$2-$3T$4:$5:$6.$7Z'));
}

/** The size of all units together. */
export function sumUnits(units: readonly Unit[]) {
  const sum = (count: (unit: Unit) => number) => units.reduce((total, unit) => total + count(unit), 0);
  return {
    rows: sum(({ manifest }) => manifest.rows),
    events: sum(({ manifest }) => manifest.events),
    bytes: sum(({ bytes }) => bytes),
  };
}
