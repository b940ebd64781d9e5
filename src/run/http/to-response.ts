import { quote } from '../../ask/quote.ts';
import { HttpError } from './http-error.ts';
import type { HttpResponse } from './http-client.ts';
import type { Redactor } from './redact.ts';
import type { Received } from './send-once.ts';

export interface ResponseFacts {
  /** Already without secrets. */
  readonly url: string;
  readonly href: string;
  readonly attempts: number;
  readonly elapsedMs: number;
  readonly strayed: boolean;
}

/** A received response as callers see it. What a server repeats of the token ends here. */
export function toResponse(
  { status, header, body, isClean = false }: Received, facts: ResponseFacts, { redact, isInBody }: Pick<Redactor, 'redact' | 'isInBody'>,
): HttpResponse {
  const isSuccess = status >= 200 && status < 300;
  let decoded: string | undefined;
  let isBlotted = false;
  const readText = () => {
    if (decoded !== undefined) return decoded;
    const text = new TextDecoder().decode(body);
    // The body of a success may be large, and is looked through the quick way first.
    decoded = isClean || (isSuccess && !isInBody(body)) ? text : redact(text);
    isBlotted = decoded !== text;
    return decoded;
  };

  return {
    status,
    ...facts,
    headers: {
      get: (name) => {
        const value = header(name.toLowerCase());
        return value === undefined ? undefined : redact(value);
      },
    },
    bytes: async () => (isClean || (isSuccess && !isInBody(body)) ? body : new TextEncoder().encode(readText())),
    text: async () => readText(),
    json: async () => {
      const text = readText();
      try {
        return JSON.parse(text) as unknown;
      } catch (cause) {
        throw new HttpError(`${facts.url} answered (${status}) with what is not JSON: ${describeBody(header('content-type'), text, redact)}.`, {
          code: 'not-json', url: facts.url, status, attempts: facts.attempts, elapsedMs: facts.elapsedMs, 
          // The parser's own words quote the text, and might cut a token in two.
          cause: !isBlotted && redact(text) === text ? cause : undefined,
          hint: 'Look at the address of the server in the configuration: a page to sign in, a proxy or another service may answer there.',
        });
      }
    },
  };
}

/** What came instead: `text/html, "<!DOCTYPE html>…"`. */
function describeBody(contentType: string | undefined, text: string, redact: (text: string) => string): string {
  const type = contentType === undefined ? 'no content type' : quote(redact(contentType)).slice(1, -1);
  return `${type}, ${text.trim() === '' ? 'nothing in it' : quote(redact(text.trim().slice(0, 10_000)))}`;
}
