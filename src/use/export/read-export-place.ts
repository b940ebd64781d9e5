import { stat } from 'node:fs/promises';
import path from 'node:path';
import { usageError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import { type ExportFormat, exportFormats, type UnitForm } from '../../run/export/files/unit-form.ts';
import { readOutputFile } from '../output/output-file.ts';
import type { ExportOptions } from './export-options.ts';

/** The target of an export and its format. */
export interface ExportPlace {
  readonly kind: 'folder' | 'file';
  readonly path: string;
  /** The requested format. */
  readonly form: UnitForm;
  /** Whether any part of the format was requested explicitly. */
  readonly formIsNamed: boolean;
}

/**
 * Reads the target of an export. A path with the extension of a format is a file unless a folder of this name exists;
 * other paths are folders unless a file exists. Throws `InvalidInputError` if the extension cannot be exported, or if
 * flags contradict it or each other.
 */
export async function readExportPlace(
  to: string,
  { format, packing, expand, safeCells, recheck }: ExportOptions,
): Promise<ExportPlace> {
  const there = await stat(to).catch(() => undefined);
  const name = readOutputFile(to);
  const isFile = !there?.isDirectory() && (name.format !== undefined || there !== undefined);
  const found = isFile ? name : { format: undefined, packing: undefined };
  if (found.format !== undefined && !isExportFormat(found.format))
    throw usageError(`Events cannot be exported as ${found.format}.`, `Use one of ${exportFormats.join(', ')}.`);
  if (format !== undefined && found.format !== undefined && format !== found.format)
    throw usageError(
      `${quote(path.basename(to))} is ${found.format} by its ending, but ${format} was specified.`,
      'Remove one of the two.',
    );
  if (packing !== undefined && isFile && packing !== found.packing)
    throw usageError(
      `${quote(path.basename(to))} ${found.packing ? `is compressed with ${found.packing}` : 'is not packed'}` +
        ` by its ending, but ${packing} was specified.`,
      'Remove one of the two.',
    );
  const form: UnitForm = {
    format: format ?? found.format ?? 'ndjson',
    packing: packing ?? found.packing,
    expand: expand ?? false,
    safeCells: safeCells ?? false,
  };
  if (form.packing && form.format === 'parquet')
    throw usageError(
      'A Parquet file cannot be compressed again: programs could not read it.',
      'Remove the compression. Parquet already uses zstd.',
    );
  if (form.safeCells && form.format !== 'csv')
    throw usageError(`--safe-csv requires csv, not ${form.format}.`, 'Add `-f csv`.');
  if (recheck && isFile)
    throw usageError('--recheck requires an export in a folder.', 'Remove the file, and export again.');
  const formIsNamed = format !== undefined || packing !== undefined || expand !== undefined || safeCells !== undefined;
  return { kind: isFile ? 'file' : 'folder', path: to, form, formIsNamed };
}

function isExportFormat(format: string): format is ExportFormat {
  return (exportFormats as readonly string[]).includes(format);
}
