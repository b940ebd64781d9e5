import { expect, it } from 'vitest';
import { toCatalog } from '../../../../src/plan/model/catalog.ts';
import type { DrillFacts } from '../../../../src/use/answer/drill-down.ts';
import { drillChoices } from '../../../../src/use/explorer/question/drill-choices.ts';
import { modelOf } from '../../../plan/ask.ts';

const key = '{name: id, type: number, sql: id, primary_key: true}';
const cube = (name: string, dimension: string, joins: string) => `
  - name: ${name}
    sql_table: ${name}
    joins: [${joins}]
    measures: [{name: count, type: count}]
    dimensions: [${key}, {name: ${dimension}, type: string, sql: ${dimension}}]`;
const to = (name: string, relationship: string) =>
  `{name: ${name}, relationship: ${relationship}, sql: "{CUBE}.id = {${name}.id}"}`;
const catalog = toCatalog(
  modelOf(
    `cubes:${[
      cube('countries', 'continent', ''),
      cube('customers', 'plan', to('countries', 'many_to_one')),
      cube('items', 'sku', ''),
      cube('orders', 'status', `${to('items', 'one_to_many')}, ${to('customers', 'many_to_one')}`),
    ].join('')}`,
  ),
);

it('offers dimensions of cubes that have one row for each row of the measure, after its own', () => {
  const choices = (measure: string, dimensions: readonly string[] = []) =>
    drillChoices({ query: { measures: [measure], dimensions } } as unknown as DrillFacts, catalog, '')
      .slice(2)
      .map(({ name }) => name);
  expect(choices('orders.count')).toEqual(['status', 'customers.plan', 'countries.continent']);
  expect(choices('orders.count', ['customers.plan'])).toEqual(['status', 'countries.continent']);
  expect(choices('items.count')).toEqual(['sku']);
});
