import path from 'node:path';
import { isLocalTime } from '../../../../ask/time/zone.ts';
import { fieldCalled } from '../../../../plan/mapping/field-name.ts';
import type { Mapping } from '../../../../plan/mapping/mapping.ts';
import { noPreset } from '../../../../plan/presets/presets.ts';
import type { Encodings } from '../../../file/encoding.ts';
import { sourceName } from '../../../file/source-copy.ts';
import type { FactKeeper } from '../source/find-fact.ts';
import type { Engine } from '../../engine/engine.ts';
import { selectPart } from '../../mapping/apply-mapping.ts';
import { type CompiledMapping, compileMapping, type MappedPart } from '../../mapping/compile-mapping.ts';
import { decideTime, holdsDates, type TimeValues } from '../../mapping/decide-time.ts';
import { isTimeName } from '../../../events/column-names.ts';
import type { SourceColumn } from '../columns/event-columns.ts';
import { type EventSource, groupSources, isText } from '../source/event-source.ts';
import { columnsOf, readerOf } from '../source/events-relation.ts';
import type { ReadableFile } from '../source/readable-files.ts';
import { describePart, namesIn } from './recognise-fields.ts';
import { asChosen, pathOf, recogniseFile, type RecognisedFile, withOsFamily } from './recognise-file.ts';
import { sampleTexts, sampleTimes } from './sample-times.ts';

/** The mapping of a file by its absolute path; undefined if column names suffice. */
export type MappingOf = (path: string) => Mapping | undefined;

/** How files of events are read. */
export interface ReadingOptions {
  /** For text that is neither UTF-8 nor declares its encoding; see `readEncoding`. */
  readonly encoding?: Encodings;
  readonly mappingOf?: MappingOf | undefined;
  /** The bytes of a single file, if they have already been read. */
  readonly content?: Buffer | undefined;
  /** Called for each file whose tracker is recognised. */
  readonly onRecognised?: OnRecognised | undefined;
  /** Keeps what is found about files. */
  readonly facts?: FactKeeper | undefined;
  /** Sentences about files that were not found; see `findLeftOut`. */
  readonly leftOut?: Promise<readonly string[]> | undefined;
  /** Limits the view to the columns that statements name. Requires `refresh` before each statement. */
  readonly narrow?: boolean | undefined;
}

/** Called for each file that a preset reads. */
export type OnRecognised = (path: string, recognised: RecognisedFile) => void;

/**
 * Sources with the mappings of their files. Files without a mapping are recognised by their content. Errors: those of
 * `recogniseFile`, `compileMapping` and `decideTime`; DuckDB's own.
 */
export async function mapFiles(
  engine: Engine,
  given: readonly ReadableFile[],
  parquetColumns: ReadonlyMap<string, readonly SourceColumn[]>,
  mappingOf: MappingOf | undefined,
  onRecognised?: OnRecognised,
): Promise<readonly EventSource[]> {
  const mapped = new Map<string, CompiledMapping>();
  const files = given.map((file) => asChosen(file, presetOf(mappingOf?.(pathOf(file)))));
  for (const file of files) {
    const path = pathOf(file);
    const given = mappingOf?.(path);
    const recognised = recogniseFile(file, parquetColumns.get(file.path), presetOf(given), given?.timezone);
    if (recognised) onRecognised?.(path, recognised);
    const whole = over(given, recognised?.mapping);
    const ownTimes = whole?.timezone === undefined ? [] : await findOwnTimes(whole, file, parquetColumns);
    const mapping = ownTimes.length === 0 ? whole : { ...whole, columns: { ...whole?.columns, utcTime: ownTimes } };
    // Column names suffice.
    if (mapping === undefined || Object.keys(mapping.columns).length === 0) continue;
    const compiled = await compileMapping(engine, withOsFamily(mapping));
    const general = { ...compiled, consumed: [...new Set([...compiled.consumed, ...ownTimes])] };
    const [source] = groupSources([file], parquetColumns, new Map([[file.path, general]]));
    if (!source) continue;
    const found = await findFormats(engine, file, source);
    const isKnown = recognised !== undefined && !recognised.preset.mayBeLocal;
    mapped.set(file.path, isKnown ? found : await withLocalTimes(engine, file, source, found));
  }
  return groupSources(files, parquetColumns, mapped);
}

/** The preset that the file's mapping selects. */
export function presetOf(given: Mapping | undefined): string | undefined {
  return given === undefined || Object.keys(given.columns).length === 0 ? given?.preset : (given.preset ?? noPreset);
}

/** The user's columns override those of a preset, whichever name of a field each uses. */
function over(given: Mapping | undefined, preset: Mapping | undefined): Mapping | undefined {
  if (given === undefined || preset === undefined) return given ?? preset;
  const own = new Set(Object.keys(given.columns).map((name) => fieldCalled(name)));
  const below = Object.entries(preset.columns).filter(([name]) => !own.has(fieldCalled(name)));
  const { timezone = preset.timezone, timeFormat = preset.timeFormat, rows = preset.rows } = given;
  return { columns: { ...Object.fromEntries(below), ...given.columns }, timezone, timeFormat, rows };
}

/**
 * The columns of the time that are recognised by name, unless the mapping has one. Without one, they are read as UTC.
 */
async function findOwnTimes(
  { columns }: Mapping,
  file: ReadableFile,
  parquetColumns: ReadonlyMap<string, readonly SourceColumn[]>,
): Promise<readonly string[]> {
  if (Object.keys(columns).some((name) => fieldCalled(name)?.type === 'time')) return [];
  const [source] = groupSources([file], parquetColumns);
  if (!source || !isTimed(source)) return [];
  const { names } = await namesIn(source, file.path);
  return names.filter(isTimeName);
}

/** Whether a column, or a key in the head of the file, has the name of a time. */
export function isTimed(source: EventSource): boolean {
  return source.kind === 'json' ? source.hints.timed : columnsOf(source).some(({ name }) => isTimeName(name));
}

/**
 * The source's mapping with time formats from the head of the file, unless they are ambiguous. For a damaged text file,
 * the readable part decides.
 */
async function findFormats(engine: Engine, file: ReadableFile, source: EventSource): Promise<CompiledMapping> {
  // DuckDB cannot read this encoding. The formats are decided on the UTF-8 copy.
  if (isText(source) && source.encoding !== undefined) return source.mapped!;
  const columns = source.kind === 'parquet' ? source.columns : undefined;
  const isDate = async (part: MappedPart) =>
    part.kind !== 'value' &&
    part.format !== undefined &&
    holdsDates(part.format, await sampleTexts(engine, file, columns, part));
  const declared = await withTimes(source.mapped!, async (part) =>
    (await isDate(part)) ? { ...part, isDate: true } : part,
  );
  return withFormats(declared, async (part, name) => {
    const format = declared.rows === undefined ? await sampleTimes(engine, file, columns, part) : undefined;
    return format === undefined
      ? decide(engine, source, part, { name, care: 'head' })
      : { format, isFound: true, isUsual: format === 'iso' || undefined, isDate: undefined };
  });
}

/** Marks the times of text whose head names no zone, and dates. */
function withLocalTimes(
  engine: Engine,
  file: ReadableFile,
  source: EventSource,
  mapped: CompiledMapping,
): Promise<CompiledMapping> {
  return withTimes(mapped, async (part) => {
    if (part.isZoned !== false || part.kind === 'value') return part;
    if (file.format === 'parquet') return part.isDate ? { ...part, isLocal: true } : part;
    const isSql = part.kind === 'sql';
    const texts = isSql ? await sampleResults(engine, source, part) : await sampleTexts(engine, file, undefined, part);
    return isLocalTime(isSql ? part.sql : part.root, texts) ? { ...part, isLocal: true } : part;
  });
}

/** Some results of an expression, if they are texts. */
async function sampleResults(engine: Engine, source: EventSource, part: MappedPart): Promise<readonly string[]> {
  const { select } = selectPart(tableOf(source), part, source.mapped ?? {});
  const texts = `SELECT value FROM (${select} LIMIT 100) WHERE typeof(value) = 'VARCHAR' AND CAST(value AS VARCHAR) <> ''`;
  // Errors are reported when the file is read.
  const rows = await engine.rows(texts).catch(() => []);
  return rows.map(([text]) => String(text));
}

function tableOf(source: EventSource) {
  return { columns: columnsOf(source), reader: readerOf(source, [], false, true) };
}

/** Whether some format comes from the head alone, so that later rows may not fit it. */
export function isByHead({ mapped }: EventSource): boolean {
  return mapped?.fields.some(({ parts }) => parts.some(({ isFound }) => isFound === true)) ?? false;
}

/** Decides the formats again over all rows of a Parquet file or of a cleaned copy. */
export async function decideAgain<Source extends EventSource>(engine: Engine, source: Source): Promise<Source> {
  if (!source.mapped) return source;
  const mapped = await withFormats(source.mapped, (part, name) =>
    decide(engine, source, part, { name, care: 'whole' }),
  );
  return { ...source, mapped };
}

type FoundFormat = Pick<MappedPart, 'format' | 'isFound' | 'isUsual' | 'isDate'>;

type Decide = (part: MappedPart, name: string) => Promise<FoundFormat>;

function withFormats(mapped: CompiledMapping, decideOn: Decide): Promise<CompiledMapping> {
  return withTimes(mapped, async (part, name) =>
    part.format !== undefined && !part.isFound ? part : { ...part, ...(await decideOn(part, name)) },
  );
}

/** The mapping with changed time parts. */
async function withTimes(
  mapped: CompiledMapping,
  change: (part: MappedPart, name: string) => Promise<MappedPart>,
): Promise<CompiledMapping> {
  const fields = [];
  for (const field of mapped.fields) {
    const parts: MappedPart[] = [];
    if (field.type === 'time') for (const part of field.parts) parts.push(await change(part, field.name));
    fields.push(field.type === 'time' ? { ...field, parts } : field);
  }
  return { ...mapped, fields };
}

interface Deciding {
  readonly name: string;
  readonly care: TimeValues['care'];
}

async function decide(
  engine: Engine,
  source: EventSource,
  part: MappedPart,
  { name, care }: Deciding,
): Promise<FoundFormat> {
  const { select, type } = selectPart(tableOf(source), part, source.mapped ?? {});
  const from = part.kind === 'value' ? name : part.kind === 'sql' ? describePart(part) : part.root;
  const file = source.kind === 'cleaned' ? source.original : source.paths[0]!;
  const original = source.kind === 'parquet' ? (source.original ?? file) : file;
  const decided = await decideTime(engine, {
    select,
    type,
    zone: part.zone ?? 'UTC',
    place: `${path.basename(sourceName(original))}: ${from}`,
    care,
  });
  return {
    format: decided?.format ?? 'iso',
    isFound: true,
    isUsual: undefined,
    isDate: decided?.isDate === true || undefined,
  };
}
