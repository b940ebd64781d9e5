import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { readBytes } from '../../file/read-bytes.ts';
import { PackingDamage, packingOf } from '../../file/unpack.ts';
import { placeOf } from '../../looks.ts';
import { contentOf, hasLines, type KnownSources } from '../../store/known-sources.ts';
import type { StoreSource } from '../../store/store-contents.ts';
import { hashBytes, headBytes } from '../engine/file-identity.ts';

/**
 * Sources whose contents are too short to tell a file by, and whose files were renamed or changed since they were
 * loaded, or have several names. So a file under another name that begins with such a content is that file, and not a
 * copy beside it.
 */
export interface RotatedFiles {
  /** The longest one that a file begins with. */
  continuedBy(file: string, known: KnownSources): Promise<StoreSource | undefined>;
}

export function openRotated(sources: readonly StoreSource[]): RotatedFiles {
  let finding: Promise<ShortSources> | undefined;
  return {
    async continuedBy(file, known) {
      const { rotated, standing } = await (finding ??= findShort(sources));
      const linked = standing.size === 0 ? [] : (standing.get(await placeAt(file)) ?? []);
      // Another file of this command may have replaced it.
      const present = [...linked, ...rotated].flatMap(({ sha256, number }) =>
        known.byHash(sha256).filter((source) => source.number === number),
      );
      const opening = present.length === 0 ? undefined : await openingOf(file);
      return longestFirst(present).find((source) => opening && beginsWith(opening, source));
    },
  };
}

interface ShortSources {
  readonly rotated: readonly StoreSource[];
  /** Those whose files are still there, by `placeOf`. */
  readonly standing: ReadonlyMap<string, readonly StoreSource[]>;
}

async function findShort(sources: readonly StoreSource[]): Promise<ShortSources> {
  const rotated: StoreSource[] = [];
  const standing = new Map<string, readonly StoreSource[]>();
  for (const source of sources) {
    const isShort = (contentOf(source)?.bytes ?? Infinity) < headBytes;
    // Sources within archives, at web addresses and on standard input have no path of their own.
    if (!isShort || source.window !== undefined || !hasLines(source) || !path.isAbsolute(source.file)) continue;
    try {
      if (await wasRotated(source)) rotated.push(source);
      else {
        const place = await placeAt(source.file);
        standing.set(place, [...(standing.get(place) ?? []), source]);
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') rotated.push(source);
    }
  }
  return { rotated, standing };
}

/** The place of the file at a path. Throws system errors. */
async function placeAt(file: string): Promise<string> {
  return placeOf(await stat(file, { bigint: true }));
}

function longestFirst(sources: readonly StoreSource[]): readonly StoreSource[] {
  return sources.toSorted((one, other) => contentOf(other)!.bytes - contentOf(one)!.bytes);
}

async function wasRotated(source: StoreSource): Promise<boolean> {
  const { size, mtimeMs } = await stat(source.file);
  if (size === source.bytes && mtimeMs < Date.parse(source.time)) return false;
  return !beginsWith(await openingOf(source.file), source);
}

function beginsWith(opening: Buffer, source: StoreSource): boolean {
  const { bytes, sha256 } = contentOf(source)!;
  return opening.length >= bytes && hashBytes(opening.subarray(0, bytes)).sha256 === sha256;
}

/** The first bytes of a file's contents, unpacked; as many as can be read of a damaged file. */
export async function openingOf(file: string): Promise<Buffer> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  const start = buffer.subarray(0, bytesRead);
  const packing = packingOf(start);
  if (!packing) return start;
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of readBytes(file, packing)) {
      pieces.push(piece);
      length += piece.length;
      if (length >= headBytes) break;
    }
  } catch (error) {
    if (!(error instanceof PackingDamage)) throw error;
  }
  return Buffer.concat(pieces).subarray(0, headBytes);
}
