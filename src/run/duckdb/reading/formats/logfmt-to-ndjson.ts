import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Compression, readBytes } from '../../../file/read-bytes.ts';
import { nameSource, sourceName } from '../../../file/source-copy.ts';
import { PackingDamage } from '../../../file/unpack.ts';
import type { Engine } from '../../engine/engine.ts';
import { readLogfmtLine } from '../layouts/logfmt.ts';
import { splitLines } from '../text/split-lines.ts';
import { damagedFile } from './unfit-file.ts';

/** A log with `key=value` pairs in each line. */
export interface LogfmtFile {
  readonly path: string;
  readonly format: 'logfmt';
  readonly compression: Compression;
  readonly encoding?: string | undefined;
}

/**
 * Writes each line as a JSON object into the engine's folder, so that line numbers stay the same. Values are texts; a
 * line without pairs is the `message` of an object, which has no time and is rejected. Error: `file-corrupt`.
 */
export async function logfmtToNdjson(engine: Engine, { path, compression, encoding }: LogfmtFile): Promise<string> {
  const target = join(engine.folder, `logfmt-${engine.nextNumber()}.ndjson`);
  nameSource(target, sourceName(path));
  const lines = async function* () {
    let written = '';
    const splitter = splitLines(({ bytes, head }) => {
      const line = (bytes ?? head!).toString('utf8').replace(/^\uFEFF/, '');
      written += line.trim() === '' ? '\n' : `${JSON.stringify(readLogfmtLine(line) ?? { message: line.trimEnd() })}\n`;
    });
    for await (const piece of readBytes(path, compression, { encoding })) {
      splitter.push(piece);
      yield written;
      written = '';
    }
    splitter.end();
    yield written;
  };
  try {
    await pipeline(Readable.from(lines()), createWriteStream(target, { mode: 0o600 }));
  } catch (cause) {
    throw cause instanceof PackingDamage ? damagedFile(path, cause) : cause;
  }
  return target;
}
