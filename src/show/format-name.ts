import { bad, errorIssue, good, type IssuePath, type Outcome } from '../ask/outcome.ts';
import { didYouMean } from '../ask/suggest.ts';
import { quote } from '../ask/text.ts';

/** Formats of one result. */
export const formatNames = [
  'table',
  'chart',
  'json',
  'ndjson',
  'csv',
  'tsv',
  'markdown',
  'html',
  'xlsx',
  'parquet',
  'arrow',
  'vega-lite',
  'svg',
  'png',
] as const;

/** A format of answers. */
export type FormatName = (typeof formatNames)[number];

/** Formats of reports. */
export const reportFormats = ['markdown', 'html', 'pdf', 'json', 'eml'] as const;

/** A format of a report. */
export type ReportFormat = (typeof reportFormats)[number];

/** Formats written row by row or in batches, for answers of any size. */
export type RowFormat = Exclude<FormatName, 'table' | 'markdown' | 'xlsx' | ChartFormat>;

/** Formats that draw the answer. */
export type ChartFormat = 'chart' | 'html' | 'vega-lite' | 'svg' | 'png';

/** Formats of bytes that a terminal cannot show. */
export type BinaryFormat = 'parquet' | 'arrow' | 'png' | 'xlsx' | 'pdf';

const shortNames: Readonly<Record<string, FormatName>> = { md: 'markdown', excel: 'xlsx', vl: 'vega-lite' };

/** Reads a format name or short name (`md`), ignoring case. Issue: `unknown-format`. */
export function readFormatName(text: string, path: IssuePath = []): Outcome<FormatName> {
  const wanted = text.trim().toLowerCase();
  const name =
    formatNames.find((known) => known === wanted) ??
    (Object.hasOwn(shortNames, wanted) ? shortNames[wanted] : undefined);
  if (name) return good(name);
  const close = didYouMean(wanted, [...formatNames, ...Object.keys(shortNames)]);
  const all = `Use one of ${formatNames.join(', ')}.`;
  return bad([
    errorIssue('unknown-format', `There is no format ${quote(text)}.`, { path, hint: close ? `${close} ${all}` : all }),
  ]);
}

/** The file extension of a format, with its dot. */
export function toFileExtension(format: FormatName): string {
  return {
    table: '.txt',
    chart: '.chart.txt',
    json: '.json',
    ndjson: '.ndjson',
    csv: '.csv',
    tsv: '.tsv',
    markdown: '.md',
    html: '.html',
    xlsx: '.xlsx',
    parquet: '.parquet',
    arrow: '.arrow',
    'vega-lite': '.vl.json',
    svg: '.svg',
    png: '.png',
  }[format];
}

export function isRowFormat(format: FormatName): format is RowFormat {
  return format !== 'table' && format !== 'markdown' && format !== 'xlsx' && !isChartFormat(format);
}

export function isBinaryFormat<Name extends FormatName | ReportFormat>(format: Name): format is Name & BinaryFormat {
  return ['parquet', 'arrow', 'png', 'xlsx', 'pdf'].includes(format);
}

export function isChartFormat(format: FormatName): format is ChartFormat {
  return format === 'chart' || format === 'html' || format === 'vega-lite' || format === 'svg' || format === 'png';
}
