import type { Preset } from '../mapping/preset.ts';
import {
  derivedVisitor,
  hostWithoutPort,
  kindOfRequest,
  kindsOfRequest,
  pathOfTarget,
  searchOfTarget,
  visitorOf,
} from './requests.ts';
import { recogniseBy } from './signs.ts';

/** A part of the request line `GET /pricing HTTP/1.1`, for JSON logs that lack the separate column. */
const ofRequest = (column: string, group: number) =>
  `coalesce(${column}, nullif(regexp_extract(request, '^([A-Za-z]+) (.+?)(?: HTTP/[0-9.]+)?$', ${group}), ''))`;
const [method, target] = [ofRequest('request_method', 1), ofRequest('request_uri', 2)];

/** Placeholders for missing values in logs. */
const none = { '-': null, '': null };

/**
 * Access logs of nginx and Apache, those in the W3C format, and those whose fields have a fixed order. The reader of
 * text files splits their lines.
 */
export const accessLog: Preset = {
  name: 'access-log',
  title: 'access log (nginx, Apache, IIS, HAProxy, Squid, AWS and others)',
  recognise: recogniseBy({
    typical: [
      ...['remote_addr', 'remote_user', 'time_local', 'time_iso8601', 'request', 'request_method', 'request_uri'],
      ...['request_time', 'status', 'body_bytes_sent', 'http_referer', 'http_user_agent', 'msec', 'bytes_sent'],
    ],
    least: 5,
  }),
  notes: [kindsOfRequest, derivedVisitor],
  // HAProxy's times.
  mayBeLocal: true,
  expects: [
    'remote_addr',
    'time_local | time_iso8601 | msec',
    'status',
    'request_uri | request',
    'http_referer | http_referrer',
    'http_user_agent',
  ],
  mapping: {
    columns: {
      utcTime: [
        { column: 'time_local', format: 'apache' },
        { column: 'time_iso8601', format: 'iso' },
        { column: 'msec', format: 'seconds' },
      ],
      userAnonymousId: { sql: visitorOf('remote_addr', 'http_user_agent') },
      userId: { column: 'remote_user', values: none },
      eventType: {
        sql: kindOfRequest({
          method,
          target,
          status: 'status',
        }),
      },
      docHost: { sql: hostWithoutPort('server_name') },
      docPath: { sql: pathOfTarget(target) },
      docSearch: { sql: searchOfTarget(target) },
      referer: [
        { column: 'http_referer', values: none },
        { column: 'http_referrer', values: none },
      ],
      useragent: { column: 'http_user_agent', values: none },
    },
  },
};
