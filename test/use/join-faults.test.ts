import { afterAll, describe, expect, it } from 'vitest';
import { open, type Sluice } from '../../src/use/index.ts';
import { openFolder } from './run-in-folder.ts';

const folder = openFolder();
afterAll(() => folder.remove());

const cube = (name: string, rest: string) =>
  `  - name: ${name}\n    sql_table: ${name}\n    measures: [{name: count, type: count}, {name: total, type: sum, sql: amount}]\n${rest}`;
const key = '    dimensions: [{name: id, sql: id, type: string, primary_key: true, public: true}';

folder.write(
  'model.yaml',
  `cubes:
${cube(
  'actions',
  `    joins:
      - {name: users, relationship: many_to_one, sql: "{CUBE}.user_id = {users}.id"}
      - {name: plans, relationship: many_to_one, sql: "{CUBE}.plan = {plans.id} AND {plans}.amount > 0"}
${key}]
`,
)}${cube(
  'users',
  `    joins:
      - {name: orders, relationship: one_to_many, sql: "{CUBE}.id = {orders}.user_id"}
      - {name: profiles, relationship: one_to_one, sql: "{CUBE}.id = {profiles}.id"}
${key}, {name: country, sql: country, type: string}]
`,
)}${cube('orders', `${key}]\n`)}${cube('profiles', `${key}, {name: color, sql: color, type: string}]\n`)}${cube(
  'plans',
  `${key}, {name: name, sql: name, type: string}]\n`,
)}`,
);
folder.write('actions.csv', 'id,user_id,plan,amount\n1,ann,a,1\n2,ann,a,2\n3,bob,b,4\n4,,,8\n5,eve,c,16\n');
folder.write('users.csv', 'id,country,amount\nann,DE,1\nann,FR,1\nbob,DE,1\n,,1\n,,1\n');
folder.write('orders.csv', 'id,user_id,amount\n1,bob,1\n2,bob,2\n3,dan,4\n4,,8\n');
folder.write('profiles.csv', 'id,color,amount\nbob,red,1\nbob,blue,1\nzoe,red,1\n');
folder.write('plans.csv', 'id,name,amount\na,A,1\na,old,0\nb,B,1\nc,C,1\n');

const tables = Object.fromEntries(
  ['actions', 'users', 'orders', 'profiles', 'plans'].map((name) => [name, `${name}.csv`]),
);

async function notesOf(question: string, files = tables): Promise<readonly string[]> {
  const notes: string[] = [];
  const sluice = await open({
    workspace: folder.root,
    env: {},
    model: 'model.yaml',
    tables: files,
    onNote: ({ text }) => notes.push(text),
  });
  await sluice.query(question);
  await sluice.query(question);
  await sluice.close();
  return [...new Set(notes)];
}

const repeats = (added: string, many: string, one: string) =>
  `The join with "${one}" adds ${added} of "${many}", because keys of "${one}" repeat. Figures count them. Remove the repeated rows of "${one}" in its \`sql\`.`;

describe('an answer over joined tables', () => {
  it('says if keys of the one side repeat, because rows then count several times', async () => {
    expect(await notesOf('actions.count by users.country')).toEqual([repeats('2 rows to the 5', 'actions', 'users')]);
    expect(await notesOf('users.count by profiles.color')).toEqual([
      '1 row of "profiles" without a row of "users" is not counted.',
      repeats('1 row to the 5', 'users', 'profiles'),
    ]);
  });

  it('says how many rows of the many side have no row to be joined to', async () => {
    expect(await notesOf('orders.total by users.country')).toEqual([
      '2 rows of "orders" without a row of "users" are not counted.',
    ]);
  });

  it('says how many rows of the one side a figure of it leaves out, because no row of the many side matches', async () => {
    folder.write('buyers.csv', 'id,user_id,plan,amount\n1,bob,a,1\n2,bob,b,2\n');
    folder.write('owners.csv', 'id,country,amount\nann,DE,1\nbob,DE,1\ncid,FR,1\n');
    const ask = (question: string) => notesOf(question, { ...tables, actions: 'buyers.csv', users: 'owners.csv' });
    expect(await ask('actions.count by users.country')).toEqual([]);
    expect(await ask('actions.count, users.count')).toEqual([
      '2 rows of "users" without a row of "actions" are not counted.',
    ]);
  });

  it('says nothing if each row has at most one row on the other side, and none is left out', async () => {
    expect(await notesOf('actions.total by plans.name')).toEqual([]);
    expect(await notesOf('orders.total')).toEqual([]);
  });
});

describe('a question about events that a model makes of joined tables', () => {
  const model = (rows: string, fields: string) => `cubes:
  - name: hits
    ${rows}
    joins: [{name: people, relationship: many_to_one, sql: "{CUBE}.who = {people}.id"}]
    meta: {sluice: {events: {time: at, user: who, type: kind, ${fields}}}}
    measures: [{name: count, type: count}]
    dimensions:
      - {name: id, sql: "{CUBE}.id", type: string, primary_key: true}
      - {name: at, sql: at, type: time}
      - {name: who, sql: who, type: string}
      - {name: kind, sql: kind, type: string}
  - name: people
    sql_table: people
    measures: [{name: count, type: count}]
    dimensions:
      - {name: id, sql: id, type: string, primary_key: true}
      - {name: country, sql: country, type: string}
`;
  const hits = [
    'id,at,who,kind',
    '1,2024-03-01 10:00:00,ann,signup',
    '2,2024-03-02 10:00:00,ann,buy',
    '3,2024-03-03 10:00:00,bob,signup',
    '4,2024-03-04 10:00:00,,buy',
  ];
  const notesIn = async (model: string, question: (sluice: Sluice) => Promise<unknown>) => {
    folder.write('hits-model.yaml', model);
    folder.write('hits.csv', `${hits.join('\n')}\n`);
    folder.write('people.csv', 'id,country\nann,DE\nann,FR\nbob,DE\n');
    const notes = new Set<string>();
    const sluice = await open({
      workspace: folder.root,
      env: {},
      model: 'hits-model.yaml',
      tables: { hits: 'hits.csv', people: 'people.csv' },
      onNote: ({ text }) => notes.add(text),
    });
    await question(sluice);
    await sluice.close();
    return [...notes].filter((text) => /join|key|session/.test(text));
  };
  const joined = model('sql_table: hits', 'country: people.country');
  const repeated = repeats('2 rows to the 4', 'hits', 'people');

  it.each([
    'TrackedEvents.count',
    'Sessions.count',
    'funnel signup then buy by country 2024-03',
    'retention of signup returning buy by week 2024-03',
    'lifecycle of buy by week 2024-03',
    'stickiness of buy by week 2024-03',
    'paths step event 2024-03',
  ])('says for %s if a join repeats events', async (line) => {
    expect(await notesIn(joined, (sluice) => sluice.query(line))).toContain(repeated);
  });

  it('says so for the steps of a funnel and their users', async () => {
    const steps = ['signup', 'buy'];
    expect(await notesIn(joined, (sluice) => sluice.funnel({ steps }, { range: '2024-03' }))).toContain(repeated);
  });

  it('says if rows have the key of another one, such as after a join in its SQL', async () => {
    const sql = 'sql: "SELECT hits.*, people.country FROM hits LEFT JOIN people ON people.id = hits.who"';
    const notes = await notesIn(model(sql, ''), (sluice) => sluice.query('TrackedEvents.count'));
    expect(notes).toEqual([
      '2 rows of "hits" have the primary key of another one, and are counted. A key of a table that its `sql` joins may have several rows.',
    ]);
    expect(await notesIn(model('sql_table: hits', ''), (sluice) => sluice.query('TrackedEvents.count'))).toEqual([]);
  });

  it('has dimensions of joined tables as properties, if the model names them', async () => {
    const rowsIn = async (line: string) => {
      let rows: readonly object[] = [];
      const properties = 'properties: {land: "{people.country}", origin: from}';
      const declared = model('sql_table: hits', properties).replace(
        '      - {name: kind',
        '      - {name: from, sql: "{people.country}", type: string}\n      - {name: kind',
      );
      const notes = await notesIn(declared, async (sluice) => {
        rows = (await sluice.query(line)).rows();
      });
      expect(notes, line).toContain(repeated);
      return rows;
    };
    expect(await rowsIn('TrackedEvents.count by land, origin')).toEqual([
      { 'TrackedEvents.props.land': 'DE', 'TrackedEvents.props.origin': 'DE', 'TrackedEvents.count': 3 },
      { 'TrackedEvents.props.land': 'FR', 'TrackedEvents.props.origin': 'FR', 'TrackedEvents.count': 2 },
      { 'TrackedEvents.props.land': null, 'TrackedEvents.props.origin': null, 'TrackedEvents.count': 1 },
    ]);
    expect(await rowsIn('lifecycle of any by month where land = FR 2024-03')).toContainEqual(
      expect.objectContaining({ 'lifecycle.status': 'new', 'lifecycle.users': 1 }),
    );
    expect(await rowsIn('stickiness of any by month following origin 2024-03')).toEqual([
      { 'stickiness.periods': 1, 'stickiness.users': 2 },
    ]);
  });

  it('says how a dimension of a joined table becomes a property', async () => {
    for (const [fields, hint] of [
      [
        '',
        'To use it in analyses, make it a property of the events of "hits": `events: {…, properties: {country: people.country}}`.',
      ],
      ['properties: {land: people.country}', 'Write it as a property of the events: `land`.'],
    ])
      await notesIn(model('sql_table: hits', fields!), (sluice) =>
        expect(sluice.query('funnel signup then buy by people.country 2024-03')).rejects.toThrow(`hint: ${hint}`),
      );
  });

  it('has the columns that the model declares although no row has a value', async () => {
    const sql = 'sql: "SELECT *, CAST(NULL AS VARCHAR) AS tier FROM hits"';
    const declared = model(sql, '').replace(
      '      - {name: kind',
      '      - {name: tier, sql: tier, type: string}\n      - {name: kind',
    );
    for (const line of [
      'TrackedEvents.count by tier',
      'TrackedEvents.count by first touch tier',
      'funnel signup then "buy where tier = gold" by tier 2024-03',
    ])
      await notesIn(declared, async (sluice) => expect((await sluice.query(line)).rows()[0]).toMatchObject({}));
    await notesIn(declared, async (sluice) =>
      expect((await sluice.query('TrackedEvents.count by tier')).rows()).toEqual([
        { 'TrackedEvents.props.tier': null, 'TrackedEvents.count': 4 },
      ]),
    );
    await notesIn(declared, (sluice) =>
      expect(sluice.query('TrackedEvents.count by teir')).rejects.toThrow('There is no member "teir"'),
    );
  });

  it('says how many events are in no session', async () => {
    expect(await notesIn(model('sql_table: hits', ''), (sluice) => sluice.query('Sessions.count'))).toEqual([
      'Of all events, whatever their time, 1 has neither a session ID nor a user, and is in no session.',
    ]);
  });
});

describe('a join of text with numbers', () => {
  it('says which texts match a number that is written otherwise', async () => {
    folder.write('orders.csv', 'id,user_id,amount\n1,007,1\n2,7,2\n');
    folder.write('users.csv', 'id,country,amount\n7,DE,1\n8,FR,1\n');
    expect(await notesOf('orders.total by users.country')).toEqual([
      'The join of "orders" with "users" compares text with numbers, so that 007 matches 7. If these are different keys, cast the number to text in the `sql` of the join.',
    ]);
    folder.write('orders.csv', 'id,user_id,amount\n1,x7,1\n2,7,2\n');
    await expect(notesOf('orders.total by users.country')).rejects.toThrow(
      "The SQL of the model needs numbers, but 'x7' is text.",
    );
  });
});

describe('a question about events and a table that nothing joins', () => {
  const hintOf = async (question: string, settings: object) => {
    const sluice = await open({ workspace: folder.root, env: {}, ...settings });
    const { message } = await sluice.query(question).then(
      () => ({ message: 'answered' }),
      (error: Error) => error,
    );
    await sluice.close();
    return /hint: (.*)/.exec(message)?.[1] ?? message;
  };
  const users = `  - name: users
    sql_table: users
    measures: [{name: count, type: count}]
${key}, {name: country, sql: country, type: string}]
`;

  it('says that only a cube of the model can be joined', async () => {
    folder.write('events.csv', 'created_at,user_id\n2024-03-01 10:00,ann\n');
    folder.write('joining.yaml', `cubes:\n${users}`);
    expect(
      await hintOf('TrackedEvents.count by users.country', {
        events: 'events.csv',
        columns: { utcTime: 'created_at' },
        model: 'joining.yaml',
        tables: { users: 'users.csv' },
      }),
    ).toBe('Make the events a cube of the model, which can join "users": `meta: {sluice: {events: {time: …}}}`.');
  });

  it('names the cube of the events, and how its members are asked for', async () => {
    folder.write(
      'own.yaml',
      `cubes:
  - name: hits
    sql_table: hits
    joins: [{name: users, relationship: many_to_one, sql: "{CUBE}.who = {users}.id"}]
    meta: {sluice: {events: {time: at, user: who}}}
    measures: [{name: count, type: count}]
${key}, {name: at, sql: at, type: time}, {name: who, sql: who, type: string}, {name: amount, sql: "1", type: number}]
${users}`,
    );
    folder.write('users.csv', 'id,country,amount\nann,DE,1\n');
    folder.write('hits.csv', 'id,at,who\n1,2024-03-01 10:00,ann\n');
    const settings = { model: 'own.yaml', tables: { hits: 'hits.csv', users: 'users.csv' } };
    expect(await hintOf('sum(amount) by eventType', settings)).toBe(
      'Use members of one of them. "TrackedEvents" has the other dimensions of "hits" as properties, such as `TrackedEvents.sum(amount)`.',
    );
    expect(await hintOf('Sessions.count by users.country', settings)).toBe(
      'Ask "hits", if it joins "users". To use it in analyses, make it a property of the events of "hits": `events: {…, properties: {country: users.country}}`.',
    );
    expect(await hintOf('hits.count by users.country', settings)).toBe('answered');
  });
});
