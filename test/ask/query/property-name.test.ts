import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tokenize } from '../../../src/ask/notation/tokens.ts';
import { readNotation } from '../../../src/ask/notation/read-notation.ts';
import { writeNotation } from '../../../src/ask/notation/write-notation.ts';
import { memberPattern } from '../../../src/ask/query/member-name.ts';
import {
  eachValue,
  hasPropertyName,
  productFunctions,
  readPropertyMember,
  spellProperty,
  writePropertyMember,
  writePropertyName,
} from '../../../src/ask/query/property-name.ts';
import { readQuery } from '../../../src/ask/query/query-schema.ts';
import { withProperties } from '../../../src/plan/model/properties.ts';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { toCatalog } from '../../../src/plan/model/catalog.ts';

const paths = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.constantFrom('a.b', '$x', 'day', "'", '%2E', '(', '~', 'Plan type', 'Price ($)', 'Größe', 'a/b', 'sum(x)'),
    ),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .filter(hasPropertyName);
/** Also those of the values of a list. */
const listPaths = fc.tuple(paths, fc.option(fc.nat())).map(([path, at]) => {
  const place = at === null ? path.length : 1 + (at % path.length);
  return at === null ? path : path.toSpliced(place, 0, eachValue);
});
const computes = fc.constantFrom(undefined, 'sum', 'avg', 'min', 'max', 'median', 'distinct', 'p1', 'p90', 'p99');

it('the name of a property reads back to its keys, whatever they are', () => {
  fc.assert(
    fc.property(listPaths, computes, (path, compute) => {
      const name = writePropertyMember({ compute, path });
      expect(readPropertyMember(name)).toEqual({ compute, path });
      expect(`TrackedEvents.${name}`).toMatch(memberPattern());
    }),
  );
});

it('so does the name of a product', () => {
  fc.assert(
    fc.property(listPaths, listPaths, fc.constantFrom(...productFunctions), (path, times, compute) => {
      const name = writePropertyMember({ compute, path, times });
      expect(readPropertyMember(name)).toEqual({ compute, path, times });
      expect(`TrackedEvents.${name}`).toMatch(memberPattern());
      expect(tokenize(`${name} by day`).tokens[0]!.text).toBe(name);
    }),
  );
});

it('a query on a property reads back from its line and from its file', () => {
  fc.assert(
    fc.property(listPaths, (path) => {
      const profile = {
        path,
        type: 'number' as const,
        events: 1,
        numbers: 1,
        large: 0,
        rounded: 0,
        wholeDigits: 1,
        scale: 0,
        example: '1',
      };
      const products = [{ compute: 'sum', path, times: path }];
      const model = withProperties(builtInModel, { read: [profile], sampled: [] }, { products });
      const name = writePropertyName(path);
      const query = {
        measures: [`TrackedEvents.sum(${name})`, `TrackedEvents.sum(${name}*${name})`],
        dimensions: [`TrackedEvents.${name}`],
        filters: [{ member: `TrackedEvents.${name}`, operator: 'gt' as const, values: ['1'] }],
        order: [[`TrackedEvents.${name}`, 'desc'] as const],
      };
      const options = { members: toCatalog(model) };
      const line = writeNotation(query, options);
      const [spelled, figure] = [name, `sum(${name})`].map(spellProperty);
      expect(line).toBe(`${figure}, sum(${name}*${name}) by ${spelled} where ${spelled} > 1 order by ${spelled} desc`);
      expect(readNotation(line!, options)).toMatchObject({
        ok: true,
        value: { ...query, order: [[`TrackedEvents.${name}`, 'desc']] },
      });
      expect(readQuery(query)).toMatchObject({ ok: true });
    }),
  );
});

it('refuses malformed property names', () => {
  for (const name of [
    'props',
    'props.',
    'props..a',
    'props.a b',
    'props.%',
    'props.%FF',
    'sum(plan)',
    'p0(props.a)',
    'props.[]',
    'props.a[][]',
    'props.a[].b[]',
    'props.a*props.b',
    'median(props.a*props.b)',
    'sum(props.a*props.b*props.c)',
    'sum(props.a',
  ])
    expect(readPropertyMember(name), name).toBeUndefined();
});
