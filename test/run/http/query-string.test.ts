import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ParameterValue, encodePathParameter, toQueryString } from '../../../src/run/http/query-string.ts';

describe('a query string', () => {
  it.each<[string, Record<string, ParameterValue>]>([
    [
      'page=2&search=a%20b%26c%3Dd&big=12345678901234567890&yes=true',
      { page: 2, search: 'a b&c=d', big: 12345678901234567890n, yes: true },
    ],
    ['ids[]=1&ids[]=2&list[]=a', { ids: [1, 2], none: [], null: null, undefined, list: [null, 'a', undefined] }],
    [
      'filter[scope]=a%2Fb&filter[deep][er]=1&filter[list][]=1',
      { filter: { scope: 'a/b', deep: { er: 1 }, list: [1], no: null } },
    ],
    [
      'variables[0][key]=A&variables[0][value]=1&variables[1][key]=B&variables[1][value]=%2B',
      { variables: [{ key: 'A', value: '1' }, null, { key: 'B', value: '+' }] },
    ],
    ['timezone=%2B02%3A00&%C3%BC=%EF%BF%BD', { timezone: '+02:00', ü: '\ud800' }],
    ['empty=', { empty: '' }],
    ['', {}],
  ])('is %j', (expected, parameters) => {
    expect(toQueryString(parameters)).toBe(expected);
  });

  it('says what it was made of', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })), (parameters) => {
        expect([...new URLSearchParams(toQueryString(parameters))]).toEqual(Object.entries(parameters));
      }),
    );
  });

  it('refuses what is no number', () => {
    expect(() => toQueryString({ a: Number.NaN })).toThrow('invariant');
  });
});

describe('a path parameter', () => {
  it.each<[string | number, string]>([
    [42, '42'],
    ['group/sub group/project', 'group%2Fsub%20group%2Fproject'],
    ['a?b#c%d', 'a%3Fb%23c%25d'],
    ['...', '...'],
  ])('%j is written %j', (value, expected) => {
    expect(encodePathParameter(value)).toBe(expected);
  });

  it.each(['', '.', '..'])('is not %j', (value) => {
    expect(() => encodePathParameter(value)).toThrow(
      expect.objectContaining({ name: 'HttpError', code: 'bad-address' }),
    );
  });

  it('is one step of the path, and the same when it is read back', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text !== '.' && text !== '..'),
        (text) => {
          const { pathname } = new URL(`https://code.example.org/projects/${encodePathParameter(text)}/end`);
          expect(pathname.split('/').map(decodeURIComponent)).toEqual(['', 'projects', text, 'end']);
        },
      ),
    );
  });
});
