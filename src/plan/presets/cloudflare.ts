import type { Preset } from '../mapping/preset.ts';
import { derivedVisitor, kindOfRequest, kindsOfRequest, pathOfTarget, searchOfTarget, visitorOf } from './requests.ts';
import { recogniseBy } from './signs.ts';

const status = 'CAST(EdgeResponseStatus AS VARCHAR)';

/** Cloudflare Logpush, data set http_requests. */
export const cloudflare: Preset = {
  name: 'cloudflare',
  title: 'Cloudflare (Logpush, http_requests)',
  recognise: recogniseBy({
    typical: [
      'ClientIP',
      'ClientRequestHost',
      'ClientRequestMethod',
      'ClientRequestURI',
      'EdgeResponseStatus',
      'EdgeStartTimestamp',
      'RayID',
      'EdgeEndTimestamp',
      'ClientRequestUserAgent',
    ],
    least: 5,
  }),
  notes: [kindsOfRequest, derivedVisitor],
  expects: [
    'ClientIP',
    'ClientRequestHost',
    'ClientRequestMethod',
    'ClientRequestURI',
    'ClientRequestReferer',
    'ClientRequestUserAgent',
    'EdgeResponseStatus',
    'EdgeStartTimestamp',
    'RayID',
  ],
  mapping: {
    columns: {
      utcTime: ['EdgeStartTimestamp', 'EdgeEndTimestamp'],
      userAnonymousId: { sql: visitorOf('ClientIP', 'ClientRequestUserAgent') },
      eventType: {
        sql: kindOfRequest({
          method: 'ClientRequestMethod',
          target: 'ClientRequestURI',
          status,
        }),
      },
      eventId: 'RayID',
      docHost: 'ClientRequestHost',
      docPath: { sql: pathOfTarget('ClientRequestURI') },
      docSearch: { sql: searchOfTarget('ClientRequestURI') },
      referer: { column: 'ClientRequestReferer', values: { '': null } },
      useragent: 'ClientRequestUserAgent',
      country: 'ClientCountry',
      deviceClass: 'ClientDeviceType',
    },
  },
};
