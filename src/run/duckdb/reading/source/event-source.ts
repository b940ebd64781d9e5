import type { Compression } from '../../../file/read-bytes.ts';
import type { CompiledMapping } from '../../mapping/compile-mapping.ts';
import type { SourceColumn } from '../columns/event-columns.ts';
import type { ReadableFile } from './readable-files.ts';
import type { CellMarks } from '../columns/recognition.ts';
import type { CsvForm, HeadHints, NamesInUse } from '../formats/sniff-format.ts';

/** Files of one kind that one SELECT reads. */
export type EventSource = {
  /** How columns map to event fields, if names alone do not say so. */
  readonly mapped?: CompiledMapping | undefined;
  /** CSV columns whose numbers have decimal commas or separated thousands, or whose times are not in ISO 8601. */
  readonly marks?: Pick<CellMarks, 'columns' | 'times'> | undefined;
} & (
  | {
      readonly kind: 'json';
      readonly format: 'newline_delimited' | 'array';
      readonly compression: Compression;
      readonly encoding?: string | undefined;
      readonly hints: HeadHints;
      /** Names in use by file; undefined if any name may be in use. */
      readonly uses?: ReadonlyMap<string, NamesInUse> | undefined;
      readonly paths: readonly string[];
    }
  | (CsvForm & { readonly kind: 'csv'; readonly paths: readonly string[] })
  | {
      readonly kind: 'parquet';
      readonly columns: readonly SourceColumn[];
      readonly paths: readonly string[] /** The file that was turned into this one. */;
      readonly original?: string | undefined;
    }
  /** The valid lines of a file with invalid ones. It forms a source by itself. */
  | {
      readonly kind: 'cleaned';
      readonly compression: Compression;
      readonly counts: boolean /** As `HeadHints`. */;
      readonly unusual: readonly string[];
      readonly longest: number;
      readonly path: string;
      readonly original: string;
    }
);

export type TextSource = Extract<EventSource, { readonly kind: 'json' | 'csv' }>;

export function isText(source: EventSource): source is TextSource {
  return source.kind === 'json' || source.kind === 'csv';
}

/** Groups files of one kind. Kinds and files keep the order of their first appearance. */
export function groupSources(
  files: readonly ReadableFile[],
  parquetColumns: ReadonlyMap<string, readonly SourceColumn[]>,
  mapped: ReadonlyMap<string, CompiledMapping> = new Map(),
): readonly EventSource[] {
  const groups = new Map<string, EventSource & { readonly paths: string[] }>();
  for (const file of files) {
    if (file.format === 'empty') continue;
    const mapping = mapped.get(file.path);
    const source = { ...toSource(file, parquetColumns), ...(mapping ? { mapped: mapping } : {}) };
    const key = JSON.stringify({ ...source, paths: [] });
    const group = groups.get(key);
    if (group) group.paths.push(file.path);
    else groups.set(key, source);
  }
  const uses = new Map(files.map((file) => [file.path, 'uses' in file ? file.uses : undefined]));
  return Array.from(groups.values(), (source) => withUses(source, uses));
}

/** These files are checked for changes before each question, so they must be few. */
export const mostWithUses = 20;

function withUses(source: EventSource, uses: ReadonlyMap<string, NamesInUse | undefined>): EventSource {
  if (source.kind !== 'json' || source.paths.length > mostWithUses) return source;
  const own = source.paths.map((path) => [path, uses.get(path)] as const);
  const known = own.filter((one): one is readonly [string, NamesInUse] => one[1] !== undefined);
  return known.length === own.length ? { ...source, uses: new Map(known) } : source;
}

function toSource(
  file: Exclude<ReadableFile, { format: 'empty' }>,
  parquetColumns: ReadonlyMap<string, readonly SourceColumn[]>,
) {
  const paths = [file.path];
  switch (file.format) {
    case 'parquet':
      return { kind: 'parquet', columns: parquetColumns.get(file.path) ?? [], paths, original: file.original } as const;
    case 'csv':
      return {
        kind: 'csv',
        style: file.style,
        compression: file.compression,
        encoding: file.encoding,
        delimiter: file.delimiter,
        escapes: file.escapes,
        padded: file.padded,
        dump: file.dump,
        header: file.header,
        before: file.before,
        endings: file.endings,
        paths,
      } as const;
    case 'ndjson':
      return {
        kind: 'json',
        format: 'newline_delimited',
        compression: file.compression,
        encoding: file.encoding,
        hints: file.hints,
        paths,
      } as const;
    case 'json-array':
      return {
        kind: 'json',
        format: 'array',
        compression: file.compression,
        encoding: file.encoding,
        hints: file.hints,
        paths,
      } as const;
  }
}

/** The sources with a file replaced in place by its valid lines. */
export function replaceFile(
  sources: readonly EventSource[],
  path: string,
  cleaned: EventSource,
): readonly EventSource[] {
  return sources.flatMap((source): readonly EventSource[] => {
    if (source.kind === 'cleaned' || !source.paths.includes(path)) return [source];
    const place = source.paths.indexOf(path);
    const before = source.paths.slice(0, place);
    const after = source.paths.slice(place + 1);
    return [
      ...(before.length > 0 ? [{ ...source, paths: before }] : []),
      cleaned,
      ...(after.length > 0 ? [{ ...source, paths: after }] : []),
    ];
  });
}
