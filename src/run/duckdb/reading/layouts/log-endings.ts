import { accessLogColumns, type LogEndings, splitAccessLogLine } from './access-log.ts';

const quotedField = String.raw`"(?:[^"\\]|\\.)*"`;
// Of several servers that were asked, nginx lists the times with commas or colons between them.
const listOf = (one: string) => `${one}(?:(?:, ?| : )${one})*`;
const number = listOf(String.raw`(?:-|\d+(?:\.\d+)?)`);
// A colon alone stands between times.
const word = listOf(String.raw`:*[^\s",:][^\s",]*`);
const label = String.raw`[A-Za-z][\w.-]*=`;
const fieldExpression = new RegExp(`(${label})?(?:(${quotedField})|(${number})(?= |$)|(${word}))`, 'y');

/** A field at the end of a line. */
interface EndField {
  readonly label: string;
  readonly pattern: string;
  /** Without the label and the quotes. */
  readonly text: string;
}

/** The fields at the end of a line, after those of the combined format; undefined: they are no fields. */
function fieldsOf(rest: string): readonly EndField[] | undefined {
  const fields: EndField[] = [];
  for (let at = 0; at < rest.length; at += 1) {
    fieldExpression.lastIndex = at;
    const found = fieldExpression.exec(rest);
    if (!found) return undefined;
    at += found[0].length;
    if (at < rest.length && rest[at] !== ' ') return undefined;
    const [, name = '', quoted, digits, letters] = found;
    const pattern = quoted !== undefined ? quotedField : digits !== undefined ? number : word;
    fields.push({ label: name, pattern, text: quoted?.slice(1, -1) ?? digits ?? letters! });
  }
  return fields;
}

/** So many of a hundred lines make a form of their own, rather than a fault. */
const fewest = 5;

const escaped = (text: string) => text.replaceAll('.', '\\.');

/**
 * What lines of a log have after the common format's fields, by the first of them. A line that lacks a field before,
 * whose others would stand in its place, does not match. It may have more fields. If all lines end alike, their fields
 * have names, or else `rest_1`, `rest_2`, …. undefined: the lines have no ending in common.
 */
export function logEndings(lines: readonly string[]): LogEndings | undefined {
  const forms = lines.flatMap((line) => {
    const { combined, rest } = splitAccessLogLine(line) ?? {};
    return combined === undefined ? [] : [{ mark: combined ? '[+]' : '!', fields: fieldsOf(rest ?? '') }];
  });
  const known = forms.flatMap(({ mark, fields }) => (fields ? [{ mark, fields }] : []));
  if (known.length === 0 || known.length < forms.length) return undefined;
  const kindsOf = ({ mark, fields }: (typeof known)[number]) =>
    JSON.stringify([mark, fields.map(({ label: name, pattern }) => [name, pattern === quotedField])]);
  const groups = [...Map.groupBy(known, kindsOf).values()];
  const most = Math.max(...groups.map((own) => own.length));
  const usual = groups.filter((own) => own.length === most || own.length * 100 >= fewest * known.length);
  const endings = usual.map((own) => {
    const { mark, fields } = own[0]!;
    const columns = fields.map((field, index): EndColumn => {
      // A field is a number if it is one in all of the lines.
      const isKind = own.every((one) => one.fields[index]!.pattern === field.pattern);
      return { ...field, pattern: isKind ? field.pattern : word, texts: own.map((one) => one.fields[index]!.text) };
    });
    return { mark, columns };
  });
  const patterns = endings.map(
    ({ mark, columns }) => `${mark}${columns.map((one) => ` ${escaped(one.label)}${one.pattern}`).join('')}(?: .*)?`,
  );
  // Lines of the common format lack the others at their end. What has more than that shows that nothing is missing.
  const all = ['!', ...patterns, ...(usual.some(([one]) => one!.mark === '!') ? ['[+].*'] : [])];
  const [only, ...others] = endings;
  const further = others.length === 0 && only!.columns.length > 0 ? furtherOf(only!.mark, only!.columns) : undefined;
  return { pattern: [...new Set(all)].join('|'), ...(further && { further }) };
}

/** A field of all lines. */
interface EndColumn extends Omit<EndField, 'text'> {
  readonly texts: readonly string[];
}

/** nginx writes its times, and no other numbers, with three decimals. */
const time = String.raw`\d{1,9}\.\d{3}`;
const times = listOf(`(?:-|${time})`);

function furtherOf(mark: string, columns: readonly EndColumn[]): LogEndings['further'] {
  const names = namesOf(columns);
  const taken = new Set<string>(accessLogColumns);
  const groups = columns.map((column, index) => {
    const isTime = isOf(column, kinds.time);
    const isDuration = column.pattern === word && isOf(column, kinds.duration);
    const pattern = isTime ? times : column.pattern;
    const group =
      pattern === quotedField || (isTime && column.pattern === quotedField)
        ? `"(${isTime ? times : quotedField.slice(1, -1)})"`
        : isDuration
          ? String.raw`(?:(\d+)ms|-)`
          : `(${pattern})`;
    const label = column.label.slice(0, -1);
    const wanted = names[index] ?? (label === '' ? `rest_${index + 1}` : label);
    const name = taken.has(wanted.toLowerCase()) ? `rest_${index + 1}` : wanted;
    taken.add(name.toLowerCase());
    return { text: ` ${escaped(column.label)}${group}`, column: { name, ...(isTime && { isSum: true as const }) } };
  });
  return {
    pattern: `${mark}${groups.map(({ text }) => text).join('')}(?: (.*))?`,
    columns: groups.map(({ column }) => column),
  };
}

/** What single values look like. */
const kinds = {
  time: new RegExp(`^${time}$`),
  integer: /^\d+$/,
  status: /^\d{3}$/,
  duration: /^\d+ms$/,
  bracket: /^\[[^\]]*\]$/,
  ip: /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-fA-F]*:[\da-fA-F:.]*:[\da-fA-F.]*)$/,
  address: /^(?:\d{1,3}(?:\.\d{1,3}){3}:\d+|\[[\da-fA-F:.]+\]:\d+|unix:\S+)$/,
  cache: /^(?:MISS|HIT|BYPASS|EXPIRED|STALE|UPDATING|REVALIDATED)$/,
  protocol: /^(?:TLSv1(?:\.\d)?|SSLv3)$/,
  id: /^[\da-f]{32}$/,
  any: /^/,
};

const valuesOf = (text: string) => text.split(/, ?| : /).filter((value) => value !== '-' && value !== '');

/** Whether all values are of this kind, and at least one is known. */
function isOf({ texts }: EndColumn, kind: RegExp): boolean {
  const values = texts.flatMap(valuesOf);
  return values.length > 0 && values.every((value) => kind.test(value));
}

const isEmpty = ({ texts }: EndColumn) => texts.every((text) => valuesOf(text).length === 0);

/** Endings that programs write by default. */
const knownEndings: readonly (readonly (readonly [name: string, kind: keyof typeof kinds])[])[] = [
  // doc.traefik.io/traefik/observability/access-logs: the common log format.
  [
    ['request_count', 'integer'],
    ['router_name', 'any'],
    ['service_url', 'any'],
    ['duration_ms', 'duration'],
  ],
  // kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/log-format
  [
    ['request_length', 'integer'],
    ['request_time', 'time'],
    ['proxy_upstream_name', 'bracket'],
    ['proxy_alternative_upstream_name', 'bracket'],
    ['upstream_addr', 'address'],
    ['upstream_response_length', 'integer'],
    ['upstream_response_time', 'time'],
    ['upstream_status', 'status'],
    ['req_id', 'id'],
  ],
];

/** nginx's names of the variables, as far as the values show which they are. */
function namesOf(columns: readonly EndColumn[]): readonly (string | undefined)[] {
  const known = knownEndings.find(
    (ending) =>
      ending.length === columns.length &&
      ending.every(([, kind], index) => isOf(columns[index]!, kinds[kind]) || isEmpty(columns[index]!)) &&
      ending.some(([, kind], index) => kind !== 'any' && isOf(columns[index]!, kinds[kind])),
  );
  if (known) return known.map(([name]) => name);
  const free = columns.map((column) => (column.label === '' ? column : undefined));
  const names = new Map<EndColumn, string>(timeNames(free.filter((column) => column !== undefined)));
  const isQuoted = (column: EndColumn) => column.pattern === quotedField;
  const nameOnly = (name: string, isMeant: (column: EndColumn) => boolean) => {
    const meant = free.filter((column) => column !== undefined && !names.has(column) && isMeant(column));
    if (meant.length === 1) names.set(meant[0]!, name);
  };
  nameOnly('upstream_addr', (column) => isOf(column, kinds.address));
  nameOnly('upstream_cache_status', (column) => isOf(column, kinds.cache));
  nameOnly('ssl_protocol', (column) => isOf(column, kinds.protocol));
  nameOnly('request_id', (column) => isOf(column, kinds.id));
  // nginx's own configuration has this field last, and it often has no value.
  nameOnly('http_x_forwarded_for', (column) => isQuoted(column) && (isOf(column, kinds.ip) || isEmpty(column)));
  return free.map((column) => column && names.get(column));
}

/**
 * The time of a request is always known, and never less than that of the servers that nginx asked for it, but for
 * rounding. If two times are always the same, the first one is that of the request.
 */
function timeNames(columns: readonly EndColumn[]): readonly (readonly [EndColumn, string])[] {
  const timed = columns.filter((column) => isOf(column, kinds.time));
  const isWhole = ({ texts }: EndColumn) => texts.every((text) => kinds.time.test(text));
  const last = ({ texts }: EndColumn, line: number) => Math.max(0, ...valuesOf(texts[line]!).map(Number));
  const isLongest = (one: EndColumn) =>
    one.texts.every((text, line) => timed.every((other) => Number(text) >= last(other, line) - 0.0015));
  const total = ({ texts }: EndColumn) => texts.reduce((sum, text) => sum + Number(text), 0);
  const [request] = timed
    .filter((column) => isWhole(column) && isLongest(column))
    .sort((one, other) => total(other) - total(one));
  if (!request && timed.length > 1) return [];
  // Where no server was asked, nginx writes a dash beside the time of the request.
  const next = request && columns[columns.indexOf(request) + 1];
  const others = timed.length === 1 && next && next.pattern === number && isEmpty(next) ? [next] : timed;
  const upstream = others.filter((column) => column !== request);
  return [
    ...(request ? [[request, 'request_time'] as const] : []),
    ...(upstream.length === 1 ? [[upstream[0]!, 'upstream_response_time'] as const] : []),
  ];
}
