import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { keepToOwner } from '../file/owner-only.ts';

/** The form of the projections that this version writes and reads. Those of another are ignored, and written anew. */
export const projectionsVersion = 3;

/** An immutable Parquet file in `projections/`. */
export interface ProjectionFile {
  readonly name: string;
  readonly bytes: number;
  /** CRC-32 of its content: a file that does not have it is ignored. */
  readonly check: number;
  /** What the content depends on besides the rows: with another one it is written anew. */
  readonly form?: string | undefined;
}

/** The projections of a segment's rows, by name. */
export type SegmentProjections = Readonly<Record<string, ProjectionFile>>;

/** A projection of all segments: a file for each month in which it has rows. */
export type MonthlyFiles = readonly (ProjectionFile & { readonly month: string })[];

/** The days of users, by the month of the zone in which they lie. */
export interface ZoneDays {
  readonly zone: string;
  readonly files: MonthlyFiles;
}

/** What the projections of all segments share. */
export interface StoreProjections {
  readonly version: number;
  /** The codes of users: no other file of projections has their names. */
  readonly users: readonly (ProjectionFile & { readonly codes: number })[];
  /** The code that the next new user gets. */
  readonly nextCode: number;
  /** The sessions of all events, by the month in UTC in which they begin; undefined: they were not built. */
  readonly sessions?: MonthlyFiles | undefined;
  /** The days of users, for each time zone in which they are kept. */
  readonly days?: readonly ZoneDays[] | undefined;
  /** How many events there were when it failed to build the sessions, if they were not built since. */
  readonly sessionsFailed?: number | undefined;
}

/** A segment, as far as its projections go. */
interface ProjectedSegment {
  readonly projections?: SegmentProjections | undefined;
}

/** A manifest, as far as projections go. */
interface ProjectedStore {
  readonly projections?: StoreProjections | undefined;
  readonly segments: readonly ProjectedSegment[];
}

export function projectionPath(folder: string, { name }: Pick<ProjectionFile, 'name'>): string {
  return path.join(folder, 'projections', name);
}

/** The codes of users; undefined if there are none of this version. */
export function codesOf({ projections }: Pick<ProjectedStore, 'projections'>): StoreProjections | undefined {
  const files = sharedFiles({ projections });
  return projections?.version === projectionsVersion && files.every(isFile) ? projections : undefined;
}

/** A segment's projection; undefined: it has none of this name. */
export function projectionOf({ projections }: ProjectedSegment, name: string): ProjectionFile | undefined {
  const file = projections?.[name];
  return isFile(file) ? file : undefined;
}

/** All files of projections that a manifest names. */
export function projectionFiles({ projections, segments }: ProjectedStore): readonly ProjectionFile[] {
  return [
    ...sharedFiles({ projections }),
    ...segments.flatMap((segment) => Object.values(segment.projections ?? {})),
  ].filter(isFile);
}

function sharedFiles({ projections }: Pick<ProjectedStore, 'projections'>): readonly ProjectionFile[] {
  const { users = [], sessions = [], days = [] } = projections ?? {};
  return [...users, ...sessions, ...days.flatMap(({ files = [] }) => files)];
}

/** Whether files are what the manifest says of them. Each is looked at once. */
export function openFileChecks(folder: string) {
  const known = new Map<string, Promise<boolean>>();
  const isWhole = (file: ProjectionFile): Promise<boolean> => {
    const found = known.get(file.name) ?? hasCheckOrMark(projectionPath(folder, file), file);
    known.set(file.name, found);
    return found;
  };
  return {
    areWhole: async (files: readonly ProjectionFile[]) => {
      for (const file of files) if (!(await isWhole(file))) return false;
      return true;
    },
    /** Looks at them again. */
    forget: () => known.clear(),
  };
}

/**
 * Whether a file is still as a commit left it: for whoever does not read it. What was written to since the manifest was
 * is read for it. Damage that leaves no trace is found by whoever reads the file. `written`: of `writtenAt`.
 */
export async function isUntouched(folder: string, file: ProjectionFile, written: bigint): Promise<boolean> {
  const found = await stat(projectionPath(folder, file), { bigint: true }).catch(() => undefined);
  if (found?.size !== BigInt(file.bytes)) return false;
  return found.ctimeNs < written || hasCheck(projectionPath(folder, file), file);
}

/** When a file last changed, in nanoseconds; 0 where there is none. Programs cannot set it. */
export async function writtenAt(file: string): Promise<bigint> {
  return (await stat(file, { bigint: true }).catch(() => undefined))?.ctimeNs ?? 0n;
}

/** What the manifest is to say of a file that was written. */
export async function describeProjection(folder: string, name: string): Promise<ProjectionFile> {
  const content = await readFile(projectionPath(folder, { name }));
  return { name, bytes: content.length, check: crc32(content) };
}

/**
 * A damaged file gets a new time of change, which setting its mode does, so that whoever writes next looks into it and
 * writes it anew.
 */
async function hasCheckOrMark(file: string, expected: ProjectionFile): Promise<boolean> {
  const isWhole = await hasCheck(file, expected);
  if (!isWhole) await keepToOwner(file).catch(() => {});
  return isWhole;
}

async function hasCheck(file: string, { bytes, check }: ProjectionFile): Promise<boolean> {
  const content = await readFile(file).catch(() => undefined);
  return content?.length === bytes && crc32(content) === check;
}

function isFile(file: ProjectionFile | undefined): file is ProjectionFile {
  return typeof file?.name === 'string' && Number.isSafeInteger(file.bytes);
}
