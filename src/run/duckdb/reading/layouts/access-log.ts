import type { Compression } from '../../../file/read-bytes.ts';
import { quoteName, quotePaths, quoteText, quoteTexts } from '../../engine/sql-text.ts';
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
  'time_iso8601',
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
// line lacks the address. A virtual host without a port stands before an address in digits: a user may have blanks.
const host = String.raw`[\d._-]*[A-Za-z][\w.-]*`;
const digits = String.raw`\d+\.\d+\.\d+\.\d+|[\da-fA-F]*:[\da-fA-F]*:[\da-fA-F:.]*`;
const client = String.raw`(?:(?:(${host}:\d+) )?([\w.%-]+|[\w.%-]*:[\w.%-]*:[\w.:%-]*)|(${host}) (${digits}))`;
const linePattern = String.raw`^${client} \S+ (\S+) \[(?:(\d{4}-[^\]]+)|([^\]]+))\] ${quoted} (\d\d\d) (\d+|-)( ${quoted} ${quoted})?(?: (.*))?$`;
const requestPattern = String.raw`^([A-Za-z]+) (.+?)(?: (HTTP/[\d.]+))?$`;

const lineFields = [
  'server_name',
  'remote_addr',
  'bare_name',
  'bare_addr',
  'remote_user',
  'time_iso8601',
  'time_local',
  'request',
  'status',
  'body_bytes_sent',
  'combined',
  'http_referer',
  'http_user_agent',
  'rest',
];
/** The fields of a virtual host without a port. */
const bareFields = new Map([
  ['server_name', 'bare_name'],
  ['remote_addr', 'bare_addr'],
]);
const requestFields = ['request_method', 'request_uri', 'server_protocol'];

const lineExpression = new RegExp(linePattern);
const requestExpression = new RegExp(requestPattern);

/** What lines of a log have after the common format's fields, as patterns over the text of `endingOf`. */
export interface LogEndings {
  readonly pattern: string;
  /** The fields of all lines, each a group; the last group is what stands after them. */
  readonly further?: {
    readonly pattern: string;
    readonly columns: readonly FurtherColumn[];
  };
}

interface FurtherColumn {
  readonly name: string;
  /** Times with three decimals: of several servers that were asked, their sum counts. */
  readonly isSum?: true;
}

/** The columns of a log whose lines end in this way. */
export function columnsOfLog(endings: LogEndings | undefined): readonly string[] {
  return [...accessLogColumns, ...(endings?.further?.columns ?? []).map(({ name }) => name)];
}

/** Whether a line has referrer and user agent, and what stands after them; undefined if it is no such line. */
export function splitAccessLogLine(line: string): { readonly combined: boolean; readonly rest: string } | undefined {
  const found = lineExpression.exec(line.endsWith('\r') ? line.slice(0, -1) : line);
  if (!found) return undefined;
  const [combined, rest] = ['combined', 'rest'].map((name) => found[lineFields.indexOf(name) + 1]);
  return { combined: combined !== undefined, rest: rest ?? '' };
}

/**
 * What stands after the common format's fields: a mark whether it begins with referrer and user agent, and the rest.
 */
function endingOf(combined: string | undefined, rest: string | undefined): string {
  return `${combined ? '+' : '!'}${rest ? ` ${rest}` : ''}`;
}

const isMissing = (field: string | undefined) => field === undefined || field === '' || field === '-';

/**
 * Reads a line as its fields in the order of `columnsOfLog`, empty where the log has none; undefined if it is no such
 * line, or does not end as `endings` has it.
 */
export function openAccessLog(endings?: LogEndings): (line: string) => readonly string[] | undefined {
  const [allowed, further] = [endings?.pattern, endings?.further?.pattern].map((pattern) =>
    pattern === undefined ? undefined : new RegExp(`^(?:${pattern})$`),
  );
  const columns = endings?.further?.columns ?? [];
  return (line) => {
    const found = lineExpression.exec(line.endsWith('\r') ? line.slice(0, -1) : line);
    if (!found) return undefined;
    const fields = new Map(lineFields.map((name, index) => [name, found[index + 1]]));
    const ending = endingOf(fields.get('combined'), fields.get('rest'));
    if (allowed && !allowed.test(ending)) return undefined;
    for (const [name, bare] of bareFields) fields.set(name, fields.get(name) ?? fields.get(bare));
    const request = requestExpression.exec(fields.get('request') ?? '');
    for (const [index, name] of requestFields.entries()) fields.set(name, request?.[index + 1]);
    const ends = further?.exec(ending);
    if (ends) fields.set('rest', ends.at(-1));
    return [
      ...accessLogColumns.map((name) => fields.get(name)),
      ...columns.map(({ isSum }, index) => (isSum ? sumOf(ends?.[index + 1]) : ends?.[index + 1])),
    ].map((field) => (isMissing(field) ? '' : field!.replaceAll('\\"', '"')));
  };
}

/** The sum of a list of times. */
function sumOf(text: string | undefined): string | undefined {
  if (text === undefined || !/[,:]/.test(text)) return text;
  const times = text.match(/\d+\.\d{3}/g) ?? [];
  if (times.length === 0) return undefined;
  return (times.reduce((sum, time) => sum + Number(time.replace('.', '')), 0) / 1000).toFixed(3);
}

const readLine = openAccessLog();

/** As `openAccessLog`, whatever its lines end with. */
export function readAccessLogLine(line: string): readonly string[] | undefined {
  return readLine(line);
}

/** Why a line is none of a log. */
export function reasonAgainst(line: string): string {
  return readAccessLogLine(line)
    ? 'a field is missing, or of another kind than in the first lines'
    : `not a line of an access log, such as ${accessLogLine}`;
}

/**
 * SQL for a relation with the columns of `columnsOfLog`, a row a line; all of a line that is no such line, or does not
 * end as `endings` has it, is null. `fileColumn`: one more, with the place of the row's file among them, from 0.
 */
export function accessLogReader(
  paths: readonly string[],
  compression: Compression,
  { endings, fileColumn }: { readonly endings?: LogEndings | undefined; readonly fileColumn?: string | undefined } = {},
): string {
  const known = (text: string) => `replace(nullif(nullif(${text}, ''), '-'), '\\"', '"')`;
  const { pattern, columns = [] } = endings?.further ?? {};
  const isFurther = pattern !== undefined;
  const groups = columns.map((_, index) => `further_${index}`);
  const field = (name: string) => {
    const own = `${requestFields.includes(name) ? 'request' : 'line'}.${quoteName(name)}`;
    const bare = bareFields.get(name);
    const text = bare === undefined ? own : `coalesce(nullif(${own}, ''), line.${quoteName(bare)})`;
    const rest = `CASE WHEN regexp_full_match(ending, ${quoteText(pattern ?? '')}) THEN further.tail ELSE ${text} END`;
    return `${known(name === 'rest' && isFurther ? rest : text)} AS ${quoteName(name)}`;
  };
  const furtherField = ({ name, isSum }: FurtherColumn, index: number) => {
    const text = `further.${quoteName(groups[index]!)}`;
    return `${known(isSum ? sumInSql(text) : text)} AS ${quoteName(name)}`;
  };
  const file = fileColumn === undefined ? '' : `, ${quoteName(fileColumn)}`;
  const place = fileColumn === undefined ? '' : `, ${filePlace} AS ${quoteName(fileColumn)}`;
  const read = `regexp_extract(rtrim(text, chr(13)), ${quoteText(linePattern)}, ${quoteTexts(lineFields)})`;
  const ending = `CASE WHEN line.combined = '' THEN '!' ELSE '+' END || CASE WHEN line.rest = '' THEN '' ELSE ' ' || line.rest END`;
  const fit =
    endings === undefined
      ? 'line'
      : `CASE WHEN regexp_full_match(ending, ${quoteText(endings.pattern)}) THEN line END AS line`;
  const further = isFurther
    ? `, ending, regexp_extract(CASE WHEN line IS NOT NULL THEN ending END, ${quoteText(`^${pattern}$`)}, ${quoteTexts([...groups, 'tail'])}) AS further`
    : '';
  return `(SELECT ${[...accessLogColumns.map(field), ...columns.map(furtherField)].join(', ')}${file}
    FROM (SELECT line${file}${further}, regexp_extract(line.request, ${quoteText(requestPattern)}, ${quoteTexts(requestFields)}) AS request
    FROM (SELECT ${fit}, ending${file} FROM (SELECT line, ${ending} AS ending${file} FROM (SELECT ${read} AS line${place}
    FROM read_csv(${quotePaths(paths)}, auto_detect = false, header = false, quote = '', escape = '', delim = ${quoteText(noSeparator)},
      columns = {'text': 'VARCHAR'}, compression = '${compression}', hive_partitioning = false))))))`;
}

/** SQL of `sumOf`. */
function sumInSql(text: string): string {
  const times = `list_transform(regexp_extract_all(${text}, '\\d+\\.\\d{3}'), lambda time: CAST(time AS DECIMAL(18, 3)))`;
  return `CASE WHEN regexp_matches(${text}, '[,:]') THEN CAST(list_sum(${times}) AS VARCHAR) ELSE ${text} END`;
}

/** No line should contain this text. DuckDB rejects a line that does, and the file is then read record by record. */
const noSeparator = '\u001f\u001e';
