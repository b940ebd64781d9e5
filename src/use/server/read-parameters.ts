import type { IncomingMessage } from 'node:http';
import { readBody } from './read-body.ts';
import { readForm } from './read-form.ts';
import { Refusal } from './refusal.ts';

/** What a request says beside its path, by name; the body's word goes before the address's. */
export type Parameters = ReadonlyMap<string, unknown>;

/** Reads parameters of the address and of the body, which is JSON or a form, `multipart/form-data` too. Errors: `Refusal` of 400, 413, 415. */
export async function readParameters(request: IncomingMessage, search: string, mostBytes: number): Promise<Parameters> {
  const inAddress = readForm(search);
  const text = request.method === 'POST' ? await readBody(request, mostBytes) : '';
  if (text.trim() === '') return inAddress;
  return new Map<string, unknown>([...inAddress, ...(await bodyParameters(text, request.headers['content-type']))]);
}

async function bodyParameters(text: string, contentType: string | undefined): Promise<ReadonlyMap<string, unknown>> {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/x-www-form-urlencoded') return readForm(text);
  if (type === 'multipart/form-data') return readForm(await readMultipart(text, contentType ?? ''));
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

async function readMultipart(text: string, contentType: string): Promise<URLSearchParams> {
  const form = await new Response(text, { headers: { 'content-type': contentType } }).formData().catch((cause: unknown) => {
    throw new Refusal(400, `The body is no multipart form: ${cause instanceof Error ? cause.message : String(cause)}`);
  });
  return new URLSearchParams([...form].map(([name, value]): [string, string] => {
    if (typeof value !== 'string') throw new Refusal(400, 'The form holds a file, and files are not taken.');
    return [name, value];
  }));
}
