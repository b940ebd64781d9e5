import { quote } from '../../ask/quote.ts';
import { HttpError } from './http-error.ts';
import type { HttpResponse } from './http-client.ts';
import type { Received } from './send-once.ts';

export interface ResponseFacts {
  /** Already without secrets. */
  readonly url: string;
  readonly href: string;
  readonly attempts: number;
  readonly elapsedMs: number;
  readonly strayed: boolean;
}

/** A received response as callers see it. The body of a success is data, and stays as it is; any other is text for people, in which an echo of the token has no place. */
export function toResponse({ status, header, body }: Received, facts: ResponseFacts, redact: (text: string) => string): HttpResponse {
  const isData = status >= 200 && status < 300;
  let decoded: string | undefined;
  const readText = () => {
    if (decoded !== undefined) return decoded;
    const text = new TextDecoder().decode(body);
    return (decoded = isData ? text : redact(text));
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
    bytes: async () => (isData ? body : new TextEncoder().encode(readText())),
    text: async () => readText(),
    json: async () => {
      const text = readText();
      try {
        return JSON.parse(text) as unknown;
      } catch (cause) {
        throw new HttpError(`${facts.url} answered (${status}) with what is not JSON: ${describeBody(header('content-type'), text, redact)}.`, {
          code: 'not-json', url: facts.url, status, attempts: facts.attempts, elapsedMs: facts.elapsedMs, 
          // The parser's own words quote the text, and might cut a token in two.
          cause: redact(text) === text ? cause : undefined,
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
