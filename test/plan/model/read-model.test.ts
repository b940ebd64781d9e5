import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { toCatalog } from '../../../src/plan/model/catalog.ts';
import type { Model, Template } from '../../../src/plan/model/model.ts';
import { readModel } from '../../../src/plan/model/read/read-model.ts';

function model(...texts: readonly string[]): Model {
  const outcome = readModel(texts.map((text, index) => ({ file: `${index}.yaml`, text })));
  if (!outcome.ok) throw new Error(outcome.issues.map(({ message }) => message).join('\n'));
  expect(outcome.issues).toEqual([]);
  return outcome.value;
}

const show = (template: Template | undefined) =>
  template
    ?.map((part) => {
      switch (part.kind) {
        case 'text':
          return part.text;
        case 'cube':
          return '<>';
        case 'joined-cube':
          return `<${part.cube}>`;
        case 'member':
          return `<${part.cube}.${part.member}>`;
      }
    })
    .join('');

const orders = `
cubes:
  - name: Orders
    sql: "SELECT * FROM orders;"
    description: What was sold
    joins:
      - {name: Users, relationship: belongs_to, sql: "{CUBE}.user_id = {Users.id}"}
    measures:
      - {name: count, type: count, drill_members: [city, Users.plan, CUBE.paid_at]}
      - {name: revenue, type: sum, sql: "{CUBE}.cents / 100.0", format: currency, title: Money}
      - {name: buyers, type: countDistinct, sql: "{Users.id}"}
      - {name: big, type: count, filters: [{sql: "{CUBE}.cents > 1000"}, {sql: "{is_open}"}]}
      - {name: share, type: number, sql: "100.0 * {big} / nullif({count}, 0)", format: percent, public: false}
      - {name: week, type: sum, sql: cents, rolling_window: {trailing: 7 day}}
      - {name: running, type: sum, sql: cents, rolling_window: {trailing: unbounded, offset: start}}
      - {name: around, type: sum, sql: cents, rollingWindow: {trailing: 1 month, leading: 2 weeks}}
    dimensions:
      - {name: id, type: number, sql: id, primary_key: true}
      - {name: city, type: string, sql: city, meta: {any: thing}}
      - {name: paid_at, type: time, sql: "{TABLE}.paid_at"}
      - name: size
        type: string
        case:
          when:
            - {sql: "{CUBE}.cents < 100", label: small}
            - {sql: "{is_open}", label: {sql: city}}
          else: {label: 7}
    segments:
      - {name: is_open, sql: "{CUBE}.state = 'open'"}
    pre_aggregations:
      - {name: anything, measures: [count]}
    refresh_key: {every: 1 hour}
  - name: Users
    sqlTable: shop.users
    shown: false
    dimensions:
      - {name: id, type: string, sql: id, primaryKey: true, public: true}
      - {name: plan, type: string, sql: plan}
`;

describe('a Cube data model', () => {
  const [order, user] = model(orders).cubes;
  const measure = (name: string) => order?.measures.find((candidate) => candidate.name === name);
  const dimension = (name: string) => order?.dimensions.find((candidate) => candidate.name === name);

  it('gives cubes over queries and over tables', () => {
    expect(order).toMatchObject({
      name: 'Orders',
      title: 'Orders',
      description: 'What was sold',
      source: { kind: 'sql', sql: [{ kind: 'text', text: 'SELECT * FROM orders' }] },
      public: true,
      timeMember: 'paid_at',
    });
    expect(user).toMatchObject({
      source: { kind: 'table', table: 'shop.users' },
      public: false,
      timeMember: undefined,
    });
  });

  it('gives measures with what they aggregate, their filters, formats and drill members', () => {
    expect(measure('count')).toMatchObject({
      title: 'Orders Count',
      shortTitle: 'Count',
      sql: undefined,
      drillMembers: ['Orders.city', 'Users.plan', 'Orders.paid_at'],
    });
    expect(measure('revenue')).toMatchObject({
      title: 'Orders Money',
      shortTitle: 'Money',
      format: 'currency',
      public: true,
    });
    expect(measure('buyers')?.type).toBe('count_distinct');
    expect(show(measure('buyers')?.sql)).toBe('<Users.id>');
    expect(measure('big')?.filters.map(show)).toEqual(['<>.cents > 1000', '<Orders.is_open>']);
    expect(show(measure('share')?.sql)).toBe('100.0 * <Orders.big> / nullif(<Orders.count>, 0)');
    expect(measure('share')?.public).toBe(false);
  });

  it('gives rolling windows', () => {
    expect(measure('week')?.rollingWindow).toEqual({
      trailing: { amount: 7, unit: 'day' },
      leading: undefined,
      offset: 'end',
    });
    expect(measure('running')?.rollingWindow).toEqual({ trailing: 'unbounded', leading: undefined, offset: 'start' });
    expect(measure('around')?.rollingWindow).toEqual({
      trailing: { amount: 1, unit: 'month' },
      leading: { amount: 2, unit: 'week' },
      offset: 'end',
    });
    expect(show(measure('week')?.sql)).toBe('<>.cents');
  });

  it('gives dimensions, hidden where they are a primary key that is not made public', () => {
    expect(dimension('id')).toMatchObject({ type: 'number', primaryKey: true, public: false });
    expect(user?.dimensions[0]).toMatchObject({ primaryKey: true, public: true });
    expect(dimension('city')).toMatchObject({ primaryKey: false, public: true, expression: { kind: 'sql' } });
    const size = dimension('size')?.expression;
    expect(size?.kind === 'case' && size.when.map(({ sql }) => show(sql))).toEqual([
      '<>.cents < 100',
      '<Orders.is_open>',
    ]);
    expect(size?.kind === 'case' && size.when[0]?.label).toEqual({ kind: 'literal', text: 'small' });
    expect(size?.kind === 'case' && size.when[1]?.label.kind === 'sql' && show(size.when[1].label.sql)).toBe('<>.city');
    expect(size?.kind === 'case' && size.otherwise).toEqual({ kind: 'literal', text: '7' });
  });

  it('gives joins by their present names', () => {
    expect(order?.joins.map(({ cube, relationship, sql }) => [cube, relationship, show(sql)])).toEqual([
      ['Users', 'many_to_one', '<>.user_id = <Users.id>'],
    ]);
  });

  it('may be spread over files', () => {
    const [first, second] = orders.split(/^(?= {2}- name: Users)/m) as [string, string];
    expect(model(first, `cubes:\n${second}`)).toEqual(model(orders));
  });

  it.each([
    ['one_to_one', 'one_to_one'],
    ['has_one', 'one_to_one'],
    ['hasOne', 'one_to_one'],
    ['has_many', 'one_to_many'],
    ['hasMany', 'one_to_many'],
    ['one_to_many', 'one_to_many'],
    ['many_to_one', 'many_to_one'],
    ['belongsTo', 'many_to_one'],
  ])('takes the relationship %s for %s', (written, relationship) => {
    expect(model(orders.replace('belongs_to', written)).cubes[0]?.joins[0]?.relationship).toBe(relationship);
  });
});

describe('a cube that extends another', () => {
  const base = `
cubes:
  - name: Base
    sql_table: events
    title: Basis
    public: false
    measures:
      - {name: count, type: count}
      - {name: total, type: number, sql: "{Base.count} + {count}"}
    dimensions:
      - {name: at, type: time, sql: "{Base}.at"}
      - {name: kind, type: string, sql: kind}
`;
  const child = `
cubes:
  - name: Child
    extends: Base
    measures:
      - {name: count, type: count_distinct, sql: id}
      - {name: extra, type: sum, sql: "{CUBE}.x"}
`;
  const grandchild = 'cubes: [{name: Grandchild, extends: "{Child}", sql_table: other}]';

  it('has its members and rows, meaning itself; its own members replace them', () => {
    const read = model(grandchild, child, base).cubes;
    const [second, first] = read;
    expect(first).toMatchObject({
      name: 'Child',
      title: 'Child',
      public: true,
      source: { kind: 'table', table: 'events' },
      timeMember: 'at',
    });
    expect(first?.measures.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'total number',
      'count count_distinct',
      'extra sum',
    ]);
    expect(show(first?.measures[0]?.sql)).toBe('<Child.count> + <Child.count>');
    expect(second).toMatchObject({ name: 'Grandchild', source: { kind: 'table', table: 'other' } });
    expect(second?.measures.map(({ title }) => title)).toEqual([
      'Grandchild Total',
      'Grandchild Count',
      'Grandchild Extra',
    ]);
    const at = second?.dimensions[0]?.expression;
    expect(at?.kind === 'sql' && show(at.sql)).toBe('<>.at');
  });
});

const golden = new URL('../../../../shared/golden/', import.meta.url);

describe.skipIf(!existsSync(golden))('the recorded model (skipped where it is absent)', () => {
  const text = existsSync(golden) ? readFileSync(new URL('model.yaml', golden), 'utf8') : '';

  it('reads without issues, with all of its members', () => {
    expect(toCatalog(model(text)).names()).toHaveLength(11 + 11 + 2 + 1 + 3);
  });

  it('has the titles, formats and drill members that the server told', () => {
    const catalog = toCatalog(model(text));
    const recorded = JSON.parse(readFileSync(new URL('cases/all_measures.json', golden), 'utf8')).response.results[0]
      .annotation.measures;
    expect(Object.keys(recorded)).toHaveLength(10);
    for (const [name, told] of Object.entries<Record<string, unknown>>(recorded)) {
      const found = catalog.find(name);
      expect(
        found?.kind === 'measure' && {
          title: found.member.title,
          shortTitle: found.member.shortTitle,
          format: found.member.format,
          drillMembers: found.member.drillMembers,
        },
      ).toEqual({
        title: told['title'],
        shortTitle: told['shortTitle'],
        format: told['format'],
        drillMembers: told['drillMembers'],
      });
    }
  });
});
