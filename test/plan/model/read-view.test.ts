import { expect, it } from 'vitest';
import { readModel } from '../../../src/plan/model/read/read-model.ts';
import { toMeta } from '../../../src/plan/model/write-meta.ts';
import { modelOf } from '../ask.ts';

const text = `
cubes:
  - name: users
    sql_table: users
    public: false
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: country, sql: country, type: string}
      - {name: city, sql: city, type: string, title: Home town}
      - {name: age, sql: age, type: number}
    measures:
      - {name: count, type: count, drill_members: [city, age]}
    hierarchies:
      - {name: place, title: Place, levels: [country, CUBE.city, planet]}
views:
  - name: people
    description: Everyone
    cubes: [{join_path: users, prefix: true, includes: "*", excludes: [age]}]
    folders:
      - {name: Where, includes: [users_city, users_country, users_age]}
      - {name: All, includes: "*"}
`;

it('lists a view in the stead of its private cubes, with folders and hierarchies of what it holds', () => {
  const meta = toMeta(modelOf(text));
  expect(meta.cubes.map(({ name }) => name)).toEqual(['people']);
  const [view] = meta.cubes;
  expect(view?.measures.map(({ name, title, aggType }) => [name, title, aggType])).toEqual([
    ['people.users_count', 'People Users Count', 'count'],
  ]);
  // Clients tell views from cubes, and find what a member of a view is.
  expect([view?.type, view?.measures[0]?.aliasMember, view?.dimensions[2]?.aliasMember]).toEqual([
    'view',
    'users.count',
    'users.city',
  ]);
  expect(view?.dimensions.map(({ name, title, public: listed }) => [name, title, listed])).toEqual([
    ['people.users_id', 'People Users Id', false],
    ['people.users_country', 'People Users Country', true],
    ['people.users_city', 'People Home town', true],
  ]);
  expect(view?.hierarchies).toEqual([
    { name: 'people.users_place', title: 'Place', levels: ['people.users_country', 'people.users_city'] },
  ]);
  expect(view?.folders).toEqual([
    { name: 'Where', members: ['people.users_country', 'people.users_city'] },
    { name: 'All', members: ['people.users_count', 'people.users_id', 'people.users_country', 'people.users_city'] },
  ]);
});

it.each([
  [
    'two members of one name',
    'cubes: [{join_path: users, includes: [city, {name: age, alias: city}]}]',
    'duplicate-name',
  ],
  ['the name of a cube', 'cubes: []}, {name: users', 'duplicate-name'],
  ['a view to extend that is not there', 'extends: poeple', 'unknown-cube'],
])('is told of %s', (_, rest, code) => {
  const { issues } = readModel([
    { file: 'm.yaml', text: `${text.slice(0, text.indexOf('views:'))}views: [{name: people}, {name: v, ${rest}}]\n` },
  ]);
  expect(issues.filter(({ severity }) => severity === 'error').map((issue) => issue.code)).toEqual([code]);
});
