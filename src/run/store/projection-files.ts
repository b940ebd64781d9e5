import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { keepToOwner } from '../file/owner-only.ts';

/**
 * The format of the projections that this version writes and reads. Projections in other formats are ignored and
 * rebuilt.
 */
export const projectionsVersion = 4;

/** An immutable Parquet file in `projections/`. */
export interface ProjectionFile {
  readonly name: string;
  readonly bytes: number;
  /** CRC-32 of its content. A file with another CRC is ignored. */
  readonly check: number;
  /** The other inputs of its content. If they differ, the file is rebuilt. */
  readonly form?: string | undefined;
}

/** The projections of a segment's rows, by name. */
export type SegmentProjections = Readonly<Record<string, ProjectionFile>>;

/** A projection of all segments: a file for each month with rows. */
export type MonthlyFiles = readonly (ProjectionFile & { readonly month: string })[];

/** The days of users, by month in the zone. */
export interface ZoneDays {
  readonly zone: string;
  readonly files: MonthlyFiles;
}

/** The projections over all segments. */
export interface StoreProjections {
  readonly version: number;
  /** The codes of users. No other projection file contains user names. */
  readonly users: readonly (ProjectionFile & { readonly codes: number })[];
  /** The code of the next new user. */
  readonly nextCode: number;
  /** The sessions of all events, by month (UTC) of their start; undefined if they were not built. */
  readonly sessions?: MonthlyFiles | undefined;
  /** The days of users, for each time zone in use. */
  readonly days?: readonly ZoneDays[] | undefined;
  /** The number of events at a failed attempt to build the sessions, if they were not built since. */
  readonly sessionsFailed?: number | undefined;
}

/** A segment with its projections. */
interface ProjectedSegment {
  readonly projections?: SegmentProjections | undefined;
}

/** A manifest with its projections. */
interface ProjectedStore {
  readonly projections?: StoreProjections | undefined;
  readonly segments: readonly ProjectedSegment[];
}

export function projectionPath(folder: string, { name }: Pick<ProjectionFile, 'name'>): string {
  return path.join(folder, 'projections', name);
}

/** The codes of users; undefined if there are none in this version's format. */
export function codesOf({ projections }: Pick<ProjectedStore, 'projections'>): StoreProjections | undefined {
  const files = sharedFiles({ projections });
  return projections?.version === projectionsVersion && files.every(isFile) ? projections : undefined;
}

/** A segment's projection by name; undefined if it has none. */
export function projectionOf({ projections }: ProjectedSegment, name: string): ProjectionFile | undefined {
  const file = projections?.[name];
  return isFile(file) ? file : undefined;
}

/** All projection files that a manifest names. */
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

/** Checks projection files against the manifest, each only once. */
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
    /** Checks them again. */
    forget: () => known.clear(),
  };
}

/**
 * True if a file is as its commit left it, for callers that do not read it. If it changed after the manifest, its
 * content is checked. Readers of the file detect damage that leaves no trace. `written`: from `writtenAt`.
 */
export async function isUntouched(folder: string, file: ProjectionFile, written: bigint): Promise<boolean> {
  const found = await stat(projectionPath(folder, file), { bigint: true }).catch(() => undefined);
  if (found?.size !== BigInt(file.bytes)) return false;
  return found.ctimeNs < written || hasCheck(projectionPath(folder, file), file);
}

/** The last change of a file in nanoseconds; 0 if it does not exist. Programs cannot set it. */
export async function writtenAt(file: string): Promise<bigint> {
  return (await stat(file, { bigint: true }).catch(() => undefined))?.ctimeNs ?? 0n;
}

/** The manifest's entry for a file that was written. */
export async function describeProjection(folder: string, name: string): Promise<ProjectionFile> {
  const content = await readFile(projectionPath(folder, { name }));
  return { name, bytes: content.length, check: crc32(content) };
}

/** Sets the mode of a damaged file, which updates its change time. The next writer then checks it and rebuilds it. */
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
