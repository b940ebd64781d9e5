import { allProperties } from '../../ask/query/property-name.ts';
import { writeUtc } from '../../ask/time/local-time.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import { makeOutputFolder } from '../../run/file/make-folder.ts';
import { openEngine } from '../../run/duckdb/engine/engine.ts';
import {
  assembleFile,
  findExportFile,
  removeWaiting,
  waitingFolder,
  waitingForm,
} from '../../run/export/export-file.ts';
import { sumUnits, type Unit } from '../../run/export/files/list-units.ts';
import { lockExport } from '../../run/export/files/lock-export.ts';
import type { ExportSource, LeftOut } from '../../run/export/rows/export-source.ts';
import { ExportError, toExportError } from '../../run/export/rows/export-error.ts';
import type { Oddity } from '../../run/export/rows/window.ts';
import { nothingRejected } from '../../run/backend.ts';
import { runExport, type RunOptions } from '../../run/export/run-export.ts';
import { toExportSource } from '../../run/export/to-export-source.ts';
import { ownerOnly } from '../../run/file/owner-only.ts';
import type { Clock } from '../../run/http/clock.ts';
import { thisProcess } from '../process/this-process.ts';
import type { Session } from '../workspace/session.ts';
import { tellOfStore } from '../workspace/store-notes.ts';
import type { ExportOptions, ExportReport } from './export-options.ts';
import { readExport } from './read-export.ts';

interface ExportSurroundings {
  /** Absolute path of the folder that source paths are shown relative to. */
  readonly cwd: string;
  readonly clock: Clock;
}

/** Enough to write a few windows in any format. Rows are never held in memory. */
export const writingEngine = { threads: 2, memoryLimit: '320MiB' } as const;

/**
 * Exports events to a folder with one file per window, or to a single file. Fetches only missing windows and keeps
 * existing ones. An interrupted export resumes when called again. Throws `InvalidInputError`, `ExportError`,
 * `BackendError`, `AbortedError`.
 */
export async function exportEvents(
  session: Session,
  to: string,
  options: ExportOptions,
  { cwd, clock }: ExportSurroundings,
): Promise<ExportReport> {
  const { concurrency = 4, recheck, signal, onProgress } = options;
  const wanted = await readExport(session, to, options, cwd);
  const { place, query, record, closedUntil, now } = wanted;
  const isFile = place.kind === 'file';
  const folder = isFile ? waitingFolder(place.path) : place.path;
  const oddities: Oddity[] = [];
  const told = (all: readonly Unit[], added: readonly Unit[], rest: Partial<ExportReport>): ExportReport => ({
    outcome: rest.unsettled?.length || rest.rejected?.count ? 'partial' : 'done',
    place: place.path,
    kind: place.kind,
    query: record.query,
    source: record.source,
    range: record.range,
    closedUntil,
    windows: all.length,
    ...sumUnits(all),
    added: { windows: added.length, ...sumUnits(added) },
    unsettled: [],
    missing: query.missing,
    rejected: nothingRejected,
    notes: [],
    oddities,
    foreign: [],
    ...rest,
  });

  const whole = isFile ? await findExportFile(place.path, wanted) : undefined;
  await makeOutputFolder(folder, ownerOnly.folder).catch((error: unknown) => {
    throw toExportError(error, folder);
  });
  const lock = await lockExport(folder, thisProcess).catch((error: unknown) => {
    throw toExportError(error, place.path);
  });
  if (lock.kind === 'taken') return told([], [], { outcome: 'locked', holder: lock.holder });
  using _held = lock;
  const { backend } = await session.openedBackend();
  const source = toExportSource(backend, query, {
    now,
    project: session.settings.project.value,
    // Before it is asked for properties, a local engine reads files without them.
    beforeRows: async () => void (await session.refreshModel(signal, [allProperties])),
    onOddity(oddity) {
      oddities.push(oddity);
      options.onOddity?.(oddity);
    },
  });
  if (whole) {
    await removeWaiting(place.path);
    return told([whole], [], await leftOutOf(source, session, record.range, cwd, signal));
  }
  // Windows are written in parallel already, so one thread per engine is enough.
  await using engine =
    record.form.format === 'parquet'
      ? await openEngine(isFile ? writingEngine : { ...writingEngine, threads: 1 })
      : undefined;
  const running: RunOptions = {
    source,
    folder,
    record,
    unitForm: isFile ? waitingForm : undefined,
    closedUntil,
    engine,
    clock,
    recheck,
    concurrency,
    signal,
    onProgress: onProgress && ((progress) => onProgress({ kind: 'fetching', ...progress })),
  };
  const run = await runExport(running).catch(async (error: unknown) => {
    // No other export can use its windows.
    if (isFile && error instanceof ExportError && error.code === 'value-unfit') await removeWaiting(place.path);
    throw error;
  });
  const { units, added, unsettled, foreign, range } = run;
  const rest = { ...(await leftOutOf(source, session, record.range, cwd, signal)), unsettled, foreign, range };
  if (!isFile || unsettled.length > 0 || units.length === 0) return told(units, added, rest);
  onProgress?.({ kind: 'assembling', rows: sumUnits(units).rows });
  const assembled = await assembleFile(place.path, run, running);
  await removeWaiting(place.path);
  return { ...told([assembled], added, rest), windows: units.length };
}

/** What the source leaves out, and what its store lacks. */
async function leftOutOf(
  source: ExportSource,
  session: Session,
  range: TimeRange,
  cwd: string,
  signal: AbortSignal | undefined,
): Promise<LeftOut> {
  const { rejected, notes } = await source.leftOut(range, signal);
  const dateRange: [string, string] = [writeUtc(range.start), writeUtc(range.end - 1)];
  const counting = {
    measures: ['TrackedEvents.count'],
    timeDimensions: [{ dimension: 'TrackedEvents.utcTime', dateRange }],
  };
  const bound = session.bind(counting);
  const [plan] = bound.ok ? bound.value : [];
  const ofStore = plan ? await tellOfStore(session.settings, plan, cwd) : undefined;
  return { rejected, notes: [...notes, ...(ofStore?.notes ?? [])] };
}
