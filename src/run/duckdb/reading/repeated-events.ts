import { existsSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { quoteSome } from '../../../ask/suggest.ts';
import { plural } from '../../../ask/text.ts';
import { manifestPathOf } from '../../export/files/export-manifest.ts';
import type { Packing } from '../../file/pack.ts';
import { readBytes } from '../../file/read-bytes.ts';
import { sourceName } from '../../file/source-copy.ts';
import { PackingDamage, packingOf } from '../../file/unpack.ts';
import { hashFile, hashUnpacked, headBytes } from '../engine/file-identity.ts';
import type { FactKeeper } from './source/find-fact.ts';
import type { EventSource } from './source/event-source.ts';
import { namesIn, recogniseFields } from './recognise/recognise-fields.ts';

/** More files are not compared. */
const mostCompared = 500;

/** Sentences on files that are copies of others, such as those that a browser downloaded twice. */
export async function tellCopies(all: readonly string[], keeper: FactKeeper | undefined): Promise<readonly string[]> {
  if (all.length < 2 || all.length > mostCompared) return [];
  // Windows of exports have manifests. Those without events are often alike.
  const files = all.filter((file) => !existsSync(manifestPathOf(file)));
  const compare = async () => {
    const packed = new Map(await Promise.all(files.map(async (file) => [file, await packingOfFile(file)] as const)));
    const sized = await groupBy(files, (file) => sizeOf(file, packed.get(file)));
    const alike = (
      await Promise.all(sized.map((group) => groupBy(group, (file) => headOf(file, packed.get(file)))))
    ).flat();
    const same = (
      await Promise.all(alike.map((group) => groupBy(group, (file) => hashOf(file, packed.get(file)))))
    ).flat();
    return JSON.stringify(same.map((group) => group.map(sourceName)));
  };
  const found = JSON.parse(keeper ? await keeper.keep('copies', files, compare) : await compare()) as string[][];
  return found.map((group) => {
    const short = group.map((file) => path.basename(file));
    return (
      `${quoteSome(new Set(short).size === group.length ? short : group)}` +
      ' have the same content, and all of them ' +
      'are counted. If they are copies, name only one, or load them with `sluice ingest`, which keeps one.'
    );
  });
}

/** The groups of files for which `keyOf` gives the same, without files that are alone. */
async function groupBy(
  files: readonly string[],
  keyOf: (file: string) => Promise<string | number>,
): Promise<readonly (readonly string[])[]> {
  if (files.length < 2) return [];
  const keys = await Promise.all(files.map(keyOf));
  return [...Map.groupBy(files.keys(), (index) => keys[index]!).values()]
    .map((indexes) => indexes.map((index) => files[index]!))
    .filter((group) => group.length > 1);
}

async function packingOfFile(file: string): Promise<Packing | undefined> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, 0);
  return packingOf(buffer.subarray(0, bytesRead));
}

/** The size of the contents, modulo 2³²; of zstd, which may not have it, that of the file. */
async function sizeOf(file: string, packing: Packing | undefined): Promise<number> {
  const { size } = await stat(file);
  if (packing !== 'gzip' || size < 18) return size % 2 ** 32;
  await using handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, size - 4);
  return buffer.readUInt32LE(0);
}

/** Files without a second line often hold only column names, so each has a head of its own. */
async function headOf(file: string, packing: Packing | undefined): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of readBytes(file, packing ?? 'none')) {
      pieces.push(piece);
      size += piece.length;
      if (size >= headBytes) break;
    }
  } catch (error) {
    // The reading of the events reports the damage.
    if (error instanceof PackingDamage) return file;
    throw error;
  }
  const head = Buffer.concat(pieces).toString('latin1', 0, headBytes);
  return size < headBytes && !/\n./.test(head) ? file : head;
}

async function hashOf(file: string, packing: Packing | undefined): Promise<string> {
  const hashed = packing ? await hashUnpacked(file, packing) : await hashFile(file);
  return hashed?.sha256 ?? file;
}

const idOfProject = "coalesce(project_id, ''), event_id";

/**
 * An aggregate over events: whether each ID is one within its project. Different hashes are of different IDs; comparing
 * hashes takes half the time, and most files repeat none.
 */
export const hasUniqueIds = `count(*) FILTER (event_id <> '') = count(DISTINCT hash(${idOfProject})) FILTER (event_id <> '')`;

/** A statement over events: how many have the ID of another one. */
export function countRepeats(events: string): string {
  return `SELECT coalesce(sum(n - 1), 0) FROM (SELECT count(*) AS n FROM ${events} WHERE event_id <> '' GROUP BY ${idOfProject})`;
}

/** The store keeps each ID once. */
export function tellRepeats(repeated: number): readonly string[] {
  if (repeated === 0) return [];
  return [
    `${repeated} ${plural(repeated, 'event repeats', 'events repeat')} the ID of another one and ` +
      `${plural(repeated, 'is', 'are')} counted. Load the files with \`sluice ingest\`, which keeps each ID once. ` +
      'If IDs are not unique, set `eventId: {value: null}` under `columns:`.',
  ];
}

/** Whether some events have IDs, as far as names tell. */
export async function hasIds(sources: readonly EventSource[]): Promise<boolean> {
  for (const source of sources) if (await showsIds(source)) return true;
  return false;
}

/** More files are looked at by the first one of each kind. */
const mostLookedAt = 50;

async function showsIds(source: EventSource): Promise<boolean> {
  if (source.kind === 'cleaned') return true;
  const [first, ...others] = source.paths;
  for (const path of [first!, ...others.slice(0, source.kind === 'json' ? mostLookedAt : 0)]) {
    const { recognised } = recogniseFields(await namesIn(source, path, { head: 1 << 16 }), source);
    if (recognised.some(({ column }) => column === 'event_id')) return true;
  }
  return false;
}
