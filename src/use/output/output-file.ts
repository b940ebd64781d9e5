import path from 'node:path';
import { formatNames, toFileExtension, type FormatName } from '../../show/format-name.ts';
import type { Packing } from '../../run/file/pack.ts';

/** What a file name says about how to write the file. */
interface OutputFile {
  /** Undefined if the extension is unknown. */
  readonly format: FormatName | undefined;
  /** For `arrow` only. */
  readonly arrowForm: 'file' | 'stream';
  /** Undefined for no compression. */
  readonly packing: Packing | undefined;
}

const packings: Readonly<Record<string, Packing>> = { '.gz': 'gzip', '.zst': 'zstd' };

const furtherEndings: Readonly<Record<string, FormatName>> = {
  '.jsonl': 'ndjson',
  '.arrows': 'arrow',
  '.feather': 'arrow',
};

/** Extensions of two parts, which match before their last part alone. */
const longEndings: readonly string[] = formatNames.map(toFileExtension).filter((ending) => ending.lastIndexOf('.') > 0);

/**
 * `x.csv` is CSV, `x.csv.gz` compressed CSV; `x.arrows` is an Arrow stream, `x.arrow` and `x.feather` are Arrow files.
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

/** The extensions that name a format. */
export const outputEndings: readonly string[] = [...formatNames.map(toFileExtension), '.arrows'];
