import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTemplate } from '../../../src/plan/model/template.ts';

const read = (text: string) =>
  readTemplate(text, { cube: 'Orders', path: ['sql'], cubes: new Set(['Orders', 'Users']), alsoKnownAs: ['Base'] });
const parts = (text: string) => {
  const outcome = read(text);
  return outcome.ok ? outcome.value : outcome.issues.map(({ code }) => code);
};
const text = (of: string) => ({ kind: 'text', text: of });
const member = (cube: string, name: string) => ({ kind: 'member', cube, member: name });

describe('a template', () => {
  it('puts the cube in front of a bare name', () => {
    expect(parts(' amount ')).toEqual([{ kind: 'cube' }, text('.amount')]);
  });

  it.each(['true', 'NULL', 'current_date', '1', 'a + b', "'text'"])('leaves %s as it is', (sql) => {
    expect(parts(sql)).toEqual([text(sql)]);
  });

  it.each([
    ['{CUBE}.a', [{ kind: 'cube' }, text('.a')]],
    ['${TABLE}.a', [{ kind: 'cube' }, text('.a')]],
    ['{Orders}.a', [{ kind: 'cube' }, text('.a')]],
    ['{Base}.a', [{ kind: 'cube' }, text('.a')]],
    ['{ Users }.id', [{ kind: 'joined-cube', cube: 'Users' }, text('.id')]],
    ['{count}', [member('Orders', 'count')]],
    ['{CUBE.count}', [member('Orders', 'count')]],
    ['${Base.count}', [member('Orders', 'count')]],
    ['{Users.plan}', [member('Users', 'plan')]],
    ['1.0 * {a}/{Users.b} + 1', [text('1.0 * '), member('Orders', 'a'), text('/'), member('Users', 'b'), text(' + 1')]],
  ])('reads %s', (sql, expected) => {
    expect(parts(sql)).toEqual(expected);
  });

  it('takes escaped braces and lone dollars for what they are', () => {
    expect(parts(String.raw`{CUBE}.json = '\{"a": 1\}' AND price = '$5' AND path LIKE 'a\b'`)).toEqual([
      { kind: 'cube' },
      text(String.raw`.json = '{"a": 1}' AND price = '$5' AND path LIKE 'a\b'`),
    ]);
  });

  it.each([
    ["{FILTER_PARAMS.Orders.at.filter('at')}", ['not-supported']],
    ['{SECURITY_CONTEXT.tenant}', ['not-supported']],
    ['{{ macro() }}', ['not-supported']],
    ['{% if x %}', ['not-supported']],
    ['{Users.Plans.name}', ['not-supported']],
    ['{}', ['bad-reference']],
    ['{a b}', ['bad-reference']],
    ['{CUBE}.a = {', ['bad-template']],
    ['a } b', ['bad-template']],
    ['{} + {1}', ['bad-reference', 'not-supported']],
  ])('refuses %s', (sql, codes) => {
    expect(parts(sql)).toEqual(codes);
  });

  it('gives back every text without braces, dollars and backslashes', () => {
    fc.assert(
      fc.property(
        fc.string().map((any) => any.replace(/[{}$\\]/g, '')),
        (any) => {
          fc.pre(!/^\s*\w*\s*$/.test(any));
          expect(parts(any)).toEqual([text(any)]);
        },
      ),
    );
  });

  it('gives back every text whose braces are escaped', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('{', '}', 'a', ' ', '.', "'")), (characters) => {
        const written = characters.map((character) => character.replace(/[{}]/, '\\$&')).join('');
        fc.pre(!/^\s*\w*\s*$/.test(written));
        expect(parts(written)).toEqual([text(characters.join(''))]);
      }),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('{', '}', '{{', '$', '\\', '.', 'CUBE', 'Users', 'a', ' ', '%')),
        (pieces) => {
          expect(typeof read(pieces.join('')).ok).toBe('boolean');
        },
      ),
      { numRuns: 500 },
    );
  });
});
