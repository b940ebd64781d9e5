import type { IncomingMessage } from 'node:http';
import { readBody } from './read-body.ts';
import { readForm } from './read-form.ts';
import { Refusal } from './refusal.ts';

/** What a request says beside its path, by name; the body's word goes before the address's. */
export type Parameters = ReadonlyMap<string, unknown>;

/** Reads parameters of the address and of the body, which is JSON or a form. Errors: `Refusal` of 400, 413, 415. */
export async function readParameters(request: IncomingMessage, search: string, mostBytes: number): Promise<Parameters> {
  const inAddress = readForm(search);
  const text = request.method === 'POST' ? await readBody(request, mostBytes) : '';
  if (text.trim() === '') return inAddress;
  return new Map<string, unknown>([...inAddress, ...bodyParameters(text, request.headers['content-type'])]);
}

function bodyParameters(text: string, contentType: string | undefined): ReadonlyMap<string, unknown> {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/x-www-form-urlencoded') return readForm(text);
  if (type !== undefined && type !== 'text/plain' && !/[/+]json$/.test(type)) throw new Refusal(415, 'The body must be JSON or a form.');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new Refusal(400, `The body is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new Refusal(400, 'The body must be a JSON object.');
  return new Map(Object.entries(body));
}
