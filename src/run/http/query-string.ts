import { invariant } from '../../ask/invariant.ts';
import { quote } from '../../ask/text.ts';
import { HttpError } from './http-error.ts';

/** The parameters of a request. What is null or undefined is left out. */
export type QueryParameters = { readonly [name: string]: ParameterValue };

export type ParameterValue = Scalar | Hash | readonly (Scalar | Hash)[];

type Scalar = string | number | bigint | boolean | null | undefined;

type Hash = { readonly [key: string]: ParameterValue };

/**
 * Parameters as the platform reads them, without `?`: `name=v`, arrays `name[]=v`, hashes `name[key]=v`, arrays of
 * hashes `name[0][key]=v`. A `+` is sent as `%2B`, since a bare one is read as a space.
 */
export function toQueryString(parameters: QueryParameters): string {
  return toPairs(parameters, encode)
    .map((pair) => pair.join('='))
    .join('&');
}

/** The same parameters one by one, for bodies that have an encoding of their own. */
export function toPairs(
  parameters: QueryParameters,
  write: (text: string) => string = (text) => text,
): readonly (readonly [name: string, value: string])[] {
  return Object.entries(parameters).flatMap(([name, value]) => pairsOf(write(name), value, write));
}

/**
 * A value that stands in a path, such as `group/project`: its `/` as `%2F`, so that the route matches. Error:
 * `bad-address` for what no path can hold.
 */
export function encodePathParameter(value: string | number | bigint): string {
  const text = String(value);
  // Even as `%2E%2E` an address takes them for steps, not names.
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
    // An index is counted over the hashes that are sent.
    const items = value.filter((item) => item !== null && item !== undefined);
    return items.flatMap((item, index) => pairsOf(isHash(item) ? `${name}[${index}]` : `${name}[]`, item, write));
  }
  if (isHash(value))
    return Object.entries(value).flatMap(([key, item]) => pairsOf(`${name}[${write(key)}]`, item, write));
  invariant(typeof value !== 'number' || Number.isFinite(value), `the parameter ${name} is ${value}`);
  return [[name, write(String(value))]];
}

function isList(value: ParameterValue): value is readonly (Scalar | Hash)[] {
  return Array.isArray(value);
}

function isHash(value: ParameterValue): value is Hash {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
