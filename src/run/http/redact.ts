import { invariant } from '../../ask/invariant.ts';
import { holdsSecret, openBodyWatch, type WatchBody } from './body-watch.ts';
import { openSecretFinder, type SecretFinder } from './secret-finder.ts';

/** Knows the secrets of a client, and blots them out. */
export interface Redactor {
  learn(secret: string): void;
  /** Every secret as `[redacted]`, in whatever spelling it stands there (see `openSecretFinder`). */
  redact(text: string): string;
  /**
   * Whether an address holds a secret: as a value of its query, or anywhere where the secret is too long to be there by
   * chance.
   */
  isIn(url: URL): boolean;
  /** Finds secrets in bodies, except those so short that data contain them by chance; undefined if there is none. */
  watch(): WatchBody | undefined;
  isInBody(body: Uint8Array): boolean;
  /**
   * An error that may be shown whole: itself, or a copy without the secrets where it or one of its causes holds one.
   */
  redactError(error: unknown): unknown;
}

const notByChance = 8;
const blot = '[redacted]';

/** A token that is made anew for each request is not remembered for ever. */
const mostLearnt = 50;

/** `always`: secrets that are known from the start, and never forgotten. */
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

/** A text with a mark in place of each secret. */
export function blotOut(text: string, finder: SecretFinder, mark: string): string {
  const spans = finder.find(text);
  if (spans.length === 0) return text;
  const between = spans.map(([start], index) => text.slice(spans[index - 1]?.[1] ?? 0, start));
  return [...between, text.slice(spans.at(-1)![1])].join(mark);
}

/** Causes deeper than this are left out: a circle would have no end. */
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

/** Undefined for what cannot be looked through. */
function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return undefined;
  }
}
