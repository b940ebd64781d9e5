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
  /** The answer to a CAPTCHA that the platform wants for a question, which is sent again with it. */
  readonly captcha?: CaptchaAnswer | undefined;
  /**
   * How long an answer may be waited for while the platform says `Continue wait`; as long as the caller wants where not
   * set.
   */
  readonly waitBudgetMs?: number | undefined;
}

/** The text that a solved CAPTCHA gives, and the number of the refused request in the platform's log of spam. */
export interface CaptchaAnswer {
  readonly response: string;
  readonly spamLogId: string;
}

export const apiPath = '/api/v4';

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
