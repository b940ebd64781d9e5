import { compactTime } from '../../../../ask/time/zone.ts';
import type { TimeFormat } from '../../../../plan/mapping/mapping.ts';
import type { Engine } from '../../engine/engine.ts';
import { quoteText } from '../../engine/sql-text.ts';
import type { MappedPart } from '../../mapping/compile-mapping.ts';
import { openAccessLog } from '../layouts/access-log.ts';
import type { SourceColumn } from '../columns/event-columns.ts';
import type { ReadableFile } from '../source/readable-files.ts';
import { splitFields } from '../text/split-csv.ts';

/**
 * The time format that samples of a file show without a query over its rows: the usual form of ISO 8601, or whole
 * numbers whose length determines the unit. undefined if they are unclear or missing. Other rows may differ.
 */
export async function sampleTimes(
  engine: Engine,
  file: ReadableFile,
  columns: readonly SourceColumn[] | undefined,
  part: MappedPart,
): Promise<TimeFormat | undefined> {
  return formatOfTexts(await sampleTexts(engine, file, columns, part));
}

/** Some of a file's times as written; none if this requires a query over the rows. */
export async function sampleTexts(
  engine: Engine,
  file: ReadableFile,
  columns: readonly SourceColumn[] | undefined,
  part: MappedPart,
): Promise<readonly string[]> {
  if (part.kind !== 'column' && part.kind !== 'path') return [];
  const values =
    file.format === 'parquet' ? await extremes(engine, file.path, columns ?? [], part) : valuesIn(file, part);
  return values.filter((value) => value !== null && value !== undefined && value !== '').map(toText);
}

/** Other types have no readable time. */
function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** The format that all texts have, if it is unambiguous. */
export function formatOfTexts(texts: readonly string[]): TimeFormat | undefined {
  const formats = new Set(texts.map(formatOfText));
  return formats.size === 1 ? [...formats][0] : undefined;
}

const isCompact = new RegExp(`^${compactTime}$`);

const usualForm = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?$/;

/** Between 1973 and 2286, the number of digits determines the unit. */
const units: Readonly<Record<number, TimeFormat>> = {
  9: 'seconds',
  10: 'seconds',
  12: 'milliseconds',
  13: 'milliseconds',
  15: 'microseconds',
  16: 'microseconds',
  18: 'nanoseconds',
  19: 'nanoseconds',
};

function formatOfText(text: string): TimeFormat | undefined {
  if (usualForm.test(text)) return 'iso';
  if (isCompact.test(text)) return 'year-first';
  return /^[1-9]\d+$/.test(text) ? units[text.length] : undefined;
}

type PlacedPart = Extract<MappedPart, { readonly kind: 'column' | 'path' }>;

/** The minimum and maximum of some row groups, from the footer. */
async function extremes(
  engine: Engine,
  path: string,
  columns: readonly SourceColumn[],
  part: PlacedPart,
): Promise<readonly unknown[]> {
  const column =
    columns.find(({ name }) => name === part.root) ??
    columns.find(({ name }) => name.toLowerCase() === part.root.toLowerCase());
  if (part.kind !== 'column' || !column || !/^(VARCHAR|U?INTEGER|U?BIGINT)$/.test(column.type)) return [];
  const rows = await engine.rows(
    `SELECT stats_min_value, stats_max_value FROM parquet_metadata(${quoteText(path)}) WHERE path_in_schema = ${quoteText(column.name)} LIMIT 20`,
  );
  return rows.flat();
}

function valuesIn(file: Exclude<ReadableFile, { readonly format: 'parquet' }>, part: PlacedPart): readonly unknown[] {
  if (file.format === 'empty') return [];
  if (file.format !== 'csv') return file.sample.map((record) => valueAt(ownValue(record, part.root), part));
  const place = file.header.findIndex((name) => name.toLowerCase() === part.root.toLowerCase());
  const readLog = openAccessLog(file.endings);
  const fieldsOf = (line: string) => {
    if (file.style === 'log') return readLog(line);
    return file.style === 'headed' ? splitFields(line, file) : undefined;
  };
  const rows = (file.lines ?? []).map(fieldsOf).filter((fields) => fields?.length === file.header.length);
  return rows.map((fields) => valueAt(fields?.[place], part));
}

function ownValue(record: object, key: string): unknown {
  return Object.hasOwn(record, key) ? (record as Readonly<Record<string, unknown>>)[key] : undefined;
}

/** Paths inside a text column are left to the engine. */
function valueAt(value: unknown, part: PlacedPart): unknown {
  if (part.kind === 'column') return value;
  const steps = part.pointer.slice(1).split('/');
  return steps.reduce<unknown>((at, step) => {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    return typeof at === 'object' && at !== null ? ownValue(at, key) : undefined;
  }, value);
}
