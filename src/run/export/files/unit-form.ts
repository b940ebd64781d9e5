import type { Packing } from '../../file/pack.ts';

export const exportFormats = ['ndjson', 'json', 'csv', 'parquet'] as const;

export type ExportFormat = (typeof exportFormats)[number];

/** How the rows of an export are written. All of its files are of one form. */
export interface UnitForm {
  readonly format: ExportFormat;
  /** undefined: as it is. Parquet packs its own pages by zstd. */
  readonly packing: Packing | undefined;
  /** A row for each event: rows that stand for several are repeated, and each counts 1. */
  readonly expand: boolean;
  /** Cells that a spreadsheet would run as formulas are made harmless; CSV only. */
  readonly safeCells: boolean;
}

const packingEndings = { gzip: '.gz', zstd: '.zst' } as const;

/** `.csv.gz` */
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
