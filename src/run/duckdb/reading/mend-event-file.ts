import { sourceName } from '../../file/source-copy.ts';
import type { Engine } from '../engine/engine.ts';
import { isTakenElsewhere } from '../mapping/apply-mapping.ts';
import type { CompiledMapping } from '../mapping/compile-mapping.ts';
import { isCanonicalKey, isFurtherKey, readName } from '../../events/column-names.ts';
import type { CellMarks } from './columns/recognition.ts';
import {
  asSelects,
  type EventReading,
  formatOf,
  isWhole,
  marksOf,
  openSource,
  selectOf,
  succeeds,
  withoutDoubts,
  withRoots,
} from './event-reading.ts';
import { copyGood, readingOf, toCleanedSource } from './mend-file.ts';
import { decideAgain, type ReadingOptions } from './recognise/map-files.ts';
import { allKeysOf, isPlainKey, mostKeys, shapedReader } from './recognise/sample-keys.ts';
import { type OnRejected, tellRejected } from './rejected-records.ts';
import { type CleanedFile, lineKey, recordKey, type Rejection } from './source/clean-file.ts';
import { isText, type TextSource } from './source/event-source.ts';
import { eventsWithFurther } from './source/events-relation.ts';
import { furtherKey } from './source/further-fields.ts';
import { foldMembers, type Judge, keysOf } from './source/judge-record.ts';
import { listInVain } from './source/rejected-lines.ts';

/** The reading of a mended file, which is always plain. */
export interface MendedReading extends Pick<EventReading, 'select' | 'selectIn' | 'format'> {
  /** How the numbers and times in the valid lines of a CSV file are written. */
  readonly marks?: CellMarks | undefined;
}

/** As `readEventFile`, without the invalid lines. Each of these is passed on with its text, in file order. */
export async function mendEventFile(
  engine: Engine,
  path: string,
  onRejected: OnRejected,
  options?: ReadingOptions,
): Promise<MendedReading> {
  const { file, source } = await openSource(engine, path, options);
  const format = formatOf(file);
  if (!source || source.kind === 'cleaned') {
    return { ...asSelects(await selectOf(engine, source, [file.path])), format };
  }
  if (!isText(source)) {
    const decided = await decideAgain(engine, source);
    for (const { line, reason } of await listInVain(engine, decided, decided.paths[0]!))
      await onRejected({ file: sourceName(path), line, reason, text: '' });
    return { ...asSelects((form) => eventsWithFurther(decided, false, undefined, form)), format };
  }
  const isUtf8 = source.encoding === undefined;
  const keys = source.kind === 'json' && isUtf8 ? await allKeysOf(engine, source, file.path, mostKeys) : undefined;
  const fits = keys !== undefined && keys.size <= mostKeys && [...keys].every(isPlainKey);
  if (source.kind === 'json' && fits) {
    const reader = await shapedReader(engine, source, [file.path], withRoots(keys, source));
    const selects = asSelects((form) => eventsWithFurther(source, true, reader, form));
    if ((await succeeds(engine, selects)) && (await isWhole(engine, source, file.path))) return { ...selects, format };
  }
  return {
    ...(await selectGood(engine, source, file.path, keys !== undefined && !fits, { onRejected, options })),
    format,
  };
}

/** A SELECT over a copy of the valid lines. */
async function selectGood(
  engine: Engine,
  source: TextSource,
  path: string,
  folded: boolean,
  { onRejected, options }: { readonly onRejected: OnRejected; readonly options?: ReadingOptions | undefined },
): Promise<Pick<MendedReading, 'select' | 'selectIn' | 'marks'>> {
  const { cleaned, keys, rejections } = await copyWithKeys(engine, source, path, folded);
  const copy = await decideAgain(engine, toCleanedSource(cleaned, path, source));
  const inVain = await listInVain(engine, copy, path);
  const all = [...rejections, ...inVain].sort((one, other) => one.record - other.record);
  const { compression, encoding } = source;
  await tellRejected({ path, compression, encoding, split: readingOf(source).split }, all, onRejected);
  const known = await shapedReader(engine, copy, [copy.path], withRoots(keys, copy), [lineKey, recordKey]);
  const ofTable = source.kind === 'csv' && source.style === 'headed';
  const reader = { ...known, columns: known.columns.map((column) => ({ ...column, ofTable })) };
  const marks = await marksOf(engine, source, path, options, reader);
  const marked = { ...copy, marks: marks && withoutDoubts(marks) };
  return { ...asSelects((form) => eventsWithFurther(marked, false, reader, form)), marks };
}

interface CopyWithKeys {
  readonly cleaned: CleanedFile;
  readonly keys: readonly string[];
  readonly rejections: readonly Rejection[];
}

/** If there are too many keys or some are not plain names, a second copy folds them. */
async function copyWithKeys(engine: Engine, source: TextSource, path: string, folded: boolean): Promise<CopyWithKeys> {
  const keys = new Set<string>();
  const rejections: Rejection[] = [];
  const reading = readingOf(source, (name) => readName(name) ?? name);
  const cleaned = await copyGood(
    engine,
    source,
    path,
    { ...reading, judge: withKeys(reading.judge, keys, folded ? (source.mapped ?? 'plainly') : undefined) },
    (rejection) => rejections.push(rejection),
  );
  const fit = [...keys].every((key) => isPlainKey(key) || key === furtherKey) && keys.size <= mostKeys;
  return fit || folded ? { cleaned, keys: [...keys], rejections } : copyWithKeys(engine, source, path, true);
}

/** `folding`: fold all fields without a column into one, as the mapping or none requires. */
function withKeys(judge: Judge, keys: Set<string>, folding: CompiledMapping | 'plainly' | undefined): Judge {
  return (record) => {
    const judgement = judge(record);
    if (judgement.kind !== 'object') return judgement;
    const json =
      folding === undefined
        ? judgement.json
        : folding === 'plainly'
          ? foldMembers(judgement.json, furtherKey, isCanonicalKey, isFurtherKey)
          : foldMembers(judgement.json, furtherKey, ...foldingOf(folding));
    // One key too many is enough to decide.
    if (keys.size <= mostKeys) for (const key of keysOf(json)) keys.add(key);
    return { kind: 'object', json };
  };
}

/** Which keys to keep and which to fold, given a mapping that reads some and replaces others. */
function foldingOf(mapped: CompiledMapping): readonly [(key: string) => boolean, (key: string) => boolean] {
  const { roots, consumed } = { roots: new Set(mapped.roots), consumed: new Set(mapped.consumed) };
  return [
    (key) => roots.has(key) || isCanonicalKey(key),
    (key) => !consumed.has(key) && (isFurtherKey(key) || isTakenElsewhere(mapped, key)),
  ];
}
