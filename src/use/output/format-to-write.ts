import path from 'node:path';
import { usageError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import { type FormatName, formatNames, isBinaryFormat } from '../../show/format-name.ts';
import { outputEndings, readOutputFile } from './output-file.ts';

/**
 * The named format, else the one of the file extension. `by`: the option that names a format. Throws
 * `InvalidInputError`.
 */
export function formatToWrite(file: string, named: FormatName | undefined, by: '-f' | '`format`'): FormatName {
  const { format = named, packing } = named ? { ...readOutputFile(file), format: named } : readOutputFile(file);
  if (!format) {
    throw usageError(
      `${quote(path.basename(file))} has no ending of a known format.`,
      `Use one of the endings ${outputEndings.join(', ')} (text formats also with .gz or .zst), ` +
        `or specify the format with ${by}: ${formatNames.join(', ')}.`,
    );
  }
  if (packing && isBinaryFormat(format)) {
    throw usageError(
      `A ${format} file cannot be compressed again: programs could not read it.`,
      'Remove the last ending.',
    );
  }
  return format;
}
