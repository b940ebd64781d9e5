import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { type Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { nameSource, sourceName } from '../../../file/source-copy.ts';
import { PackingDamage } from '../../../file/unpack.ts';
import type { Engine } from '../../engine/engine.ts';
import { damagedFile } from './unfit-file.ts';

interface CopyOptions {
  /** The kind of copy, and its ending: `lines`, `ndjson`. */
  readonly kind: string;
  readonly ending: string;
  readonly compress?: Duplex | undefined;
}

/**
 * Writes another form of a file into the engine's folder, where it has the name of the file in messages. Error:
 * `file-corrupt`.
 */
export async function writeCopy(
  engine: Engine,
  path: string,
  pieces: AsyncIterable<Buffer>,
  { kind, ending, compress }: CopyOptions,
): Promise<string> {
  const copy = join(engine.folder, `${kind}-${engine.nextNumber()}.${ending}`);
  nameSource(copy, sourceName(path));
  const target = createWriteStream(copy, { mode: 0o600 });
  try {
    await pipeline([Readable.from(pieces), ...(compress ? [compress] : []), target]);
  } catch (cause) {
    throw cause instanceof PackingDamage ? damagedFile(path, cause) : cause;
  }
  return copy;
}
