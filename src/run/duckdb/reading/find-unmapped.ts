import type { FileShape } from '../../../plan/mapping/preset.ts';
import { openEngine } from '../engine/engine.ts';
import { describeParquet } from './describe-parquet.ts';
import { groupSources } from './event-source.ts';
import { isTimed, type MappingOf } from './map-files.ts';
import { readShape } from './read-shape.ts';
import { readableFiles, sniffFiles } from './readable-files.ts';
import { recogniseFile } from './recognise-file.ts';

/** A file whose columns nothing says what they are. */
export interface UnmappedFile {
  readonly file: string;
  readonly shape: FileShape;
}

/** So many files are looked at. */
const mostFiles = 20;

/**
 * The first file that no mapping and no preset is for, and whose columns do not say by their names when its events
 * were. Errors: those of `sniffFormat` and `arrowToParquet`.
 */
export async function findUnmapped(
  files: readonly string[],
  mappingOf: MappingOf | undefined,
  encoding?: string,
): Promise<UnmappedFile | undefined> {
  const open = files.slice(0, mostFiles).filter((file) => Object.keys(mappingOf?.(file)?.columns ?? {}).length === 0);
  const sniffed = await sniffFiles(open, encoding);
  const doubtful = sniffed.filter(
    (file) =>
      file.format === 'parquet' ||
      file.format === 'arrow' ||
      (file.format !== 'empty' && groupSources([file], new Map()).some((source) => !isTimed(source))),
  );
  if (doubtful.length === 0) return undefined;
  await using engine = await openEngine({ threads: 1 });
  for (const { path } of doubtful) {
    const [file] = await readableFiles(engine, [path], encoding);
    const columns = await describeParquet(engine, file!.format === 'parquet' ? [file!.path] : []);
    const [source] = groupSources([file!], columns);
    if (!source || isTimed(source)) continue;
    if (recogniseFile(file!, columns.get(file!.path), mappingOf?.(path)?.preset)) continue;
    const shape = await readShape(engine, source, file!.path);
    if (shape && shape.columns.length > 0) return { file: path, shape };
  }
  return undefined;
}
