import type { Packing } from '../../file/pack.ts';

export const exportFormats = ['ndjson', 'json', 'csv', 'parquet'] as const;

export type ExportFormat = (typeof exportFormats)[number];

/** The format of an export's files. All files have the same. */
export interface UnitForm {
  readonly format: ExportFormat;
  /** undefined for no packing. Parquet compresses its own pages with zstd. */
  readonly packing: Packing | undefined;
  /** True for one row per event: a row that stands for several is repeated with count 1. */
  readonly expand: boolean;
  /** True to neutralize cells that a spreadsheet would run as formulas; CSV only. */
  readonly safeCells: boolean;
}

const packingEndings = { gzip: '.gz', zstd: '.zst' } as const;

export function endingOf({ format, packing }: UnitForm): string {
  return `.${format}${packing === undefined ? '' : packingEndings[packing]}`;
}

/** For people: `csv, gzip`. */
export function describeForm({ format, packing, expand, safeCells }: UnitForm): string {
  return [
    format,
    ...(packing === undefined ? [] : [packing]),
    ...(expand ? ['one row per event'] : []),
    ...(safeCells ? ['safe cells'] : []),
  ].join(', ');
}
