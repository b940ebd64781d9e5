import { ConfigError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';

export interface ServeRequest {
  /** Up to 65535; 0 for any free port. */
  readonly port: number;
  /** Allowed origins. */
  readonly cors?: readonly string[] | undefined;
  /** At least 1. */
  readonly concurrency: number;
  /** Timeout for an answer in seconds; 0: none. */
  readonly timeLimit: number;
}

/** Node's timers are limited to 24 days. */
const mostSeconds = 86_400;

/** Throws `ConfigError`: `no-such-port`, `no-concurrency`, `time-limit-too-long`, `not-an-origin`. */
export function checkServe({ port, cors = [], concurrency, timeLimit }: ServeRequest): void {
  if (port > 65_535)
    throw new ConfigError(`${port} is not a port.`, {
      code: 'no-such-port',
      hint: 'Use a port up to 65535, or 0 for any free port.',
    });
  if (concurrency < 1)
    throw new ConfigError('`--concurrency` must be at least 1.', {
      code: 'no-concurrency',
      hint: 'Use 1 or more.',
    });
  if (timeLimit > mostSeconds)
    throw new ConfigError('`--time-limit` must be at most one day.', {
      code: 'time-limit-too-long',
      hint: `Use ${mostSeconds} seconds or fewer, or 0 for no limit.`,
    });
  for (const origin of cors) {
    if (URL.canParse(origin) && new URL(origin).origin === origin) continue;
    throw new ConfigError(`\`--cors\` must be an origin, not ${quote(origin)}.`, {
      code: 'not-an-origin',
      hint: 'Use an origin such as `http://localhost:5173`, without a path or wildcard.',
    });
  }
}

/** Validates the token for clients. `source` describes where it comes from. Throws `not-a-token`. */
export function checkServeToken(text: string | undefined, source: string): string | undefined {
  const token = text?.trim();
  if (token === undefined || /^[\x21-\x7e]{8,}$/.test(token)) return token;
  throw new ConfigError(`${source} does not contain a valid token.`, {
    code: 'not-a-token',
    hint: 'Use a token of at least 8 characters: letters, digits and punctuation, no spaces.',
  });
}
