import type { Clock } from '../http/clock.ts';
import type { HttpClient } from '../http/http-client.ts';

export interface PlatformOptions {
  /** A client for the platform's address, with the token. It is closed with the backend. */
  readonly http: HttpClient;
  /** The platform's address, for messages. */
  readonly url: string;
  /** Number or full path (`group/project`) of the project to query. */
  readonly project: string;
  readonly clock: Clock;
  /** The answer to a CAPTCHA that the platform demanded for a question, which is then sent again. */
  readonly captcha?: CaptchaAnswer | undefined;
  /** Maximum time to wait while the platform answers `Continue wait`; unlimited by default. */
  readonly waitBudgetMs?: number | undefined;
}

/** The response text of a solved CAPTCHA, and the number of the refused request in the platform's spam log. */
export interface CaptchaAnswer {
  readonly response: string;
  readonly spamLogId: string;
}

export const apiPath = '/api/v4';

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
