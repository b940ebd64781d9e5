/**
 * Logs whose lines have fields in a fixed order. Each is described once, in the notation of nginx's log_format, with
 * nginx's names where it has one, so that the preset of access logs reads all of them. `(?:` and `)?` enclose what a
 * line may lack.
 */
import type { LogLine } from './w3c-log.ts';

interface FieldLog {
  /** What a line is, for messages. */
  readonly title: string;
  readonly line: string;
  /** The names of later fields, which older versions lack. What stands after them is `rest_1`, `rest_2`, … */
  readonly more?: string;
  /** The start of an expected line, for messages. */
  readonly example: string;
}

const fieldLogs = {
  /** docs.haproxy.org/3.0/configuration.html, 8.2.3 and 8.2.4: one pair of braces is that of either side. */
  haproxy: {
    title: 'HAProxy (HTTP)',
    line:
      '$remote_addr:$client_port [$accept_date] $frontend_name $backend_name/$server $TR/$Tw/$Tc/$Tr/$Ta $status ' +
      '$bytes_sent $captured_request_cookie $captured_response_cookie $termination_state ' +
      '$actconn/$feconn/$beconn/$srv_conn/$retries $srv_queue/$backend_queue' +
      '(?: {$captured_request_headers} {$captured_response_headers})?(?: {$captured_headers})? "$request"' +
      '(?: $fc_err/$ssl_fc_err/$ssl_c_err/$ssl_c_ca_err/$ssl_fc_is_resumed $ssl_fc_sni/$ssl_version/$ssl_cipher)?',
    example: '203.0.113.9:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 …',
  },
  /**
   * docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-access-logs.html. Logs of classic load
   * balancers lack the type at the front, and end earlier.
   */
  alb: {
    title: 'a load balancer',
    line:
      '(?:$type )?$time_iso8601 $elb $remote_addr:$client_port $target $request_processing_time ' +
      '$target_processing_time $response_processing_time $status $target_status_code $received_bytes ' +
      '$body_bytes_sent "$request" "$http_user_agent"',
    more:
      'ssl_cipher ssl_protocol target_group_arn trace_id server_name chosen_cert_arn matched_rule_priority ' +
      'request_creation_time actions_executed redirect_url error_reason target_list target_status_code_list ' +
      'classification classification_reason conn_trace_id',
    example: 'https 2024-03-08T10:00:00.123456Z app/web/50dc 203.0.113.9:2817 10.0.0.1:80 …',
  },
  /** docs.aws.amazon.com/AmazonS3/latest/userguide/LogFormat.html */
  s3: {
    title: 'Amazon S3',
    line:
      '$bucket_owner $bucket [$time_local] $remote_addr $remote_user $request_id $operation $key "$request" $status ' +
      '$error_code $body_bytes_sent $object_size $total_time $turn_around_time "$http_referer" "$http_user_agent"',
    more:
      'version_id host_id signature_version cipher_suite authentication_type server_name tls_version ' +
      'access_point_arn acl_required source_region',
    example: '79a5…f2be bucket [06/Feb/2019:00:00:38 +0000] 192.0.2.3 - 3E57427F3EXAMPLE REST.GET.OBJECT …',
  },
  /** wiki.squid-cache.org/Features/LogFormat: the native format. */
  squid: {
    title: 'Squid',
    line:
      '$msec +$elapsed $remote_addr $code/$status $bytes_sent $request_method $request_url $remote_user ' +
      '$peerstatus/$peerhost $content_type',
    example: '1066036250.603    310 192.0.2.3 TCP_MISS/200 1234 GET http://example.com/ - DIRECT/192.0.2.9 text/html',
  },
} as const satisfies Readonly<Record<string, FieldLog>>;

export type FieldLogName = keyof typeof fieldLogs;

/** What some fields look like, which tells the lines of one log from those of others. */
const patterns: Readonly<Record<string, string>> = {
  time_iso8601: String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`,
  time_local: String.raw`\d\d/[A-Z][a-z]{2}/\d{4}:[\d:]{8} [+-]\d{4}`,
  accept_date: String.raw`\d\d/[A-Z][a-z]{2}/\d{4}:[\d:]{8}\.\d{3}`,
  msec: String.raw`\d{9,10}\.\d{3}`,
  status: String.raw`\d{3}|-1?`,
  elapsed: String.raw`-?\d+`,
  client_port: String.raw`\d+`,
  body_bytes_sent: String.raw`\d+|-`,
  ...Object.fromEntries(
    ['request', 'target', 'response'].map((name) => [`${name}_processing_time`, String.raw`-?\d+(?:\.\d+)?`]),
  ),
};

const token = /"\$(\w+)"|\$(\w+)|(\(\?:|\)\?| \+)|([^])/g;

/** A pattern for lines, with a group for each field. Fields are told apart by what stands after them. */
function patternOfLine(line: string): string {
  return line.replaceAll(
    token,
    (whole, quoted: string, plain: string, group: string, sign: string, at: number): string => {
      if (quoted !== undefined) return String.raw`(?:"(?<${quoted}>(?:[^"\\]|\\.)*)"|-)`;
      if (group !== undefined) return group;
      if (sign !== undefined) return sign.replace(/[\\^$.*+?()[\]{}|]/, String.raw`\$&`);
      const end = line[at + whole.length] ?? ' ';
      const until = /[\]}]/.test(end) ? `[^${end === ']' ? '\\]' : end}]*` : /[/]/.test(end) ? `[^\\s${end}]+` : '\\S+';
      return `(?<${plain}>${patterns[plain] ?? until})`;
    },
  );
}

const expressions = new Map(
  Object.entries(fieldLogs).map(([name, { line }]) => [
    name as FieldLogName,
    new RegExp(`^${patternOfLine(line)}(?: (?<later>.*))?$`),
  ]),
);

/** The fields that lines of this log may have. */
export function fieldNamesOf(log: FieldLogName): ReadonlySet<string> {
  const { line, more = '' }: FieldLog = fieldLogs[log];
  return new Set([...Array.from(line.matchAll(/\$(\w+)/g), ([, name]) => name!), ...more.split(' ')]);
}

/** The log that one of the lines is of, so that a broken first line does not hide the others. */
export function fieldLogOf(lines: readonly string[]): FieldLogName | undefined {
  for (const [name, expression] of expressions)
    if (lines.some((line) => expression.test(withoutReturn(line)))) return name;
  return undefined;
}

/** A line with more further fields than this is none. */
const mostFurther = 20;

const withoutReturn = (line: string) => (line.endsWith('\r') ? line.slice(0, -1) : line);

/** Reads one field after the other, so that a quote without an end costs no search from each field. */
function splitFields(text: string): readonly string[] | undefined {
  const field = /(?:"((?:[^"\\]|\\.)*)"|([^\s"]\S*))(?: +|$)/y;
  const texts: string[] = [];
  while (field.lastIndex < text.length) {
    const found = field.exec(text);
    if (!found) return undefined;
    texts.push(found[1] ?? found[2]!);
  }
  return texts;
}

/** Fields that a log writes as -1 if there were none, such as times of a request that was cut off, are missing. */
const isMissing = (text: string | undefined) => text === undefined || text === '' || text === '-' || text === '-1';

/** The fields of a line of this log, by nginx's names where it has one; or why it is no such line. */
export function readFieldLine(log: FieldLogName, line: string): LogLine {
  const { title, example, more = '' }: FieldLog = fieldLogs[log];
  const found = expressions.get(log)!.exec(withoutReturn(line))?.groups;
  const { later = '', ...texts } = found ?? {};
  const rest = splitFields(later);
  const names = more.split(' ').filter((name) => name !== '');
  if (!found || !rest || rest.length > names.length + mostFurther)
    return { kind: 'broken', reason: `not a line of ${title}, such as ${example}` };
  const written = new Map<string, string | undefined>(Object.entries(texts));
  for (const [index, text] of rest.entries()) written.set(names[index] ?? `rest_${index - names.length + 1}`, text);
  const fields = new Map<string, string>();
  for (const [name, text] of [...written, ...ofRequest(written)]) {
    if (isMissing(text)) fields.delete(name);
    else fields.set(name, text!.replaceAll('\\"', '"'));
  }
  return { kind: 'fields', fields };
}

/** What follows from a time or a request that is written otherwise than nginx does; `-` for what it replaces. */
function ofRequest(written: ReadonlyMap<string, string | undefined>): readonly (readonly [string, string])[] {
  const [request, date, url] = ['request', 'accept_date', 'request_url'].map((name) => written.get(name));
  const made: [string, string][] = [];
  if (date !== undefined) made.push(['accept_date', '-'], ['time_iso8601', isoOf(date)]);
  const [, method, target, protocol] = /^([A-Za-z]+) (.+?)(?: (HTTP\/[\d.]+))?$/.exec(request ?? '') ?? [];
  if (method !== undefined)
    made.push(['request', '-'], ['request_method', method], ['server_protocol', protocol ?? '-']);
  const address = target ?? url;
  if (address === undefined) return made;
  const [, host, path] = /^[a-z]+:\/\/([^/?#]*)(.*)$/i.exec(address) ?? [];
  if (url !== undefined) made.push(['request_url', '-']);
  const isHost = written.get('request_method') === 'CONNECT';
  if (isMissing(written.get('server_name'))) made.push(['server_name', host ?? (isHost ? address : '-')]);
  if (!isHost) made.push(['request_uri', path === undefined ? address : path.startsWith('/') ? path : `/${path}`]);
  return made;
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** `2009-02-06T12:14:14.655` for `06/Feb/2009:12:14:14.655`, which has no zone. */
function isoOf(date: string): string {
  const [, day, month, year, clock] = /^(\d\d)\/(\w{3})\/(\d{4}):(.*)$/.exec(date)!;
  return `${year}-${String(months.indexOf(month!) + 1).padStart(2, '0')}-${day}T${clock}`;
}
