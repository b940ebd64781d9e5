import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, type Sluice } from '../../src/use/index.ts';

/** Events of a shop with custom names, and the same with canonical names. */
const kinds = ['Page Viewed', 'Page Viewed', 'Page Viewed', 'order', 'search'];
const pages = ['/', '/pricing', '/cart', '/thanks'];
const rows = Array.from({ length: 600 }, (_, index) => {
  // Pauses of up to two hours, so that only some end a session.
  const at = Date.UTC(2024, 2, 1) + index * 7 * 60_000 + ((index * 7919) % 113) * 60_000;
  return {
    at: new Date(at).toISOString().slice(0, 19).replace('T', ' '),
    account: index % 23 === 0 ? '' : `u${(index * 31) % 17}`,
    visit: index % 3 === 0 ? `v${index % 41}` : '',
    kind: kinds[(index * 13) % kinds.length]!,
    where: pages[(index * 5) % pages.length]!,
    shop: index % 2 === 0 ? '1' : '2',
    amount: index % 10,
  };
});
const csv = ['at,account,visit,kind,where,shop,amount', ...rows.map((row) => Object.values(row).join(','))].join('\n');
const canonical = rows
  .map(({ at, account, visit, kind, where, shop, amount }) =>
    JSON.stringify({
      amount,
      utcTime: `${at.replace(' ', 'T')}Z`,
      userId: account,
      sessionId: visit,
      eventType: kind === 'Page Viewed' ? 'pageview' : kind,
      docPath: where,
      projectId: shop,
    }),
  )
  .join('\n');

const model = (table: string) => `
cubes:
  - name: actions
    sql_table: ${table}
    meta:
      sluice:
        events: {time: at, user: account, session: visit, type: kind, page: where, project: shop, pageView: Page Viewed}
    dimensions:
      - {name: at, sql: at, type: time}
      - {name: account, sql: account, type: string}
      - {name: visit, sql: visit, type: string}
      - {name: kind, sql: kind, type: string}
      - {name: where, sql: '{CUBE}."where"', type: string}
      - {name: shop, sql: shop, type: number}
      - {name: amount, sql: amount, type: number}
    measures:
      - {name: revenue, type: sum, sql: amount}
`;

const funnel = `seconds_to_convert: 86400\nsteps:
  - {name: start, target: /, action: pageview}
  - {name: prices, target: /pricing, action: pageview}
  - {name: cart, target: /cart, action: pageview}
`;

const questions = [
  { measures: ['TrackedEvents.count', 'TrackedEvents.pageViewsCount', 'TrackedEvents.uniqueUsersCount'] },
  { measures: ['TrackedEvents.count'], dimensions: ['TrackedEvents.docPath', 'TrackedEvents.eventName'] },
  {
    measures: ['Sessions.count', 'Sessions.averageDurationMinutes', 'Sessions.averagePerUser'],
    timeDimensions: [{ dimension: 'Sessions.startAt', granularity: 'day', dateRange: ['2024-03-01', '2024-03-04'] }],
  },
  { measures: ['ReturningUsers.count', 'ReturningUsers.returningUserPercentage', 'ReturningUsers.allSessionsCount'] },
  { measures: ['buying.count'], dimensions: ['buying.step'] },
  { measures: ['TrackedEvents.count'], dimensions: ['TrackedEvents.projectId'] },
] as const;

describe.each(['actions', 'events'])('a table called %s whose rows are the events', (table) => {
  let folder: string;
  let mapped: Sluice;
  let plain: Sluice;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'own-events-'));
    const write = (name: string, text: string) => writeFile(path.join(folder, name), text);
    await mkdir(path.join(folder, 'funnels'));
    await write('actions.csv', csv);
    await write('canonical.ndjson', canonical);
    await write('model.yaml', model(table));
    await write('funnels/buying.yaml', funnel);
    const shared = {
      workspace: folder,
      env: {},
      now: () => Date.UTC(2024, 3, 1),
      onWarning: (text: string) => expect(text).toBe(''),
    };

    mapped = await open({ ...shared, model: `${folder}/model.yaml`, tables: { [table]: `${folder}/actions.csv` } });
    plain = await open({ ...shared, events: `${folder}/canonical.ndjson` });
  });
  afterAll(async () => {
    await mapped?.[Symbol.asyncDispose]();
    await plain?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(questions)('gives the same $measures as the events with canonical names', async (query) => {
    const rowsOf = async (sluice: Sluice) => (await sluice.query(query as never)).rows();
    const answered = await rowsOf(mapped);
    expect(answered).toEqual(await rowsOf(plain));
    expect(answered.length).toBeGreaterThan(0);
  });

  it('keeps its own cube on its own rows', async () => {
    const [row] = (await mapped.query({ measures: ['actions.revenue'] })).rows();
    expect(Object.values(row!)).toEqual([rows.reduce((sum, { amount }) => sum + amount, 0)]);
  });

  it('has its other dimensions as properties, also in analyses', async () => {
    for (const line of [
      'count, sum(amount) by amount',
      'TrackedEvents.avg(amount), count where amount > 3 by docPath',
      'uniqueUsersCount by first touch amount',
      'funnel / then /cart by amount last 60 days',
      'funnel / then /cart holding amount where amount < 8 last 60 days',
      'retention of "any where amount > 5" by day, amount value sum(amount) from 2024-03-01 to 2024-03-04',
      'stickiness by day where amount = 3 from 2024-03-01 to 2024-03-04',
      'paths step amount from 2024-03-01 to 2024-03-04',
      'raw events amount, docPath where amount = 3 limit 5',
    ]) {
      const asked = line.startsWith('count') ? `TrackedEvents.${line}` : line;
      const [own, files] = await Promise.all([mapped, plain].map(async (each) => (await each.query(asked)).rows()));
      expect(own, line).toEqual(files);
      expect(own!.length, line).toBeGreaterThan(0);
    }
    await expect(mapped.query('funnel / then /cart by actions.amount')).rejects.toThrow(
      'hint: Write it as a property of the events: `amount`.',
    );
  });

  it('tells where its events end, as files of events do', async () => {
    const latest = rows
      .map(({ at }) => `${at.replace(' ', 'T')}.000Z`)
      .sort()
      .at(-1)!;
    const query = {
      measures: ['TrackedEvents.count'],
      timeDimensions: [
        { dimension: 'TrackedEvents.utcTime', granularity: 'day', dateRange: ['2024-03-01', '2024-03-20'] },
      ],
    } as const;
    const told = await Promise.all(
      [mapped, plain].map(async (sluice) => {
        const result = await sluice.query(query);
        const { freshness, endsEarly, partialBuckets } = result.provenance;
        return { rows: result.rows(), freshness, endsEarly, partialBuckets };
      }),
    );
    expect(told[0]).toEqual(told[1]);
    expect(told[0]).toMatchObject({ freshness: latest, endsEarly: expect.stringContaining(latest.slice(0, 10)) });
  });

  it('reads the offsets of times that are text', async () => {
    const text = `sql: "SELECT * REPLACE (strftime(actions.at + INTERVAL 2 HOUR, '%Y-%m-%dT%H:%M:%S+02:00') AS \\"at\\") FROM actions"`;
    await writeFile(path.join(folder, 'offsets.yaml'), model('x').replace('sql_table: x', text));
    await using offset = await open({
      workspace: folder,
      env: {},
      model: `${folder}/offsets.yaml`,
      tables: { actions: `${folder}/actions.csv` },
    });
    const byHour = async (sluice: Sluice) => (await sluice.query('TrackedEvents.count by hour')).rows();
    expect(await byHour(offset)).toEqual(await byHour(plain));
  });

  it('has sessions and users with non-trivial figures', async () => {
    const [row] = (await mapped.query({ measures: ['Sessions.count'] })).rows();
    const [users] = (await mapped.query({ measures: ['ReturningUsers.returningUsersCount'] })).rows();
    expect(Number(Object.values(row!)[0])).toBeGreaterThan(20);
    expect(Number(Object.values(users!)[0])).toBeGreaterThan(5);
  });

  it('counts only the events of a requested project', async () => {
    const [row] = (await mapped.query({ measures: ['TrackedEvents.count'] }, { project: '2' })).rows();
    expect(Object.values(row!)).toEqual([rows.filter(({ shop }) => shop === '2').length]);
  });

  it('exports the same events', async () => {
    const exported = async (sluice: Sluice, to: string) => {
      const { events } = await sluice.export(path.join(folder, to), {
        range: ['2024-03-01', '2024-03-05'],
        dimensions: ['TrackedEvents.utcTime', 'TrackedEvents.userId', 'TrackedEvents.docPath'],
        format: 'csv',
        packing: 'gzip',
      });
      return events;
    };
    expect(await exported(mapped, 'one')).toBe(rows.length);
    expect(await exported(plain, 'two')).toBe(rows.length);
  });

  it('exports all fields of the events, which files of the export then have', async () => {
    await mapped.export(path.join(folder, 'all.ndjson'), { range: ['2024-03-01', '2024-03-05'] });
    const again = await open({ workspace: folder, env: {}, events: `${folder}/all.ndjson` });
    await using _closed = again;
    const question = 'count, users by docPath, eventType, projectId order by docPath, eventType, projectId';
    expect((await again.query(question)).rows()).toEqual((await mapped.query(question)).rows());
  });
});

describe('an invalid events cube', () => {
  const openWith = async (files: Readonly<Record<string, string>>, options: object = {}) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'own-events-'));
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
    const tables = { actions: `${folder}/actions.csv` };
    try {
      const sluice = await open({ workspace: folder, env: {}, model: `${folder}/model.yaml`, tables, ...options });
      await using _closed = sluice;
      return await sluice.query({ measures: ['TrackedEvents.count'] });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  const text = model('actions');

  it.each([
    ['has no time', text.replace('time: at, ', ''), csv, /"time"/],
    ['names no member', text.replace('user: account', 'user: acount'), csv, /no dimension "actions.acount"/],
    ['names a member that is not a time', text.replace('time: at', 'time: kind'), csv, /events need a time/],
    ['has an unknown key', text.replace('page: where', 'pge: where'), csv, /pge/],
    [
      'has a key that is like no other',
      text.replace('page: where', 'warehouse: where'),
      csv,
      /Allowed keys: time, properties, pageView, user, anonymous, session, type, page, .{0,80} and others\./,
    ],
    [
      'reads the table "events" by SQL',
      text.replace('sql_table: actions', 'sql: SELECT * FROM events'),
      csv,
      /names "events"/,
    ],
    ['has a row without a time', text, csv.replace(/\n[^,\n]*,/, '\n,'), /1 rows? of the events cube "actions"/],
  ])('is refused because it %s', async (_, yaml, table, message) => {
    await expect(openWith({ 'model.yaml': yaml, 'actions.csv': table })).rejects.toThrow(message);
  });

  it('is refused together with other events', async () => {
    await expect(
      openWith({ 'model.yaml': text, 'actions.csv': csv, 'e.ndjson': canonical }, { events: 'e.ndjson' }),
    ).rejects.toMatchObject({ code: 'events-twice' });
  });
});

describe('a model with the built-in cubes', () => {
  it('extends them if there are events, and replaces cubes of the same names', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'own-events-'));
    await writeFile(path.join(folder, 'e.ndjson'), canonical);
    await writeFile(
      path.join(folder, 'model.yaml'),
      `cubes:
  - {name: Mine, sql_table: events, measures: [{name: paths, type: count_distinct, sql: doc_path}]}
  - {name: Sessions, sql_table: events, measures: [{name: count, type: count}]}`,
    );
    const options = { workspace: folder, env: {}, model: `${folder}/model.yaml` };
    const ask = async (sluice: Sluice, measure: string) =>
      Object.values((await sluice.query({ measures: [measure] })).rows()[0]!)[0];
    {
      await using sluice = await open({ ...options, events: `${folder}/e.ndjson` });
      expect(await ask(sluice, 'Mine.paths')).toBe(pages.length);
      expect(await ask(sluice, 'TrackedEvents.count')).toBe(rows.length);
      expect(await ask(sluice, 'Sessions.count')).toBe(rows.length);
    }
    {
      await using bare = await open(options);
      await expect(bare.query({ measures: ['TrackedEvents.count'] })).rejects.toThrow(/TrackedEvents/);
    }
    await rm(folder, { recursive: true, force: true });
  });
});

describe('a folder of models', () => {
  const openFolder = async (files: Readonly<Record<string, string>>, config = '', measure = 'actions.count') => {
    const folder = await mkdtemp(path.join(tmpdir(), 'own-models-'));
    await mkdir(path.join(folder, 'model'));
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, 'model', name), text);
    await writeFile(path.join(folder, 'actions.csv'), csv);
    await writeFile(path.join(folder, 'sluice.yaml'), `model: model\ntables: {actions: actions.csv}\n${config}`);
    const warnings: string[] = [];
    try {
      await using sluice = await open({ workspace: folder, env: {}, onWarning: (text) => warnings.push(text) });
      return { warnings, rows: (await sluice.query({ measures: [measure] })).rows() };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  const jinja = `{% set names = ['count'] %}
cubes:
  - name: actions
    sql: SELECT * FROM actions WHERE {SECURITY_CONTEXT.shop.requiredFilter('shop')}
    measures:
      {%- for name in names %}
      - {name: {{ name }}, type: count}
      {%- endfor %}
`;

  it('renders templates, knows the user, and names JavaScript models once', async () => {
    const { warnings, rows: answered } = await openFolder(
      { 'actions.yml': jinja, 'users.js': 'cube(`users`, {})', 'more.js': '', 'later.yaml': '# later\n' },
      'securityContext: {shop: 2}\n',
    );
    expect(Object.values(answered[0]!)).toEqual([rows.filter(({ shop }) => shop === '2').length]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(
      /more\.js, .*users\.js are JavaScript models\. sluice only reads YAML\. Write the cubes/,
    );
  });

  it('reads templates by their name in Cube, and skips those that call functions of a program', async () => {
    const { warnings, rows: answered } = await openFolder({
      'macros.jinja': '{% macro count(name) %}- {name: {{ name }}, type: count}{% endmacro %}',
      'actions.yml.jinja': `{% from "macros.jinja" import count %}\n${jinja.replace(/ WHERE .*/, '').replace('- {name: {{ name }}, type: count}', '{{ count(name) }}')}`,
      'outside.yml': '{% include "../sluice.yaml" %}',
      'dbt.yml.jinja': "{% set model = dbt_model('orders') %}\ncubes:\n  - {{ model.as_cube() }}\n",
    });
    expect(Object.values(answered[0]!)).toEqual([rows.length]);
    expect(warnings).toEqual([
      expect.stringMatching(/dbt\.yml\.jinja cannot be rendered.*`dbt_model` is not defined\. The file is left out\./),
      expect.stringMatching(/outside\.yml cannot be rendered.*`\.\.\/sluice\.yaml` is not a file of the model/),
    ]);
  });

  it('explains a missing cube if its whole file is skipped', async () => {
    const files = {
      'actions.yml': jinja.replace(/ WHERE .*/, ''),
      'users.js': 'cube(`users`, {measures: {count: {type: `count`}}})',
      'things.yml':
        '{% set all = load_things() %}\ncubes:\n  - name: things\n    measures:\n      - name: actions\n  - name: actions\n',
    };
    await expect(openFolder(files, '', 'users.count')).rejects.toThrow(
      /"users\.count" is left out of the model\. .*users\.js is a JavaScript model/,
    );
    await expect(openFolder(files, '', 'things.count')).rejects.toThrow(
      /"things\.count" is left out of the model\. The template of .*things\.yml cannot be rendered.*`load_things`/,
    );
    expect(Object.values((await openFolder(files)).rows[0]!)).toEqual([rows.length]);
  });

  it('is refused if there is only JavaScript, or if a template cannot be rendered', async () => {
    await expect(openFolder({ 'users.js': 'cube(`users`, {})' })).rejects.toMatchObject({
      code: 'model-in-javascript',
    });
    await expect(openFolder({ 'a.yml': '{% include "x" %}' })).rejects.toThrow(/actions|a\.yml cannot be rendered/);
  });
});
