import { stat } from 'node:fs/promises';
import { writeUtc } from '../../../ask/time/local-time.ts';
import type { RejectedLines } from '../../backend.ts';
import { findDamage } from '../../file/read-bytes.ts';
import { canRead } from '../engine/can-read.ts';
import type { Engine } from '../engine/engine.ts';
import { quotePaths, quoteText } from '../engine/sql-text.ts';
import { vanishedFile } from '../engine/to-backend-error.ts';
import type { UserOrder } from '../../../plan/model/event-fields.ts';
import { isCountKey } from '../../events/column-names.ts';
import type { FileView } from './file-view.ts';
import { mendFile } from './mend-file.ts';
import { once } from './once.ts';
import { decideAgain, isByHead } from './recognise/map-files.ts';
import { type EventSource, isText, type TextSource } from './source/event-source.ts';
import type { EventSpan } from './source/event-span.ts';
import { eventsOfSource, plainTimeOf } from './source/events-relation.ts';
import type { EventsReach } from '../../events/events-reach.ts';
import type { FactKeeper } from './source/find-fact.ts';
import { isPlainCsv } from './source/inspect-csv.ts';
import { joinRejected, rejectInVain } from './source/rejected-lines.ts';

/** Checks of files for what DuckDB would misread or refuse. Each runs once, however often it is requested. */
export interface Inspections {
  /** Mends the files that DuckDB rejects. False if there are none, so the cause is another one. */
  mend(): Promise<boolean>;
  /** Unpacks all packed JSON files and mends the damaged ones. DuckDB silently accepts truncated files. */
  inspectPacking(): Promise<void>;
  /** Checks whether DuckDB can read the CSV files correctly, and mends the others. Call it before any statement. */
  inspectCsv(): Promise<void>;
  /**
   * Checks whether all rows fit the time formats found in the heads of files, and decides the formats again for files
   * that do not fit. `reach`: how much a concurrent statement reads. A statement that reads all lines of the text files
   * finds such rows itself.
   */
  inspectFormats(reach: EventsReach): Promise<void>;
  /** Finds which rows of Parquet files have no time. This is cheap, because Parquet stores null counts. */
  inspectParquet(): Promise<void>;
  /** Checks every line of the text files, so that lines outside a question's conditions are also reported. */
  inspectText(): Promise<void>;
  /** Notes that a statement has read all text files to the end without an error. */
  markTextRead(): void;
  readonly rejected: RejectedLines;
}

/** The checks of the files of a view, which they mend. */
interface FileChecks extends Inspections {
  /** The lines of the text files will be checked again. */
  forgetText(): void;
  /** Adds the rows of these files that were rejected when all fields were read. */
  addRejected(rejected: ReadonlyMap<string, RejectedLines>): void;
  /** The times of the first and last event, where the statistics of Parquet files tell. */
  spanOf(source: EventSource): EventSpan | undefined;
}

/** The files as they were given, and what each copy was made from. */
interface FilesToCheck {
  readonly files: readonly string[];
  /** The given path of each file that is read. */
  readonly givenPath: ReadonlyMap<string, string>;
  readonly users: UserOrder;
  readonly facts: FactKeeper | undefined;
  /** What was rejected so far, by given path. */
  readonly rejected: ReadonlyMap<string, RejectedLines>;
}

/** The columns of a statement that only checks whether lines are events. DuckDB plans unused columns slowly. */
const timeAlone: ReadonlySet<string> = new Set(['utc_time']);

/** Maximum number of files unpacked at once. Node has four threads for it. */
const mostUnpacked = 3;

/** Checks the files of a view, as far as questions need it. */
export function openFileChecks(
  engine: Engine,
  view: FileView,
  { files, givenPath, users, facts, rejected: before }: FilesToCheck,
): FileChecks {
  const rejected = new Map(before);
  const given = (path: string) => givenPath.get(path) ?? path;
  /** Damaged packed files. */
  const damaged = new Set<string>();
  /** Files that DuckDB would misread. */
  const misread = new Set<string>();
  const spans = new Map<EventSource, EventSpan>();
  let mending: Promise<boolean> | undefined;

  const mendAll = async (): Promise<boolean> => {
    let changed = false;
    for (const source of view.sources.filter(isText)) {
      for (const path of source.paths) {
        const isBad =
          misread.delete(path) || damaged.has(path) || (await refuses(engine, { ...source, paths: [path] }, users));
        if (!isBad) continue;
        await demandFile(path);
        const mended = await mendFile(engine, source, path);
        view.replace(path, mended.source);
        rejected.set(given(path), mended.rejected);
        changed = true;
      }
    }
    if (changed) await view.recreate();
    return changed;
  };

  const mend = () => {
    mending ??= mendAll().finally(() => {
      mending = undefined;
    });
    return mending;
  };

  const packing = once(async () => {
    // The check of CSV files has already unpacked them to the end.
    const packed = view.sources
      .filter(isText)
      .filter(({ kind }) => kind !== 'csv')
      .flatMap(({ compression, paths }) => paths.map((path) => ({ path, compression })));
    await forEachAtOnce(packed, mostUnpacked, async ({ path, compression }) => {
      if (await findDamage(path, compression, { signal: engine.closed })) damaged.add(path);
    });
    // A round of mending that is under way may have missed them.
    if (damaged.size > 0) await mending?.catch(() => undefined);
    if (view.sources.filter(isText).some(({ paths }) => paths.some((path) => damaged.has(path)))) await mend();
  });

  const csv = once(async () => {
    for (const source of view.sources.filter((source) => source.kind === 'csv')) {
      for (const path of source.paths) if (!(await isPlainCsv(source, path, engine.closed))) misread.add(path);
    }
    // An earlier round of mending may have missed some files, or mended them for another reason.
    const isLeft = (path: string) => view.sources.some((source) => isText(source) && source.paths.includes(path));
    while ([...misread].some(isLeft)) await mend();
    misread.clear();
  });

  /** Whether all rows were found to be events when further fields were looked up. */
  const isChecked = (path: string) => view.further !== undefined && !view.further.rejected.has(given(path));

  const formatsOfHeads = once(async () => {
    let changed = false;
    for (const source of view.sources) {
      if (source.kind !== 'parquet' || !isReadByHead(source)) continue;
      for (const path of source.paths) {
        if (isChecked(path)) continue;
        const own = { ...source, paths: [path] };
        const inVain = await rejectInVain(engine, own, path);
        const decided = inVain.count === 0 ? own : await decideAgain(engine, own);
        const isSame = JSON.stringify(decided) === JSON.stringify(own);
        rejected.set(given(path), isSame ? inVain : await rejectInVain(engine, decided, path));
        if (isSame) continue;
        view.replace(path, decided);
        changed = true;
      }
    }
    if (changed) await view.recreate();
  });

  const parquet = once(async () => {
    await formatsOfHeads.run();
    for (const source of view.sources) {
      if (source.kind !== 'parquet' || isReadByHead(source)) continue;
      const counted = await timesCounted(engine, source);
      if (counted?.span) spans.set(source, counted.span);
      if (counted?.missing === 0 && !source.columns.some(({ name }) => isCountKey(name))) continue;
      for (const path of source.paths) {
        if (isChecked(path)) continue;
        rejected.set(given(path), await rejectInVain(engine, source, path));
      }
    }
  });

  const text = once(async () => {
    const sources = view.sources.filter(isText);
    if (sources.length === 0) return;
    const before = view.generation;
    const check = async () => {
      const counts = sources.map((source) => `SELECT count(*) FROM (${eventsOfSource(source, undefined, timeAlone)})`);
      await engine.rows(counts.join(' UNION ALL '));
      return 'true';
    };
    try {
      await (facts ? facts.keep('lines are events', files, check) : check());
    } catch (error) {
      // The statement may have mended the files in the meantime.
      if (!(await mend()) && view.generation === before) throw error;
    }
  });

  return {
    mend,
    inspectPacking: packing.run,
    inspectCsv: csv.run,
    async inspectFormats(reach) {
      const isRead = reach === 'all' || !view.sources.some((source) => isText(source) && isByHead(source));
      await Promise.all([formatsOfHeads.run(), isRead ? undefined : text.run()]);
    },
    inspectParquet: parquet.run,
    inspectText: text.run,
    markTextRead: text.markDone,
    forgetText: text.reset,
    addRejected(found) {
      for (const [path, lines] of found) rejected.set(path, lines);
    },
    get rejected() {
      return joinRejected(rejected, files);
    },
    spanOf: (source) => spans.get(source),
  };
}

async function forEachAtOnce<T>(items: readonly T[], most: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: Math.min(most, items.length) }, async () => {
      for (const item of left) await work(item);
    }),
  );
}

/** Whether DuckDB fails to read all columns of a file. The time alone, read ten times as fast, tells most faults. */
async function refuses(engine: Engine, source: TextSource, users: UserOrder): Promise<boolean> {
  const timed = await canRead(engine, eventsOfSource(source, undefined, timeAlone));
  return !timed || !(await canRead(engine, eventsOfSource(source, users)));
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
