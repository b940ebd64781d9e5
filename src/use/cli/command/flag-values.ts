import { InvalidArgumentError, Option } from 'commander';
import { leastWidth, mostWidth } from '../../process/line-width.ts';

/** Parser of a repeatable flag. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** Parser of a flag that is repeatable or takes a list with commas. */
export function collectNames(value: string, before: readonly string[] | undefined): readonly string[] {
  return [
    ...(before ?? []),
    ...value
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ];
}

export function wholeNumber(value: string): number {
  const digits = value.replaceAll(/[_,]/g, '');
  if (!/^\d{1,15}$/.test(digits)) throw new InvalidArgumentError('Use a whole number, e.g. 100.');
  return Number(digits);
}

/** A size in DuckDB's format. */
export function memorySize(value: string): string {
  if (!/^\d{1,9}(?:\.\d{1,3})? ?[KMGT]i?B$/i.test(value)) throw new InvalidArgumentError('Use a size, e.g. 4GB.');
  return value;
}

/** A size in bytes. */
export function byteCount(value: string): number {
  const [, amount, unit = ''] = /^(\d{1,9}) ?(?:([KMG])i?B|B)?$/i.exec(value) ?? [];
  if (amount === undefined) throw new InvalidArgumentError('Use a size, e.g. 10MB.');
  return Number(amount) * 1024 ** ' KMG'.indexOf(unit.toUpperCase() || ' ');
}

/** The width of a line, in cells. */
export function cells(value: string): number {
  const width = /^\d{1,4}$/.test(value) ? Number(value) : 0;
  if (width < leastWidth || width > mostWidth)
    throw new InvalidArgumentError(`Use a whole number from ${leastWidth} to ${mostWidth}, e.g. 80.`);
  return width;
}

/** Formats of a server's answer of any kind. */
export const recordFormats = ['table', 'json', 'ndjson', 'csv'] as const;

export type RecordFormat = (typeof recordFormats)[number];

/** The format of an answer without rows; defaults to `text`. */
export function textOrJson(description = 'output format'): Option {
  return new Option('-f, --format <name>', description).choices(['text', 'json']).default('text');
}
