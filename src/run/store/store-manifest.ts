import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { eachValue, hasPropertyName } from '../../ask/query/property-name.ts';
import { BackendError } from '../../ask/sluice-error.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import { readZone } from '../../ask/time/zone.ts';
import type { SegmentProjections, StoreProjections } from './projection-files.ts';
import { crcOf } from '../file/crc-of.ts';
import { systemReason, unlessMissing } from '../file/system-error.ts';
import { noteLook } from '../looks.ts';
import { isRecord } from '../../ask/document/json-record.ts';

/** The layout that this version writes, and the newest that it reads. It reads layout 1, too. */
export const storeVersion = 2;

/** Rows of events in one immutable Parquet file. */
export interface Segment {
  /** Name of the file in `segments/`. */
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  /** CRC-32 of its content. Earlier versions did not record it. */
  readonly check?: number | undefined;
  /** Times of its first and last event in epoch milliseconds, rounded down. */
  readonly first: number;
  readonly last: number;
  /** null for events without a project. */
  readonly projects: readonly (string | null)[];
  /**
   * For each of these projects, the number of events with neither a session nor a user. Earlier versions did not count
   * them; the next commit does.
   */
  readonly sessionless?: readonly number[] | undefined;
  /** The lowest and the highest number of the sources of its rows. */
  readonly sources: readonly [lowest: number, highest: number];
  /** Properties with columns of their own, in addition to the JSON with all properties. */
  readonly properties?: readonly StoredProperty[] | undefined;
  /** The same for properties of the values of lists. */
  readonly values?: readonly StoredProperty[] | undefined;
  /** Projections computed from its rows. */
  readonly projections?: SegmentProjections | undefined;
}

/** A property with a column in a segment. */
export interface StoredProperty {
  /** The keys that lead to it, from the outside in. */
  readonly path: readonly string[];
  /** True if another column contains the JSON types of its values. */
  readonly typed: boolean;
}

/** The manifest defines the store. Files that it does not name are garbage. */
export interface StoreManifest {
  /** The layout: `storeVersion`, or 1 for segments without some columns. The next writer upgrades those. */
  readonly version: number;
  /** Incremented by every commit. */
  readonly revision: number;
  /** Time of the commit, an ISO instant. */
  readonly time: string;
  readonly segments: readonly Segment[];
  /** Name of the file with the sources; undefined if there are none. */
  readonly ledger?: string | undefined;
  /** The number of the next source. */
  readonly nextSource: number;
  /** Prepended to IDs before they are hashed. */
  readonly salt: string;
  /** Events before this instant were removed, epoch milliseconds. */
  readonly pruned?: number | undefined;
  /** Hashed IDs of forgotten users. */
  readonly forgotten: readonly string[];
  /** When users were last forgotten, an ISO instant. Earlier versions did not record it. */
  readonly lastForgotten?: string | undefined;
  /** The zones that mappings of sources declare for times without one. */
  readonly zones?: readonly DeclaredZone[] | undefined;
  /** The projections over all segments. */
  readonly projections?: StoreProjections | undefined;
}

/** A zone, and the numbers of the sources that declare it: spans with both ends included. */
export interface DeclaredZone {
  readonly zone: string;
  readonly sources: readonly (readonly [lowest: number, highest: number])[];
}

export const manifestName = 'manifest.json';

export function manifestPath(folder: string): string {
  return path.join(folder, manifestName);
}

export function segmentPath(folder: string, segment: Pick<Segment, 'name'>): string {
  return path.join(folder, 'segments', segment.name);
}

/** undefined if there is no store. Errors: `store-damaged`, `store-too-new`, `store-unreadable`. */
export async function readManifest(folder: string): Promise<StoreManifest | undefined> {
  noteLook(manifestPath(folder));
  const text = await readFile(manifestPath(folder), 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return undefined;
    throw unreadableStore(folder, manifestName, cause);
  });
  if (text === undefined) return undefined;
  let written: unknown;
  try {
    written = JSON.parse(text);
  } catch (cause) {
    throw damagedStore(folder, `${manifestName} is not valid JSON`, cause);
  }
  if (!isRecord(written) || written['sluice'] !== 'store')
    throw damagedStore(folder, `${manifestName} is not the manifest of a store`);
  const { version } = written;
  if (typeof version === 'number' && version > storeVersion) {
    throw new BackendError(
      `The store in ${folder} has layout ${version}. This version of sluice supports layouts up to ${storeVersion}.`,
      {
        code: 'store-too-new',
        hint: 'Use the newer version of sluice that wrote it.',
      },
    );
  }
  if (!isManifest(written)) throw damagedStore(folder, `${manifestName} is incomplete`);
  return written;
}

/**
 * Throws `store-damaged` if a segment is missing or is not as it was written: the engine itself does not notice changed
 * bytes. Reads all of them. Says nothing if a writer has replaced the manifest meanwhile. Error: `store-unreadable`.
 */
export async function demandSegments(
  folder: string,
  { segments, revision }: Pick<StoreManifest, 'segments' | 'revision'>,
): Promise<void> {
  for (const segment of segments) {
    const path = segmentPath(folder, segment);
    const read = <T>(reading: Promise<T>) =>
      unlessMissing(reading).catch((cause: unknown) => {
        throw unreadableStore(folder, `segments/${segment.name}`, cause as NodeJS.ErrnoException);
      });
    const size = (await read(stat(path)))?.size;
    const fault =
      size !== segment.bytes
        ? size === undefined
          ? 'is missing'
          : 'has the wrong size'
        : segment.check !== undefined && (await read(crcOf(path)))?.check !== segment.check
          ? 'was changed since it was written'
          : undefined;
    if (fault !== undefined && (await readManifest(folder))?.revision === revision)
      throw damagedStore(folder, `segments/${segment.name} ${fault}`);
  }
}

/** The time range of the events in segments. */
export function extentOf(segments: readonly Segment[]): TimeRange {
  return {
    start: segments.reduce((least, { first }) => Math.min(least, first), Infinity),
    end: segments.reduce((most, { last }) => Math.max(most, last + 1), -Infinity),
  };
}

/** The text of a manifest with one line per segment, for readability. */
export function writeManifest({ segments, ...rest }: StoreManifest): string {
  const head = JSON.stringify({ sluice: 'store', ...rest });
  return `${head.slice(0, -1)},"segments":[${segments.map((segment) => `\n${JSON.stringify(segment)}`).join(',')}\n]}\n`;
}

/** A file of the store is there, but the system does not let it be read. */
export function unreadableStore(folder: string, name: string, cause: NodeJS.ErrnoException): BackendError {
  return new BackendError(`The store in ${folder} cannot be read: ${name}: ${systemReason(cause)}.`, {
    code: 'store-unreadable',
    cause,
    hint: 'Check the permissions of its files.',
  });
}

export function damagedStore(folder: string, what: string, cause?: unknown): BackendError {
  return new BackendError(`The store in ${folder} is damaged: ${what}.`, {
    code: 'store-damaged',
    cause,
    hint: 'Restore it from a backup, or remove the folder and ingest the files again.',
  });
}

export function missingStore(folder: string): BackendError {
  return new BackendError(`The store ${folder} does not exist.`, {
    code: 'store-not-found',
    hint: "Create one: `sluice ingest 'events/*.ndjson.gz'`.",
  });
}

function isManifest(
  value: Readonly<Record<string, unknown>>,
): value is Readonly<Record<string, unknown>> & StoreManifest {
  const { version, revision, time, segments, ledger, nextSource, salt, forgotten, lastForgotten, zones } = value;
  return (
    (version === 1 || version === storeVersion) &&
    isCount(revision) &&
    typeof time === 'string' &&
    Array.isArray(segments) &&
    segments.every(isSegment) &&
    (ledger === undefined || isFileName(ledger)) &&
    projectionNames(value['projections']).every(isFileName) &&
    isCount(nextSource) &&
    (zones === undefined || (Array.isArray(zones) && zones.every(isDeclaredZone))) &&
    typeof salt === 'string' &&
    Array.isArray(forgotten) &&
    forgotten.every((hash) => typeof hash === 'string') &&
    (lastForgotten === undefined || typeof lastForgotten === 'string')
  );
}

function isSegment(value: unknown): value is Segment {
  if (!isRecord(value)) return false;
  const { name, rows, bytes, check, first, last, projects, sessionless, sources, properties, values, projections } =
    value;
  return (
    projectionNames(projections).every(isFileName) &&
    isFileName(name) &&
    isCount(rows) &&
    isCount(bytes) &&
    (check === undefined || isCount(check)) &&
    Number.isSafeInteger(first) &&
    Number.isSafeInteger(last) &&
    Array.isArray(projects) &&
    (sessionless === undefined || (Array.isArray(sessionless) && sessionless.every(isCount))) &&
    Array.isArray(sources) &&
    sources.length === 2 &&
    sources.every(isCount) &&
    [properties, values].every((all) => all === undefined || (Array.isArray(all) && all.every(isStoredProperty)))
  );
}

function isDeclaredZone(value: unknown): value is DeclaredZone {
  if (!isRecord(value)) return false;
  const { zone, sources } = value;
  return (
    typeof zone === 'string' &&
    readZone(zone).ok &&
    Array.isArray(sources) &&
    sources.every((span) => Array.isArray(span) && span.length === 2 && span.every(isCount))
  );
}

function isStoredProperty(value: unknown): value is StoredProperty {
  if (!isRecord(value)) return false;
  const { path: keys, typed } = value;
  return (
    typeof typed === 'boolean' &&
    Array.isArray(keys) &&
    keys.every((key) => typeof key === 'string') &&
    hasPropertyName(keys.filter((key) => key !== eachValue))
  );
}

/** All file names in a manifest's projections, whatever their format. */
function projectionNames(said: unknown): readonly unknown[] {
  if (typeof said !== 'object' || said === null) return [];
  return Object.entries(said).flatMap(([key, value]) => (key === 'name' ? [value] : projectionNames(value)));
}

/** Allows only names without a path. */
function isFileName(value: unknown): value is string {
  return typeof value === 'string' && /^[\w.-]+$/.test(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
