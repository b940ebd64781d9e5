import type { TimeRange } from '../../../ask/time/range.ts';
import { toRenames, type UserOrder } from '../../../plan/model/event-fields.ts';
import type { Model } from '../../../plan/model/model.ts';
import type { FilledField, RejectedLines } from '../../backend.ts';
import type { Engine } from '../engine/engine.ts';
import { demandTime } from './demand-time.ts';
import { type Inspections, openFileChecks } from './file-checks.ts';
import { openFileView } from './file-view.ts';
import { findLacking, tellEmpty, tellFolders } from './find-lacking.ts';
import { tellNulls } from './formats/csv-head.ts';
import { tellMissingPages } from './formats/wrapped-sentences.ts';
import { mendFile } from './mend-file.ts';
import { once } from './once.ts';
import { mapFiles, type ReadingOptions } from './recognise/map-files.ts';
import { isLocal } from './recognise/recognise-fields.ts';
import { localNote } from '../../events/expected-facts.ts';
import { pathOf } from './recognise/recognise-file.ts';
import { describeParquet } from './source/describe-parquet.ts';
import { type EventSource, isText, replaceFile, type TextSource } from './source/event-source.ts';
import { joinSpans } from './source/event-span.ts';
import { type FactFinder, openFactFinder } from './source/find-fact.ts';
import { knowUses } from './source/find-uses.ts';
import { readableFiles } from './source/readable-files.ts';
import { nothingSurveyed, openSurvey, type Survey, type SurveyOrder } from './survey.ts';

/**
 * Projections stored beside the events. `has`: whether the projection of this relation name exists and is complete; it
 * reads the files once. `why`: the reason that no projection can be used.
 */
export type ProjectionsAtHand =
  | { readonly has: (relation: string) => Promise<boolean>; readonly extent: TimeRange; readonly why?: undefined }
  | { readonly why: string };

/** The source of the view `events`, event files or a store, and the known facts about their lines. */
export interface EventFiles extends Inspections {
  readonly files: readonly string[];
  /**
   * Prepares the view; call it before each statement. The view gets the columns that the statement names (all if none
   * is given) and the current events.
   */
  refresh(statement?: string): Promise<void>;
  /**
   * Checks, after a statement, whether the files still match the view. If not, it recreates the view and increments the
   * generation, because the rows may lack new fields.
   */
  noticeChanges?(): Promise<void>;
  /** An equivalent statement that reads less of the view's current source. */
  quicken?(statement: string): Promise<string>;
  /** What was found about these events before, in any process; else what `find` gives. */
  remember?(name: string, find: () => Promise<string>): Promise<string>;
  /** Whether the JSON types of most properties take much longer to read than their texts. */
  readonly typesAreSlow?: boolean;
  /**
   * Whether files are still read correctly, now that bytes were appended to them. If so, their lines are checked again.
   */
  mayGrow?(paths: readonly string[]): boolean;
  /** The zones that sources declare for times without one. */
  zones?(): readonly string[];
  /** The columns that mappings consume. */
  columns?(): readonly FilledField[];
  /** By field: the values that mappings and presets put in the place of those in the files. */
  renames?(): NonNullable<Model['renames']>;
  /** Increments when files are mended: a failed statement may succeed now. */
  readonly generation: number;
  /** Adds the column `further` to the view, as the events of a store have it. Reads text files once. */
  demandFurther(): Promise<void>;
  /** Notes on facts that a statement uses and the events lack, such as a user. */
  lacking(statement: string, zone?: string): Promise<readonly string[]>;
  /** The projections of a store; undefined unless all events come from one store. */
  projections?(): Promise<ProjectionsAtHand>;
  /** What answers tell about all events, as far as it can be found. Statistics tell the ends, whether asked or not. */
  survey(order: SurveyOrder): Promise<Survey>;
}

/**
 * Detects the formats of the files and creates a view over them. `encoding`: for text that is neither UTF-8 nor
 * declares its encoding. Errors: `file-vanished`, `file-unreadable`, `events-without-time`, DuckDB's own.
 */
export async function openEventFiles(
  engine: Engine,
  files: readonly string[],
  users: UserOrder,
  view = 'events',
  options: ReadingOptions = {},
): Promise<EventFiles> {
  const { encoding, mappingOf, onRecognised, facts, leftOut } = options;
  const sniffed = await readableFiles(engine, files, { encoding, mappingOf });
  const wrapped = sniffed.flatMap((file) =>
    'wrapped' in file && file.wrapped ? [{ file: pathOf(file), wrapped: file.wrapped }] : [],
  );
  const withNulls = sniffed.filter((file) => file.format === 'csv' && file.dump?.nulls);
  const givenPath = new Map(sniffed.map((file) => [file.path, pathOf(file)]));
  const parquet = sniffed.filter((file) => file.format === 'parquet').map((file) => file.path);
  const findFact = openFactFinder(engine);
  const survey = openSurvey(engine, files, facts);
  let sources = await mapFiles(engine, sniffed, await describeParquet(engine, parquet), mappingOf, onRecognised);
  for (const source of sources) await demandTime(source);
  if (facts) sources = await knowUses(engine, { files, sources }, facts, false);
  const rejected = new Map<string, RejectedLines>();
  for (const source of sources.filter(isText)) {
    if (source.encoding === undefined) continue;
    for (const path of source.paths) {
      const mended = await mendFile(engine, source, path);
      sources = replaceFile(sources, path, mended.source);
      rejected.set(givenPath.get(path) ?? path, mended.rejected);
    }
  }
  const shown = await openFileView(engine, { view, files, sources, users }, options);
  const checks = openFileChecks(engine, shown, { files, givenPath, users, facts, rejected });
  /** Whether some statement has read the text files to the end, so that further ones are likely. */
  let wasRead = false;
  const further = once(async () => {
    await shown.demandFurther();
    // Every line has been checked.
    if (shown.further) checks.addRejected(shown.further.rejected);
    checks.markTextRead();
  });

  return {
    files,
    refresh: (statement) => shown.refresh(statement, wasRead),
    noticeChanges: shown.noticeChanges,
    demandFurther: further.run,
    quicken: shown.quicken,
    mayGrow(paths) {
      // DuckDB refuses lines that are not JSON, while quotation marks in CSV can change what the rows after them mean.
      const grows = (path: string) =>
        shown.sources.some((source) => isPlainJson(source) && source.paths.includes(path));
      // Further fields were looked up in the lines that there were.
      if (shown.further || !paths.every(grows)) return false;
      checks.forgetText();
      return true;
    },
    zones: () => [...new Set(shown.sources.flatMap(({ mapped }) => mapped?.zone ?? []))].sort(),
    columns: () =>
      shown.sources.flatMap(({ mapped }) =>
        (mapped?.fields ?? []).flatMap(({ name, parts: [first, ...others] }) =>
          first?.kind === 'column' && mapped!.consumed.includes(first.root)
            ? [{ column: first.root, field: name, isAlone: others.length === 0 }]
            : [],
        ),
      ),
    renames: () =>
      toRenames(
        shown.sources.flatMap(({ mapped }) =>
          (mapped?.fields ?? []).flatMap(({ name, parts }) => parts.map(({ values }) => [name, values] as const)),
        ),
      ),
    remember: (name, find) => shown.further?.remember(name, find) ?? find(),
    get generation() {
      return shown.generation;
    },
    mend: checks.mend,
    inspectPacking: checks.inspectPacking,
    inspectCsv: checks.inspectCsv,
    inspectFormats: checks.inspectFormats,
    inspectParquet: checks.inspectParquet,
    inspectText: checks.inspectText,
    markTextRead() {
      wasRead = true;
      checks.markTextRead();
    },
    async lacking(statement, zone = 'UTC') {
      // Text that is not UTF-8 can crash DuckDB. The question itself reports the error.
      await checks.inspectCsv().catch(() => {});
      const isShifted = zone !== 'UTC' && shown.sources.some(({ mapped }) => isLocal(mapped));
      const find = async (finder: FactFinder) => ({
        empty: await tellEmpty(finder, files, shown.sources, users),
        missing: await findLacking(finder, shown.sources, statement, users),
      });
      const { empty, missing } = await find(findFact).catch(async () => {
        // A line that is not an event stops DuckDB until its file is mended. The question reports what remains.
        await checks.mend().catch(() => false);
        return find((...asked) => findFact(...asked).catch(() => true));
      });
      return [
        ...(empty === undefined ? [] : [empty]),
        ...((await leftOut) ?? []),
        ...(await tellFolders(shown.sources)),
        ...(isShifted ? [localNote] : []),
        ...tellMissingPages(wrapped),
        ...tellNulls(withNulls.map(pathOf)),
        ...(shown.further?.doubts(statement) ?? []),
        ...missing,
      ];
    },
    get rejected() {
      return checks.rejected;
    },
    async survey(order) {
      // Text that is not UTF-8 can crash DuckDB. Errors of reading are reported elsewhere.
      await Promise.all([checks.inspectParquet(), checks.inspectCsv()]).catch(() => undefined);
      const spans = shown.sources.map((source) => checks.spanOf(source));
      const told = spans.filter((span) => span !== undefined);
      const areTold = told.length === spans.length;
      const found = await survey(shown.sources, { ...order, ends: order.ends && !areTold }).catch(
        () => nothingSurveyed,
      );
      return areTold ? { ...found, span: joinSpans(told) } : found;
    },
  };
}

/** Whether DuckDB reads the lines of a source as they lie there. */
function isPlainJson(source: EventSource): source is TextSource {
  return (
    source.kind === 'json' &&
    source.format === 'newline_delimited' &&
    source.compression === 'none' &&
    source.encoding === undefined
  );
}
