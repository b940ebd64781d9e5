import path from 'node:path';
import { formatNames, toFileExtension, type FormatName } from '../../show/format-name.ts';
import type { Packing } from '../../run/file/pack.ts';

/** What the name of a file says of how it is to be written. */
export interface OutputFile {
  /** undefined: its ending names none. */
  readonly format: FormatName | undefined;
  /** `arrow` only. */
  readonly arrowForm: 'file' | 'stream';
  /** undefined: as it is. */
  readonly packing: Packing | undefined;
}

const packings: Readonly<Record<string, Packing>> = { '.gz': 'gzip', '.zst': 'zstd' };

const furtherEndings: Readonly<Record<string, FormatName>> = {
  '.jsonl': 'ndjson',
  '.arrows': 'arrow',
  '.feather': 'arrow',
};

/** Endings of two parts, which say more than their last. */
const longEndings: readonly string[] = formatNames.map(toFileExtension).filter((ending) => ending.lastIndexOf('.') > 0);

/**
 * `x.csv` is CSV, `x.csv.gz` the same packed; `x.arrows` is Arrow as a stream, `x.arrow` and `x.feather` are files of
 * it.
 */
export function readOutputFile(file: string): OutputFile {
  const last = path.extname(file).toLowerCase();
  const packing = Object.hasOwn(packings, last) ? packings[last] : undefined;
  const name = (packing ? path.basename(file, path.extname(file)) : path.basename(file)).toLowerCase();
  const ending = longEndings.find((each) => name.endsWith(each)) ?? path.extname(name);
  const format =
    formatNames.find((name) => toFileExtension(name) === ending) ??
    (Object.hasOwn(furtherEndings, ending) ? furtherEndings[ending] : undefined);
  return { format, arrowForm: ending === '.arrows' ? 'stream' : 'file', packing };
}

/** The endings that name a format. */
export const outputEndings: readonly string[] = [...formatNames.map(toFileExtension), '.arrows'];
