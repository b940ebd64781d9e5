import { open } from 'node:fs/promises';
import type { Engine } from '../engine.ts';
import type { EventSource } from './event-source.ts';
import { readBytes } from './read-bytes.ts';
import { splitArray } from './split-array.ts';
import { splitLines } from './split-lines.ts';
import type { TakeRecord } from './split-records.ts';
import { jsonCompression, quotePaths } from '../sql-text.ts';
import { objectSizeOf } from './events-relation.ts';

export type JsonSource = Extract<EventSource, { readonly kind: 'json' }>;

/** So much is read of a file's head, and of each of some places further on. */
const headBytes = 1 << 20;
const placeBytes = 1 << 16;
const places = 15;

/** Keys of some of a file's records: of its head and, where it is not packed, of places all over it. */
export async function sampleKeys(source: JsonSource, path: string): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  const take: TakeRecord = ({ bytes }) => {
    for (const key of keysOf(bytes?.toString('utf8') ?? '')) keys.add(key);
  };
  const splitter = source.format === 'array' ? splitArray(take) : splitLines(take);
  let read = 0;
  try {
    for await (const piece of readBytes(path, source.compression)) {
      splitter.push(piece);
      read += piece.length;
      if (read >= headBytes) break;
    }
    if (read < headBytes) splitter.end();
  } catch {
    // The statement will meet the damage again.
  }
  if (source.compression === 'none' && source.format === 'newline_delimited' && read >= headBytes) await takePlaces(path, take);
  return keys;
}

async function takePlaces(path: string, take: TakeRecord): Promise<void> {
  await using file = await open(path);
  const { size } = await file.stat();
  for (let place = 1; place <= places; place++) {
    const at = Math.max(headBytes, Math.floor((size * place) / places) - placeBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(placeBytes), 0, placeBytes, at);
    const start = buffer.indexOf(0x0a);
    if (start >= 0) splitLines(take).push(buffer.subarray(start + 1, bytesRead));
  }
}

function keysOf(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
  } catch {
    return [];
  }
}

/** All keys of a file, or more than `most` of them; undefined where DuckDB cannot read it to its end. */
export async function allKeysOf(engine: Engine, source: JsonSource, path: string, most: number): Promise<ReadonlySet<string> | undefined> {
  const reader = `read_json_objects(${quotePaths([path])}, format = '${source.format}', compression = '${jsonCompression(source.compression)}', maximum_object_size = ${objectSizeOf(source)})`;
  try {
    const rows = await engine.rows(`SELECT DISTINCT unnest(json_keys(json)) AS key FROM ${reader} LIMIT ${most + 1}`);
    return new Set(rows.map(([key]) => String(key)));
  } catch {
    return undefined;
  }
}
