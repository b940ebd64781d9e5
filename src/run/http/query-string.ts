import { invariant } from '../../ask/invariant.ts';
import { quote } from '../../ask/text.ts';
import { isRecord } from '../../ask/document/json-record.ts';
import { HttpError } from './http-error.ts';

/** The parameters of a request. Null and undefined are left out. */
export type QueryParameters = { readonly [name: string]: ParameterValue };

export type ParameterValue = Scalar | Hash | readonly (Scalar | Hash)[];

type Scalar = string | number | bigint | boolean | null | undefined;

type Hash = { readonly [key: string]: ParameterValue };

/**
 * Encodes parameters for the platform, without `?`: `name=v`, arrays `name[]=v`, hashes `name[key]=v`, arrays of hashes
 * `name[0][key]=v`. A `+` is sent as `%2B`, because a bare one is read as a space.
 */
export function toQueryString(parameters: QueryParameters): string {
  return toPairs(parameters, encode)
    .map((pair) => pair.join('='))
    .join('&');
}

/** The same parameters as pairs, for bodies with their own encoding. */
export function toPairs(
  parameters: QueryParameters,
  write: (text: string) => string = (text) => text,
): readonly (readonly [name: string, value: string])[] {
  return Object.entries(parameters).flatMap(([name, value]) => pairsOf(write(name), value, write));
}

/**
 * Encodes a path segment such as `group/project`, with `/` as `%2F` so that the route matches. Throws `bad-address` if
 * a path cannot contain it.
 */
export function encodePathParameter(value: string | number | bigint): string {
  const text = String(value);
  // URLs treat these as relative steps, even as `%2E%2E`.
  if (text !== '' && text !== '.' && text !== '..') return encode(text);
  throw new HttpError(`${quote(text)} cannot be part of a URL.`, {
    code: 'bad-address',
    url: '',
    hint: 'Use the number or the full path, such as 42 or group/project.',
  });
}

function pairsOf(name: string, value: ParameterValue, write: (text: string) => string): [string, string][] {
  if (value === null || value === undefined) return [];
  if (isList(value)) {
    // Indexes count only the hashes that are sent.
    const items = value.filter((item) => item !== null && item !== undefined);
    return items.flatMap((item, index) => pairsOf(isRecord(item) ? `${name}[${index}]` : `${name}[]`, item, write));
  }
  if (isRecord(value))
    return Object.entries(value).flatMap(([key, item]) => pairsOf(`${name}[${write(key)}]`, item, write));
  invariant(typeof value !== 'number' || Number.isFinite(value), `the parameter ${name} is ${value}`);
  return [[name, write(String(value))]];
}

function isList(value: ParameterValue): value is readonly (Scalar | Hash)[] {
  return Array.isArray(value);
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
