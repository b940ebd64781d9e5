import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { writeRange } from '../../../ask/time/local-time.ts';
import type { TimeRange } from '../../../ask/time/range.ts';
import { writeOwnFile } from '../../file/owner-only.ts';
import { unlessMissing } from '../../file/system-error.ts';
import { syncFolder } from '../../file/write-file.ts';
import { ExportError } from '../rows/export-error.ts';
import { exportFormats, type UnitForm } from './unit-form.ts';

/** The description of an export in its folder. */
export interface ExportRecord {
  /** Hash of the query of every window. */
  readonly query: string;
  /** The members of the rows in order, without the count. */
  readonly dimensions: readonly string[];
  /** The member with the number of events of a row. */
  readonly count: string;
  /** undefined if the events belong to no project or to several. */
  readonly project?: string | undefined;
  /** The source of the rows, for messages. */
  readonly source: string;
  readonly form: UnitForm;
  /** The zone of the folders' days. */
  readonly zone: string;
  /** The whole range to export, finished or not. */
  readonly range: TimeRange;
}

/** Ends like the manifests, so that it is not read as events. */
export const recordName = 'export.manifest.json';

/** JSON text, the same for the same record. */
function writeExportRecord({ query, dimensions, count, project, source, form, zone, range }: ExportRecord): string {
  const { format, packing, expand, safeCells } = form;
  const ends = writeRange(range);
  return `${JSON.stringify({ sluice: 'export', version: 1, query, dimensions, count, project, source, format, packing, expand, safeCells, zone, range: ends }, null, 2)}\n`;
}

/** Writes the record into its folder and syncs it to disk. */
export async function keepExportRecord(folder: string, record: ExportRecord): Promise<void> {
  await writeOwnFile(path.join(folder, recordName), [writeExportRecord(record)]);
  await syncFolder(folder);
}

/** The record of a folder; undefined if there is none. Throws `export-record-unreadable` and system errors. */
export async function findExportRecord(folder: string): Promise<ExportRecord | undefined> {
  const file = path.join(folder, recordName);
  const text = await unlessMissing(readFile(file, 'utf8'));
  if (text === undefined) return undefined;
  const schema = await recordSchema();
  try {
    const { format, packing, expand, safeCells, range, ...rest } = schema.parse(JSON.parse(text));
    return {
      ...rest,
      form: { format, packing, expand, safeCells },
      range: { start: Date.parse(range.start), end: Date.parse(range.end) },
    };
  } catch (cause) {
    throw new ExportError(`${file} is not a valid export record.`, {
      code: 'export-record-unreadable',
      cause,
      hint: 'It was changed by hand, or written by a newer version of sluice. Export to another folder.',
    });
  }
}

async function recordSchema() {
  // The names, not the whole: the bundle then leaves out what nothing uses.
  const { array, boolean, enum: oneOf, iso, literal, object, string } = await import('zod');
  const instant = iso.datetime();
  return object({
    sluice: literal('export'),
    version: literal(1),
    query: string().min(1),
    dimensions: array(string()),
    count: string(),
    project: string().optional(),
    source: string(),
    format: oneOf(exportFormats),
    packing: oneOf(['gzip', 'zstd']).optional(),
    expand: boolean(),
    safeCells: boolean(),
    zone: string().min(1),
    range: object({ start: instant, end: instant }),
  });
}
