import { access, constants, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { throwIfAborted } from '../../ask/sluice-error.ts';
import { writeRange, writeUtc } from '../../ask/time/local-time.ts';
import { syncFolder } from '../file/write-file.ts';
import { commitUnit } from './files/commit-unit.ts';
import { type ExportManifest, manifestPathOf, readExportManifest } from './files/export-manifest.ts';
import type { Unit } from './files/list-units.ts';
import type { UnitForm } from './files/unit-form.ts';
import { gapsIn } from './files/window-gaps.ts';
import { writeUnit } from './files/write-unit.ts';
import { closedPart } from './plan-windows.ts';
import { ExportError, toExportError } from './rows/export-error.ts';
import type { RunOptions, RunReport } from './run-export.ts';

/** The hidden folder beside a single file that holds its windows until all of them are fetched. */
export function waitingFolder(file: string): string {
  return path.join(path.dirname(file), `.${path.basename(file)}.export`);
}

/** The form of these windows. */
export const waitingForm: UnitForm = { format: 'ndjson', packing: undefined, expand: false, safeCells: false };

/**
 * The file of a finished export; undefined if there is none yet. Throws `file-in-the-way` if the file is something
 * else, or an export that ends before the requested range.
 */
export async function findExportFile(
  file: string,
  { record, closedUntil }: Pick<RunOptions, 'record' | 'closedUntil'>,
): Promise<Unit | undefined> {
  const there = await stat(file).catch(() => undefined);
  if (!there) {
    // Fail before the work instead of after it.
    await access(path.dirname(file), constants.W_OK).catch((cause: unknown) => {
      throw toExportError(cause, file);
    });
    return undefined;
  }
  const found = await readFile(manifestPathOf(file), 'utf8').then(readExportManifest, () => undefined);
  const inTheWay = (what: string, hint: string) =>
    new ExportError(`${file} is in the way: ${what}.`, { code: 'file-in-the-way', hint });
  if (!there.isFile() || !found?.ok)
    throw inTheWay('it is not an export of this kind', 'Specify another file, or remove this one.');
  const { window, query, project, source, bytes } = found.value;
  const held = { start: Date.parse(window.start), end: Date.parse(window.end) };
  if (query !== record.query || project !== record.project || source !== record.source)
    throw inTheWay('it is an export of a different query', 'Specify another file, or remove this one.');
  if (bytes !== undefined && bytes !== there.size)
    throw inTheWay(
      `it has ${there.size} bytes, but its manifest says ${bytes}`,
      'The file was changed or truncated. Remove it, and run the same command again.',
    );
  if (held.start !== record.range.start || held.end !== closedPart(record.range, closedUntil).end) {
    throw inTheWay(
      `it is an export from ${window.start} to ${window.end}`,
      'Specify another file, or remove this one. A folder (`-o DIR`) can be extended.',
    );
  }
  return { file, window: held, bytes: there.size, manifest: found.value };
}

/**
 * Assembles the windows of a run into one file, ordered by start, and removes their folder. Errors: those of
 * `writeUnit`; `disk-full`, `export-unwritable`, `AbortedError`.
 */
export async function assembleFile(file: string, report: RunReport, options: RunOptions): Promise<Unit> {
  const { folder, record, engine, source, clock, signal } = options;
  const unfinished = path.join(folder, '.whole.part');
  try {
    const { units, closed } = report;
    if (
      gapsIn(
        closed,
        units.map(({ window }) => window),
      ).length > 0
    )
      throw new ExportError('Some windows are missing.', {
        code: 'export-incomplete',
        hint: 'Run the same command again.',
      });
    const within = units.filter(({ window }) => window.start < closed.end);
    const written = await writeUnit({
      engine,
      columns: source.query.columns,
      form: record.form,
      spools: within.map((unit) => unit.file),
      target: unfinished,
      signal,
    });
    throwIfAborted(signal);
    const sum = (count: (manifest: ExportManifest) => number) =>
      within.reduce((total, { manifest }) => total + count(manifest), 0);
    const events = sum((manifest) => manifest.events);
    const manifest: ExportManifest = {
      query: record.query,
      window: writeRange(closed),
      revision: 1,
      rows: record.form.expand ? events : sum(({ rows }) => rows),
      events,
      sha256: written.sha256,
      bytes: written.bytes,
      project: record.project,
      shape: {
        format: record.form.format,
        packing: record.form.packing,
        columns: [...record.dimensions, record.count],
      },
      source: record.source,
      time: writeUtc(clock.now()),
    };
    await commitUnit(file, unfinished, manifest);
    return { file, window: closed, bytes: written.bytes, manifest };
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw toExportError(error, file, signal);
  }
}

/** Removes the windows of a file that is finished. The caller must hold the lock of their folder. */
export async function removeWaiting(file: string): Promise<void> {
  const folder = waitingFolder(file);
  // Rename it first: half of a folder would look like an export with missing files.
  const away = `${folder}.done`;
  await rm(away, { recursive: true, force: true });
  await rename(folder, away).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rm(away, { recursive: true, force: true });
  await syncFolder(path.dirname(file));
}
