import { stat } from 'node:fs/promises';
import path from 'node:path';
import { drawIssues } from '../../ask/document/draw-issue.ts';
import { throwIfAborted } from '../../ask/sluice-error.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import type { Engine } from '../duckdb/engine/engine.ts';
import { hashFile } from '../duckdb/engine/file-identity.ts';
import { runToEnd } from '../duckdb/engine/run-statement.ts';
import { jsonCompression, quoteName, quotePaths, textColumns } from '../duckdb/engine/sql-text.ts';
import { type DataShape, type ExportManifest, findExportManifest, manifestPathOf } from './files/export-manifest.ts';
import { findExportRecord } from './files/export-record.ts';
import { listUnits, sumUnits, type Unit } from './files/list-units.ts';
import { gapsIn } from './files/window-gaps.ts';
import { closedPart, findOverlap } from './plan-windows.ts';
import { ExportError } from './rows/export-error.ts';

/** A difference from the manifests. */
export interface Finding {
  /**
   * `missing`: a window that another run would fetch. `left`: a file that another run would remove. All other kinds are
   * damage.
   */
  readonly kind: 'damaged' | 'overlap' | 'unlisted' | 'missing' | 'left';
  readonly file?: string | undefined;
  readonly window?: TimeRange | undefined;
  /** The end of a sentence about the file or window: `has 40 rows, but its manifest says 41`. */
  readonly what: string;
}

/** The result of comparing an export with its manifests. */
export interface VerifyReport {
  /** Number of data files. */
  readonly files: number;
  /** Rows in the files. */
  readonly rows: number;
  /** Events according to the manifests. */
  readonly events: number;
  /** Size of all files on disk. */
  readonly bytes: number;
  /** Differences from the manifests; empty if there are none. */
  readonly findings: readonly Finding[];
}

interface VerifyOptions {
  /** Absolute path. */
  readonly place: string;
  readonly kind: 'folder' | 'file';
  /** Later windows may be missing. Epoch milliseconds. */
  readonly closedUntil: number;
  readonly engine: Engine;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((bytes: number, allBytes: number) => void) | undefined;
}

/**
 * Compares the files of an export with their manifests: hashes, rows and events; windows must tile the range, and every
 * file must be listed. Reads all bytes and changes nothing. Errors: `no-export`, `export-record-unreadable`,
 * `AbortedError`, and system errors.
 */
export async function verifyExport(options: VerifyOptions): Promise<VerifyReport> {
  return options.kind === 'folder' ? verifyFolder(options) : verifyFile(options);
}

async function verifyFolder(options: VerifyOptions): Promise<VerifyReport> {
  const { place: folder, closedUntil } = options;
  const record = await findExportRecord(folder);
  if (!record) throw noExport(folder);
  const { units, foreign, leftovers, damaged } = await listUnits(folder);
  const findings: readonly Finding[] = [
    ...damaged.map(({ file, what }): Finding => ({ kind: 'damaged', file, what })),
    ...units
      .filter(({ manifest }) => manifest.query !== record.query || manifest.project !== record.project)
      .map(({ file }): Finding => ({ kind: 'damaged', file, what: 'is of another query or project' })),
    ...findOverlap(units).map(
      ([one, { file }]): Finding => ({
        kind: 'overlap',
        file,
        what: `overlaps ${path.basename(one.file)}`,
      }),
    ),
    ...units
      .filter(({ window }) => window.start < record.range.start || window.end > record.range.end)
      .map(({ file }): Finding => ({ kind: 'unlisted', file, what: 'is outside the range of the export' })),
    ...foreign.map((file): Finding => ({ kind: 'unlisted', file, what: 'is not part of the export' })),
    ...leftovers.map(
      (file): Finding => ({ kind: 'left', file, what: 'was left by an interrupted run; the next run removes it' }),
    ),
    ...(await checkUnits(units, { ...record.form, columns: [...record.dimensions, record.count] }, options)),
  ];
  const gaps = gapsIn(
    closedPart(record.range, closedUntil),
    units.map(({ window }) => window),
  );
  return toReport(units, [
    ...findings,
    ...gaps.map((window): Finding => ({ kind: 'missing', window, what: 'is missing' })),
  ]);
}

async function verifyFile(options: VerifyOptions): Promise<VerifyReport> {
  const { place: file } = options;
  const found = await findExportManifest(file);
  if (!found) throw noExport(file);
  if (!found.ok)
    return toReport(
      [],
      [
        {
          kind: 'damaged',
          file,
          what: `has a manifest that cannot be read:\n${drawIssues(found.issues, { file: manifestPathOf(file) })}`,
        },
      ],
    );
  const { window, bytes, shape } = found.value;
  const { size } = await stat(file);
  const unit: Unit = {
    file,
    bytes: size,
    manifest: found.value,
    window: { start: Date.parse(window.start), end: Date.parse(window.end) },
  };
  if (bytes !== undefined && bytes !== size)
    return toReport([unit], [{ kind: 'damaged', file, what: `has ${size} bytes, but its manifest says ${bytes}` }]);
  if (!shape) throw noExport(file);
  return toReport([unit], await checkUnits([unit], shape, options));
}

function noExport(place: string): ExportError {
  return new ExportError(`There is no export in ${place}.`, {
    code: 'no-export',
    hint: 'Specify the folder or file of an export with `-o`.',
  });
}

function toReport(units: readonly Unit[], findings: readonly Finding[]): VerifyReport {
  return { files: units.length, ...sumUnits(units), findings };
}

async function checkUnits(
  units: readonly Unit[],
  shape: DataShape,
  { engine, signal, onProgress }: VerifyOptions,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const allBytes = units.reduce((sum, { bytes }) => sum + bytes, 0);
  let bytes = 0;
  for (const unit of units) {
    throwIfAborted(signal);
    const what = await checkDataFile(engine, unit, shape, signal, (count) => onProgress?.((bytes += count), allBytes));
    if (what !== undefined) findings.push({ kind: 'damaged', file: unit.file, what });
  }
  return findings;
}

/**
 * Checks a data file against its whole manifest. Returns the problem as the end of a sentence, or undefined. Reads the
 * whole file. Rejects with the engine's error if the file matches its hash but cannot be read.
 */
async function checkDataFile(
  engine: Engine,
  { file, manifest }: { readonly file: string; readonly manifest: ExportManifest },
  shape: DataShape,
  signal?: AbortSignal,
  onBytes?: (count: number) => void,
): Promise<string | undefined> {
  const { sha256 } = await hashFile(file, signal, onBytes);
  if (sha256 !== manifest.sha256) return 'does not match its manifest: its SHA-256 is different';
  const count = quoteName(shape.columns.at(-1)!);
  const text = `SELECT count(*), coalesce(sum(CAST(${count} AS BIGINT)), 0) FROM ${relationOf(file, shape)}`;
  const [row] = await (await runToEnd(engine, { text, parameters: [] }, signal)).getRows();
  const [rows, events] = (row ?? []).map(Number);
  if (rows !== manifest.rows) return `has ${rows} rows, but its manifest says ${manifest.rows}`;
  return events === manifest.events ? undefined : `has ${events} events, but its manifest says ${manifest.events}`;
}

function relationOf(file: string, { format, packing, columns }: DataShape): string {
  const paths = quotePaths([file]);
  switch (format) {
    case 'ndjson':
    case 'json': {
      const form =
        `format = '${format === 'json' ? 'array' : 'newline_delimited'}` +
        `', records = true, compression = '${jsonCompression(packing ?? 'none')}'`;
      return `read_json(${paths}, ${form}, columns = ${textColumns(columns.slice(-1))}, hive_partitioning = false)`;
    }
    case 'csv':
      return `read_csv(${paths}, header = true, auto_detect = false,
        delim = ',', quote = '"', escape = '"', compression = '${packing ?? 'none'}',
        columns = ${textColumns(columns)}, hive_partitioning = false)`;
    case 'parquet':
      return `read_parquet(${paths}, hive_partitioning = false)`;
  }
}
