import type { Compression } from '../../../file/read-bytes.ts';
import { quoteName, quotePaths, quoteText } from '../../engine/sql-text.ts';
import { filePlace } from './file-place.ts';

/**
 * The fields of an access log line, by nginx's names: Apache's common and combined formats, with or without a leading
 * virtual host, and nginx's combined format. `rest` is the remaining text of the line.
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

/** Example of an expected line, for messages. */
export const accessLogLine =
  '203.0.113.9 - - [08/Mar/2024:10:00:00 +0000] "GET /pricing HTTP/1.1" 200 5120 "https://example.org/" "Mozilla/5.0"';

const quoted = String.raw`"((?:[^"\\]|\\.)*)"`;

// JavaScript and DuckDB read these patterns alike. The prefix of a host name stops at the first letter, which keeps
// matching long text linear. An address has no colon or at least two. A name with one colon is a virtual host, and its
// line lacks the address.
const linePattern = String.raw`^(?:([\d._-]*[A-Za-z][\w.-]*:\d+) )?([\w.%-]+|[\w.%-]*:[\w.%-]*:[\w.:%-]*) \S+ (\S+) \[([^\]]+)\] ${quoted} (\d\d\d) (\d+|-)( ${quoted} ${quoted})?(?: (.*))?$`;
const requestPattern = String.raw`^([A-Za-z]+) (.+?)(?: (HTTP/[\d.]+))?$`;

const lineFields = [
  'server_name',
  'remote_addr',
  'remote_user',
  'time_local',
  'request',
  'status',
  'body_bytes_sent',
  'combined',
  'http_referer',
  'http_user_agent',
  'rest',
];
const requestFields = ['request_method', 'request_uri', 'server_protocol'];

const lineExpression = new RegExp(linePattern);
const requestExpression = new RegExp(requestPattern);

const quotedField = String.raw`"(?:[^"\\]|\\.)*"`;
// Of several servers that were asked, nginx lists the times with commas or colons between them.
const listOf = (one: string) => `${one}(?:(?:, ?| : )${one})*`;
const number = listOf(String.raw`(?:-|\d+(?:\.\d+)?)`);
// A colon alone stands between times.
const word = listOf(String.raw`:*[^\s",:][^\s",]*`);
const fieldExpression = new RegExp(`(${quotedField})|(${number})(?= |$)|(${word})`, 'y');

/** The fields at the end of a line, after those of the combined format, as patterns; undefined: they are no fields. */
function patternsOf(rest: string): readonly string[] | undefined {
  const patterns: string[] = [];
  for (let at = 0; at < rest.length; at += 1) {
    fieldExpression.lastIndex = at;
    const found = fieldExpression.exec(rest);
    if (!found) return undefined;
    at += found[0].length;
    if (at < rest.length && rest[at] !== ' ') return undefined;
    patterns.push(found[1] !== undefined ? quotedField : found[2] !== undefined ? number : word);
  }
  return patterns;
}

/** So many of a hundred lines make a form of their own, rather than a fault. */
const fewest = 5;

/**
 * A pattern for what lines of a log have after the common format's fields, by the first of them: a line that lacks a
 * field before, whose others would stand in its place, does not match. It may have more fields. undefined: the lines
 * have none in common. Over the text of `endingOf`.
 */
export function logEndings(lines: readonly string[]): string | undefined {
  const forms = lines.flatMap((line) => {
    const found = lineExpression.exec(line.endsWith('\r') ? line.slice(0, -1) : line);
    if (!found) return [];
    const [combined, rest] = ['combined', 'rest'].map((name) => found[lineFields.indexOf(name) + 1]);
    return [{ mark: combined ? '[+]' : '!', patterns: patternsOf(rest ?? '') }];
  });
  const known = forms.flatMap(({ mark, patterns }) => (patterns ? [{ mark, patterns }] : []));
  if (known.length === 0 || known.length < forms.length) return undefined;
  const kindsOf = ({ mark, patterns }: (typeof known)[number]) =>
    JSON.stringify([mark, patterns.map((pattern) => pattern === quotedField)]);
  const groups = [...Map.groupBy(known, kindsOf).values()];
  const most = Math.max(...groups.map((own) => own.length));
  const usual = groups.filter((own) => own.length === most || own.length * 100 >= fewest * known.length);
  const endings = usual.map((own) => {
    const { mark, patterns } = own[0]!;
    // A field is a number if it is one in all of the lines.
    const fields = patterns.map((pattern, index) =>
      pattern === quotedField || own.every((one) => one.patterns[index] === number) ? pattern : word,
    );
    return `${mark}${fields.map((field) => ` ${field}`).join('')}(?: .*)?`;
  });
  // Lines of the common format lack the others at their end. What has more than that shows that nothing is missing.
  return [...new Set(['!', ...endings, ...(usual.some(([one]) => one!.mark === '!') ? ['[+].*'] : [])])].join('|');
}

/** What stands after the common format's fields: a mark whether it begins with referrer and user agent, and the rest. */
function endingOf(combined: string | undefined, rest: string | undefined): string {
  return `${combined ? '+' : '!'}${rest ? ` ${rest}` : ''}`;
}

const isMissing = (field: string | undefined) => field === undefined || field === '' || field === '-';

/**
 * The fields of a line in the order of `accessLogColumns`, empty where the log has none; undefined if it is no such
 * line, or does not end as `endings` of `logEndings` has it.
 */
export function readAccessLogLine(line: string, endings?: RegExp): readonly string[] | undefined {
  const found = lineExpression.exec(line.endsWith('\r') ? line.slice(0, -1) : line);
  if (!found) return undefined;
  const fields = new Map(lineFields.map((name, index) => [name, found[index + 1]]));
  if (endings && !endings.test(endingOf(fields.get('combined'), fields.get('rest')))) return undefined;
  const request = requestExpression.exec(fields.get('request') ?? '');
  for (const [index, name] of requestFields.entries()) fields.set(name, request?.[index + 1]);
  return accessLogColumns.map((name) => {
    const field = fields.get(name);
    return isMissing(field) ? '' : field!.replaceAll('\\"', '"');
  });
}

/**
 * SQL for a relation with the same columns, a row a line; all of a line that is no such line, or does not end as
 * `endings` of `logEndings` has it, is null. `fileColumn`: one more, with the place of the row's file among them, from 0.
 */
export function accessLogReader(
  paths: readonly string[],
  compression: Compression,
  { endings, fileColumn }: { readonly endings?: string | undefined; readonly fileColumn?: string | undefined } = {},
): string {
  const names = (fields: readonly string[]) => `[${fields.map(quoteText).join(', ')}]`;
  const field = (name: string) =>
    `replace(nullif(nullif(${requestFields.includes(name) ? 'request' : 'line'}.${quoteName(name)}, ''), '-'), '\\"', '"') AS ${quoteName(name)}`;
  const file = fileColumn === undefined ? '' : `, ${quoteName(fileColumn)}`;
  const place = fileColumn === undefined ? '' : `, ${filePlace} AS ${quoteName(fileColumn)}`;
  const read = `regexp_extract(rtrim(text, chr(13)), ${quoteText(linePattern)}, ${names(lineFields)})`;
  const ending = `CASE WHEN line.combined = '' THEN '!' ELSE '+' END || CASE WHEN line.rest = '' THEN '' ELSE ' ' || line.rest END`;
  const fit =
    endings === undefined
      ? 'line'
      : `CASE WHEN regexp_full_match(${ending}, ${quoteText(endings)}) THEN line END AS line`;
  return `(SELECT ${accessLogColumns.map(field).join(', ')}${file}
    FROM (SELECT line${file}, regexp_extract(line.request, ${quoteText(requestPattern)}, ${names(requestFields)}) AS request
    FROM (SELECT ${fit}${file} FROM (SELECT ${read} AS line${place}
    FROM read_csv(${quotePaths(paths)}, auto_detect = false, header = false, quote = '', escape = '', delim = ${quoteText(noSeparator)},
      columns = {'text': 'VARCHAR'}, compression = '${compression}', hive_partitioning = false)))))`;
}

/** No line should contain this text. DuckDB rejects a line that does, and the file is then read record by record. */
const noSeparator = '\u001f\u001e';
