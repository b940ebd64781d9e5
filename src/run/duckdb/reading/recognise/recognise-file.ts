import path from 'node:path';
import { sourceName } from '../../../file/source-copy.ts';
import { readJson } from '../../../../ask/document/parse-exactly.ts';
import { BackendError } from '../../../../ask/sluice-error.ts';
import { readJsonPath } from '../../../../plan/mapping/json-path.ts';
import { fieldCalled } from '../../../../plan/mapping/field-name.ts';
import type { Mapping } from '../../../../plan/mapping/mapping.ts';
import type { FileSigns, Preset } from '../../../../plan/mapping/preset.ts';
import { accessLog } from '../../../../plan/presets/access-log.ts';
import { noPreset, presetCalled, presets } from '../../../../plan/presets/presets.ts';
import { accessLogColumns, columnsOfLog, readAccessLogLine } from '../layouts/access-log.ts';
import { logEndings } from '../layouts/log-endings.ts';
import { type LineForm, lacksField } from '../formats/line-form.ts';
import type { SourceColumn } from '../columns/event-columns.ts';
import type { ReadableFile } from '../source/readable-files.ts';
import type { SampledRecord } from '../text/head-records.ts';
import type { RecognisedFile } from '../columns/recognition.ts';
import { splitFields } from '../text/split-csv.ts';

export type { RecognisedFile };

/** The file as its selected preset reads it. The first lines of an access log need not look like one. */
export function asChosen(file: ReadableFile, choice: string | undefined): ReadableFile {
  const isText = file.format === 'ndjson' || (file.format === 'csv' && file.style === 'headed');
  if (choice !== accessLog.name || !isText) return file;
  // Logs can also be JSON or CSV with the same names.
  if (file.format === 'csv' ? accessLog.recognise(signsOf(file, [])) > 0 : file.sample.length > 0) return file;
  const { path, compression, encoding } = file;
  const lines = file.format === 'csv' ? (file.lines ?? []) : [];
  const endings = logEndings(lines);
  const log = { format: 'csv', style: 'log', delimiter: ' ', header: columnsOfLog(endings) } as const;
  return { ...log, path, compression, encoding, lines, endings };
}

/**
 * The preset for a file: selected by name, else the one that recognises it; undefined if there is none. Errors:
 * `preset-unknown`; `preset-ambiguous` if several recognise it; `file-without-events` if it holds no events.
 */
export function recogniseFile(
  file: ReadableFile,
  parquetColumns: readonly SourceColumn[] | undefined,
  choice?: string,
  timezone?: string,
): RecognisedFile | undefined {
  if (file.format === 'empty' || choice === noPreset) return undefined;
  const signs = signsOf(file, parquetColumns ?? []);
  const preset = choice === undefined ? findPreset(file, signs) : presetCalled(choice);
  if (!preset) return undefined;
  if (preset.refusal)
    throw new BackendError(`${sourceName(pathOf(file))} ${preset.refusal.message}.`, {
      code: 'file-without-events',
      hint: preset.refusal.hint,
    });
  return {
    preset,
    mapping: withOsFamily(typeof preset.mapping === 'function' ? preset.mapping(signs) : preset.mapping),
    notes: [...listOf(preset.notes, signs), ...(preset.zoneNote && timezone === undefined ? [preset.zoneNote] : [])],
    missing: listOf(preset.expects, signs).filter(
      (expected) => !expected.split(' | ').some((sign) => signs.holds(sign)),
    ),
  };
}

/** Most events have one name of the operating system. It is the family, too, which `by os` groups by. */
export function withOsFamily(mapping: Mapping): Mapping {
  const sourceOf = (field: string) =>
    Object.entries(mapping.columns).find(([name]) => fieldCalled(name) === fieldCalled(field))?.[1];
  const osName = sourceOf('osName');
  if (osName === undefined || sourceOf('osFamily') !== undefined) return mapping;
  return { ...mapping, columns: { osFamily: osName, ...mapping.columns } };
}

function listOf(texts: Preset['expects'] = [], signs: FileSigns): readonly string[] {
  return typeof texts === 'function' ? texts(signs) : texts;
}

function findPreset(file: ReadableFile, signs: FileSigns): Preset | undefined {
  const rated = presets.map((preset) => ({ preset, sure: preset.recognise(signs) }));
  const best = Math.max(...rated.map(({ sure }) => sure));
  const [first, ...others] = rated.filter(({ sure }) => sure > 0.5 && sure === best).map(({ preset }) => preset);
  if (first === undefined || others.length === 0) return first;
  const all = [first, ...others];
  throw new BackendError(
    `${sourceName(pathOf(file))} looks like an export of ${all.map(({ title }) => title).join(' and of ')}.`,
    {
      code: 'preset-ambiguous',
      hint: `Choose with --preset ${all.map(({ name }) => name).join(', ')} or ${noPreset}.`,
    },
  );
}

/** The path that the user specified. */
export function pathOf(file: ReadableFile): string {
  return ('original' in file ? file.original : undefined) ?? file.path;
}

interface Signs extends FileSigns {
  /** Whether it exists and some of the first events have a value there. */
  readonly holds: FileSigns['has'];
}

function signsOf(file: Exclude<ReadableFile, { format: 'empty' }>, parquetColumns: readonly SourceColumn[]): Signs {
  const [table = ''] = path
    .basename(sourceName(pathOf(file)))
    .toLowerCase()
    .split('.');
  return { table, ...signsWithin(file, parquetColumns) };
}

function signsWithin(
  file: Exclude<ReadableFile, { format: 'empty' }>,
  parquetColumns: readonly SourceColumn[],
): Omit<Signs, 'table'> {
  switch (file.format) {
    case 'parquet':
      return { kind: 'parquet', ...inColumns(parquetColumns.map(({ name }) => name)) };
    case 'csv':
      // The lines were recognised as those of a log, whichever of their fields are empty.
      if (file.style === 'log')
        return {
          kind: 'csv',
          has: inColumns(accessLogColumns).has,
          holds: inColumns(filledFields(file.lines ?? [])).holds,
        };
      return { kind: 'csv', ...inRows(file) };
    default:
      return { kind: 'json', ...inRecords(file.sample, file.form) };
  }
}

/** A path is there if one of the first rows has it in its column, or if none of them has JSON there. */
function inRows(file: Extract<ReadableFile, { format: 'csv' }>): Omit<Signs, 'kind' | 'table'> {
  const columns = inColumns(file.header);
  const rows = (file.lines ?? []).map((line) => splitFields(line, file));
  const hasWithin = (sign: string) => {
    const { root = '', steps = [] } = readJsonPath(sign) ?? {};
    const place = file.header.findIndex((name) => name.toLowerCase() === root.toLowerCase());
    const values = rows.map((cells) => (cells.length === file.header.length ? withinText(cells[place]!) : null));
    const known = values.filter((value) => value !== null);
    return known.length === 0 || known.some((value) => valuesAt(value, steps).length > 0);
  };
  const has = (sign: string) => columns.has(sign) && (!sign.startsWith('$.') || hasWithin(sign));
  return { has, holds: has };
}

/**
 * Values inside Parquet columns are not inspected: the column's existence is enough. Warehouses write names in
 * capitals.
 */
function inColumns(names: readonly string[]): Omit<Signs, 'kind' | 'table'> {
  const all = new Set(names.map((name) => name.toLowerCase()));
  const isThere = (name: string) => all.has(name.toLowerCase());
  const has = (sign: string) => isThere(sign) || (sign.startsWith('$.') && isThere(readJsonPath(sign)?.root ?? ''));
  return { has, holds: has };
}

/** What a text has of JSON objects and lists; null for another text. */
function withinText(text: string): unknown {
  return /^\s*[{[]/.test(text) ? (readJson(text) ?? null) : null;
}

function filledFields(lines: readonly string[]): readonly string[] {
  const read = lines.flatMap((line) => {
    const fields = readAccessLogLine(line);
    return fields ? [fields] : [];
  });
  return accessLogColumns.filter((_, index) => read.some((fields) => fields[index] !== ''));
}

function inRecords(records: readonly SampledRecord[], form: LineForm | undefined): Omit<Signs, 'kind' | 'table'> {
  const someHas = (sign: string, isEnough: (value: unknown) => boolean) => {
    const { root, steps } = (sign.startsWith('$.') ? readJsonPath(sign) : undefined) ?? { root: sign, steps: [] };
    return records.some((record) => Object.hasOwn(record, root) && valuesAt(record[root], steps).some(isEnough));
  };
  return {
    has: (sign) => someHas(sign, () => true),
    holds: (sign) =>
      someHas(sign, (value) => value !== null && value !== '') || (form !== undefined && lacksField(form, sign)),
  };
}

/**
 * Values at the steps, also in JSON text. Lists are searched: each item, and items of the form `{key, value}` by key.
 */
function valuesAt(value: unknown, steps: readonly (string | number)[]): readonly unknown[] {
  const [step, ...rest] = steps;
  if (step === undefined) return value === undefined ? [] : [value];
  if (typeof value === 'string') return valuesAt(withinText(value), steps);
  if (value === null || typeof value !== 'object') return [];
  if (!Array.isArray(value)) return Object.hasOwn(value, step) ? valuesAt((value as SampledRecord)[step], rest) : [];
  return (value as readonly unknown[]).flatMap((item) => {
    const isKeyed = typeof item === 'object' && item !== null && (item as SampledRecord)['key'] === step;
    return isKeyed ? valuesAt((item as SampledRecord)['value'], rest) : valuesAt(item, steps);
  });
}
