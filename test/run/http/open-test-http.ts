import type { HttpClient, HttpRequest } from '../../../src/run/http/http-client.ts';
import { type HttpOptions, openHttp } from '../../../src/run/http/open-http.ts';
import { openFakeClock } from './fake-clock.ts';

export const token = 'glpat-Z9x_tq3-LmN7.secret';

export const get: HttpRequest = { method: 'GET', path: '/api/v4/list', safe: true };

/** A client with a clock that moves by itself, and random numbers that are always 0.5. */
export function openTestHttp(url: string, options: Partial<HttpOptions> = {}): HttpClient {
  return openHttp({
    url,
    clock: openFakeClock(),
    random: () => 0.5,
    credential: { kind: 'private-token', token: () => token },
    ...options,
  });
}
