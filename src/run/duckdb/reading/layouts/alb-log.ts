/**
 * Access logs of AWS's load balancers: fields in a fixed order, with quotes around texts that may have spaces. Logs of
 * classic load balancers lack the type at the front, and end earlier.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-access-logs.html
 */
import type { LogLine } from './w3c-log.ts';

const fieldNames = (
  'type time elb client target request_processing_time target_processing_time response_processing_time ' +
  'elb_status_code target_status_code received_bytes sent_bytes request user_agent ssl_cipher ssl_protocol ' +
  'target_group_arn trace_id domain_name chosen_cert_arn matched_rule_priority request_creation_time ' +
  'actions_executed redirect_url error_reason target_list target_status_code_list classification ' +
  'classification_reason conn_trace_id'
).split(' ');

/** The fields up to the user agent, which every line has. */
const fewest = fieldNames.indexOf('user_agent');

const lineStart =
  /^(?:(?:https?|h2|grpcs|wss?) )?\d{4}-\d\d-\d\dT[\d:.]+Z \S+ \S+:\d+ \S+(?: -?\d+(?:\.\d+)?){3} (?:-|\d{3}) (?:-|\d{3}) \d+ \d+ "/;

/** The start of an expected line, for messages. */
const albLine = 'https 2024-03-08T10:00:00.123456Z app/web/50dc 203.0.113.9:2817 10.0.0.1:80 …';

/** Whether one of the first lines is one of such a log, so that a broken first line does not hide the others. */
export function looksLikeAlbLog(lines: readonly string[]): boolean {
  return lines.slice(0, 20).some((line) => lineStart.test(line));
}

/** Reads one field after the other, so that a quote without an end costs no search from each field. */
function splitLine(line: string): readonly string[] | undefined {
  const field = /(?:"((?:[^"\\]|\\.)*)"|([^\s"]\S*))(?: |$)/y;
  const texts: string[] = [];
  while (field.lastIndex < line.length) {
    const found = field.exec(line);
    if (!found) return undefined;
    texts.push(found[1] ?? found[2]!);
  }
  return texts;
}

/** The fields of a line, by nginx's names where it has one; or why it is no line of such a log. */
export function readAlbLine(line: string): LogLine {
  const texts = lineStart.test(line) ? splitLine(line) : undefined;
  if (!texts || texts.length < fewest)
    return { kind: 'broken', reason: `not a line of a load balancer, such as ${albLine}` };
  const names = /^\d/.test(line) ? fieldNames.slice(1) : fieldNames;
  const written = new Map(names.map((name, index) => [name, texts[index]]));
  const fields = new Map<string, string>();
  const put = (name: string, text: string | undefined) => {
    if (text !== undefined && text !== '' && text !== '-') fields.set(name, text);
  };
  const take = (name: string) => {
    const text = written.get(name);
    written.delete(name);
    return text;
  };
  const [method, address, protocol] = (take('request') ?? '').split(' ');
  const [, host, target] = /^[a-z]+:\/\/([^/?#]*)(.*)$/i.exec(address ?? '') ?? [];
  const domain = take('domain_name');
  put('server_name', domain === '-' ? host : (domain ?? host));
  put('remote_addr', take('client')?.replace(/:\d+$/, ''));
  put('time_iso8601', take('time'));
  put('request_method', method);
  const path = target === undefined || target.startsWith('/') ? target : `/${target}`;
  // A request that the balancer cannot read is `- http://host:port- -`.
  put('request_uri', method === '-' ? undefined : (path ?? address));
  put('server_protocol', protocol);
  put('status', take('elb_status_code'));
  put('body_bytes_sent', take('sent_bytes'));
  put('http_user_agent', take('user_agent')?.replaceAll('\\"', '"'));
  for (const [name, text] of written) put(name, text);
  return { kind: 'fields', fields };
}
