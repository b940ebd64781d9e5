import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import type { DuckDBBigIntVector } from '@duckdb/node-api';
import { throwIfAborted } from '../../../ask/sluice-error.ts';
import { makeOwnFolder, ownerOnly } from '../../file/owner-only.ts';
import {
  describeProjection,
  isUntouched,
  type ProjectionFile,
  projectionOf,
  projectionPath,
  writtenAt,
} from '../../store/projection-files.ts';
import { manifestPath, type Segment, segmentPath } from '../../store/store-manifest.ts';
import { interruptible } from '../engine/run-statement.ts';
import type { FileWriter } from './file-writer.ts';
import { rowsOf } from './segment-columns.ts';

/**
 * The projection with the hashes of a segment's ids. Its file has little-endian words of 32 bits: for each hash, in
 * order, the 32 bits after its upper bits; for each value of the upper bits, the index at which its hashes begin, then
 * the end; and the number of upper bits. About `groupSize` hashes share their upper bits, so that an unknown id matches
 * a hash once in 30 million times.
 */
const projection = 'ids';
const layoutVersion = 1;
const groupSize = 128;

/** The number of hashes that are sorted in memory at once: 32 MB. */
const mostKeys = 4 << 20;

/** Sorted 64-bit hashes, the lower half of each before the upper half. */
type Keys = Uint32Array;

interface IdHashes {
  readonly bits: number;
  readonly starts: Uint32Array;
  readonly rest: Uint32Array;
}

/** The ids that the new rows of an ingest may share with each other and with the store. */
export interface Repeats {
  /** Whether two new rows have the same hash. */
  readonly within: boolean;
  /** The segments that may contain the id of a new row. No other segment does. */
  readonly segments: readonly Segment[];
  /** The segments without usable hashes (missing, damaged, or made by another engine). Their ids must be read. */
  readonly unknown: readonly Segment[];
}

/** Compares the rows of files with the hashes of segments, without reading the ids of the segments. */
export async function findRepeats(
  writer: FileWriter,
  fresh: { readonly paths: readonly string[]; readonly rows: number },
  segments: readonly Segment[],
): Promise<Repeats> {
  const form = await formOf(writer);
  const unknown = segments.filter((segment) => projectionOf(segment, projection)?.form !== form);
  const hit = new Set<Segment>();
  let within = false;
  for await (const keys of sortedKeys(writer, fresh.paths, fresh.rows)) {
    within ||= hasEqual(keys);
    for (const segment of segments) {
      if (hit.has(segment) || unknown.includes(segment)) continue;
      const hashes = await readHashes(writer.folder, projectionOf(segment, projection)!);
      if (!hashes) unknown.push(segment);
      else if (meets(hashes, keys)) hit.add(segment);
    }
  }
  return { within, segments: [...hit], unknown };
}

/** Writes the hashes of segments that have none. A segment stays without if that fails. */
export async function withIdHashes(writer: FileWriter, segments: readonly Segment[]): Promise<readonly Segment[]> {
  try {
    await makeOwnFolder(path.join(writer.folder, 'projections'));
    const form = await formOf(writer);
    const written = await writtenAt(manifestPath(writer.folder));
    const all: Segment[] = [];
    for (const segment of segments) {
      const present = projectionOf(segment, projection);
      const isGood = present?.form === form && (await isUntouched(writer.folder, present, written));
      const file = isGood ? present : await writeHashes(writer, segment, form);
      all.push({ ...segment, projections: { ...segment.projections, [projection]: file } });
    }
    return all;
  } catch {
    throwIfAborted(writer.signal);
    return segments;
  }
}

/** Identifies the engine's hash function by the hash of a fixed text, since a later version may change it. */
async function formOf(writer: FileWriter): Promise<string> {
  const [row] = await writer.rows(`SELECT CAST(${keyOf("'a project'", "'an id'")} AS VARCHAR)`);
  return `${layoutVersion} ${String(row?.[0])}`;
}

function keyOf(project: string, id: string): string {
  return `hash(coalesce(${project}, ''), ${id})`;
}

/** Rows without an id have no key. */
export function keysOf(relation: string, condition = 'true'): string {
  return `SELECT ${keyOf('project_id', 'event_id')} AS key FROM ${relation} WHERE event_id <> '' AND ${condition}`;
}

/** The last hashes of a writer that are those of one file, which usually becomes a segment as it is. */
const lastKeys = new WeakMap<FileWriter, { readonly path: string; readonly keys: Keys }>();

/** The hashes of all rows in ascending order, in batches that fit in memory. */
async function* sortedKeys(writer: FileWriter, paths: readonly string[], rows: number): AsyncGenerator<Keys> {
  const { engine, signal } = writer;
  const slices = Math.max(1, Math.ceil(rows / mostKeys));
  const only = paths.length === 1 && slices === 1 ? paths[0] : undefined;
  const last = lastKeys.get(writer);
  if (last && last.path === only) return yield last.keys;
  for (let slice = 0; slice < slices; slice += 1) {
    const [low, high] = [slice, slice + 1].map((edge) => Math.floor((edge * 2 ** 32) / slices));
    const own = slices === 1 ? '' : ` WHERE key >> 32 >= ${low} AND key >> 32 < ${high}`;
    const keys = await engine.work((connection) =>
      interruptible(connection, signal, async () => {
        const result = await connection.run(`SELECT key FROM (${keysOf(rowsOf(paths))})${own} ORDER BY key`);
        const keys = new Uint32Array(result.rowCount * 2);
        let filled = 0;
        for (;;) {
          const chunk = await result.fetchChunk();
          if (!chunk || chunk.rowCount === 0) break;
          const items = (chunk.getColumnVector(0) as DuckDBBigIntVector)['items'];
          keys.set(new Uint32Array(items.buffer, items.byteOffset, chunk.rowCount * 2), filled);
          filled += chunk.rowCount * 2;
        }
        return keys.subarray(0, filled);
      }),
    );
    if (only !== undefined) lastKeys.set(writer, { path: only, keys });
    yield keys;
  }
}

function hasEqual(keys: Keys): boolean {
  for (let at = 2; at < keys.length; at += 2)
    if (keys[at] === keys[at - 2] && keys[at + 1] === keys[at - 1]) return true;
  return false;
}

function meets({ bits, starts, rest }: IdHashes, keys: Keys): boolean {
  let at = 0;
  for (let key = 0; key < keys.length; key += 2) {
    const group = groupOf(keys, key, bits);
    const own = restOf(keys, key, bits);
    const end = starts[group + 1]!;
    if (at < starts[group]!) at = starts[group]!;
    while (at < end && rest[at]! < own) at += 1;
    if (at < end && rest[at] === own) return true;
  }
  return false;
}

/** The upper bits of a key. JavaScript takes a shift by 32 as a shift by 0. */
function groupOf(keys: Keys, key: number, bits: number): number {
  return bits === 0 ? 0 : keys[key + 1]! >>> (32 - bits);
}

/** The 32 bits after the upper bits. */
function restOf(keys: Keys, key: number, bits: number): number {
  return bits === 0 ? keys[key + 1]! : ((keys[key + 1]! << bits) | (keys[key]! >>> (32 - bits))) >>> 0;
}

async function writeHashes(writer: FileWriter, segment: Segment, form: string): Promise<ProjectionFile> {
  const bits = Math.min(24, Math.max(0, Math.round(Math.log2(segment.rows / groupSize))));
  const starts = new Uint32Array(2 ** bits + 1);
  const rest = new Uint32Array(segment.rows);
  let count = 0;
  for await (const keys of sortedKeys(writer, [segmentPath(writer.folder, segment)], segment.rows)) {
    for (let key = 0; key < keys.length; key += 2) {
      starts[groupOf(keys, key, bits) + 1]! += 1;
      rest[count] = restOf(keys, key, bits);
      count += 1;
    }
  }
  for (let group = 1; group < starts.length; group += 1) starts[group]! += starts[group - 1]!;
  const name = writer.freshName(`-${projection}.hashes`);
  const words = [rest.subarray(0, count), starts, Uint32Array.of(bits)];
  await writeFile(projectionPath(writer.folder, { name }), words, { mode: ownerOnly.file });
  return { ...(await describeProjection(writer.folder, name)), form };
}

/** undefined if the file is missing or differs from what the manifest says. */
async function readHashes(folder: string, file: ProjectionFile): Promise<IdHashes | undefined> {
  const content = await readFile(projectionPath(folder, file)).catch(() => undefined);
  if (content?.length !== file.bytes || crc32(content) !== file.check) return undefined;
  const words = new Uint32Array(content.buffer.slice(content.byteOffset, content.byteOffset + content.length));
  const bits = words.at(-1)!;
  const first = words.length - 1 - (2 ** bits + 1);
  return { bits, starts: words.subarray(first, -1), rest: words.subarray(0, first) };
}
