import type { IncomingMessage } from 'node:http';
import { AbortedError } from '../../ask/sluice-error.ts';
import { Refusal } from './refusal.ts';

/** Reads the body of a request. Throws a `Refusal` of 413 if it is too large, and `AbortedError`. */
export async function readBody(request: IncomingMessage, mostBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw tooLarge(mostBytes);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > mostBytes) throw tooLarge(mostBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    // Any other error means that the client disconnected.
    throw error instanceof Refusal ? error : new AbortedError(error);
  }
  return Buffer.concat(chunks);
}

/** Decodes UTF-8. Throws a `Refusal` of 400 if the bytes are not valid. */
export function decodeBody(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal(400, 'The body is not UTF-8.');
  }
}

/**
 * The error for a body that is too large. The rest of the body is read and discarded, so that the client can read the
 * answer; the request timeout bounds this.
 */
function tooLarge(mostBytes: number): Refusal {
  return new Refusal(413, `The body is larger than ${mostBytes} bytes.`);
}

/**
 * A form or URL parameter: text, or a structure built from names with brackets. Numbers and booleans are only parsed
 * inside a query.
 */
type FormValue = string | number | boolean | readonly FormValue[] | { readonly [key: string]: FormValue };

/** Maximum nesting of brackets, and maximum number of parameters. */
const deepest = 32;
const most = 2_000;

type Node = string | Branch;

interface Branch {
  /** Entries by name. Numbers and `[]` build a list. */
  readonly entries: Map<string, Node>;
  next: number;
}

/**
 * Reads parameters in the platform's format: `name=v`, repeated `name[]=v`, `name[key]=v`, `name[0][key]=v`. The last
 * value of a name wins. Throws a `Refusal` if there are too many, if they nest too deeply, or if a name is both a value
 * and a list.
 */
function readForm(form: string | URLSearchParams): ReadonlyMap<string, FormValue> {
  const root = newBranch();
  let count = 0;
  for (const [name, value] of new URLSearchParams(form)) {
    if ((count += 1) > most) throw new Refusal(400, `There are more than ${most} parameters.`);
    const path = pathOf(name);
    let branch = root;
    for (const step of path.slice(0, -1)) branch = stepInto(branch, keyOf(branch, step), name);
    branch.entries.set(keyOf(branch, path.at(-1) as string), value);
  }
  return new Map(
    [...root.entries].map(([name, node]) => [name, name === 'query' ? toQuery(toValue(node)) : toValue(node)]),
  );
}

/** Parses numbers and booleans in a query, because forms only have text: `query[limit]=2`. */
function toQuery(query: FormValue): FormValue {
  if (typeof query !== 'object') return query;
  if (isList(query)) return query.map(toQuery);
  return record(
    Object.entries(query).map(([key, value]) => [
      key,
      typeof value === 'string' && Object.hasOwn(readers, key) ? readers[key]!(value) : value,
    ]),
  );
}

const toNumber = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : text);
const toBoolean = (text: string) => (text === 'true' || text === 'false' ? text === 'true' : text);
const readers: Readonly<Record<string, (text: string) => FormValue>> = {
  limit: toNumber,
  offset: toNumber,
  total: toBoolean,
  ungrouped: toBoolean,
};

function isList(value: FormValue): value is readonly FormValue[] {
  return Array.isArray(value);
}

/** No prototype, so that `__proto__` is an ordinary key. */
function record(entries: Iterable<readonly [string, FormValue]>): Readonly<Record<string, FormValue>> {
  return Object.assign(Object.create(null) as Record<string, FormValue>, Object.fromEntries(entries));
}

/** Splits a name: `a[b][]` → `a`, `b`, ``. Unpaired brackets are part of the name. */
function pathOf(name: string): readonly string[] {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name);
  if (!match) return [name];
  const steps = [...(match[2] as string).matchAll(/\[([^[\]]*)\]/g)].map((step) => step[1] as string);
  if (steps.length > deepest) throw new Refusal(400, `Parameters nest deeper than ${deepest} levels.`);
  return [match[1] as string, ...steps];
}

function keyOf(branch: Branch, step: string): string {
  if (step !== '') return step;
  const key = String(branch.next);
  branch.next += 1;
  return key;
}

function stepInto(branch: Branch, key: string, name: string): Branch {
  const there = branch.entries.get(key);
  if (typeof there === 'string')
    throw new Refusal(400, `The parameter ${JSON.stringify(name.slice(0, 100))} is both a single value and a list.`);
  if (there) return there;
  const made = newBranch();
  branch.entries.set(key, made);
  return made;
}

function newBranch(): Branch {
  return { entries: new Map(), next: 0 };
}

function toValue(node: Node): FormValue {
  if (typeof node === 'string') return node;
  const entries = [...node.entries];
  if (entries.every(([key]) => /^\d{1,6}$/.test(key)))
    return entries.toSorted(([a], [b]) => Number(a) - Number(b)).map(([, value]) => toValue(value));
  return record(entries.map(([key, value]) => [key, toValue(value)]));
}

/** Parameters of a request by name. The body overrides the URL. */
export type Parameters = ReadonlyMap<string, unknown>;

/**
 * Reads the parameters of the URL and the body, which is JSON or a form, including `multipart/form-data`. Throws a
 * `Refusal` of 400, 413 or 415.
 */
export async function readParameters(request: IncomingMessage, search: string, mostBytes: number): Promise<Parameters> {
  const inAddress = readForm(search);
  const text = request.method === 'POST' ? decodeBody(await readBody(request, mostBytes)) : '';
  if (text.trim() === '') return inAddress;
  return new Map<string, unknown>([...inAddress, ...(await bodyParameters(text, request.headers['content-type']))]);
}

async function bodyParameters(text: string, contentType: string | undefined): Promise<ReadonlyMap<string, unknown>> {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/x-www-form-urlencoded') return readForm(text);
  if (type === 'multipart/form-data') return readForm(await readMultipart(text, contentType ?? ''));
  if (type !== undefined && type !== 'text/plain' && !/[/+]json$/.test(type))
    throw new Refusal(415, 'The body must be JSON or a form.');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new Refusal(400, `The body is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal(400, 'The body must be a JSON object.');
  return new Map(Object.entries(body));
}

async function readMultipart(text: string, contentType: string): Promise<URLSearchParams> {
  const form = await new Response(text, { headers: { 'content-type': contentType } })
    .formData()
    .catch((cause: unknown) => {
      throw new Refusal(
        400,
        `The body is not a multipart form: ${cause instanceof Error ? cause.message : String(cause)}`,
      );
    });
  return new URLSearchParams(
    [...form].map(([name, value]): [string, string] => {
      if (typeof value !== 'string') throw new Refusal(400, 'The form contains a file. Files are not accepted.');
      return [name, value];
    }),
  );
}
