import { invariant } from '../../ask/invariant.ts';

/** Knows the secrets of a client, and blots them out. */
export interface Redactor {
  learn(secret: string): void;
  /** Every secret in whatever spelling of a URL, of JSON or of HTML it stands there, as `[redacted]`. */
  redact(text: string): string;
  /** Whether an address holds a secret: as a value of its query, or anywhere where the secret is too long to be there by chance. */
  isIn(url: URL): boolean;
  /** An error that may be shown whole: itself, or a copy without the secrets where it or one of its causes holds one. */
  redactError(error: unknown): unknown;
}

const notByChance = 12;
const blot = '[redacted]';

/** A token that is made anew for each request is not remembered for ever. */
const mostLearnt = 50;

/** `always`: secrets that are known from the start, and never forgotten. */
export function openRedactor(...always: readonly string[]): Redactor {
  const patterns = new Map(always.map((secret) => [secret, toPattern(secret)] as const));

  const redact = (text: string) => {
    let clean = text;
    for (const pattern of patterns.values()) clean = clean.replace(pattern, blot);
    return clean;
  };

  return {
    learn(secret) {
      invariant(secret !== '', 'an empty text is no secret');
      if (patterns.has(secret)) return;
      patterns.set(secret, toPattern(secret));
      const oldest = [...patterns.keys()][always.length];
      if (patterns.size > always.length + mostLearnt && oldest !== undefined) patterns.delete(oldest);
    },
    redact,
    isIn: (url) => [...patterns].some(([secret, pattern]) => [...url.searchParams.values()].includes(secret) || (secret.length >= notByChance && url.href.search(pattern) >= 0)),
    redactError: (error) => redactError(error, redact, 0),
  };
}

function toPattern(secret: string): RegExp {
  return new RegExp([...secret].map(spellingsOf).join(''), 'gu');
}

const entities: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/** A pattern for a character as an entity of HTML, percent-encoded (also more than once), escaped as in JSON, or as it is; the longer ones first. */
function spellingsOf(character: string): string {
  const code = character.codePointAt(0)!;
  const bytes = [...new TextEncoder().encode(character)].map((byte) => `%(?:25)*${anyCase(byte.toString(16).padStart(2, '0'))}`);
  const entity = entities[character];
  const spellings = [
    ...(entity === undefined ? [] : [`&${entity};`]), `&#0*${code};`, `&#[xX]0*${anyCase(code.toString(16))};`,
    `\\\\u${anyCase(code.toString(16).padStart(4, '0'))}`, bytes.join(''), `\\\\?${escape(character)}`,
  ];
  return `(?:${spellings.join('|')})`;
}

function escape(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/gi, (digit) => `[${digit.toLowerCase()}${digit.toUpperCase()}]`);
}

/** Causes deeper than this are left out: a circle would have no end. */
const deepest = 8;

function redactError(error: unknown, redact: (text: string) => string, depth: number): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? redact(error) : undefined;
  const cause = error.cause === undefined || depth >= deepest ? undefined : redactError(error.cause, redact, depth + 1);
  const isClean = [error.message, error.stack ?? '', ...Object.values(error).map(asText)].every((text) => text !== undefined && redact(text) === text);
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
