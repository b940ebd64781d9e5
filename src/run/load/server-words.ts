import { isRecord } from '../../ask/document/json-record.ts';
import { showText } from '../../ask/text.ts';

/** A server's message instead of an answer, as one sanitized line. */
export interface ServerWords {
  /** `none`: empty. `cut`: truncated JSON. `page`: HTML, which comes from something between client and server. */
  readonly kind: 'json' | 'text' | 'page' | 'cut' | 'none';
  /** Empty if nothing can be quoted. */
  readonly text: string;
  /** Top-level fields if it is a JSON object. */
  readonly fields: Readonly<Record<string, unknown>>;
}

const longest = 400;

/**
 * Reads the body of a refusal in any form: `message` as text, as properties with faults (also nested) or as `{error}`;
 * `error` with or without `error_description`; plain text; HTML; nothing. `redact` is applied again to each assembled
 * line, because its parts may form a token. Source: the platform's API and Cube's.
 */
export function readServerWords(body: string, redact: (text: string) => string = (text) => text): ServerWords {
  const toLine = (said: string) => shorten(redact(showText(said.replace(/\s+/g, ' ').trim())));
  const text = body.trim();
  if (text === '') return { kind: 'none', text: '', fields: {} };
  if (text.startsWith('<'))
    return { kind: 'page', text: toLine(/<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? ''), fields: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: /^[[{]/.test(text) ? 'cut' : 'text', text: /^[[{]/.test(text) ? '' : toLine(text), fields: {} };
  }
  if (!isRecord(value)) return { kind: 'json', text: toLine(typeof value === 'string' ? value : ''), fields: {} };
  return { kind: 'json', text: toLine(sentencesOf(value).join(' ')), fields: value };
}

function sentencesOf({
  error,
  error_description: description,
  message,
}: Readonly<Record<string, unknown>>): readonly string[] {
  const said = [...faultsOf(message), ...(typeof error === 'string' ? [error] : faultsOf(error))];
  if (typeof description === 'string' && description !== '') return [...said.map((text) => `${text}:`), description];
  return said;
}

/** `{title: ['is missing'], embed: {url: ['is bad']}}` becomes `title is missing; embed url is bad`. */
function faultsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  const faults = listFaults(value, [], 0);
  return faults.length === 0 ? [] : [faults.join('; ')];
}

function listFaults(value: unknown, above: readonly string[], depth: number): readonly string[] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return [[...above, String(value)].join(' ')];
  if (depth > 5) return [];
  if (Array.isArray(value)) return value.flatMap((item) => listFaults(item, above, depth + 1));
  if (!isRecord(value)) return [];
  // This property only gives the place of the message.
  return Object.entries(value).flatMap(([key, inner]) =>
    listFaults(inner, key === 'error' || key === 'base' ? above : [...above, key], depth + 1),
  );
}

function shorten(line: string): string {
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
