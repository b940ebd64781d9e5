import { createHash } from 'node:crypto';
import { orNull } from '../oracle.ts';
import type { StoryEvent } from '../story.ts';
import type { Row, Vendor } from '../vendor.ts';

const months = ['Jan', 'Feb', 'Mar'];
const two = (value: number) => String(value).padStart(2, '0');

/** nginx.org/en/docs/http/ngx_http_log_module.html, httpd.apache.org/docs/2.4/logs.html: in a zone an hour ahead. */
function timeOf(at: number): string {
  const local = new Date(at + 3_600_000);
  return `${two(local.getUTCDate())}/${months[local.getUTCMonth()]}/${local.getUTCFullYear()}:${two(local.getUTCHours())}:${two(local.getUTCMinutes())}:${two(local.getUTCSeconds())} +0100`;
}

function instantOf(time: string): number {
  const [, day, month, year, clock] = /^(\d+)\/(\w+)\/(\d+):(\S+) \+0100$/.exec(time)!;
  return Date.parse(`${year}-${two(months.indexOf(month!) + 1)}-${day}T${clock}+01:00`);
}

/** The request to the server, and its status. */
function requestOf({ kind, path, search, number }: StoryEvent): {
  readonly method: string;
  readonly target: string;
  readonly status: number;
} {
  const page = {
    method: 'GET',
    target: `${path.replaceAll(' ', '%20').replaceAll('"', '%22')}${search}`,
    status: number % 10 === 0 ? 304 : 200,
  };
  switch (kind) {
    case 'page':
      return page;
    case 'custom':
      return { method: 'POST', target: '/api/größe', status: 201 };
    case 'click':
      return number % 2 === 0
        ? { ...page, target: '/static/App.CSS?v=1', status: 200 }
        : { ...page, method: 'HEAD', status: 200 };
    case 'identify':
      return [
        { ...page, status: 404 },
        { ...page, status: 301 },
        { ...page, status: 500 },
      ][number % 3]!;
  }
}

const addressOf = (visitor: number | null) => (visitor === null ? '2001:db8::ff' : `198.51.100.${visitor}`);
const agentOf = (agent: string, visitor: number | null) => (visitor === null ? '-' : `${agent} "${visitor}"`);
const hash = (address: string, agent: string | null) =>
  createHash('md5')
    .update(`${address} ${agent ?? ''}`)
    .digest('hex');

const assets = ['css', 'js', 'png', 'ico', 'txt', 'xml', 'json'];

function kindOf(method: string, path: string, status: number): string {
  if (status >= 400) return 'error';
  if (status >= 300 && status !== 304) return 'redirect';
  if (method !== 'GET' || status < 200) return 'request';
  return assets.includes(path.split('.').at(-1)!.toLowerCase()) ? 'asset' : 'pageview';
}

function log(label: string, write: (event: StoryEvent) => string, parts: RegExp): Vendor {
  return {
    preset: 'access-log',
    label,
    format: 'lines',
    write: (story) => story.map(write),
    read: (line: string) => {
      const found = parts.exec(line)!.groups!;
      const [method, target] = found.request!.split(' ') as [string, string];
      const agent = orNull(found.agent?.replaceAll('\\"', '"').replace(/^-$/, ''));
      const path = target.split('?')[0]!;
      return [
        {
          at: instantOf(found.time!),
          eventId: '',
          userAnonymousId: hash(found.address!, agent),
          userId: found.user === '-' ? null : found.user!,
          sessionId: null,
          type: kindOf(method, path, Number(found.status)),
          path,
          referer: found.referrer === '-' ? null : orNull(found.referrer),
        },
      ];
    },
    recognised: [],
  };
}

const common = (event: StoryEvent): string => {
  const { method, target, status } = requestOf(event);
  return `${addressOf(event.visitor)} - ${event.account ?? '-'} [${timeOf(event.at)}] "${method} ${target} HTTP/1.1" ${status} ${status === 304 ? '-' : 5120}`;
};
const combined = (event: StoryEvent): string =>
  `${common(event)} "${event.referrer ?? '-'}" "${agentOf(event.agent, event.visitor).replaceAll('"', '\\"')}"`;

const start = String.raw`(?<address>\S+) - (?<user>\S+) \[(?<time>[^\]]+)\] "(?<request>[^"]*)" (?<status>\d+) \S+`;

export const commonLog = log('common format', common, new RegExp(`^${start}$`));
export const combinedLog = log(
  'combined format',
  combined,
  new RegExp(`^${start} "(?<referrer>[^"]*)" "(?<agent>(?:[^"\\\\]|\\\\.)*)"$`),
);
export const vhostLog = log(
  'combined format with virtual host and more',
  (event) => `www.shop.example:443 ${combined(event)} "10.0.0.1, 10.0.0.2" 0.003`,
  new RegExp(`^\\S+ ${start} "(?<referrer>[^"]*)" "(?<agent>(?:[^"\\\\]|\\\\.)*)" .*$`),
);

/** A log in the W3C extended format: `fields` in order, and how an event writes them. */
function w3cLog(
  label: string,
  fields: readonly string[],
  {
    separator,
    encode,
    decode,
  }: { separator: string; encode: (text: string) => string; decode: (text: string) => string },
): Vendor {
  return {
    preset: 'access-log',
    label,
    format: 'lines',
    write: (story) => [
      '#Version: 1.0',
      `#Fields: ${fields.join(' ')}`,
      ...story.map((event) => {
        const { method, target, status } = requestOf(event);
        const [stem, query = '-'] = target.split('?') as [string, string?];
        const [date, time] = new Date(event.at).toISOString().split(/[T.]/) as [string, string];
        const agent = agentOf(event.agent, event.visitor);
        const referrer = event.referrer ?? '-';
        const written: Readonly<Record<string, string>> = {
          date,
          time,
          'c-ip': addressOf(event.visitor),
          'cs-username': event.account ?? '-',
          'cs-method': method,
          'cs-uri-stem': separator === '\t' ? encode(stem) : stem,
          'cs-uri-query': separator === '\t' ? encode(query) : query,
          'sc-status': String(status),
          'sc-bytes': '5120',
          'cs(Referer)': separator === '\t' ? encode(referrer) : referrer,
          'cs(User-Agent)': agent === '-' ? '-' : encode(agent),
          'x-edge-location': 'VIE50-C1',
          'time-taken': '0.003',
        };
        return fields.map((field) => written[field]!).join(separator);
      }),
    ],
    read: (line: string) => {
      if (line.startsWith('#')) return [];
      const texts = line.split(separator);
      const field = (name: string) => {
        const text = texts[fields.indexOf(name)]!;
        return text === '-' ? null : text;
      };
      const encoded = (name: string) => {
        const text = field(name);
        return text !== null && separator === '\t' ? decode(text) : text;
      };
      const agent = field('cs(User-Agent)');
      const path = encoded('cs-uri-stem')!;
      return [
        {
          at: Date.parse(`${field('date')}T${field('time')}Z`),
          eventId: '',
          userAnonymousId: hash(field('c-ip')!, agent === null ? null : decode(agent)),
          userId: field('cs-username'),
          sessionId: null,
          type: kindOf(field('cs-method')!, path, Number(field('sc-status'))),
          path,
          referer: encoded('cs(Referer)'),
        },
      ];
    },
    recognised: [],
  };
}

/**
 * docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logs-reference.html: percent-encoded, by tabs.
 */
export const cloudfrontLog = w3cLog(
  'CloudFront',
  [
    ...['date', 'time', 'x-edge-location', 'sc-bytes', 'c-ip', 'cs-method', 'cs-uri-stem', 'sc-status', 'cs(Referer)'],
    ...['cs(User-Agent)', 'cs-uri-query', 'cs-username', 'time-taken'],
  ],
  {
    separator: '\t',
    encode: (text) => (text === '-' ? text : text.replaceAll(/[\s"%<>\\]|[^\0-~]+/gu, encodeURIComponent)),
    decode: decodeURIComponent,
  },
);

/** learn.microsoft.com/windows/win32/http/w3c-logging: a plus sign for a space, by spaces. */
export const iisLog = w3cLog(
  'IIS',
  [
    ...['date', 'time', 'cs-method', 'cs-uri-stem', 'cs-uri-query', 'cs-username', 'c-ip', 'cs(User-Agent)'],
    ...['cs(Referer)', 'sc-status', 'sc-bytes', 'time-taken'],
  ],
  {
    separator: ' ',
    encode: (text) => text.replaceAll(' ', '+'),
    decode: (text) => text.replaceAll('+', ' '),
  },
);

/**
 * docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-access-logs.html: no user and no referrer.
 * Classic load balancers write no type, and fewer fields.
 */
function loadBalancerLog(
  label: string,
  write: (fields: readonly string[], host: string) => string,
  first: number,
): Vendor {
  return {
    preset: 'access-log',
    label,
    format: 'lines',
    write: (story) =>
      story.map((event) => {
        const { method, target, status } = requestOf(event);
        const agent = agentOf(event.agent, event.visitor).replaceAll('"', '\\"');
        const time = new Date(event.at).toISOString().replace('Z', '000Z');
        const times = event.number % 5 === 0 ? '-1 -1 -1' : '0.001 0.048 0.000';
        const request = `"${method} https://${event.host}:443${target} HTTP/2.0" "${agent}"`;
        const fields = [
          time,
          'app/web/50dc',
          `${addressOf(event.visitor)}:2817`,
          '10.0.0.1:80',
          times,
          status,
          '200 57 5120',
          request,
        ];
        return write(fields.map(String), event.host);
      }),
    read: (line: string) => {
      const words = line.split(' ').slice(first);
      const [, method, address, agent] = /"(\S+) https:\/\/[^/]+(\S+) HTTP\/2\.0" "((?:[^"\\]|\\.)*)"/.exec(line)!;
      const path = address!.split('?')[0]!;
      return [
        {
          at: Date.parse(words[0]!),
          eventId: '',
          userAnonymousId: hash(
            words[2]!.slice(0, -':2817'.length),
            agent === '-' ? null : agent!.replaceAll('\\"', '"'),
          ),
          userId: null,
          sessionId: null,
          type: kindOf(method!, path, Number(words[7])),
          path,
          referer: null,
        },
      ];
    },
    recognised: [],
  };
}

export const albLog = loadBalancerLog(
  'AWS application load balancer',
  (fields, host) =>
    `h2 ${fields.join(' ')} ECDHE-RSA TLSv1.3 arn:aws:tg/1 "Root=1-2" "${host}" "arn:aws:acm:1" 1 2024-03-08T10:00:00.000000Z "forward" "-" "-" "10.0.0.1:80" "200" "-" "-" TID_1 "one more"`,
  1,
);
export const elbLog = loadBalancerLog('AWS classic load balancer', (fields) => `${fields.join(' ')} - -`, 0);

/** A log with a fixed order of fields. `pattern`: its groups are the parts of a request. */
function fieldLog(
  label: string,
  write: (event: StoryEvent, request: ReturnType<typeof requestOf>) => string,
  pattern: RegExp,
  toMs: (time: string) => number,
): Vendor {
  const known = (text: string | undefined) => (text === undefined || text === '-' ? null : text);
  return {
    preset: 'access-log',
    label,
    format: 'lines',
    write: (story) => story.map((event) => write(event, requestOf(event))),
    read: (line: string) => {
      const { time, address, agent, user, method, target, status, referrer } = pattern.exec(line)!.groups!;
      const path = target!.split('?')[0]!;
      return [
        {
          at: toMs(time!),
          eventId: '',
          userAnonymousId: hash(address!, known(agent)),
          userId: known(user),
          sessionId: null,
          type: kindOf(method!, path, Number(status)),
          path,
          referer: known(referrer),
        },
      ];
    },
    recognised: [],
  };
}

/** docs.haproxy.org/3.0/configuration.html, 8.2.3: behind a syslog header. Its times have no zone. */
export const haproxyLog = fieldLog(
  'HAProxy',
  (event, { method, target, status }) => {
    const time = `${timeOf(event.at - 3_600_000).slice(0, -' +0100'.length)}.${String(event.at % 1000).padStart(3, '0')}`;
    return `Mar  8 10:00:00 lb haproxy[1]: ${addressOf(event.visitor)}:2817 [${time}] in~ be/s1 10/0/30/69/${event.number} ${status} 2750 - - ---- 1/1/1/1/0 0/0 {a b} {} "${method} ${target} HTTP/1.1"`;
  },
  /: (?<address>\S+):\d+ \[(?<time>[^\]]+)\] .* (?<status>\d{3}) 2750 .* "(?<method>\S+) (?<target>\S+) HTTP\/1.1"$/,
  (time) => instantOf(`${time.slice(0, -4)} +0100`) + 3_600_000 + Number(time.slice(-3)),
);

/** docs.aws.amazon.com/AmazonS3/latest/userguide/LogFormat.html */
export const s3Log = fieldLog(
  'Amazon S3',
  (event, { method, target, status }) =>
    `79a59 shop [${timeOf(event.at)}] ${addressOf(event.visitor)} ${event.account ?? '-'} 3E57 REST.GET.OBJECT a%2Bb "${method} ${target} HTTP/1.1" ${status} - 113 - 7 6 "${event.referrer ?? '-'}" "${agentOf(event.agent.replaceAll('"', ''), event.visitor).replaceAll('"', '')}" - s9= SigV4 ECDHE AuthHeader ${event.host} TLSV1.2 - Yes us-east-1`,
  /\[(?<time>[^\]]+)\] (?<address>\S+) (?<user>\S+) .* "(?<method>\S+) (?<target>\S+) HTTP\/1.1" (?<status>\d+) .* "(?<referrer>[^"]*)" "(?<agent>[^"]*)" /,
  instantOf,
);

/** wiki.squid-cache.org/Features/LogFormat: seconds with milliseconds, and addresses with their host. */
export const squidLog = fieldLog(
  'Squid',
  (event, { method, target, status }) =>
    `${(event.at / 1000).toFixed(3)} ${String(event.number).padStart(6)} ${addressOf(event.visitor)} TCP_MISS/${status} 1234 ${method} https://${event.host}${target} ${event.account ?? '-'} HIER_DIRECT/10.0.0.1 text/html`,
  /^(?<time>\S+) +\d+ (?<address>\S+) TCP_MISS\/(?<status>\d+) 1234 (?<method>\S+) https:\/\/[^/]+(?<target>\S+) (?<user>\S+) /,
  (time) => Math.round(Number(time) * 1000),
);

interface JsonLine extends Row {
  readonly time_local: string;
  readonly remote_addr: string;
  readonly remote_user: string;
  readonly request: string;
  readonly status: number;
  readonly http_referrer: string;
  readonly http_user_agent: string;
}

/** nginx.org/en/docs/http/ngx_http_log_module.html, `escape=json`: variables by their names, the request in one. */
export const jsonLog: Vendor = {
  preset: 'access-log',
  label: 'JSON of nginx',
  format: 'ndjson',
  write: (story) =>
    story.map((event): JsonLine => {
      const { method, target, status } = requestOf(event);
      return {
        time_local: timeOf(event.at),
        remote_addr: addressOf(event.visitor),
        remote_user: event.account ?? '',
        request: `${method} ${target} HTTP/2.0`,
        status,
        body_bytes_sent: 5120,
        http_referrer: event.referrer ?? '',
        http_user_agent: event.visitor === null ? '' : event.agent,
        request_time: 0.003,
      };
    }),
  read: (line: JsonLine) => {
    const [method, target] = line.request.split(' ') as [string, string];
    const path = target.split('?')[0]!;
    return [
      {
        at: instantOf(line.time_local),
        eventId: '',
        userAnonymousId: hash(line.remote_addr, line.http_user_agent),
        userId: orNull(line.remote_user),
        sessionId: null,
        type: kindOf(method, path, line.status),
        path,
        referer: orNull(line.http_referrer),
      },
    ];
  },
  recognised: ['remote_addr', 'time_local', 'request', 'status', 'http_referrer', 'http_user_agent'],
};

interface CaddyLine extends Row {
  readonly ts: number;
  readonly request: {
    readonly client_ip?: string;
    readonly remote_ip: string;
    readonly method: string;
    readonly uri: string;
    readonly headers: Readonly<Record<string, readonly string[]>>;
  };
  readonly user_id: string;
  readonly status: number;
}

/** caddyserver.com/docs/logging: seconds with fractions; behind a proxy, `client_ip` is not `remote_ip`. */
export const caddyLog: Vendor = {
  preset: 'caddy',
  label: 'JSON of Caddy',
  format: 'ndjson',
  write: (story) =>
    story.map((event): CaddyLine => {
      const { method, target, status } = requestOf(event);
      return {
        level: 'info',
        ts: event.at / 1000,
        logger: 'http.log.access',
        msg: 'handled request',
        request: {
          remote_ip: event.number % 2 === 0 ? '10.9.9.9' : addressOf(event.visitor),
          ...(event.number % 2 === 0 && { client_ip: addressOf(event.visitor) }),
          proto: 'HTTP/2.0',
          method,
          host: event.host,
          uri: target,
          headers: {
            ...(event.visitor !== null && { 'User-Agent': [event.agent] }),
            ...(event.referrer && { Referer: [event.referrer] }),
          },
        } as CaddyLine['request'],
        user_id: event.account ?? '',
        duration: 0.003,
        size: 5120,
        status,
      };
    }),
  read: ({ ts, request, user_id, status }: CaddyLine) => {
    const path = request.uri.split('?')[0]!;
    return [
      {
        at: Math.round(ts * 1000),
        eventId: '',
        userAnonymousId: hash(request.client_ip ?? request.remote_ip, request.headers['User-Agent']?.[0] ?? ''),
        userId: orNull(user_id),
        sessionId: null,
        type: kindOf(request.method, path, status),
        path,
        referer: orNull(request.headers['Referer']?.[0]),
      },
    ];
  },
  recognised: ['ts', 'status', 'request.method', 'request.host'],
};

interface TraefikLine extends Row {
  readonly StartUTC: string;
  readonly ClientHost: string;
  readonly ClientUsername: string;
  readonly RequestMethod: string;
  readonly RequestPath: string;
  readonly DownstreamStatus: number;
  readonly request_Referer?: string;
}

/** doc.traefik.io/traefik/observability/access-logs: nanoseconds; `time` is that of the line. */
export const traefikLog: Vendor = {
  preset: 'traefik',
  label: 'JSON of Traefik',
  format: 'ndjson',
  write: (story) =>
    story.map((event): TraefikLine => {
      const { method, target, status } = requestOf(event);
      return {
        ClientAddr: `${addressOf(event.visitor)}:40126`,
        ClientHost: addressOf(event.visitor),
        ClientUsername: event.account ?? '-',
        DownstreamStatus: status,
        Duration: 1_811_271,
        OriginStatus: status,
        RequestCount: event.number,
        RequestHost: event.host,
        RequestMethod: method,
        RequestPath: target,
        RequestProtocol: 'HTTP/2.0',
        RouterName: 'web@docker',
        StartLocal: new Date(event.at + 3_600_000).toISOString().replace('Z', '803974+01:00'),
        StartUTC: new Date(event.at).toISOString().replace('Z', '000974Z'),
        entryPointName: 'https',
        level: 'info',
        msg: '',
        ...(event.visitor !== null && { 'request_User-Agent': event.agent }),
        ...(event.referrer && { request_Referer: event.referrer }),
        time: new Date(event.at + 5000).toISOString(),
      };
    }),
  read: (line: TraefikLine) => {
    const path = line.RequestPath.split('?')[0]!;
    return [
      {
        at: Date.parse(line.StartUTC),
        eventId: '',
        userAnonymousId: hash(line.ClientHost, (line['request_User-Agent'] as string | undefined) ?? ''),
        userId: line.ClientUsername === '-' ? null : line.ClientUsername,
        sessionId: null,
        type: kindOf(line.RequestMethod, path, line.DownstreamStatus),
        path,
        referer: orNull(line.request_Referer),
      },
    ];
  },
  recognised: ['ClientHost', 'RequestMethod', 'RequestPath', 'RequestHost'],
};

interface Request extends Row {
  readonly ClientIP: string;
  readonly ClientRequestUserAgent: string;
  readonly ClientRequestMethod: string;
  readonly ClientRequestURI: string;
  readonly EdgeResponseStatus: number;
  readonly EdgeStartTimestamp: string | number;
}

/** developers.cloudflare.com/logs/reference/log-fields/zone/http_requests: whole nanoseconds by default. */
function cloudflareLog(
  label: string,
  timeAs: (at: number) => string | number,
  toMs: (time: string | number) => number,
): Vendor {
  return {
    preset: 'cloudflare',
    label,
    format: 'ndjson',
    write: (story) =>
      story.map((event) => {
        const { method, target, status } = requestOf(event);
        return {
          ClientIP: addressOf(event.visitor),
          ClientCountry: 'at',
          ClientRequestHost: event.host,
          ClientRequestMethod: method,
          ClientRequestURI: target,
          ClientRequestPath: target.split('?')[0],
          ClientRequestReferer: event.referrer ?? '',
          ClientRequestUserAgent: event.visitor === null ? '' : event.agent,
          EdgeStartTimestamp: timeAs(event.at),
          EdgeEndTimestamp: timeAs(event.at + 90),
          EdgeResponseStatus: status,
          EdgeResponseBytes: 5120,
          RayID: `ray${String(event.number).padStart(5, '0')}`,
        };
      }),
    read: (request: Request) => {
      const path = request.ClientRequestURI.split('?')[0]!;
      return [
        {
          at: toMs(request.EdgeStartTimestamp),
          eventId: String(request.RayID as string),
          userAnonymousId: hash(request.ClientIP, request.ClientRequestUserAgent),
          userId: null,
          sessionId: null,
          type: kindOf(request.ClientRequestMethod, path, request.EdgeResponseStatus),
          path,
          referer: orNull(request.ClientRequestReferer),
        },
      ];
    },
    recognised: [
      'ClientIP',
      'ClientRequestHost',
      'ClientRequestMethod',
      'ClientRequestURI',
      'ClientRequestReferer',
      'EdgeResponseStatus',
      'EdgeStartTimestamp',
      'RayID',
    ],
  };
}

export const cloudflareNano = cloudflareLog(
  'Logpush, nanoseconds',
  (at) => `${at}000000`,
  (time) => Number(String(time).slice(0, -6)),
);
export const cloudflareText = cloudflareLog(
  'Logpush, RFC 3339',
  (at) => new Date(at).toISOString(),
  (time) => Date.parse(String(time)),
);
