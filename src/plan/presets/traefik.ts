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
import { isoTimes, recogniseBy } from './signs.ts';

/** Placeholders for missing values. */
const none = { '-': null, '': null };

/** Traefik leaves the headers of requests out unless it is told to keep them. */
const agent = '"request_User-Agent"';

/** Access logs of Traefik: JSON lines. Its lines in the common log format are read as those of other servers. */
export const traefik: Preset = {
  name: 'traefik',
  title: 'Traefik (access log, JSON)',
  recognise: recogniseBy({
    typical: [
      ...['ClientHost', 'DownstreamStatus', 'RequestMethod', 'RequestPath', 'RequestHost', 'StartUTC', 'StartLocal'],
      ...['Duration', 'RequestCount', 'RouterName'],
    ],
    least: 5,
    own: ['DownstreamStatus'],
  }),
  notes: [kindsOfRequest, derivedVisitor],
  expects: [
    ...['ClientHost', 'StartUTC | StartLocal', 'DownstreamStatus', 'RequestMethod', 'RequestPath', 'RequestHost'],
    'request_User-Agent',
  ],
  mapping: {
    columns: {
      utcTime: isoTimes('StartUTC', 'StartLocal'),
      userAnonymousId: { sql: visitorOf('ClientHost', agent) },
      userId: { column: 'ClientUsername', values: none },
      eventType: {
        sql: kindOfRequest({
          method: 'RequestMethod',
          target: 'RequestPath',
          status: 'CAST(DownstreamStatus AS VARCHAR)',
        }),
      },
      docHost: { sql: hostWithoutPort('RequestHost') },
      docPath: { sql: pathOfTarget('RequestPath') },
      docSearch: { sql: searchOfTarget('RequestPath') },
      referer: { column: 'request_Referer', values: none },
      useragent: { column: 'request_User-Agent', values: none },
    },
  },
};
