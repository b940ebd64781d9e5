import { isUtf8 } from 'node:buffer';
import { parseExactly } from '../../../../ask/document/parse-exactly.ts';
import { plural } from '../../../../ask/text.ts';
import { describeFault, readTranscodingFault } from '../../../file/transcoding-fault.ts';
import { columnsOfLog, type LogEndings, openAccessLog, reasonAgainst } from '../layouts/access-log.ts';
import { isOldSnowplow, snowplowColumnsOf, withStandIns } from '../layouts/snowplow-columns.ts';
import { readLineFault } from '../text/line-fault.ts';
import { type CsvDialect, csvNulls, fieldsInVain, splitFields } from '../text/split-csv.ts';
import type { RawRecord } from '../text/split-records.ts';
import { notUtf8Reason } from '../formats/unfit-file.ts';
import type { LogLine } from '../layouts/w3c-log.ts';

/** A record with an object as JSON text on one line; a broken record with the reason; or a blank one. */
type Judgement =
  | { readonly kind: 'object'; readonly json: string }
  | {
      readonly kind: 'broken';
      readonly reason: string /** The engine may still read it. */;
      readonly doubtful?: string;
    }
  | { readonly kind: 'blank' };

export type Judge = (record: RawRecord) => Judgement;

const broken = (reason: string): Judgement => ({ kind: 'broken', reason });

/** Judges JSON objects by DuckDB's rules: no unpaired surrogates; the last of duplicate keys counts. */
export function judgeJson(record: RawRecord): Judgement {
  const text = toText(record);
  if (typeof text !== 'string') return text;
  if (text === '') return { kind: 'blank' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const fault = readLineFault(text);
    if (fault) return broken(fault.reason);
    return {
      kind: 'broken',
      reason: notJson(error),
      ...(engineReadsMore.test(text) ? { doubtful: oneLine(text) } : {}),
    };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return broken('not an object');
  if (/\\u[dD][89a-fA-F]/.test(text) && halfPair.test(JSON.stringify(value))) return broken('an unpaired surrogate');
  return {
    kind: 'object',
    json: countMembers(text) === Object.keys(value).length ? oneLine(text) : withoutRepeatedKeys(text),
  };
}

/** Judges the text of lines that are not blank. */
function ofLines(judge: (text: string) => Judgement): Judge {
  return (record) => {
    const text = toText(record, false);
    if (typeof text !== 'string') return text;
    return text.trim() === '' ? { kind: 'blank' } : judge(text);
  };
}

/** Judges rows of a CSV file. `names`: column names, undefined for unused columns. */
export function judgeCsv(names: readonly (string | undefined)[], dialect: CsvDialect): Judge {
  return ofLines((text) => {
    const fields = splitFields(text, dialect);
    if (fields.length !== names.length) return broken(fieldsInVain(fields.length, names.length));
    return { kind: 'object', json: objectOf(names, fields, dialect.dump ? [''] : csvNulls) };
  });
}

/** Judges rows of Snowplow's enriched events of any release. `nameOf`: undefined for unused columns. */
export function judgeSnowplow(nameOf: (column: string) => string | undefined): Judge {
  const layouts = new Map<number, readonly string[] | undefined>();
  return ofLines((text) => {
    const fields = (text.endsWith('\r') ? text.slice(0, -1) : text).split('\t');
    if (!layouts.has(fields.length)) layouts.set(fields.length, snowplowColumnsOf(fields.length));
    const columns = layouts.get(fields.length);
    if (!columns)
      return broken(`${fields.length} ${plural(fields.length, 'field')}: fewer than any release of Snowplow writes`);
    const row = { columns, fields };
    const { columns: names, fields: values } = isOldSnowplow(columns) ? withStandIns(row) : row;
    return { kind: 'object', json: objectOf(names.map(nameOf), values) };
  });
}

/** Judges lines of an access log. `nameOf`: undefined for unused columns. */
export function judgeAccessLog(nameOf: (column: string) => string | undefined, endings?: LogEndings): Judge {
  const read = openAccessLog(endings);
  const names = columnsOfLog(endings).map(nameOf);
  return ofLines((text) => {
    const fields = read(text);
    if (fields) return { kind: 'object', json: objectOf(names, fields) };
    return broken(reasonAgainst(text));
  });
}

/** Judges lines of one log whose fields have names, in order. `nameOf`: undefined for unused columns. */
export function judgeNamedLog(nameOf: (column: string) => string | undefined, read: (line: string) => LogLine): Judge {
  return (record) => {
    const text = toText(record);
    if (typeof text !== 'string') return text;
    if (text === '') return { kind: 'blank' };
    const line = read(text);
    if (line.kind === 'comment') return { kind: 'blank' };
    if (line.kind === 'broken') return line;
    return { kind: 'object', json: objectOf([...line.fields.keys()].map(nameOf), [...line.fields.values()]) };
  };
}

/** Fields with one of the texts in `nulls` are missing values. */
function objectOf(
  names: readonly (string | undefined)[],
  fields: readonly string[],
  nulls: readonly string[] = [''],
): string {
  let members = '';
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index];
    const field = fields[index]!;
    if (name === undefined || nulls.includes(field)) continue;
    members += `${members === '' ? '' : ','}${inJson(name)}:${inJson(field)}`;
  }
  return `{${members}}`;
}

/** Most texts have nothing to escape, which a pattern tells sooner than JSON.stringify writes them. */
function inJson(text: string): string {
  return /["\\\u0000-\u001f\ud800-\udfff]/.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** The keys of an object that a judge has accepted. */
export function keysOf(json: string): readonly string[] {
  return Object.keys(JSON.parse(json) as object);
}

/** The object with some members folded into one, the text of a JSON object: keys sorted by code unit, nulls omitted. */
export function foldMembers(
  json: string,
  into: string,
  isKept: (key: string) => boolean,
  isFolded: (key: string) => boolean,
): string {
  const members = Object.entries(parseExactly(json) as object).map(([key, value]) => ({
    key,
    text: `${JSON.stringify(key)}:${JSON.stringify(value)}`,
    value: value as unknown,
  }));
  const kept = members.filter(({ key }) => isKept(key)).map(({ text }) => text);
  const folded = members
    .filter(({ key, value }) => isFolded(key) && value !== null)
    .sort((one, other) => (one.key < other.key ? -1 : 1));
  if (folded.length > 0)
    kept.push(`${JSON.stringify(into)}:${JSON.stringify(`{${folded.map(({ text }) => text).join(',')}}`)}`);
  return `{${kept.join(',')}}`;
}

function toText(record: RawRecord, trimmed = true): string | Judgement {
  if (!record.bytes) return broken(record.reason ?? 'unreadable');
  if (!isUtf8(record.bytes)) return broken(describeBytes(record.bytes, record.line));
  const text = record.bytes.toString('utf8');
  const bare = record.line === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text;
  return trimmed ? trimJson(bare) : bare;
}

function describeBytes(bytes: Buffer, line: number): string {
  const fault = readTranscodingFault(bytes);
  if (fault) return describeFault(fault, line);
  const text = bytes.toString('utf8');
  for (let found = text.indexOf('\uFFFD'); found >= 0; found = text.indexOf('\uFFFD', found + 1)) {
    const at = Buffer.byteLength(text.slice(0, found));
    // The text may contain a real replacement character.
    const isItself = bytes[at] === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd;
    if (!isItself)
      return `${notUtf8Reason}: byte 0x${bytes.toString('hex', at, at + 1).toUpperCase()} at position ${at + 1}`;
  }
  return notUtf8Reason;
}

/**
 * JSON has only four white space characters. (A regular expression would take quadratic time for long runs of spaces.)
 */
function trimJson(text: string): string {
  const isSpace = (at: number) => ' \t\r\n'.includes(text.charAt(at));
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(start)) start += 1;
  while (end > start && isSpace(end - 1)) end -= 1;
  return text.slice(start, end);
}

/** DuckDB accepts NaN, infinities and trailing commas, which are not valid JSON. */
const engineReadsMore = /\b(?:nan|inf(?:inity)?)\b|,\s*[}\]]/i;

/** An escaped surrogate in the output of JSON.stringify, which only escapes unpaired ones. */
const halfPair = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

function notJson(error: unknown): string {
  const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? 'not valid JSON' : `not valid JSON (character ${Number(position) + 1})`;
}

/** Line breaks may occur between the tokens of an array element. Inside strings they are escaped. */
function oneLine(json: string): string {
  return json.includes('\n') || json.includes('\r') ? json.replaceAll(/[\r\n]+/g, ' ') : json;
}

/** Number of members of a valid JSON object, including duplicate keys. */
function countMembers(json: string): number {
  let count = 0;
  let depth = 0;
  for (let index = 0; index < json.length; index++) {
    switch (json.charCodeAt(index)) {
      case 0x22: {
        for (index += 1; json.charCodeAt(index) !== 0x22; index++) if (json.charCodeAt(index) === 0x5c) index += 1;
        break;
      }
      case 0x7b:
      case 0x5b:
        depth += 1;
        break;
      case 0x7d:
      case 0x5d:
        depth -= 1;
        break;
      case 0x3a:
        if (depth === 1) count += 1;
        break;
    }
  }
  return count;
}

function withoutRepeatedKeys(json: string): string {
  return JSON.stringify(parseExactly(json));
}
