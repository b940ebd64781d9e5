import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, it } from 'vitest';
import { query } from '../../../src/ask/query/builder.ts';
import type { ModelTypes } from '../../../src/ask/query/model-types.ts';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { readModel } from '../../../src/plan/model/read/read-model.ts';
import { writeModelTypes } from '../../../src/plan/model/write-model-types.ts';

const shop = `
cubes:
  - name: Orders
    sql_table: orders
    measures:
      - {name: count, type: count, description: "All of them. */ export const evil = 1; /*"}
      - {name: latest, type: max, sql: paid_at}
      - {name: hidden, type: count, public: false}
    dimensions:
      - {name: id, type: number, sql: id, primary_key: true}
      - {name: city, type: string, sql: city}
      - {name: open, type: boolean, sql: open}
      - {name: paidAt, type: time, sql: paid_at}
`;

/** The expected output for the model above, as a type. Compiling this file checks that it fits the builder. */
interface Shop {
  measures: { 'Orders.count': number; 'Orders.latest': number | bigint | string };
  dimensions: { 'Orders.city': string; 'Orders.open': boolean; 'Orders.paidAt': string };
  times: { 'Orders.paidAt': string };
  segments: never;
}

describe('the types of a model', () => {
  const read = readModel([{ file: 'shop.yaml', text: shop }]);
  const written = read.ok ? writeModelTypes(read.value, { name: 'Shop' }) : '';

  it('hold the listed members with the types of their values', () => {
    expect(
      written.replace(/^ *\/\*\*.*\n/gm, ''),
    ).toBe(`// Written by \`sluice model -f ts\`. Use it as the type of a query: \`query<Model>().measures(…)\`.

export interface Shop {
  measures: {
    'Orders.count': number;
    'Orders.latest': number | bigint | string;
  };
  dimensions: {
    'Orders.city': string;
    'Orders.open': boolean;
    'Orders.paidAt': string;
  };
  times: {
    'Orders.paidAt': string;
  };
  segments: never;
}
`);
  });

  it('are types and nothing else, whatever a description holds', () => {
    expect(
      stripTypeScriptTypes(written)
        .replace(/^\/\/.*$/gm, '')
        .trim(),
    ).toBe('');
  });

  it('fit the builder', () => {
    const fits = <T extends ModelTypes>() => query<T & ModelTypes>();
    expect(fits<Shop>().toQuery()).toEqual({});
    expect(
      query<Shop>().measures('Orders.count').by('Orders.paidAt').time('Orders.paidAt', 'day').toQuery().measures,
    ).toEqual(['Orders.count']);
    // @ts-expect-error no such member
    expect(query<Shop>().measures('Orders.hidden').toQuery().measures).toEqual(['Orders.hidden']);
  });

  it('of the built-in model name every listed member', () => {
    const source = writeModelTypes(builtInModel);
    expect(source).toContain("    /** Number of page views. */\n    'TrackedEvents.pageViewsCount': number;\n");
    expect(source).toContain("  segments:\n    | 'TrackedEvents.knownUsers'\n");
    expect(source).not.toContain('Jitsu');
    expect(
      stripTypeScriptTypes(source)
        .replace(/^\/\/.*$/gm, '')
        .trim(),
    ).toBe('');
  });
});

it('the types of the built-in cubes are those of the model', () => {
  const own = readFileSync(new URL('../../../src/ask/query/built-in-types.ts', import.meta.url), 'utf8');
  const written = writeModelTypes(builtInModel, { name: 'BuiltInModel' });
  expect(own.slice(own.indexOf('export'))).toBe(written.slice(written.indexOf('export')));
});
