import { createClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, type Sluice } from '../../src/use/index.ts';
import { envelopeOf, eventEnvelopeOf } from '../run/sources/snowplow-rows.ts';
import { openFolder } from '../use/run-in-folder.ts';
import { noClickHouse, onClickHouse, openClickHouseServer, type TestServer } from './open-clickhouse.ts';

describe.skipIf(noClickHouse)(onClickHouse('tables made by others'), () => {
  let server: TestServer | undefined;
  const folder = openFolder();
  beforeAll(async () => {
    server = await openClickHouseServer();
    await command('DROP DATABASE IF EXISTS team');
    await command('CREATE DATABASE team');
  });
  afterAll(async () => {
    await command('DROP DATABASE IF EXISTS team');
    await server?.[Symbol.asyncDispose]();
    folder.remove();
  });

  async function command(query: string): Promise<void> {
    await using client = createClient({ url: server!.url, username: server!.user, password: server!.password });
    await client.command({ query });
  }

  async function asking<T>(
    table: string,
    settings: object,
    work: (sluice: Sluice) => Promise<T>,
    model?: string,
  ): Promise<T> {
    const clickhouse = { url: server!.url, user: server!.user, database: 'team', table };
    folder.write('sluice.yaml', JSON.stringify({ backend: 'clickhouse', clickhouse, ...settings }));
    await using sluice = await open({
      workspace: folder.root,
      model,
      env: { SLUICE_CLICKHOUSE_PASSWORD: server!.password },
      now: () => Date.parse('2024-03-10T00:00:00Z'),
      onNote: () => undefined,
    });
    return await work(sluice);
  }

  it('are mapped like files: paths into JSON, expressions, several columns, other values, constants, time units', async () => {
    await command(`CREATE TABLE team.hits (c0 String, c1 Int64, body String, tags Map(String, String), ip String, login Nullable(String))
      ENGINE = MergeTree ORDER BY c1`);
    const hits = [
      ['hit', 1_709_287_200, '{"page":{"path":"/a"},"items":[{"id":7}]}', "{'lang':'de'}", 'X1', "''"],
      ['hit', 1_709_287_260, '{"page":{"path":"/b"}}', "{'lang':'en'}", 'X1', 'NULL'],
      ['tap', 1_709_373_600, 'no json', "{'lang':'de'}", 'X2', "'ann'"],
      ['hit', 0, '{"page":{"path":"/a"}}', '{}', 'X3', 'NULL'],
    ];
    await command(
      `INSERT INTO team.hits VALUES ${hits.map(([kind, at, body, tags, ip, login]) => `('${kind}', ${at}, '${body}', ${tags}, '${ip}', ${login})`).join(', ')}`,
    );
    const columns = {
      utcTime: { sql: 'nullIf(c1, 0)', format: 'seconds' },
      eventType: { column: 'c0', values: { hit: 'page_view', tap: 'link_click' } },
      docPath: '$.body.page.path',
      elementId: { path: '$.body.items[0].id' },
      browserLanguage: '$.tags.lang',
      userAnonymousId: { sql: 'lower(ip)' },
      userId: ['login', { value: 'nobody' }],
      src: { value: 'import' },
    };
    await asking('hits', { columns }, async (sluice) => {
      const rows = async (question: string) => (await sluice.query(question)).rows().map((row) => Object.values(row));
      expect(await rows('count, pageViewsCount, uniqueUsersCount by day from 2024-03-01 to 2024-03-02')).toEqual([
        ['2024-03-01T00:00:00.000', 2, 2, 1],
        ['2024-03-02T00:00:00.000', 1, 0, 1],
      ]);
      expect(await rows('count by docPath')).toEqual([
        ['/a', 1],
        ['/b', 1],
        [null, 1],
      ]);
      expect(await rows('count by browserLanguage')).toEqual([
        ['de', 2],
        ['en', 1],
      ]);
      expect(await rows('count by userId, src')).toEqual([
        ['nobody', 'import', 2],
        ['ann', 'import', 1],
      ]);
      expect(await rows('count where elementId = 7')).toEqual([[1]]);
      expect((await sluice.query('count')).provenance.lacking).toEqual([
        '1 row of the table has no time that can be read, and is not counted.',
      ]);
    });
  });

  it('have no user where its ID is empty, and no other value where a text is', async () => {
    await command(
      "CREATE TABLE team.signed (at DateTime('UTC'), who String, body String, country String) ENGINE = MergeTree ORDER BY at",
    );
    await command(
      `INSERT INTO team.signed VALUES ('2024-03-01 10:00:00', 'ann', '{"id":"ann"}', ''), ('2024-03-01 11:00:00', '', '{"id":""}', '')`,
    );
    for (const userId of ['who', '$.body.id', ['who', { value: '' }], { sql: 'lower(who)' }])
      await asking('signed', { columns: { utcTime: 'at', userId } }, async (sluice) => {
        const found = await sluice.query('users, distinct(userId), count');
        expect(Object.values(found.rows()[0]!), JSON.stringify(userId)).toEqual([1, 1, 2]);
        const named = await sluice.query('count by country');
        expect(named.rows().map((row) => Object.values(row))).toEqual([[null, 2]]);
      });
  });

  it('provide the entities of Snowplow, in envelopes and in separate columns', async () => {
    const page = { schema: 'com.snowplowanalytics.snowplow/web_page', data: { id: 'x' } };
    const session = {
      schema: 'com.snowplowanalytics.snowplow/client_session',
      data: { userId: 'u1', sessionId: 's1' },
    };
    const agent = {
      schema: 'com.snowplowanalytics.snowplow/ua_parser_context',
      data: { useragentFamily: 'Firefox', useragentMajor: '123', useragentMinor: null, osFamily: 'Linux', osMajor: 6 },
    };
    const robot = { schema: 'com.iab.snowplow/spiders_and_robots', data: { spiderOrRobot: true } };
    const user = { schema: 'com.gitlab/user_context', data: { plan: 'pro', seats: 3 } };
    const custom = { schema: 'com.gitlab/custom_event', data: { name: 'bought', props: { price: 7 } } };
    const click = {
      schema: 'com.snowplowanalytics.snowplow/link_click',
      data: { targetUrl: 'https://a.b', elementId: 'e' },
    };
    const text = JSON.stringify;
    const rows = [
      {
        event_name: 'page_view',
        contexts: text(envelopeOf([page, session, user])),
        derived_contexts: text(envelopeOf([agent])),
      },
      { event_name: '', contexts: text([session]), unstruct_event: text(eventEnvelopeOf(custom)) },
      { event_name: 'link_click', domain_userid: 'own', unstruct_event: text(eventEnvelopeOf(click)) },
      { event_name: 'page_view', contexts: 'no json', derived_contexts: text(envelopeOf([agent, robot])) },
      { event_name: 'page_view', contexts_com_snowplowanalytics_snowplow_client_session_1: text([session.data]) },
    ].map((row, index) => ({ derived_tstamp: `2024-03-01 10:0${index}:00.000`, ...row }));
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    await command(
      `CREATE TABLE team.raw (${columns.map((name) => `${name} ${name === 'derived_tstamp' ? "DateTime64(3, 'UTC')" : 'Nullable(String)'}`).join(', ')}) ENGINE = MergeTree ORDER BY derived_tstamp`,
    );
    await using client = createClient({ url: server!.url, username: server!.user, password: server!.password });
    await client.insert({ table: 'team.raw', values: rows, format: 'JSONEachRow' });
    const events = folder.write('raw.ndjson', rows.map((row) => `${text(row)}\n`).join(''));
    folder.write('sluice.yaml', '{}');
    await using here = await open({
      workspace: folder.root,
      events,
      env: {},
      backend: 'embedded',
      onNote: () => undefined,
    });
    const fields = ['userAnonymousId', 'sessionId', 'eventType', 'agentName', 'agentVersion', 'osFamily', 'osVersion'];
    const further = ['customEventName', 'customEventProps', 'customUserProps', 'targetUrl', 'elementId', 'docPath'];
    for (const question of [...fields, ...further].map((field) => `count by ${field}`)) {
      const expected = (await here.query(question)).rows();
      const found = await asking('raw', {}, async (sluice) => (await sluice.query(question)).rows());
      expect([question, found]).toEqual([question, expected]);
    }
  }, 60_000);

  it.each([
    ['whole seconds', 'Int64', '1709287200', undefined],
    ['whole milliseconds', 'Int64', '1709287200000', undefined],
    ['whole microseconds', 'UInt64', '1709287200000000', undefined],
    ['whole nanoseconds', 'Int64', '1709287200000000000', undefined],
    ['seconds with a fraction', 'Float64', '1709287200.25', 'seconds'],
    ['a text of nanoseconds', 'String', "'1709287200000000000'", 'nanoseconds'],
    ['a text in ISO 8601', 'String', "'2024-03-01T11:00:00+01:00'", undefined],
    ['a text of seconds', 'String', "'1709287200.5'", undefined],
    ['a decimal of milliseconds', 'Decimal(18, 3)', '1709287200500.25', undefined],
    ['a compact text', 'LowCardinality(Nullable(String))', "'20240301T100000Z'", undefined],
    ['a text of a mail', 'String', "'Fri, 1 Mar 2024 12:00:00 +0200'", 'rfc2822'],
    ['a text of the day first', 'String', "'01/03/2024 10:00:00'", 'day-first'],
    ['a text of the day first for people', 'String', "'1.3.2024, 10:00 AM'", 'day-first'],
    ['a text of the month first', 'String', "'03/01/2024 10:00:00'", 'month-first'],
    ['a time of another zone', "DateTime('Asia/Tokyo')", "'2024-03-01 19:00:00'", undefined],
    ['a local text', 'Nullable(String)', "'2024-03-01 11:00:00'", { timezone: 'Europe/Berlin' }],
  ])('have their times read: %s', async (name, type, value, format) => {
    const table = name.replaceAll(/\W/g, '_');
    await command(`CREATE TABLE team.${table} (at ${type}) ENGINE = MergeTree ORDER BY tuple()`);
    await command(`INSERT INTO team.${table} VALUES (${value})`);
    const utcTime =
      format === undefined ? 'at' : { column: 'at', ...(typeof format === 'object' ? format : { format }) };
    await asking(table, { columns: { utcTime } }, async (sluice) => {
      const result = await sluice.query('count by hour from 2024-03-01T09:00:00 to 2024-03-01T11:59:59', {
        fill: 'none',
      });
      expect(result.rows().map((row) => Object.values(row))).toEqual([['2024-03-01T10:00:00.000Z', 1]]);
    });
  });

  const unclear = ['03/01/2024', '12:30', '24-03-01 10:00:00', '2024-03-01 25:00:00', '2024-02-30', '1850-01-01'];
  it.each<readonly [string, string, readonly unknown[], string | undefined]>([
    ['a text without a format', 'String', [...unclear, '20', 'Mar 1 2024', '1e25'], undefined],
    ['ISO 8601', 'Nullable(String)', [...unclear, '1709287200', null], 'iso'],
    ['a text of the day first', 'String', ['03/13/2024', '31/02/2024', '01/03/24', '01/03/2024 25:00'], 'day-first'],
    ['a text of the month first', 'String', ['13/03/2024', '3/1/24'], 'month-first'],
    ['a text of a mail', 'String', ['1 Mar 24 10:00:00 GMT', '1 Mar 2024 10:00:00'], 'rfc2822'],
    ['a text of seconds', 'String', ['99999999999999999999', '1709287200123', 'x', ''], 'seconds'],
    ['milliseconds given as seconds', 'Int64', [1709287200123], 'seconds'],
    ['nanoseconds beyond 64 bits', 'UInt64', ['18446744073709551615'], 'nanoseconds'],
    ['whole numbers of no known unit', 'UInt32', [5, 20240301], undefined],
    ['numbers with a fraction of no known unit', 'Float64', [1e25, 0.5], undefined],
  ])('have rows without a time if the server would have to guess: %s', async (name, type, values, format) => {
    const table = `unclear_${name.replaceAll(/\W/g, '_')}`;
    await command(`CREATE TABLE team.${table} (at ${type}) ENGINE = MergeTree ORDER BY tuple()`);
    await using client = createClient({ url: server!.url, username: server!.user, password: server!.password });
    await client.insert({
      table: `team.${table}`,
      values: values.map((at) => ({ at })),
      format: 'JSONEachRow',
    });
    await asking(table, { columns: { utcTime: { column: 'at', format } } }, async (sluice) => {
      const result = await sluice.query('count by utcTime');
      expect(result.rows()).toEqual([]);
      expect(result.provenance.lacking).toEqual([
        expect.stringMatching(new RegExp(`^${values.length} rows? of the table ha(ve|s) no time that can be read`)),
      ]);
    });
  });

  it('are refused with times that the server cannot read, and with missing columns', async () => {
    await command('CREATE TABLE team.odd (at String) ENGINE = MergeTree ORDER BY at');
    const fault = (columns: object) =>
      asking('odd', { columns }, (sluice) => sluice.query('count')).then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(await fault({ utcTime: { column: 'at', format: '%d/%m/%y' } })).toMatchObject({ code: 'not-on-clickhouse' });
    expect(await fault({ utcTime: 'when' })).toMatchObject({ code: 'table-not-found', message: /no column "when"/ });
    expect(await fault({ utcTime: { sql: 'nothing_like(at)' } })).toMatchObject({ code: 'sql-refused' });
  });

  it('are read by a model alone, without a table of events, in any type', async () => {
    await command(`CREATE TABLE team.orders (id UInt64, at DateTime64(3, 'Asia/Tokyo'), day Date, plan LowCardinality(Nullable(String)),
      kind Enum8('a' = 1, 'b\\'x' = 2), code FixedString(4), price Decimal(18, 4), weight Nullable(Float64), large Int256, ip IPv4, ip6 IPv6,
      uid UUID, sum SimpleAggregateFunction(sum, UInt64), huge UInt256, tags Array(String)) ENGINE = MergeTree ORDER BY id`);
    await command(`INSERT INTO team.orders VALUES
      (18446744073709551615, '2024-03-01 08:30:00.250', '2024-03-01', 'pro', 'a', 'ab', 0.1, nan, 123456789012345678901, '10.0.0.1', '::1', '61f0c404-5cb3-11e7-907b-a6006ad3dba0', 1, toUInt256('115792089237316195423570985008687907853269984665640564039457584007913129639935'), ['x']),
      (18446744073709551614, '2024-03-01 09:30:00', '2024-03-01', NULL, 'b\\'x', 'abcd', 0.2, inf, 1, '10.0.0.2', '::ffff:10.0.0.1', '61f0c404-5cb3-11e7-907b-a6006ad3dba1', 2, 0, ['x', 'y']),
      (9007199254740993, '2024-03-02 09:30:00', '2024-03-02', '', 'b\\'x', '', 0.3, 1.5, -1, '10.0.0.2', '2001:db8::1:0:0:1', '61f0c404-5cb3-11e7-907b-a6006ad3dba1', 4, 0, [])`);
    const numbers = ['id', 'price', 'weight', 'large', 'sum', 'huge'];
    const texts = ['plan', 'kind', 'code', 'ip', 'ip6', 'uid', 'tags'];
    const member = (name: string, type: string, column: string) =>
      `      - {name: ${name}, type: ${type}, sql: "{CUBE}.${column}"}\n`;
    const measures = ['sum', 'max'].flatMap((type) => numbers.map((name) => member(`${type}_${name}`, type, name)));
    const file = folder.write(
      'orders.yml',
      `cubes:
  - name: orders
    sql_table: orders
    measures:
      - {name: count, type: count}
${measures.join('')}    dimensions:
      - {name: id, type: number, sql: "{CUBE}.id", primary_key: true}
      - {name: weight, type: number, sql: "{CUBE}.weight"}
${texts.map((name) => member(name, 'string', name)).join('')}${['at', 'day'].map((name) => member(name, 'time', name)).join('')}`,
    );
    const ask = (sluice: Sluice) => async (question: string) =>
      (await sluice.query(question, { fill: 'none' })).rows().map((row) => Object.values(row));
    await asking(
      'nowhere',
      {},
      async (sluice) => {
        const rows = ask(sluice);
        expect(await rows('orders.sum_id, orders.sum_price, orders.sum_large, orders.sum_sum')).toEqual([
          [36_902_495_346_673_844_222n, 0.6, 123_456_789_012_345_678_901n, 7],
        ]);
        expect(await rows('orders.max_weight')).toEqual([[Infinity]]);
        expect(await rows('orders.count where orders.weight > 0')).toEqual([[2]]);
        expect(await rows('orders.sum_weight by orders.code')).toEqual([
          ['abcd', Infinity],
          ['', 1.5],
          ['ab', NaN],
        ]);
        expect(await rows('orders.sum_huge')).toEqual([[2n ** 256n - 1n]]);
        expect(await rows('orders.sum_weight where orders.plan is empty')).toEqual([[Infinity]]);
        expect(await rows('orders.count where orders.id = 9007199254740993')).toEqual([[1]]);
        expect(await rows('orders.count where orders.kind contains X')).toEqual([[2]]);
        for (const name of texts) {
          expect([name, await rows(`orders.count where orders.${name} = 'no such'`)]).toEqual([name, [[0]]]);
          expect([name, await rows(`orders.count where orders.${name} != 'no such'`)]).toEqual([name, [[3]]]);
        }
        expect(await rows('orders.count where orders.ip in (10.0.0.2, x)')).toEqual([[2]]);
        expect(await rows('orders.count where orders.uid = 61F0C404-5CB3-11E7-907B-A6006AD3DBA1')).toEqual([[2]]);
        expect(await rows('orders.count where orders.code = ab')).toEqual([[1]]);
        expect(await rows('orders.count by orders.ip')).toEqual([
          ['10.0.0.2', 2],
          ['10.0.0.1', 1],
        ]);
        expect((await rows('orders.count by orders.ip6')).map(([ip]) => ip)).toEqual([
          '::1',
          '::ffff:10.0.0.1',
          '2001:db8::1:0:0:1',
        ]);
        expect(await rows('orders.count by orders.at.day')).toEqual([
          ['2024-02-29T00:00:00.000', 1],
          ['2024-03-01T00:00:00.000', 1],
          ['2024-03-02T00:00:00.000', 1],
        ]);
        expect(await rows('orders.count by orders.at.hour from 2024-03-01 to 2024-03-01')).toEqual([
          ['2024-03-01T00:00:00.000Z', 1],
        ]);
        await expect(rows('orders.count by orders.tags')).rejects.toMatchObject({
          code: 'sql-refused',
          message: /Array\(String\)/,
          hint: /toString/,
        });
        await expect(rows('TrackedEvents.count')).rejects.toMatchObject({ code: 'table-not-found' });
      },
      file,
    );
  });

  const typedColumns = `at DateTime, who String, plan LowCardinality(Nullable(String)), price Decimal(18, 4), score Nullable(Float64),
    id UInt64, paid Bool, body String, tags Array(String), marks Map(String, String), cart JSON, day Date, seen DateTime64(3, 'Asia/Tokyo'), kind Enum8('x' = 1, 'y' = 2)`;
  const typedRows = [
    `('2024-03-01 10:00:00', 'ann', 'pro', 1.25, 1.5, 9007199254740993, true, '{"page":{"no":7}}', ['eu', 'us'], {'k': 'v'}, '{"total": 5}', '2024-03-01', '2024-03-01 19:00:00.250', 'x')`,
    `('2024-03-01 11:00:00', 'ann', NULL, -0.5, 2.5, 18446744073709551615, false, 'plain 12345678901234567890', [], {}, '{"total": 7.5}', '2024-03-02', '2024-03-01 20:00:00', 'y')`,
    `('2024-03-02 10:00:00', 'bob', '', 10, NULL, 7, true, '', ['us'], {'k': ''}, '{}', '2024-03-01', '2024-03-02 19:00:00', 'x')`,
    `('2024-03-02 11:00:00', 'bob', 'free', 10, nan, 7, true, '', ['us'], {'k': 'v'}, '{}', '2024-03-01', '2024-03-02 19:00:00', 'x')`,
  ];
  // The same rows as an export has them.
  const typedLines = [
    {
      plan: 'pro',
      price: 1.25,
      score: 1.5,
      id: 9007199254740993n,
      paid: true,
      body: { page: { no: 7 } },
      tags: ['eu', 'us'],
      marks: { k: 'v' },
      cart: { total: 5 },
      day: '2024-03-01',
      seen: '2024-03-01 10:00:00.25',
      kind: 'x',
    },
    {
      plan: null,
      price: -0.5,
      score: 2.5,
      id: 18446744073709551615n,
      paid: false,
      body: 'plain 12345678901234567890',
      tags: [],
      marks: {},
      cart: { total: 7.5 },
      day: '2024-03-02',
      seen: '2024-03-01 11:00:00',
      kind: 'y',
    },
    {
      plan: '',
      price: 10,
      id: 7,
      paid: true,
      body: '',
      tags: ['us'],
      marks: { k: '' },
      cart: {},
      day: '2024-03-01',
      seen: '2024-03-02 10:00:00',
      kind: 'x',
    },
    {
      plan: 'free',
      price: 10,
      score: 'NaN',
      id: 7,
      paid: true,
      body: '',
      tags: ['us'],
      marks: { k: 'v' },
      cart: {},
      day: '2024-03-01',
      seen: '2024-03-02 10:00:00',
      kind: 'x',
    },
  ].map((row, index) => {
    const at = `2024-03-0${index < 2 ? 1 : 2}T1${index % 2}:00:00Z`;
    const texts = Object.entries(row).map(
      ([key, value]) => `"${key}":${typeof value === 'bigint' ? value : JSON.stringify(value)}`,
    );
    return `{"at":"${at}","who":"${index < 2 ? 'ann' : 'bob'}",${texts.join(',')}}\n`;
  });
  const properties = ['plan', 'price', 'score', 'id', 'paid', 'body', 'tags', 'day', 'seen', 'kind'];
  const paths = ['body.page.no', 'tags.0', 'tags[]', 'marks.k', 'cart.total'];

  it('have their other columns as properties, like files', async () => {
    await command(`CREATE TABLE team.typed (${typedColumns}) ENGINE = MergeTree ORDER BY at`);
    await command(`INSERT INTO team.typed VALUES ${typedRows.join(', ')}`);
    const columns = { utcTime: 'at', userAnonymousId: 'who' };
    const events = folder.write('typed.ndjson', typedLines.join(''));
    folder.write('sluice.yaml', JSON.stringify({ columns }));
    await using here = await open({
      workspace: folder.root,
      events,
      env: {},
      backend: 'embedded',
      cache: false,
      now: () => Date.parse('2024-03-10T00:00:00Z'),
      onNote: () => undefined,
    });
    const questions = [
      ...[...properties, ...paths].map((path) => `count, users by props.${path}`),
      'sum(price), min(id), max(id), median(cart.total), sum(body.page.no) by paid',
      'sum(price * id), avg(score)',
      'count where plan = pro or cart.total > 6',
      'count by tags[] where tags[] != eu',
      'retention of any by plan',
    ];
    const answers = (sluice: Sluice) =>
      Promise.all(
        questions.map(async (question) => [
          question,
          await sluice.query(question).then((result) => result.rows(), String),
        ]),
      );
    const wanted = await answers(here);
    await asking('typed', { columns }, async (sluice) => {
      expect(await answers(sluice)).toEqual(wanted);
      expect((await sluice.explain('sum(price)'))[0]!.statement).not.toContain('body');
      await expect(sluice.query('count by props.who')).rejects.toThrow('There is no member "props.who"');
    });
  });

  it('have no value where a number is NaN', async () => {
    const amounts = ['0', '0.5', '2', 'nan', 'inf', '-inf', 'NULL'];
    await command('CREATE TABLE team.infinite (at DateTime, amount Nullable(Float64)) ENGINE = MergeTree ORDER BY at');
    await command(`INSERT INTO team.infinite VALUES ${amounts.map((amount) => `(now(), ${amount})`).join(', ')}`);
    await asking('infinite', { columns: { utcTime: 'at' } }, async (sluice) => {
      const counts = { '= 0': 1, '!= 0': 6, '> 0': 3, '< 0': 1, 'is set': 5, 'is not set': 2 };
      for (const [condition, count] of Object.entries(counts)) {
        const result = await sluice.query(`count where amount ${condition}`);
        expect([condition, ...result.rows()]).toEqual([condition, { 'TrackedEvents.count': count }]);
      }
      const groups = await sluice.query('count by amount order by amount');
      expect(groups.rows().map((row) => Object.values(row))).toEqual([
        ...[-Infinity, 0, 0.5, 2, Infinity].map((amount) => [amount, 1]),
        [null, 2],
      ]);
      const figures = await sluice.query('sum(amount), max(amount), median(amount), distinct(amount)');
      expect(Object.values(figures.rows()[0]!)).toEqual([2.5, 2, 0.5, 5]);
    });
  });

  it('have currencies beside amounts, which a question about amounts looks up', async () => {
    await command('CREATE TABLE team.paid (at DateTime, amount Int8, currency String) ENGINE = MergeTree ORDER BY at');
    await command(`INSERT INTO team.paid VALUES (now(), 1, 'EUR'), (now(), 2, 'USD')`);
    await asking('paid', { columns: { utcTime: 'at' } }, async (sluice) => {
      const { provenance } = await sluice.query('sum(amount)');
      expect(provenance.lacking?.join()).toContain('"amount" is in several currencies (');
      const groups = await sluice.query('sum(amount) by currency order by currency');
      expect(groups.rows().map((row) => Object.values(row))).toEqual([
        ['EUR', 1],
        ['USD', 2],
      ]);
    });
  });

  it('have dates that are days of the time zone of the question', async () => {
    await command(
      `CREATE TABLE team.sales (day Date, due Nullable(Date32), at DateTime, written String DEFAULT formatDateTime(at, '%Y-%m-%d %H:%i:%S', 'UTC')) ENGINE = MergeTree ORDER BY day`,
    );
    await command(`INSERT INTO team.sales (day, due, at) VALUES
      ('2024-03-08', '2024-03-10', '2024-03-08 03:00:00'), ('2024-03-08', NULL, '2024-03-08 12:00:00'),
      ('2024-03-10', '2024-03-11', '2024-03-10 04:00:00')`);
    const dimension = (name: string) => `      - {name: ${name}, type: time, sql: "{CUBE}.${name}"}`;
    const file = folder.write(
      'sales.yml',
      `cubes:
  - name: sales
    sql_table: sales
    measures: [{name: count, type: count}]
    dimensions:
${['day', 'due', 'at', 'written'].map(dimension).join('\n')}
      - {name: local, type: time, sql: "parseDateTime64BestEffort({CUBE}.written, 3, 'America/New_York')"}
`,
    );
    await asking(
      'none',
      { timezone: 'America/New_York' },
      async (sluice) => {
        const counts = async (member: string, from = '2024-03-01', to = '2024-03-31') => {
          const dateRange: [string, string] = [from, to];
          const { columns, values } = await sluice.query(
            {
              measures: ['sales.count'],
              timeDimensions: [{ dimension: `sales.${member}`, granularity: 'day', dateRange }],
            },
            { fill: 'none' },
          );
          const [days, sums] = columns.map(({ key }) => Array.from(values(key)));
          return days!.map((day, row) => [String(day).slice(0, 10), sums![row]]);
        };
        expect(await counts('day')).toEqual([
          ['2024-03-08', 2],
          ['2024-03-10', 1],
        ]);
        expect(await counts('day', '2024-03-10', '2024-03-10')).toEqual([['2024-03-10', 1]]);
        expect(await counts('due')).toEqual([
          ['2024-03-10', 1],
          ['2024-03-11', 1],
        ]);
        for (const name of ['at', 'written'])
          expect(await counts(name)).toEqual([
            ['2024-03-07', 1],
            ['2024-03-08', 1],
            ['2024-03-09', 1],
          ]);
        expect(await counts('local')).toEqual([
          ['2024-03-08', 2],
          ['2024-03-10', 1],
        ]);
        const told = async (name: string) =>
          (await sluice.query(`sales.count by sales.${name}.day`)).provenance.lacking ?? [];
        expect(await told('written')).toEqual([
          "Times of sales.written without a zone are read as UTC. If they are local, name their zone in its `sql`: `parseDateTime64BestEffort({CUBE}.written, 3, 'America/New_York')`.",
        ]);
        for (const name of ['at', 'local', 'day']) expect(await told(name)).toEqual([]);
      },
      file,
    );
  });

  it('are read only in the range that a question asks for, and never take numbers for times', async () => {
    await command(`CREATE TABLE team.stays (at DateTime, fine DateTime64(9, 'UTC'), day Date, ms Int64) ENGINE = MergeTree
      PARTITION BY toYYYYMM(day) ORDER BY at`);
    await command(
      `INSERT INTO team.stays SELECT d, d, d, 1709287200123 FROM (SELECT toDateTime('2024-01-15 10:00:00', 'UTC') + number * 2592000 AS d FROM numbers(4))`,
    );
    const member = (name: string) => `      - {name: ${name}, type: time, sql: "{CUBE}.${name}"}\n`;
    const file = folder.write(
      'stays.yml',
      `cubes:
  - name: stays
    sql_table: stays
    measures: [{name: count, type: count}, {name: last, type: max, sql: "{CUBE}.ms"}]
    dimensions:
${['at', 'fine', 'day', 'ms'].map(member).join('')}`,
    );
    await asking(
      'none',
      { timezone: 'Asia/Tokyo' },
      async (sluice) => {
        const within = (name: string, measure = 'count') => ({
          measures: [`stays.${measure}`],
          timeDimensions: [{ dimension: `stays.${name}`, dateRange: ['2024-02-01', '2024-03-01'] as [string, string] }],
        });
        for (const name of ['at', 'day', 'fine']) {
          expect([name, (await sluice.query(within(name))).rows()]).toEqual([name, [{ 'stays.count': 1 }]]);
          const since = await sluice.query({
            measures: ['stays.count'],
            filters: [{ member: `stays.${name}`, operator: 'beforeDate', values: ['2300-01-01'] }],
          });
          expect([name, since.rows()]).toEqual([name, [{ 'stays.count': 4 }]]);
        }
        for (const name of ['at', 'day'])
          expect((await sluice.explain(within(name, 'last')))[0]!.enginePlan).toMatch(/Parts: 1 \| Granules: 1/);
        const refused = expect.objectContaining({
          code: 'value-unreadable',
          message: expect.stringContaining('"stays.ms"'),
        });
        await expect(sluice.query(within('ms'))).rejects.toEqual(refused);
        await expect(sluice.query('stays.count by stays.ms.day')).rejects.toEqual(refused);
        expect((await sluice.query('stays.count by stays.ms')).rows()).toEqual([
          { 'stays.ms': 1709287200123, 'stays.count': 4 },
        ]);
      },
      file,
    );
  });

  it('are read through a model whose cube names the members of an event', async () => {
    await command(
      `CREATE TABLE team.events (happened DateTime, visitor String, kind String, page String, price Float64) ENGINE = MergeTree ORDER BY happened`,
    );
    await command(`INSERT INTO team.events VALUES
      ('2024-03-01 10:00:00', 'a', 'view', '/a', 1), ('2024-03-01 10:05:00', 'a', 'view', '/b', 2),
      ('2024-03-01 11:00:00', 'a', 'buy', '/b', 4), ('2024-03-02 10:00:00', 'b', 'view', '/a', 8)`);
    const file = folder.write(
      'visits.yml',
      `cubes:
  - name: visits
    sql_table: events
    sluice: {events: {time: at, anonymous: visitor, type: kind, page: page, pageView: view}}
    measures:
      - {name: turnover, type: sum, sql: "{CUBE}.price"}
    dimensions:
      - {name: at, type: time, sql: "{CUBE}.happened"}
      - {name: visitor, type: string, sql: "{CUBE}.visitor"}
      - {name: kind, type: string, sql: "{CUBE}.kind"}
      - {name: page, type: string, sql: "{CUBE}.page"}
      - {name: price, type: number, sql: "{CUBE}.price"}
      - {name: double, type: number, sql: "2 * {CUBE}.price"}
`,
    );
    await asking(
      'none',
      {},
      async (sluice) => {
        const rows = async (question: string) => (await sluice.query(question)).rows().map((row) => Object.values(row));
        expect(await rows('TrackedEvents.pageViewsCount, TrackedEvents.count by TrackedEvents.docPath')).toEqual([
          ['/a', 2, 2],
          ['/b', 1, 2],
        ]);
        expect(
          await rows('TrackedEvents.sum(double) by TrackedEvents.docPath where TrackedEvents.props.price > 1'),
        ).toEqual([
          ['/a', 16],
          ['/b', 12],
        ]);
        expect(await rows('Sessions.count, Sessions.averageDurationMinutes')).toEqual([[3, 5 / 3]]);
        expect(await rows('visits.turnover by visits.visitor')).toEqual([
          ['b', 8],
          ['a', 7],
        ]);
        const funnel = await sluice.funnel({
          steps: [
            { name: 'a', target: '/a' },
            { name: 'b', target: '/b' },
          ],
          within: '1 hour',
        });
        const count = funnel.columns.find(({ key }) => key.endsWith('.count'))!.key;
        expect(funnel.rows().map((row) => (row as Record<string, unknown>)[count])).toEqual([2, 1]);
      },
      file,
    );
  });
});
