import { encodingFor, type Encodings } from '../../file/encoding.ts';
import type { Engine } from '../engine/engine.ts';
import { type SniffedFile, sniffFormat } from './sniff-format.ts';

/** A file that DuckDB reads as it stands. */
export type ReadableFile = Exclude<SniffedFile, { readonly format: 'arrow' }>;

/** So many files are open at once, of the thousand or so that a process may have. */
const mostOpen = 32;

/**
 * Sniffs files, in their order, text in the encoding that is declared, and turns into Parquet what DuckDB cannot read.
 * `content`: of the only file, if it is at hand. Errors: those of `sniffFormat` and `arrowToParquet`.
 */
export async function readableFiles(
  engine: Engine,
  paths: readonly string[],
  encoding?: Encodings,
  content?: Buffer,
): Promise<readonly ReadableFile[]> {
  const sniffed = content
    ? [await sniffFormat(paths[0]!, encodingFor(paths[0]!, encoding), content)]
    : await sniffFiles(paths, encoding);
  const readable: ReadableFile[] = [];
  for (const file of sniffed) readable.push(file.format === 'arrow' ? await toParquet(engine, file) : file);
  return readable;
}

async function toParquet(
  engine: Engine,
  file: Extract<SniffedFile, { readonly format: 'arrow' }>,
): Promise<ReadableFile> {
  const { arrowToParquet } = await import('./arrow-to-parquet.ts');
  const path = await arrowToParquet(engine, file);
  return path === undefined ? { path: file.path, format: 'empty' } : { path, format: 'parquet', original: file.path };
}

export async function sniffFiles(paths: readonly string[], encoding?: Encodings): Promise<readonly SniffedFile[]> {
  const sniffed = new Array<SniffedFile>(paths.length);
  let next = 0;
  const work = async () => {
    for (let index = next++; index < paths.length; index = next++)
      sniffed[index] = await sniffFormat(paths[index]!, encodingFor(paths[index]!, encoding));
  };
  await Promise.all(Array.from({ length: Math.min(mostOpen, paths.length) }, work));
  return sniffed;
}
