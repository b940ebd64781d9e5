import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bind } from '../../../src/plan/bind/bind.ts';
import type { Model } from '../../../src/plan/model/model.ts';
import { readModel } from '../../../src/plan/model/read/read-model.ts';

const read = (...texts: readonly string[]) => readModel(texts.map((text, index) => ({ file: `${index}.yaml`, text })));

function modelOf(...texts: readonly string[]): Model {
  const outcome = read(...texts);
  if (!outcome.ok) throw new Error(outcome.issues.map(({ message }) => message).join('\n'));
  return outcome.value;
}

const namesOf = (model: Model) =>
  model.cubes.flatMap(({ name, measures, dimensions, segments }) => [
    name,
    ...[...measures, ...dimensions, ...segments].map((member) => `${name}.${member.name}`),
  ]);

describe('what a model has and sluice does not support', () => {
  it('takes what is made of it along, by however many steps, and nothing else', () => {
    const outcome = read(`cubes:
  - name: Orders
    sql_table: orders
    joins:
      - {name: Users, sql: "{CUBE}.user_id = {Users.place}", relationship: many_to_one}
    measures:
      - {name: count, type: count}
      - {name: shifted, type: number, sql: "{count}", time_shift: [{interval: 1 year}]}
      - {name: growth, type: number, sql: "{count} / {shifted}"}
      - {name: doubled, type: number, sql: "2 * {growth}"}
      - {name: total, type: sum, sql: amount, drill_members: [city, shifted]}
    dimensions:
      - {name: city, type: string, sql: city}
      - {name: plan, type: string, sql: "{Users.plan}"}
    segments:
      - {name: near, sql: "{Users.place} = 1"}
  - name: Users
    sql_table: users
    dimensions:
      - {name: place, type: geo}
      - {name: plan, type: string, sql: plan}
`);
    if (!outcome.ok) throw new Error('The model does not read.');
    expect(namesOf(outcome.value)).toEqual([
      'Orders',
      'Orders.count',
      'Orders.total',
      'Orders.city',
      'Users',
      'Users.plan',
    ]);
    expect(outcome.value.cubes[0]?.joins).toEqual([]);
    expect(outcome.value.cubes[0]?.measures.find(({ name }) => name === 'total')?.drillMembers).toEqual([
      'Orders.city',
    ]);
    expect(outcome.issues.map(({ message }) => message)).toEqual([
      'The join to "Users" is left out. It uses "Users.place", which is left out.',
      'The measure "shifted" is left out. "type" is missing.',
      'The measure "growth" is left out. It uses "shifted", which is left out.',
      'The measure "doubled" is left out. It uses "growth", which is left out.',
      'The dimension "plan" is left out. It uses "Users", which is left out.',
      'The segment "near" is left out. It uses "Users.place", which is left out.',
      'The dimension "place" is left out. A dimension of type "geo" needs `latitude` and `longitude`.',
    ]);
  });

  it('is named once, however many cubes inherit it', () => {
    const outcome = read(
      'cubes:\n  - {name: A, sql_table: a, dimensions: [{name: g, type: geo}, {name: x, type: string, sql: x}]}\n  - {name: B, extends: A}\n  - {name: C, extends: B}',
    );
    expect(outcome.issues).toHaveLength(1);
    expect(namesOf(outcome.ok ? outcome.value : { cubes: [] })).toEqual(['A', 'A.x', 'B', 'B.x', 'C', 'C.x']);
  });

  it('says why when it is asked for', () => {
    const model = modelOf(
      'cubes:\n  - {name: A, sql_table: a, measures: [{name: n, type: count}], dimensions: [{name: g, type: geo}]}\n  - {name: F, sql_table: "f(1)", measures: [{name: n, type: count}]}',
    );
    const ask = (query: object) =>
      bind(query, model, { now: 0, limits: 'local' }).issues.map(({ code, message }) => `${code}: ${message}`);
    expect(ask({ measures: ['A.n'], dimensions: ['A.g'] })).toEqual([
      'left-out: "A.g" is left out of the model. A dimension of type "geo" needs `latitude` and `longitude`.',
    ]);
    expect(ask({ measures: ['F.n'] })).toEqual([
      'left-out: "F.n" is left out of the model. "f(1)" is not a valid table name.',
    ]);
  });

  it('never refuses the rest: any model with any parts of that kind reads, and what does not use them is all there', () => {
    const member = fc.record({ uses: fc.array(fc.nat(7), { maxLength: 2 }), isSupported: fc.boolean() });
    fc.assert(
      fc.property(fc.array(member, { minLength: 1, maxLength: 8 }), (members) => {
        // A member uses only later ones, so there are no cycles.
        const uses = members.map(({ uses }, index) => uses.filter((other) => other > index && other < members.length));
        const text = members
          .map(({ isSupported }, index) =>
            JSON.stringify({
              name: `m${index}`,
              type: 'number',
              sql: ['1', ...(uses[index] ?? []).map((other) => `{m${other}}`)].join(' + '),
              ...(isSupported ? {} : { case: {} }),
            }),
          )
          .join(', ');
        const model = modelOf(`cubes: [{name: A, sql_table: a, measures: [${text}]}]`);
        const works = (index: number): boolean =>
          (members[index]?.isSupported ?? false) && (uses[index] ?? []).every(works);
        expect(namesOf(model)).toEqual(['A', ...members.flatMap((_, index) => (works(index) ? [`A.m${index}`] : []))]);
      }),
      { numRuns: 300 },
    );
  });

  it('is an error where no cube is left', () => {
    expect(
      read('cubes: [{name: F, sql_table: "f(1)"}]')
        .issues.filter(({ severity }) => severity === 'error')
        .map(({ code }) => code),
    ).toEqual(['empty-model']);
  });
});

describe('a file of comments', () => {
  it.each([
    ['comments', '# cubes:\n#   - name: Old\n'],
    ['nothing', ''],
    ['a document mark', '---\n# later\n'],
  ])('that holds only %s adds nothing and refuses nothing', (_, text) => {
    expect(namesOf(modelOf('cubes: [{name: A, sql_table: a}]', text))).toEqual(['A']);
    expect(read(text).issues.map(({ code }) => code)).toEqual(['empty-model']);
  });
});
