/**
 * Logs in the W3C extended format, as CloudFront and IIS write them. A line `#Fields: …` names the fields of the lines
 * after it, and a file may have several. https://www.w3.org/TR/WD-logfile
 */

/** The columns in nginx's names, which the preset of access logs reads. Fields without such a name keep their own. */
export const w3cColumns: readonly string[] = [
  ...['server_name', 'remote_addr', 'remote_user', 'time_iso8601', 'request_method', 'request_uri', 'server_protocol'],
  ...['status', 'body_bytes_sent', 'http_referer', 'http_user_agent'],
];

/** The fields of each column; the first one that a line has counts. */
const namesOf: Readonly<Record<string, readonly string[]>> = {
  // CloudFront's cs(Host) is the name of the distribution.
  server_name: ['x-host-header', 'cs-host', 'cs(host)'],
  remote_addr: ['c-ip'],
  remote_user: ['cs-username'],
  request_method: ['cs-method'],
  server_protocol: ['cs-protocol-version', 'cs-version'],
  status: ['sc-status'],
  body_bytes_sent: ['sc-bytes'],
  http_referer: ['cs(referer)'],
  http_user_agent: ['cs(user-agent)'],
};
const known = new Set([...Object.values(namesOf).flat(), 'date', 'time', 'cs-uri-stem', 'cs-uri-query', 'cs-uri']);

export function looksLikeW3c(text: string): boolean {
  return /^#(?:Version|Software|Fields): /.test(text);
}

/** A line of a log: the names and texts of its fields; a comment; or why it is none. */
export type LogLine =
  | { readonly kind: 'fields'; readonly fields: ReadonlyMap<string, string> }
  | { readonly kind: 'comment' }
  | { readonly kind: 'broken'; readonly reason: string };

/** Reads the lines of one file in order. */
export function openW3cReader(): (line: string) => LogLine {
  let names: readonly string[] | undefined;
  return (line) => {
    if (line.startsWith('#')) {
      const declared = /^#Fields:\s*(.*?)\s*$/.exec(line)?.[1];
      if (declared !== undefined) names = declared.toLowerCase().split(/\s+/);
      return { kind: 'comment' };
    }
    if (!names) return { kind: 'broken', reason: 'no line #Fields before it' };
    const isTabbed = line.includes('\t');
    const texts = line.split(isTabbed ? '\t' : ' ');
    if (texts.length !== names.length)
      return { kind: 'broken', reason: `${texts.length} fields where the line #Fields has ${names.length}` };
    // CloudFront separates by tabs and encodes percent signs. IIS writes a plus sign for a space.
    const decode = isTabbed ? withoutPercents : (text: string) => text.replaceAll('+', ' ');
    const written = new Map(names.map((name, index) => [name, texts[index]!] as const));
    return { kind: 'fields', fields: toColumns(written, decode, isTabbed) };
  };
}

function toColumns(
  written: ReadonlyMap<string, string>,
  decode: (text: string) => string,
  isTabbed: boolean,
): ReadonlyMap<string, string> {
  const textOf = (name: string) => {
    const text = written.get(name);
    return text === undefined || text === '-' || text === '' ? undefined : text;
  };
  const columns = new Map<string, string>();
  const put = (name: string, text: string | undefined) => text !== undefined && columns.set(name, text);
  for (const [column, names] of Object.entries(namesOf)) {
    const text = names.map(textOf).find((one) => one !== undefined);
    const isDecoded = column === 'http_user_agent' || (isTabbed && column === 'http_referer');
    put(column, text !== undefined && isDecoded ? decode(text) : text);
  }
  const [date, time] = [textOf('date'), textOf('time')];
  if (date !== undefined && time !== undefined) put('time_iso8601', `${date}T${time}Z`);
  const [stem, query] = [textOf('cs-uri-stem'), textOf('cs-uri-query')].map((text) =>
    text !== undefined && isTabbed ? decode(text) : text,
  );
  put('request_uri', stem === undefined ? textOf('cs-uri') : query === undefined ? stem : `${stem}?${query}`);
  for (const [name] of written) if (!known.has(name)) put(name, textOf(name));
  return columns;
}

function withoutPercents(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
