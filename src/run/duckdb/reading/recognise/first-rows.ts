import type { FirstRows } from '../columns/recognition.ts';
import type { ReadableFile } from '../source/readable-files.ts';
import { nullsOf, splitFields } from '../text/split-csv.ts';

/**
 * The columns that have values only in the first of several rows with the same key, as exports of orders with a row for
 * each line item have them: seen in the first rows of a CSV file. Undefined if there are none.
 */
export function findFirstRows(file: ReadableFile): FirstRows | undefined {
  if (file.format !== 'csv' || file.style !== 'headed') return undefined;
  const { header } = file;
  const nulls = nullsOf(file);
  const rows = (file.lines ?? [])
    .map((line) => splitFields(line, file))
    .filter(({ length }) => length === header.length);
  const isFilled = (row: readonly string[], at: number) => !nulls.includes(row[at]!);
  for (const [key, name] of header.entries()) {
    const isBelow = rows.map((row, index) => index > 0 && row[key] === rows[index - 1]![key]);
    const below = rows.filter((_, index) => isBelow[index]);
    const first = rows.filter((_, index) => !isBelow[index]);
    const isKey =
      rows.every((row) => isFilled(row, key)) && new Set(first.map((row) => row[key])).size === first.length;
    if (!isKey || below.length < 2 || first.length < 2) continue;
    const places = [...header.keys()].filter(
      (at) => first.some((row) => isFilled(row, at)) && !below.some((row) => isFilled(row, at)),
    );
    // One column can be empty by chance, and so can columns with few values.
    if (places.filter((at) => first.every((row) => isFilled(row, at))).length < 2) continue;
    return { key: name, columns: places.map((at) => header[at]!) };
  }
  return undefined;
}

/** `columns`: those to name. */
export function firstRowsSentence({ key }: FirstRows, columns: readonly string[]): string {
  const names = `${columns.slice(0, 8).join(', ')}${columns.length > 8 ? ' and others' : ''}`;
  return (
    `Only the first row of each ${key} has ${names}: groups and filters by ` +
    (columns.length > 1 ? 'them' : 'it') +
    ` leave out the rows below, and sums count each ${key} once.`
  );
}
