import type { Preset } from '../mapping/preset.ts';
import { derivedVisitor, kindOfRequest, kindsOfRequest, pathOfTarget, searchOfTarget, visitorOf } from './requests.ts';
import { recogniseBy } from './signs.ts';

/** Access logs of nginx and Apache, whose lines the reader of text files takes apart. */
export const accessLog: Preset = {
  name: 'access-log',
  title: 'access log (nginx, Apache)',
  recognise: recogniseBy({
    typical: ['remote_addr', 'remote_user', 'time_local', 'request', 'status', 'body_bytes_sent', 'http_user_agent'],
    least: 5,
  }),
  notes: [kindsOfRequest, derivedVisitor],
  expects: ['request_uri', 'http_referer', 'http_user_agent'],
  mapping: {
    columns: {
      utcTime: { column: 'time_local', format: 'apache' },
      userAnonymousId: { sql: visitorOf('remote_addr', 'http_user_agent') },
      userId: 'remote_user',
      eventType: {
        sql: kindOfRequest({
          method: 'request_method',
          target: 'request_uri',
          status: 'status',
        }),
      },
      docHost: { sql: "regexp_extract(server_name, '^([^:]+)', 1)" },
      docPath: { sql: pathOfTarget('request_uri') },
      docSearch: { sql: searchOfTarget('request_uri') },
      referer: 'http_referer',
      useragent: 'http_user_agent',
    },
  },
};
