import { invariant } from '../../ask/invariant.ts';
import type { Result } from '../../shape/result/result.ts';
import { type FormatName, isRowFormat } from '../../show/format-name.ts';
import type { RowSource } from '../../show/text/row-source.ts';
import { writeResult, type WriteResultOptions } from '../../show/write-result.ts';
import { readOutputFile } from './output-file.ts';

/** Writes an answer, or its streamed rows, in a format. */
export async function* toChunks(
  answer: Result | RowSource,
  format: FormatName,
  options: WriteResultOptions,
): AsyncGenerator<string | Uint8Array> {
  if ('rowCount' in answer) return yield* writeResult(answer, format, options);
  invariant(isRowFormat(format), 'rows that come piece by piece are for formats that take them so');
  const { writeRows } = await import('../../show/write-rows.ts');
  yield* writeRows(answer, format, options);
}

/** Writes them to a file atomically, compressed as its extension says. Rejects as `writeFileWhole`. */
export async function writeAnswerFile(
  answer: Result | RowSource,
  format: FormatName,
  file: string,
  options: WriteResultOptions,
): Promise<void> {
  const { arrowForm, packing } = readOutputFile(file);
  const chunks = toChunks(answer, format, { arrowForm, ...options });
  const { writeFileWhole } = await import('../../run/file/write-file.ts');
  await writeFileWhole(
    file,
    packing ? (await import('../../run/file/pack.ts')).pack(chunks, packing) : chunks,
    options.signal,
  );
}
