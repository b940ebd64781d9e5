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

const ofRequest = (path: string) => `json_extract_string(request, '$.${path}')`;
const header = (name: string) => ofRequest(`headers."${name}"[0]`);
const [method, target] = [ofRequest('method'), ofRequest('uri')];
/** Before version 2.5, the address has a port. Since 2.7, that of the client is told apart from a proxy's. */
const address = `coalesce(${ofRequest('client_ip')}, ${ofRequest('remote_ip')}, regexp_replace(${ofRequest('remote_addr')}, ':[0-9]+$', ''))`;

/** Access logs of Caddy: JSON lines. */
export const caddy: Preset = {
  name: 'caddy',
  title: 'Caddy (access log, JSON)',
  recognise: recogniseBy({
    typical: ['ts', 'logger', 'msg', 'status', 'duration', '$.request.method', '$.request.host', '$.request.uri'],
    least: 6,
    own: ['$.request.uri'],
  }),
  notes: [kindsOfRequest, derivedVisitor],
  expects: [
    'ts',
    'status',
    '$.request.remote_ip | $.request.client_ip | $.request.remote_addr',
    '$.request.method',
    '$.request.host',
    '$.request.uri',
    '$.request.headers',
  ],
  mapping: {
    columns: {
      utcTime: 'ts',
      userAnonymousId: { sql: visitorOf(address, header('User-Agent')) },
      userId: { column: 'user_id', values: { '': null } },
      eventType: { sql: kindOfRequest({ method, target, status: 'CAST(status AS VARCHAR)' }) },
      docHost: { sql: hostWithoutPort(ofRequest('host')) },
      docPath: { sql: pathOfTarget(target) },
      docSearch: { sql: searchOfTarget(target) },
      referer: { sql: header('Referer') },
      useragent: { sql: header('User-Agent') },
    },
  },
};
