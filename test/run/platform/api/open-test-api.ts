import type { HttpClient } from '../../../../src/run/http/http-client.ts';
import type { ApiService } from '../../../../src/run/platform/api/open-platform-api.ts';
import { openFakeClock } from '../../http/fake-clock.ts';
import { token } from '../../http/open-test-http.ts';

/** A service that calls operations of a scripted server, with a clock that moves by itself. */
export function serviceOf(url: string, http: HttpClient): ApiService {
  const shared = { clock: openFakeClock(), random: () => 0.5 };
  const credential = { kind: 'private-token', token: () => token } as const;
  return { http, ...shared, download: { ...shared, base: new URL(url), credential } };
}
