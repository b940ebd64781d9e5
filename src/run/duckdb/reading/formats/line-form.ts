import { isRecord } from '../../../../ask/document/json-record.ts';
import { readJson } from '../../../../ask/document/parse-exactly.ts';
import { proposeMapping } from '../../../../plan/mapping/propose-mapping.ts';
import { toShape } from '../../../../plan/mapping/to-shape.ts';
import { isTimeName } from '../../../events/column-names.ts';
import {
  columnsOfLog,
  type LogEndings,
  openAccessLog,
  readAccessLogLine,
  reasonAgainst,
} from '../layouts/access-log.ts';
import { type FieldLogName, fieldLogOf, fieldNamesOf, readFieldLine } from '../layouts/field-logs.ts';
import {
  type BareLine,
  linePrefix,
  type LinePrefixName,
  linePrefixNames,
  openStripper,
} from '../layouts/line-prefixes.ts';
import { logEndings } from '../layouts/log-endings.ts';
import { looksLikeLogfmt, readLogfmtLine } from '../layouts/logfmt.ts';
import { writeLineFault } from '../text/line-fault.ts';

/** How the lines of a log become JSON objects. */
export interface LineForm {
  readonly prefix?: LinePrefixName | undefined;
  /** The lines themselves. `text`: they are messages. */
  readonly kind: FieldLogName | 'access' | 'json' | 'logfmt' | 'text';
  /** The key for the time of the prefix in a line that lacks it. */
  readonly timeKey?: string | undefined;
  /** Of an access log. */
  readonly endings?: LogEndings | undefined;
}

/** Whether the lines of a log never have a field of this name. */
export function lacksField({ kind }: LineForm, name: string): boolean {
  return isFieldLog(kind) && !fieldNamesOf(kind).has(name);
}

function isFieldLog(kind: LineForm['kind']): kind is FieldLogName {
  return kind !== 'access' && kind !== 'json' && kind !== 'logfmt' && kind !== 'text';
}

const most = 20;

/** Lines of which most have this form decide. The last line may be cut off. */
const enough = 0.8;

/** The log with fields in a fixed order that the first lines are of. */
export function fieldFormOf(lines: readonly string[]): LineForm | undefined {
  const kind = fieldLogOf(lines.slice(0, most));
  return kind && { kind };
}

/**
 * The form that the first lines of a file have, with or without a prefix; undefined if they have none. `yearless`: they
 * are messages whose times have no year.
 */
export function lineFormOf(lines: readonly string[]): LineForm | 'yearless' | undefined {
  const some = lines.filter((line, index) => line.trim() !== '' && (index === 0 || index < lines.length - 1));
  const first = some.slice(0, most);
  for (const prefix of linePrefixNames) {
    const { strip } = linePrefix(prefix);
    if (first.length === 0 || first.filter((line) => strip(line)).length < enough * first.length) continue;
    const { isVague, isYearless } = linePrefix(prefix);
    const stripper = openStripper(prefix);
    const bare = some.map(stripper.strip).filter((line) => typeof line === 'object');
    const texts = bare.map(({ text }) => text);
    const kind = kindOf(texts);
    if (kind !== undefined)
      return {
        prefix,
        kind,
        timeKey: timeKeyOf(kind, texts),
        endings: kind === 'access' ? logEndings(texts) : undefined,
      };
    if (isYearless) return 'yearless';
    if (!isVague) return { prefix, kind: 'text', timeKey: 'time' };
  }
  return looksLikeLogfmt(lines) ? { kind: 'logfmt' } : undefined;
}

function kindOf(texts: readonly string[]): LineForm['kind'] | undefined {
  const first = texts.slice(0, most);
  const log = fieldLogOf(first);
  if (log !== undefined) return log;
  const requests = first.filter((text) => readAccessLogLine(text) !== undefined);
  const objects = first.filter((text) => isRecord(readJson(text)));
  if (requests.length > 0 && requests.length >= objects.length) return 'access';
  if (objects.length > 0 && objects.length >= first.length / 2) return 'json';
  // None of these is cut off.
  return looksLikeLogfmt([...first, '']) ? 'logfmt' : undefined;
}

/** Lines keep their own time if they have one: a time in another form cannot stand beside it. */
function timeKeyOf(kind: LineForm['kind'], texts: readonly string[]): string | undefined {
  if (kind !== 'json' && kind !== 'logfmt') return undefined;
  const records = texts.flatMap((text) => {
    const record = kind === 'json' ? readJson(text) : readLogfmtLine(text);
    return isRecord(record) ? [record] : [];
  });
  const { columns } = proposeMapping(toShape('json', records));
  const own = columns.filter(({ source, field }) => field === 'utcTime' || isTimeName(source));
  if (own.length === 0) return 'time';
  const first = own
    .map(({ source }) => source)
    .find((source) => records.some((record) => Object.hasOwn(record, source)));
  if (first === undefined) return undefined;
  return records.every((record) => /^\d{4}-\d\d-\d\dT/.test(String(record[first] ?? '2000-01-01T')))
    ? first
    : undefined;
}

/** What a line has, as JSON, and the names in it; or why it is of no use. */
type ReadLine = { readonly json: string; readonly names: ReadonlySet<string> } | { readonly reason: string };

const ofNames = (fields: ReadonlyMap<string, unknown>): ReadLine => ({
  json: JSON.stringify(Object.fromEntries(fields)),
  names: new Set(fields.keys()),
});

function openTextReader({ kind, endings }: LineForm): (text: string) => ReadLine {
  switch (kind) {
    case 'text':
      return (text) => ofNames(new Map([['message', text]]));
    case 'json':
      return (text) => {
        const json = text.trim();
        const found = readJson(json);
        if (!isRecord(found)) return { reason: 'not a JSON object' };
        return { json: json.replaceAll(/[\r\n]+/g, ' '), names: new Set(Object.keys(found)) };
      };
    case 'logfmt':
      return (text) => {
        const pairs = readLogfmtLine(text);
        return pairs ? ofNames(new Map(Object.entries(pairs))) : { reason: 'no key=value pairs' };
      };
    case 'access': {
      const [read, columns] = [openAccessLog(endings), columnsOfLog(endings)];
      return (text) => {
        const fields = read(text);
        if (!fields) return { reason: reasonAgainst(text) };
        return ofNames(
          new Map(columns.map((name, index) => [name, fields[index]!] as const).filter(([, field]) => field !== '')),
        );
      };
    }
    default:
      return (text) => {
        const line = readFieldLine(kind, text);
        return line.kind === 'fields' ? ofNames(line.fields) : { reason: line.kind === 'broken' ? line.reason : '' };
      };
  }
}

/** Reads the lines of a file in order, each as one line of JSON, or of nothing. */
export function openLineReader(form: LineForm): {
  readonly read: (line: string) => string;
  /** Lines that the file breaks off. */
  readonly end: () => readonly string[];
} {
  const { prefix, timeKey } = form;
  const stripper = prefix === undefined ? undefined : openStripper(prefix);
  const readText = openTextReader(form);
  const write = ({ text, time, fields }: BareLine, line: string): string => {
    if (text.trim() === '') return '';
    const read = readText(text);
    if ('reason' in read) return writeLineFault(read.reason, line);
    const { json, names } = read;
    const before = new Map([
      ...(timeKey === undefined || time === undefined ? [] : [[timeKey, time] as const]),
      ...fields,
    ]);
    const added = [...before].filter(([name]) => !names.has(name));
    if (added.length === 0) return json;
    const members = JSON.stringify(Object.fromEntries(added)).slice(0, -1);
    return `${members}${names.size === 0 ? '' : ','}${json.slice(1)}`;
  };
  return {
    read: (whole) => {
      const line = whole.endsWith('\r') ? whole.slice(0, -1) : whole;
      if (line.trim() === '') return '';
      const bare = stripper ? stripper.strip(line) : { text: line, fields: new Map() };
      if (bare === 'part') return '';
      return bare ? write(bare, line) : writeLineFault(`no prefix ${linePrefix(prefix!).title}`, line);
    },
    end: () => (stripper?.end() ?? []).map((bare) => write(bare, bare.text)),
  };
}
