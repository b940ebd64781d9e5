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
import { looksLikeLogfmt, pairsIn, readLogfmtLine } from '../layouts/logfmt.ts';
import { writeLineFault } from '../text/line-fault.ts';

/** How the lines of a log become JSON objects. */
export interface LineForm {
  readonly prefix?: LinePrefixName | undefined;
  /** The lines themselves. `text`: they are messages; `bulk`: documents for Elasticsearch, each after its action. */
  readonly kind: FieldLogName | 'access' | 'bulk' | 'json' | 'logfmt' | 'text';
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
  return kind !== 'access' && kind !== 'bulk' && kind !== 'json' && kind !== 'logfmt' && kind !== 'text';
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
  if (first.length > 1 && isBulkAction(first[0]!) && isRecord(readJson(first[1]!))) return { kind: 'bulk' };
  let vague: LineForm | undefined;
  for (const prefix of linePrefixNames) {
    const { strip, mayContinue } = linePrefix(prefix);
    // A table has names in its first line.
    if (mayContinue && first[0] !== undefined && !strip(first[0])) continue;
    if (first.length === 0 || first.filter((line) => strip(line)).length < (mayContinue ? 0.2 : enough) * first.length)
      continue;
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
    const withPairs = bare.filter(({ text }) => pairsIn(text).size > 0).length;
    const withLevel = mayContinue ? bare.filter(({ fields }) => fields.size > 0).length : 0;
    // Lines with less than that may be a table's.
    const areMessages = Math.max(withPairs, withLevel) * 2 > bare.length;
    const messages = { prefix, kind: 'text', timeKey: 'time' } as const;
    if (isVague && areMessages) vague ??= messages;
    if (!isVague && (!mayContinue || areMessages)) return messages;
  }
  return vague ?? (looksLikeLogfmt(lines) ? { kind: 'logfmt' } : undefined);
}

/** Whether a line only says what to do with the next one: `{"index": {"_index": "events"}}`. */
function isBulkAction(line: string): boolean {
  if (!/^\s*\{\s*"(?:index|create)"\s*:\s*\{/.test(line)) return false;
  const found = readJson(line);
  const [action, ...others] = isRecord(found) ? Object.values(found) : [];
  return others.length === 0 && isRecord(action) && Object.keys(action).every((key) => bulkKeys.test(key));
}

const bulkKeys =
  /^(?:_.*|routing|require_alias|pipeline|dynamic_templates|list_executed_pipelines|version|version_type)$/;

function kindOf(texts: readonly string[]): LineForm['kind'] | undefined {
  const first = texts.slice(0, most);
  const log = fieldLogOf(first);
  if (log !== undefined) return log;
  const requests = first.filter((text) => readAccessLogLine(text) !== undefined);
  const objects = first.filter((text) => isRecord(readJson(text)));
  if (requests.length > 0 && requests.length >= objects.length) return 'access';
  if (objects.length > 0 && objects.length >= first.length / 2) return 'json';
  // None of these is cut off. Pairs behind other words are in a message.
  const areBare = first.filter((text) => /^\s*[^\s="]+=/.test(text)).length >= enough * first.length;
  return areBare && looksLikeLogfmt([...first, '']) ? 'logfmt' : undefined;
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

function readObject(text: string): ReadLine {
  const json = text.trim();
  const found = readJson(json);
  if (!isRecord(found)) return { reason: 'not a JSON object' };
  return { json: json.replaceAll(/[\r\n]+/g, ' '), names: new Set(Object.keys(found)) };
}

function openTextReader({ kind, endings }: LineForm): (text: string) => ReadLine {
  switch (kind) {
    case 'text':
      return (text) => ofNames(new Map([...pairsIn(text.split('\n', 1)[0]!), ['message', text]]));
    case 'bulk':
      return (text) => (isBulkAction(text) ? { json: '', names: new Set() } : readObject(text));
    case 'json':
      return readObject;
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

/** The most letters of a message of several lines. */
const longestMessage = 1024 * 1024;

/** A line with those that continue its message. */
interface JoinedLine {
  readonly text: string;
  /** Their number. */
  readonly lines: number;
}

/** Joins the lines of a file, in order, with those that continue their messages. */
export function openJoiner({ prefix }: LineForm): {
  readonly join: (line: string) => readonly JoinedLine[];
  readonly end: () => readonly JoinedLine[];
} {
  const { mayContinue, strip } = prefix === undefined ? {} : linePrefix(prefix);
  let open: { readonly parts: string[]; length: number } | undefined;
  const end = () => {
    const joined = open ? [{ text: open.parts.join('\n').trimEnd(), lines: open.parts.length }] : [];
    open = undefined;
    return joined;
  };
  if (!mayContinue) return { join: (line) => [{ text: line, lines: 1 }], end };
  return {
    join: (whole) => {
      const line = whole.endsWith('\r') ? whole.slice(0, -1) : whole;
      if (open && open.length < longestMessage && !strip?.(line)) {
        open.parts.push(line);
        open.length += line.length;
        return [];
      }
      const before = end();
      open = { parts: [line], length: line.length };
      return before;
    },
    end,
  };
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
    if (json === '') return '';
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
