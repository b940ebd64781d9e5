import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AbortedError, throwIfAborted } from '../../../ask/sluice-error.ts';
import { writeUtc } from '../../../ask/time/local-time.ts';
import { keepToOwner, ownerOnly } from '../../file/owner-only.ts';
import { readBytes } from '../../file/read-bytes.ts';
import { sourceName } from '../../file/source-copy.ts';
import { type KnownSources, logOf } from '../../store/known-sources.ts';
import { type StoredProperty, segmentPath } from '../../store/store-manifest.ts';
import type { Engine } from '../engine/engine.ts';
import { demandUnchanged, hashBytes, hashUnpacked, lookAtFile, openContentHash } from '../engine/file-identity.ts';
import { quoteName, quoteText } from '../engine/sql-text.ts';
import {
  type InspectedFile,
  entitiesOf,
  formatOf,
  inspectEventFile,
  isWhole,
  shapeOf,
} from '../reading/event-reading.ts';
import { isText } from '../reading/source/event-source.ts';
import { splitLines } from '../reading/text/split-lines.ts';
import { csvWithFiles, eventsWithFurther } from '../reading/source/events-relation.ts';
import { mostKeys, shapedReader } from '../reading/recognise/sample-keys.ts';
import type { StoreWriter } from './open-writer.ts';
import { namesForgotten, openRejectedFile } from './rejected-file.ts';
import { recordOf } from '../../store/store-contents.ts';
import {
  type HashedSource,
  identityOf,
  type StagedFile,
  type StagingOrder,
  storedRows,
  wideFile,
  withContent,
} from './stage-file.ts';
import { openingOf } from './rotated-files.ts';
import { chooseFrom, withPropertyColumns } from './property-columns.ts';
import { rowsOf, segmentFormat } from './segment-columns.ts';

/** The column with the number of a row's file. */
const fileNumberColumn = 'sluice number';

/**
 * A SELECT like that of `readEventFile` over files of one shape, in order, with ascending file numbers in
 * `fileNumberColumn`. The statement fails if a line of a file is not an event. undefined if the files have too many
 * keys together, a key conflicts with a column of file positions, or a compressed file is damaged. `copy`: the combined
 * file that is read in their place; the caller removes it.
 */
async function readTogether(
  engine: Engine,
  files: readonly (InspectedFile & { readonly number: number })[],
): Promise<{ readonly select: string; readonly copy?: string } | undefined> {
  const [first] = files;
  const paths = files.map(({ file }) => file.path);
  const source = first?.source && isText(first.source) ? { ...first.source, paths } : undefined;
  if (!source) return undefined;
  const keys = [...new Set(files.flatMap((file) => file.keys))];
  if (keys.length >= mostKeys) return undefined;
  if (source.kind === 'json' && source.format === 'newline_delimited') {
    const copy = join(engine.folder, `together-${engine.nextNumber()}.ndjson`);
    await writeNumbered(copy, files).catch(async (error: unknown) => {
      await rm(copy, { force: true });
      throw error;
    });
    const copied = { ...source, compression: 'none', paths: [copy] } as const;
    const known = await shapedReader(engine, copied, [copy], keys, [fileNumberColumn]);
    const number = `CAST(CAST(${quoteName(fileNumberColumn)} AS VARCHAR) AS INTEGER)`;
    return { select: eventsWithFurther(copied, true, known, { more: new Map([[fileNumberColumn, number]]) }), copy };
  }
  const whole = await Promise.all(files.map(({ file, source: own }) => isWhole(engine, own, file.path)));
  if (!whole.every(Boolean)) return undefined;
  const known = source.kind === 'json' ? await shapedReader(engine, source, paths, keys) : csvWithFiles(source);
  if (known?.fileColumn === undefined) return undefined;
  const number = `${quoteName(known.fileColumn)} + ${first!.number}`;
  return { select: eventsWithFurther(source, true, known, { more: new Map([[fileNumberColumn, number]]) }) };
}

/**
 * Writes the lines of JSON files into one file, each with its file's number. The engine reads one file in a fraction of
 * the time of many. Errors: `NotTogether`, and those of unpacking.
 */
async function writeNumbered(
  path: string,
  files: readonly (InspectedFile & { readonly number: number })[],
): Promise<void> {
  let room = mostCopied;
  await using copy = await open(path, 'wx', ownerOnly.file);
  for (const { file, source, number } of files) {
    const front = Buffer.from(`{"${fileNumberColumn}":${number},`);
    const pieces: Buffer[] = [];
    const splitter = splitLines(({ bytes }) => {
      const start = bytes?.findIndex((byte) => byte > space) ?? -1;
      if (start < 0) return;
      if (bytes![start] !== openingBrace) throw new NotTogether('a line is no object');
      pieces.push(front, bytes!.subarray(start + 1), lineFeed);
    });
    const compression = isText(source!) ? source.compression : 'none';
    // Read small files whole: opening a stream takes longer than reading the bytes.
    for await (const piece of compression === 'none'
      ? [await readFile(file.path)]
      : readBytes(file.path, compression)) {
      room -= piece.length;
      if (room < 0) throw new NotTogether('it is too much');
      splitter.push(piece);
    }
    splitter.end();
    await copy.write(Buffer.concat(pieces));
  }
}

/** Bytes of uncompressed text. */
const mostCopied = 256 << 20;
const space = 0x20;
const openingBrace = 0x7b;
const lineFeed = Buffer.from('\n');

type Staged = Extract<StagedFile, { readonly kind: 'staged' }>;

/**
 * Stages small files with one statement, because a statement per file takes longer than reading its events. `looks`
 * caches what is learned about each file. undefined if the files differ in shape, or if one is known already, changed
 * meanwhile, or is incomplete; the caller then tries smaller groups, and nothing is left behind. Error: `AbortedError`.
 */
export async function stageTogether(
  writer: StoreWriter,
  known: KnownSources,
  orders: readonly StagingOrder[],
  looks: FileLooks,
): Promise<readonly Staged[] | undefined> {
  const looked = await allAtOnce(orders, (order) => lookAtOne(writer, known, order, looks)).catch(unlessAborted);
  if (!looked) return undefined;
  const [shape, ...others] = new Set(looked.map(({ inspected }) => shapeOf(inspected)));
  if (shape === undefined || others.length > 0) return undefined;
  if (new Set(looked.map(({ hashed }) => hashed.content?.sha256)).size < looked.length) return undefined;
  const heads = looked.flatMap(({ hashed }) => hashed.content?.head ?? []);
  if (new Set(heads).size < heads.length) return undefined;
  if (await haveStates(looked).catch(unlessAborted)) return undefined;
  const name = writer.freshName('.parquet');
  const path = segmentPath(writer.folder, { name });
  const copied = await copyAll(writer, looked, path).catch(unlessAborted);
  const unchanged =
    copied &&
    (await allAtOnce(looked, ({ order, look }) => demandUnchanged(order.file, look, look.bytes)).catch(unlessAborted));
  if (!copied || !unchanged) {
    await rm(path, { force: true });
    return undefined;
  }
  const { counts, properties } = copied;
  const part = {
    name,
    path,
    properties,
    numbers: orders.map(({ number }) => number),
    rows: [...counts.values()].reduce((sum, rows) => sum + rows, 0),
  };
  const { folder, manifest } = writer;
  return looked.map(({ order, look, hashed, inspected }): Staged => {
    const { file, number, project, now, randomText } = order;
    const rows = counts.get(number) ?? 0;
    const isForgotten = namesForgotten(manifest.salt, manifest.forgotten);
    const rejected = openRejectedFile(folder, sourceName(file), randomText, isForgotten);
    const format = formatOf(inspected.file);
    const entities = entitiesOf(inspected.source, inspected.keys);
    const { recognition, recognised } = inspected;
    const source = {
      ...{ number, file: sourceName(file), bytes: look.bytes, ...identityOf(hashed), format, time: writeUtc(now()) },
      ...recordOf(order.mapping),
      ...{ project: project?.value, rows, known: 0, forgotten: 0, rejected: 0 },
      ...(recognition?.isDated && { dated: true }),
    };
    return {
      kind: 'staged',
      source,
      replaces: undefined,
      read: { part, rows, format, entities, recognition, recognised, rejected },
    };
  });
}

interface LookedAt extends Look {
  readonly order: StagingOrder;
}

interface Look {
  readonly look: Awaited<ReturnType<typeof lookAtFile>>;
  readonly hashed: HashedSource;
  readonly inspected: InspectedFile;
}

/** Cached facts about files that are tried in smaller and smaller groups. */
export type FileLooks = Map<string, Promise<Look>>;

async function lookAtOne(
  writer: StoreWriter,
  known: KnownSources,
  order: StagingOrder,
  looks: FileLooks,
): Promise<LookedAt> {
  const looking = looks.get(order.file) ?? lookAndHash(writer, order);
  looks.set(order.file, looking);
  const looked = await looking;
  if (withContent(known, looked.hashed).length > 0) throw new NotTogether('it is known');
  if (known.mayContinue(sourceName(order.file), looked.hashed.content?.head).length > 0)
    throw new NotTogether('it may continue another one');
  if (await order.rotated.continuedBy(order.file, known)) throw new NotTogether('it continues another one');
  return { order, ...looked };
}

/** Whether one of the files continues another one of the same log. The heads tell it of contents that have one. */
async function haveStates(looked: readonly LookedAt[]): Promise<boolean> {
  for (const files of Map.groupBy(looked, ({ order }) => logOf(sourceName(order.file))).values()) {
    if (files.length === 1 || files.every(({ hashed }) => hashed.content?.head !== undefined)) continue;
    const openings = await allAtOnce(files, ({ order }) => openingOf(order.file));
    // In this order, a text is followed by those that begin with it.
    const sorted = openings.toSorted(Buffer.compare);
    if (sorted.some((opening, index) => sorted[index + 1]?.subarray(0, opening.length).equals(opening))) return true;
  }
  return false;
}

async function lookAndHash(writer: StoreWriter, order: StagingOrder): Promise<Look> {
  const { file, signal } = order;
  const look = await lookAtFile(file);
  throwIfAborted(signal);
  const content = await readFile(file);
  const { sha256, bytes } = hashBytes(content);
  await demandUnchanged(file, look, bytes);
  const inspected = await inspectEventFile(writer.engine, file, {
    content,
    encoding: order.encoding,
    mappingOf: () => order.mapping,
  });
  if (shapeOf(inspected) === undefined) throw new NotTogether('it is read otherwise');
  const compression = isText(inspected.source!) ? inspected.source.compression : 'none';
  const hash = openContentHash();
  if (compression === 'none') hash.update(content);
  const unpacked = compression === 'none' ? hash.end() : await hashUnpacked(file, compression, hash, signal);
  if (!unpacked) throw new NotTogether('its packing is damaged');
  return { look, hashed: { sha256, bytes, content: unpacked, isPacked: compression !== 'none' }, inspected };
}

class NotTogether extends Error {
  override readonly name = 'NotTogether';
}

/** Row counts by the number of the source. */
async function copyAll(
  writer: StoreWriter,
  looked: readonly LookedAt[],
  path: string,
): Promise<
  { readonly counts: ReadonlyMap<number, number>; readonly properties: readonly StoredProperty[] } | undefined
> {
  const files = looked.map(({ order, inspected }) => ({ ...inspected, number: order.number }));
  const read = await readTogether(writer.engine, files);
  if (read === undefined) return undefined;
  const project = looked[0]!.order.project?.value;
  const rows = storedRows(read.select, quoteName(fileNumberColumn), project);
  const bytes = looked.reduce((sum, { look }) => sum + look.bytes, 0);
  let properties: readonly StoredProperty[] = [];
  try {
    if (bytes >= wideFile) properties = await chooseFrom(writer, [`(${rows}) AS stored`]);
    await writer.rows(`COPY (${withPropertyColumns(rows, properties)}) TO ${quoteText(path)} ${segmentFormat}`);
  } finally {
    if (read.copy) await rm(read.copy, { force: true });
  }
  await keepToOwner(path);
  const counted = await writer.rows(`SELECT source, count(*) FROM ${rowsOf([path])} GROUP BY source`);
  // A line contained more than one record.
  if (counted.some(([source]) => source === null)) return undefined;
  return { properties, counts: new Map(counted.map(([source, count]) => [Number(source), Number(count)])) };
}

/** Reading the file alone reports all other errors. */
function unlessAborted(error: unknown): undefined {
  if (error instanceof AbortedError) throw error;
}

const mostAtOnce = 16;

async function allAtOnce<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const done = new Array<R>(items.length);
  const left = items.entries();
  await Promise.all(
    Array.from({ length: Math.min(mostAtOnce, items.length) }, async () => {
      for (const [index, item] of left) done[index] = await work(item);
    }),
  );
  return done;
}
