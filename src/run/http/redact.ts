import { invariant } from '../../ask/invariant.ts';
import { holdsSecret, openBodyWatch, type WatchBody } from './body-watch.ts';
import { openSecretFinder, type SecretFinder } from './secret-finder.ts';

/** Knows the secrets of a client and redacts them. */
export interface Redactor {
  learn(secret: string): void;
  /** Replaces every secret by `[redacted]`, in every spelling (see `openSecretFinder`). */
  redact(text: string): string;
  /**
   * True if an address contains a secret: as a query value, or anywhere if the secret is too long to occur by chance.
   */
  isIn(url: URL): boolean;
  /**
   * Searches bodies for secrets, except for those so short that data contain them by chance. undefined if there are
   * none.
   */
  watch(): WatchBody | undefined;
  isInBody(body: Uint8Array): boolean;
  /** An error without secrets: itself, or a redacted copy if it or one of its causes contains one. */
  redactError(error: unknown): unknown;
}

const notByChance = 8;
const blot = '[redacted]';

/** A token that is renewed for each request is not remembered forever. */
const mostLearnt = 50;

/** `always`: secrets known from the start, which are never forgotten. */
export function openRedactor(...always: readonly string[]): Redactor {
  const secrets = new Set(always);
  let all: SecretFinder | undefined;
  let long: SecretFinder | undefined;
  let watchBody: WatchBody | undefined;

  const prepare = () => {
    const longOnes = [...secrets].filter(({ length }) => length >= notByChance);
    all = secrets.size === 0 ? undefined : openSecretFinder([...secrets]);
    long = longOnes.length === 0 ? undefined : openSecretFinder(longOnes);
    watchBody = long && openBodyWatch(long);
  };
  prepare();

  const redact = (text: string) => (all === undefined ? text : blotOut(text, all, blot));

  return {
    learn(secret) {
      invariant(secret !== '', 'an empty text is no secret');
      if (secrets.has(secret)) return;
      secrets.add(secret);
      const oldest = [...secrets][always.length];
      if (secrets.size > always.length + mostLearnt && oldest !== undefined) secrets.delete(oldest);
      prepare();
    },
    redact,
    isIn(url) {
      const isValue = [...url.searchParams.values()].some((value) => secrets.has(value));
      return isValue || (long !== undefined && long.find(url.href).length > 0);
    },
    watch: () => watchBody,
    isInBody: (body) => watchBody !== undefined && holdsSecret(body, watchBody),
    redactError: (error) => redactError(error, redact, 0),
  };
}

/** Replaces each secret in a text by a mark. */
export function blotOut(text: string, finder: SecretFinder, mark: string): string {
  const spans = finder.find(text);
  if (spans.length === 0) return text;
  const between = spans.map(([start], index) => text.slice(spans[index - 1]?.[1] ?? 0, start));
  return [...between, text.slice(spans.at(-1)![1])].join(mark);
}

/** Deeper causes are dropped, because they may form a cycle. */
const deepest = 8;

function redactError(error: unknown, redact: (text: string) => string, depth: number): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? redact(error) : undefined;
  const cause = error.cause === undefined || depth >= deepest ? undefined : redactError(error.cause, redact, depth + 1);
  const isClean = [error.message, error.stack ?? '', ...Object.values(error).map(asText)].every(
    (text) => text !== undefined && redact(text) === text,
  );
  if (isClean && cause === error.cause) return error;
  const copy = new Error(redact(error.message), cause === undefined ? undefined : { cause });
  copy.name = error.name;
  copy.stack = redact(error.stack ?? '');
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? Object.assign(copy, { code: redact(code) }) : copy;
}

/** undefined if the value cannot be searched. */
function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return undefined;
  }
}
