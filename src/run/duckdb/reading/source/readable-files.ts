import { encodingFor, type Encodings } from '../../../file/encoding.ts';
import { readJsonPath } from '../../../../plan/mapping/json-path.ts';
import type { Mapping, SimpleSource } from '../../../../plan/mapping/mapping.ts';
import type { Engine } from '../../engine/engine.ts';
import { lookAtFile } from '../../engine/file-identity.ts';
import { isTimeName } from '../../../events/column-names.ts';
import { type SniffedFile, sniffFormat } from '../formats/sniff-format.ts';
import type { LinedFile } from '../formats/lines-to-ndjson.ts';
import type { LooseObjects } from '../formats/loose-objects.ts';
import type { OtlpFile } from '../formats/otlp.ts';
import type { UnwrappedFile } from '../formats/unwrap-json.ts';

/** A file that DuckDB can read directly. */
export type ReadableFile = Exclude<
  SniffedFile,
  { readonly format: 'arrow' | 'json-objects' | 'json-wrapped' | 'lines' | 'otlp' }
>;

/** How files are to be read. */
interface HowToRead {
  readonly encoding?: Encodings;
  readonly content?: Buffer | undefined;
  readonly mappingOf?: ((path: string) => Mapping | undefined) | undefined;
}

/** Maximum number of open files. A process may have about a thousand. */
const mostOpen = 32;

/**
 * Sniffs files, in their order, text in the encoding that is declared, and turns into Parquet or
 * lists what DuckDB cannot read.
 * `content`: of the only file, if it is at hand. Errors: those of `sniffFormat`, `arrowToParquet` and
 * `unwrapJson`.
 */
export async function readableFiles(
  engine: Engine,
  paths: readonly string[],
  { encoding, content, mappingOf }: HowToRead,
): Promise<readonly ReadableFile[]> {
  const sniffed = content
    ? [await sniffFormat(paths[0]!, encodingFor(paths[0]!, encoding), content)]
    : await sniffFiles(paths, encoding);
  const readable: ReadableFile[] = [];
  for (const file of sniffed) readable.push(await toReadable(engine, file, mappingOf));
  return readable;
}

function toReadable(
  engine: Engine,
  file: SniffedFile,
  mappingOf: HowToRead['mappingOf'],
): ReadableFile | Promise<ReadableFile> {
  if (file.format === 'arrow') return toParquet(engine, file);
  if (file.format === 'lines') return toLines(engine, file);
  if (file.format === 'json-objects' || file.format === 'otlp') return ofObjects(engine, file);
  return file.format === 'json-wrapped' ? toArray(engine, file, mappingOf) : file;
}

async function toArray(
  engine: Engine,
  { otherwise, format: _format, ...file }: Extract<SniffedFile, { format: 'json-wrapped' }>,
  mappingOf: HowToRead['mappingOf'],
): Promise<ReadableFile> {
  const mapping = mappingOf?.(file.path);
  const { unwrapJson } = await import('../formats/unwrap-json.ts');
  const unwrapped = await madeOnce(engine, file.path, () => unwrapJson(engine, file));
  if (!unwrapped || (mapping && !unwrapped.isMeasured && isOfObject(mapping, unwrapped)))
    return toReadable(engine, otherwise, mappingOf);
  const { path, compression, sample, isMeasured: _, ...wrapped } = unwrapped;
  // Its own head may be the ends of many lines.
  const sniffed = await sniffFormat(path, undefined, Buffer.from(JSON.stringify(sample)));
  const array = { path, format: 'json-array', compression, original: file.path, wrapped } as const;
  const hints = 'hints' in sniffed ? sniffed.hints : undefined;
  return hints ? { ...array, hints, sample } : { path: file.path, format: 'empty' };
}

/**
 * A mapping that takes the time, or all of its fields, from keys beside the list and of the list's objects none, is
 * about the object.
 */
function isOfObject({ columns }: Mapping, { beside, inherited, list, sample }: UnwrappedFile): boolean {
  const rootsOf = (sources: Mapping['columns'][string]) =>
    [sources].flat().map((source: SimpleSource) => {
      const place =
        typeof source === 'string' ? source : 'column' in source ? source.column : 'path' in source ? source.path : '';
      return (place.startsWith('$.') ? readJsonPath(place)?.root : place) ?? '';
    });
  const time = Object.entries(columns).find(([field]) => isTimeName(field))?.[1];
  const roots = time === undefined ? Object.values(columns).flatMap(rootsOf) : rootsOf(time);
  const outer = new Set([list.split('.')[0], ...beside.map(({ path }) => path[0])]);
  const shared = new Set(time === undefined ? [] : inherited.map(([key]) => key));
  const isInner = (root: string) => !shared.has(root) && sample.some((record) => Object.hasOwn(record, root));
  return roots.some((root) => outer.has(root)) && !roots.some(isInner);
}

async function ofObjects(engine: Engine, file: LooseObjects | OtlpFile): Promise<ReadableFile> {
  const path = await madeOnce(engine, file.path, async () =>
    file.format === 'otlp'
      ? (await import('../formats/otlp.ts')).otlpToArray(engine, file)
      : (await import('../formats/objects-to-array.ts')).objectsToArray(engine, file),
  );
  const sniffed = await sniffFormat(path);
  return sniffed.format === 'json-array' ? { ...sniffed, original: file.path } : { path: file.path, format: 'empty' };
}

async function toLines(engine: Engine, file: LinedFile): Promise<ReadableFile> {
  const { linesToNdjson } = await import('../formats/lines-to-ndjson.ts');
  const path = await madeOnce(engine, file.path, () => linesToNdjson(engine, file));
  const sniffed = await sniffFormat(path);
  const lines = await toReadable(engine, sniffed.format === 'json-wrapped' ? sniffed.otherwise : sniffed, undefined);
  return lines.format === 'ndjson'
    ? { ...lines, original: file.path, form: file.form }
    : { path: file.path, format: 'empty' };
}

async function toParquet(
  engine: Engine,
  file: Extract<SniffedFile, { readonly format: 'arrow' }>,
): Promise<ReadableFile> {
  const { arrowToParquet } = await import('../arrow/arrow-to-parquet.ts');
  const path = await madeOnce(engine, file.path, () => arrowToParquet(engine, file));
  return path === undefined ? { path: file.path, format: 'empty' } : { path, format: 'parquet', original: file.path };
}

const made = new WeakMap<Engine, Map<string, Promise<unknown>>>();

/** What is made of a file in the engine's folder, once while the file stays the same. */
async function madeOnce<T>(engine: Engine, path: string, make: () => Promise<T>): Promise<T> {
  const key = JSON.stringify([path, (await lookAtFile(path)).mark]);
  const known = made.get(engine) ?? new Map<string, Promise<unknown>>();
  made.set(engine, known);
  const making = (known.get(key) as Promise<T> | undefined) ?? make();
  known.set(key, making);
  making.catch(() => known.delete(key));
  return making;
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
