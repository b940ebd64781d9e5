import type { Clock } from '../http/clock.ts';
import type { HttpClient } from '../http/http-client.ts';

export interface PlatformOptions {
  /** Of the platform's own address, with the token; closed with the backend. */
  readonly http: HttpClient;
  /** The platform's address, for people. */
  readonly url: string;
  /** Number or full path (`group/project`) of the project to ask. */
  readonly project: string;
  readonly clock: Clock;
  /**
   * How long an answer may be waited for while the platform says `Continue wait`; as long as the caller wants where not
   * set.
   */
  readonly waitBudgetMs?: number | undefined;
}

export const apiPath = '/api/v4';

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
