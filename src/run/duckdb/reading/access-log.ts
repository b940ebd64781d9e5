import type { Compression } from '../../file/read-bytes.ts';
import { quoteName, quotePaths, quoteText } from '../engine/sql-text.ts';
import { filePlace } from './file-place.ts';

/**
 * The fields of a line of an access log, by nginx's names for them: Apache's common and combined formats, with or
 * without the virtual host in front, and nginx's combined format. `rest` is what else stands at the line's end.
 */
export const accessLogColumns = [
  'server_name',
  'remote_addr',
  'remote_user',
  'time_local',
  'request',
  'request_method',
  'request_uri',
  'server_protocol',
  'status',
  'body_bytes_sent',
  'http_referer',
  'http_user_agent',
  'rest',
] as const;

/** For messages: what is expected. */
export const accessLogLine =
  '203.0.113.9 - - [08/Mar/2024:10:00:00 +0000] "GET /pricing HTTP/1.1" 200 5120 "https://example.org/" "Mozilla/5.0"';

const quoted = String.raw`"((?:[^"\\]|\\.)*)"`;

// JavaScript and DuckDB read these alike. The first letter of a host's name ends what may stand before it, so that a
// long text is looked through once and not once for each of its letters. An address has no colon, or two at least: with
// one it is a virtual host whose line lacks the address.
const linePattern = String.raw`^(?:([\d._-]*[A-Za-z][\w.-]*:\d+) )?([\w.%-]+|[\w.%-]*:[\w.%-]*:[\w.:%-]*) \S+ (\S+) \[([^\]]+)\] ${quoted} (\d\d\d) (\d+|-)(?: ${quoted} ${quoted})?(?: (.*))?$`;
const requestPattern = String.raw`^([A-Za-z]+) (.+?)(?: (HTTP/[\d.]+))?$`;

const lineFields = [
  'server_name',
  'remote_addr',
  'remote_user',
  'time_local',
  'request',
  'status',
  'body_bytes_sent',
  'http_referer',
  'http_user_agent',
  'rest',
];
const requestFields = ['request_method', 'request_uri', 'server_protocol'];

const lineExpression = new RegExp(linePattern);
const requestExpression = new RegExp(requestPattern);

const isMissing = (field: string | undefined) => field === undefined || field === '' || field === '-';

/**
 * The fields of a line in the order of `accessLogColumns`, empty where the log has none; undefined if it is no such
 * line.
 */
export function readAccessLogLine(line: string): readonly string[] | undefined {
  const found = lineExpression.exec(line.endsWith('\r') ? line.slice(0, -1) : line);
  if (!found) return undefined;
  const fields = new Map(lineFields.map((name, index) => [name, found[index + 1]]));
  const request = requestExpression.exec(fields.get('request') ?? '');
  for (const [index, name] of requestFields.entries()) fields.set(name, request?.[index + 1]);
  return accessLogColumns.map((name) => {
    const field = fields.get(name);
    return isMissing(field) ? '' : field!.replaceAll('\\"', '"');
  });
}

/**
 * SQL for a relation with the same columns, a row a line; all of a line that is no such line is null. `fileColumn`: one
 * more, with the place of the row's file among them, from 0.
 */
export function accessLogReader(paths: readonly string[], compression: Compression, fileColumn?: string): string {
  const names = (fields: readonly string[]) => `[${fields.map(quoteText).join(', ')}]`;
  const field = (name: string) =>
    `replace(nullif(nullif(${requestFields.includes(name) ? 'request' : 'line'}.${quoteName(name)}, ''), '-'), '\\"', '"') AS ${quoteName(name)}`;
  const file = fileColumn === undefined ? '' : `, ${quoteName(fileColumn)}`;
  const place = fileColumn === undefined ? '' : `, ${filePlace} AS ${quoteName(fileColumn)}`;
  return `(SELECT ${accessLogColumns.map(field).join(', ')}${file}
    FROM (SELECT line${file}, regexp_extract(line.request, ${quoteText(requestPattern)}, ${names(requestFields)}) AS request
    FROM (SELECT regexp_extract(rtrim(text, chr(13)), ${quoteText(linePattern)}, ${names(lineFields)}) AS line${place}
    FROM read_csv(${quotePaths(paths)}, auto_detect = false, header = false, quote = '', escape = '', delim = ${quoteText(noSeparator)},
      columns = {'text': 'VARCHAR'}, compression = '${compression}', hive_partitioning = false))))`;
}

/** A text that no line is expected to hold: a line that does is refused, and read one by one. */
const noSeparator = '\u001f\u001e';
