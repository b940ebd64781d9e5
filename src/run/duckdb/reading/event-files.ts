import { columnsNamed } from './columns/columns-named.ts';
import { stat } from 'node:fs/promises';
import { writeUtc } from '../../../ask/time/local-time.ts';
import type { TimeRange } from '../../../ask/time/range.ts';
import type { FilledField, RejectedLines } from '../../backend.ts';
import { findDamage } from '../../file/read-bytes.ts';
import type { Engine } from '../engine/engine.ts';
import { quotePaths, quoteText } from '../engine/sql-text.ts';
import { vanishedFile } from '../engine/to-backend-error.ts';
import { demandTime } from './demand-time.ts';
import { findLacking, tellEmpty } from './find-lacking.ts';
import type { FurtherEvents } from './further-events.ts';
import { haveChanged, marksOfUses } from './source/file-marks.ts';
import { furtherColumn, type FurtherField, readOneByOne } from './source/further-fields.ts';
import { describeParquet } from './source/describe-parquet.ts';
import type { UserOrder } from './columns/event-columns.ts';
import { type EventSource, isText, replaceFile, type TextSource } from './source/event-source.ts';
import { eventsOfSource, eventsRelation, plainTimeOf } from './source/events-relation.ts';
import type { EventsReach } from './source/events-reach.ts';
import { knowUses } from './source/find-uses.ts';
import { openFactFinder } from './source/find-fact.ts';
import { isPlainCsv } from './source/inspect-csv.ts';
import { type EventSpan, joinSpans, openSpanFinder, unknownSpan } from './source/event-span.ts';
import { decideAgain, isByHead, mapFiles, type ReadingOptions } from './recognise/map-files.ts';
import { mendFile } from './mend-file.ts';
import { readableFiles } from './source/readable-files.ts';
import { pathOf } from './recognise/recognise-file.ts';
import { isLocal, localNote } from './recognise/recognise-fields.ts';
import { openRepeatFinder } from './repeated-events.ts';
import { joinRejected, rejectInVain } from './source/rejected-lines.ts';
import { tellNulls } from './formats/csv-head.ts';
import { tellMissingPages } from './formats/wrapped-sentences.ts';
import { isCountKey } from './columns/row-copies.ts';

/**
 * Projections stored beside the events. `has`: whether the projection of this relation name exists and is complete; it
 * reads the files once. `why`: the reason that no projection can be used.
 */
export type ProjectionsAtHand =
  | { readonly has: (relation: string) => Promise<boolean>; readonly extent: TimeRange; readonly why?: undefined }
  | { readonly why: string };

/** The source of the view `events`: event files, a store, or both; and the known facts about their lines. */
export interface EventFiles {
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
  /** The columns that mappings consume. */
  columns?(): readonly FilledField[];
  /** Increments when files are mended: a failed statement may succeed now. */
  readonly generation: number;
  /** Mends the files that DuckDB rejects. False if there are none, so the cause is another one. */
  mend(): Promise<boolean>;
  /** Unpacks all packed JSON files once and mends the damaged ones. DuckDB silently accepts truncated files. */
  inspectPacking(): Promise<void>;
  /**
   * Checks once whether DuckDB can read the CSV files correctly, and mends the others. Call it before any statement.
   */
  inspectCsv(): Promise<void>;
  /**
   * Checks once whether all rows fit the time formats found in the heads of files, and decides the formats again for
   * files that do not fit. `reach`: how much a concurrent statement reads. A statement that reads all lines of the text
   * files finds such rows itself.
   */
  inspectFormats(reach: EventsReach): Promise<void>;
  /** Finds once which rows of Parquet files have no time. This is cheap, because Parquet stores null counts. */
  inspectParquet(): Promise<void>;
  /** Checks every line of the text files once, so that lines outside a question's conditions are also reported. */
  inspectText(): Promise<void>;
  /** Notes that a statement has read all text files to the end without an error. */
  markTextRead(): void;
  readonly rejected: RejectedLines;
  /** Adds the column `further` to the view, as the events of a store have it. Reads text files once. */
  demandFurther(): Promise<void>;
  /** Notes on facts that a statement uses and the events lack, such as a user. */
  lacking(statement: string, zone?: string): Promise<readonly string[]>;
  /** Sentences on events that have the ID of another one; known once the files were read. */
  repeats?(): Promise<readonly string[]>;
  /** The projections of a store; undefined unless all events come from one store. */
  projections?(): Promise<ProjectionsAtHand>;
  /**
   * The times of the first and the last event. `thoroughly`: looks through files whose statistics do not tell them,
   * unless they are large; otherwise they are unknown.
   */
  span(thoroughly: boolean): Promise<EventSpan>;
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
  { encoding, mappingOf, onRecognised, facts, leftOut, narrow = false }: ReadingOptions = {},
): Promise<EventFiles> {
  const sniffed = await readableFiles(engine, files, { encoding, mappingOf });
  const wrapped = sniffed.flatMap((file) =>
    'wrapped' in file && file.wrapped ? [{ file: pathOf(file), wrapped: file.wrapped }] : [],
  );
  const withNulls = sniffed.filter((file) => file.format === 'csv' && file.dump?.nulls);
  const givenPath = new Map(sniffed.map((file) => [file.path, pathOf(file)]));
  const parquet = sniffed.filter((file) => file.format === 'parquet').map((file) => file.path);
  const findFact = openFactFinder(engine);
  const findRepeats = openRepeatFinder(engine, files, facts);
  const findSpan = openSpanFinder(engine, files, facts);
  let sources = await mapFiles(engine, sniffed, await describeParquet(engine, parquet), mappingOf, onRecognised);
  for (const source of sources) await demandTime(source);
  if (facts) sources = await knowUses(engine, { files, sources }, facts, false);
  const rejected = new Map<string, RejectedLines>();
  let generation = 0;
  let mending: Promise<boolean> | undefined;
  /** Damaged packed files. */
  const damaged = new Set<string>();
  /** Files that DuckDB would misread. */
  const misread = new Set<string>();

  let further: FurtherEvents | undefined;
  /** Further fields in the view, by column. */
  let fields: ReadonlyMap<string, FurtherField> = new Map();
  /** Columns of the view, as statements named them; undefined for all. */
  let shown: ReadonlySet<string> | undefined = narrow ? new Set() : undefined;
  let creating: Promise<unknown> = Promise.resolve();
  /** Work in turn: creating two views concurrently would fail. */
  const inTurn = (work: () => Promise<unknown>) => (creating = creating.catch(() => undefined).then(work));
  const createView = (columns: ReadonlySet<string> | undefined) =>
    engine.rows(
      `CREATE OR REPLACE VIEW ${view} AS ${further?.relation([...fields.values()]) ?? eventsRelation(sources, users, columns)}`,
    );
  /** Adds the columns that a statement reads. Columns are never removed, because other statements may be running. */
  const widen = async (statement: string | undefined): Promise<void> => {
    if (shown === undefined || further !== undefined) return;
    const before = shown;
    const named = statement === undefined ? undefined : columnsNamed(statement);
    const wider = named && new Set(['utc_time', ...before, ...named]);
    if (before.size > 0 && wider?.size === before.size) return;
    await createView(wider);
    shown = wider;
  };
  /** Files can grow at any time and gain new fields. */
  const noticeChanges = async (): Promise<void> => {
    if (further) {
      if (await further.noticeNewFields()) generation += 1;
      return;
    }
    if (!(await haveChanged(marksOfUses(sources)))) return;
    sources = sources.map((source) => (source.kind === 'json' ? { ...source, uses: undefined } : source));
    if (shown?.size !== 0) await createView(shown);
    generation += 1;
  };
  /** Whether some statement has read the text files to the end, so that further ones are likely. */
  let wasRead = false;
  let areNamesKnown = false;
  /** Reads the names in use once a second question is asked. */
  const learnNames = async (): Promise<void> => {
    if (!facts || !wasRead || areNamesKnown || further) return;
    areNamesKnown = true;
    const before = sources;
    const known = new Map(
      (await knowUses(engine, { files, sources: before }, facts, true)).map((source, at) => [before[at]!, source]),
    );
    // Some may have been mended meanwhile.
    sources = sources.map((source) => known.get(source) ?? source);
    if (before.every((source) => known.get(source) === source)) return;
    if (shown?.size !== 0) await createView(shown);
  };
  const mendOne = async (source: TextSource, path: string) => {
    const mended = await mendFile(engine, source, path);
    sources = replaceFile(sources, path, mended.source);
    rejected.set(givenPath.get(path) ?? path, mended.rejected);
  };
  for (const source of sources.filter(isText)) {
    if (source.encoding !== undefined) for (const path of source.paths) await mendOne(source, path);
  }
  if (shown === undefined) await inTurn(() => createView(shown));

  const mendAll = async (): Promise<boolean> => {
    let changed = false;
    for (const source of sources.filter(isText)) {
      for (const path of source.paths) {
        if (
          !misread.delete(path) &&
          !damaged.has(path) &&
          !(await refuses(engine, { ...source, paths: [path] }, users))
        )
          continue;
        await demandFile(path);
        await mendOne(source, path);
        changed = true;
      }
    }
    if (changed) {
      await inTurn(() => createView(shown));
      generation += 1;
    }
    return changed;
  };

  const mend = () => {
    mending ??= mendAll().finally(() => {
      mending = undefined;
    });
    return mending;
  };

  const packingOnce = once(async () => {
    // `inspectCsv` has already unpacked CSV files to the end.
    const packed = sources
      .filter(isText)
      .filter(({ kind }) => kind !== 'csv')
      .flatMap(({ compression, paths }) => paths.map((path) => ({ path, compression })));
    await forEachAtOnce(packed, mostUnpacked, async ({ path, compression }) => {
      if (await findDamage(path, compression, { signal: engine.closed })) damaged.add(path);
    });
    // A round of mending that is under way may have missed them.
    if (damaged.size > 0) await mending?.catch(() => undefined);
    if (sources.filter(isText).some(({ paths }) => paths.some((path) => damaged.has(path)))) await mend();
  });
  const csvOnce = once(async () => {
    for (const source of sources.filter((source) => source.kind === 'csv')) {
      for (const path of source.paths) if (!(await isPlainCsv(source, path, engine.closed))) misread.add(path);
    }
    // An earlier round of mending may have missed some files, or mended them for another reason.
    const isLeft = (path: string) => sources.some((source) => isText(source) && source.paths.includes(path));
    while ([...misread].some(isLeft)) await mend();
    misread.clear();
  });
  const spans = new Map<EventSource, EventSpan>();
  /** Whether all rows were found to be events when further fields were looked up. */
  const isChecked = (path: string) => further !== undefined && !further.rejected.has(givenPath.get(path) ?? path);
  const formatsOnce = once(async () => {
    let changed = false;
    for (const source of sources) {
      if (source.kind !== 'parquet' || !isReadByHead(source)) continue;
      for (const path of source.paths) {
        if (isChecked(path)) continue;
        const own = { ...source, paths: [path] };
        const inVain = await rejectInVain(engine, own, path);
        const decided = inVain.count === 0 ? own : await decideAgain(engine, own);
        const isSame = JSON.stringify(decided) === JSON.stringify(own);
        rejected.set(givenPath.get(path) ?? path, isSame ? inVain : await rejectInVain(engine, decided, path));
        if (isSame) continue;
        sources = replaceFile(sources, path, decided);
        changed = true;
      }
    }
    if (!changed) return;
    await inTurn(() => createView(shown));
    generation += 1;
  });
  const parquetOnce = once(async () => {
    await formatsOnce.run();
    for (const source of sources) {
      if (source.kind !== 'parquet' || isReadByHead(source)) continue;
      const counted = await timesCounted(engine, source);
      if (counted?.span) spans.set(source, counted.span);
      if (counted?.missing === 0 && !source.columns.some(({ name }) => isCountKey(name))) continue;
      for (const path of source.paths) {
        if (isChecked(path)) continue;
        rejected.set(givenPath.get(path) ?? path, await rejectInVain(engine, source, path));
      }
    }
  });
  const textOnce = once(async () => {
    const text = sources.filter(isText);
    if (text.length === 0) return;
    const before = generation;
    const check = async () => {
      await engine.rows(
        text
          .map((source) => `SELECT count(*) FROM (${eventsOfSource(source, undefined, timeAlone)})`)
          .join(' UNION ALL '),
      );
      return 'true';
    };
    try {
      await (facts ? facts.keep('lines are events', files, check) : check());
    } catch (error) {
      // The statement may have mended the files in the meantime.
      if (!(await mend()) && generation === before) throw error;
    }
  });

  const furtherOnce = once(async () => {
    const { readFurtherEvents } = await import('./further-events.ts');
    const reading = { encoding, mappingOf, facts };
    further = await readFurtherEvents(engine, { files, sources, users }, reading);
    for (const [path, lines] of further.rejected) rejected.set(path, lines);
    // Every line has been checked.
    textOnce.markDone();
    await inTurn(() => createView(shown));
    generation += 1;
  });

  return {
    files,
    refresh: async (statement) =>
      void (await inTurn(() =>
        noticeChanges()
          .then(learnNames)
          .then(() => widen(statement)),
      )),
    noticeChanges: async () => void (await inTurn(noticeChanges)),
    demandFurther: furtherOnce.run,
    async quicken(statement) {
      if (!further?.mayReadOneByOne()) return statement;
      const read = readOneByOne(statement);
      await inTurn(async () => {
        const before = fields;
        fields = new Map([...before, ...read.fields.map((field) => [furtherColumn(field), field] as const)]);
        if (fields.size === before.size) return;
        await createView(shown).catch((error: unknown) => {
          fields = before;
          throw error;
        });
      });
      return read.text;
    },
    mayGrow(paths) {
      // DuckDB refuses lines that are not JSON, while quotation marks in CSV can change what the rows after them mean.
      const grows = (path: string) => sources.some((source) => isPlainJson(source) && source.paths.includes(path));
      // Further fields were looked up in the lines that there were.
      if (further || !paths.every(grows)) return false;
      textOnce.reset();
      return true;
    },
    columns: () =>
      sources.flatMap(({ mapped }) =>
        (mapped?.fields ?? []).flatMap(({ name, parts: [first, ...others] }) =>
          first?.kind === 'column' && mapped!.consumed.includes(first.root)
            ? [{ column: first.root, field: name, isAlone: others.length === 0 }]
            : [],
        ),
      ),
    remember: (name, find) => (further ? further.remember(name, find) : find()),
    get generation() {
      return generation;
    },
    mend,
    inspectPacking: packingOnce.run,
    inspectCsv: csvOnce.run,
    async inspectFormats(reach) {
      const isRead = reach === 'all' || !sources.some((source) => isText(source) && isByHead(source));
      await Promise.all([formatsOnce.run(), isRead ? undefined : textOnce.run()]);
    },
    inspectParquet: parquetOnce.run,
    inspectText: textOnce.run,
    markTextRead() {
      wasRead = true;
      textOnce.markDone();
    },
    async lacking(statement, zone = 'UTC') {
      // Text that is not UTF-8 can crash DuckDB. The question itself reports the error.
      await csvOnce.run().catch(() => {});
      const isShifted = zone !== 'UTC' && sources.some(({ mapped }) => isLocal(mapped));
      const empty = await tellEmpty(findFact, files, sources, users);
      return [
        ...(empty === undefined ? [] : [empty]),
        ...((await leftOut) ?? []),
        ...(isShifted ? [localNote] : []),
        ...tellMissingPages(wrapped),
        ...tellNulls(withNulls.map(pathOf)),
        ...(further?.doubts(statement) ?? []),
        ...(await findLacking(findFact, sources, statement, users)),
      ];
    },
    async repeats() {
      await csvOnce.run().catch(() => {});
      // Errors of reading are reported elsewhere.
      return findRepeats(sources).catch(() => []);
    },
    get rejected() {
      return joinRejected(rejected, files);
    },
    async span(thoroughly) {
      await Promise.all([parquetOnce.run(), csvOnce.run()]);
      const untold = sources.filter((source) => !spans.has(source));
      const told = sources.flatMap((source) => spans.get(source) ?? []);
      if (untold.length === 0) return joinSpans(told);
      return thoroughly ? joinSpans([...told, await findSpan(untold)]) : unknownSpan;
    },
  };
}

/** The columns of a statement that only checks whether lines are events. DuckDB plans unused columns slowly. */
const timeAlone: ReadonlySet<string> = new Set(['utc_time']);

/** Maximum number of files unpacked at once. Node has four threads for it. */
const mostUnpacked = 3;

async function forEachAtOnce<T>(items: readonly T[], most: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: Math.min(most, items.length) }, async () => {
      for (const item of left) await work(item);
    }),
  );
}

interface Once {
  readonly run: () => Promise<void>;
  readonly markDone: () => void;
  /** The next request runs it again. */
  readonly reset: () => void;
}

/** Work that runs once, no matter how often it is requested. A failed run can be repeated. */
function once(work: () => Promise<void>): Once {
  let doing: Promise<void> | undefined;
  return {
    run() {
      doing ??= work().catch((error: unknown) => {
        doing = undefined;
        throw error;
      });
      return doing;
    },
    markDone() {
      doing ??= Promise.resolve();
    },
    reset() {
      doing = undefined;
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

/** Whether DuckDB fails to read all columns of a file. The time alone, read ten times as fast, tells most faults. */
async function refuses(engine: Engine, source: TextSource, users: UserOrder): Promise<boolean> {
  const fails = (relation: string) =>
    engine.rows(`SELECT max(hash(whole_row)) FROM (${relation}) AS whole_row`).then(
      () => false,
      () => true,
    );
  return (await fails(eventsOfSource(source, undefined, timeAlone))) || (await fails(eventsOfSource(source, users)));
}

async function demandFile(path: string): Promise<void> {
  await stat(path).catch((cause: unknown) => {
    throw vanishedFile(path, cause);
  });
}

/** Whether rows are compared with the format found in the head. `inspectFormats` reports the ones that do not fit. */
function isReadByHead(source: Extract<EventSource, { kind: 'parquet' }>): boolean {
  return isByHead(source) && !plainTimeOf(source);
}

/** Statistics of the times in Parquet files, from their footers; undefined if the time is not a plain column. */
async function timesCounted(
  engine: Engine,
  source: Extract<EventSource, { kind: 'parquet' }>,
): Promise<{ readonly missing: number | undefined; readonly span: EventSpan | undefined } | undefined> {
  const time = plainTimeOf(source);
  if (!time) return undefined;
  const text = footerTimes(source.paths, time.reference ?? time.name);
  const [row] = await engine.lightly(() => engine.rows(text));
  const [missing, ...ends] = row ?? [];
  const [first, last] = ends.map((end) => (typeof end === 'string' ? toInstantText(end) : undefined));
  return {
    missing: missing === null ? undefined : Number(missing),
    span: last === undefined ? undefined : { first, last },
  };
}

/** A row group without statistics makes the total unknown. */
function footerTimes(paths: readonly string[], column: string): string {
  return `SELECT CASE WHEN count(stats_null_count) = count(*) THEN coalesce(sum(stats_null_count), 0)::BIGINT END,
    CASE WHEN count(stats_min_value) = count(*) THEN min(stats_min_value) END,
    CASE WHEN count(stats_max_value) = count(*) THEN max(stats_max_value) END
    FROM parquet_metadata(${quotePaths(paths)}) WHERE path_in_schema = ${quoteText(column)}`;
}

/** `2024-03-08 10:00:00.5` as an ISO instant in milliseconds. */
function toInstantText(text: string): string | undefined {
  const instant = Date.parse(`${text.replace(' ', 'T')}Z`);
  return Number.isNaN(instant) ? undefined : writeUtc(instant);
}
