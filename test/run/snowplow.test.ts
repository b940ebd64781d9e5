import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { readEventFile } from '../../src/run/duckdb/reading/event-reading.ts';
import { snowplowColumns, snowplowColumnsOf } from '../../src/run/duckdb/reading/layouts/snowplow-columns.ts';
import { openFiles, scratchFolder, textColumn } from './ask-sql.ts';
import { readAll } from './sources/read-all.ts';
import { type Entity, envelopeOf, eventEnvelopeOf, ownField, writeSnowplowRow } from './sources/snowplow-rows.ts';

const folder = scratchFolder();
const engine = await openEngine({ threads: { upTo: 2 } });
afterAll(() => engine[Symbol.asyncDispose]());

const session = 'com.snowplowanalytics.snowplow/client_session';
const browser = 'com.snowplowanalytics.snowplow/browser_context';
const uaParser = 'com.snowplowanalytics.snowplow/ua_parser_context';
const yauaa = 'nl.basjes/yauaa_context';
const robots = 'com.iab.snowplow/spiders_and_robots';
const click: Entity = {
  schema: 'com.snowplowanalytics.snowplow/link_click',
  version: '1-0-1',
  data: { targetUrl: 'https://x.example/', elementId: 'go' },
};
const custom: Entity = {
  schema: 'com.gitlab/custom_event',
  data: { name: 'signed up', props: { plan: 'pro', seats: 3 } },
};

const common = {
  app_id: 'key',
  platform: 'web',
  collector_tstamp: '2024-03-01 10:00:01.000',
  derived_tstamp: '2024-03-01 10:00:00.500',
  event: 'page_view',
  event_name: 'page_view',
  event_id: 'e1',
  domain_userid: 'ann',
  page_url: 'https://shop.example/p?q=1',
  page_urlhost: 'shop.example',
  page_urlpath: '/p',
  page_urlquery: 'q=1',
  br_viewwidth: '1280',
  br_viewheight: '720',
  useragent: 'Mozilla/5.0 "quoted"',
};
const canonical = {
  utc_time: '2024-03-01 10:00:00.5',
  user_anonymous_id: 'ann',
  event_type: 'pageview',
  event: 'page_view',
  event_id: 'e1',
  api_key: 'key',
  doc_host: 'shop.example',
  doc_path: '/p',
  doc_search: '?q=1',
  url: 'https://shop.example/p?q=1',
  base_url: 'https://shop.example',
  viewport_size: '1280x720',
  useragent: 'Mozilla/5.0 "quoted"',
};
const further = { collector_tstamp: '2024-03-01 10:00:01.000', platform: 'web' };

const read = (name: string, content: string | Uint8Array) => readAll(engine, folder.write(name, content));
const withoutFurther = ({ further: _further, ...row }: Readonly<Record<string, string>>) => row;

describe('enriched events', () => {
  it('have the columns that the documentation lists', () => {
    expect(snowplowColumns.length).toBe(131);
    expect(new Set(snowplowColumns).size).toBe(131);
    // Positions from the documentation's table.
    expect([0, 15, 29, 52, 58, 77, 96, 107, 108, 122, 124, 126, 130].map((index) => snowplowColumns[index])).toEqual([
      'app_id',
      'domain_userid',
      'page_url',
      'contexts',
      'unstruct_event',
      'useragent',
      'br_viewheight',
      'doc_height',
      'tr_currency',
      'derived_contexts',
      'derived_tstamp',
      'event_name',
      'true_tstamp',
    ]);
  });

  it.each<[string, string | Uint8Array]>([
    ['without a header', `${writeSnowplowRow(common)}\n`],
    ['without a header, called otherwise, packed', gzipSync(writeSnowplowRow(common))],
    ['behind a byte order mark, with carriage returns', `\uFEFF${writeSnowplowRow(common)}\r\n`],
    [
      'with a header',
      `${snowplowColumns.join('\t')}\n${snowplowColumns
        .map((column) => ((common as Record<string, string>)[column] ?? '').replaceAll('"', '""'))
        .map((field) => (field.includes('"') ? `"${field}"` : field))
        .join('\t')}\n`,
    ],
    ['as JSON', JSON.stringify({ ...common, br_viewwidth: 1280, br_viewheight: 720, geo_city: null })],
  ])('are read %s', async (name, content) => {
    const { rows, mended } = await read(
      `${name.replaceAll(' ', '-')}.${name.includes('JSON') ? 'ndjson' : name.includes('otherwise') ? 'log' : 'tsv'}`,
      content,
    );
    expect(mended).toBe(false);
    expect(rows).toEqual([{ ...canonical, further: JSON.stringify(further) }]);
  });

  it('answer questions straight', async () => {
    const click2 = {
      ...common,
      event: 'unstruct',
      event_name: 'link_click',
      unstruct_event: JSON.stringify(eventEnvelopeOf(click)),
    };
    const file = folder.write('asked.tsv', [writeSnowplowRow(common), writeSnowplowRow(click2)].join('\n'));
    await using open = await openFiles([file]);
    expect(
      await open.ask('SELECT event_type, doc_search, viewport_size, target_url FROM events ORDER BY 1', {
        columns: [textColumn, textColumn, textColumn, textColumn],
      }),
    ).toEqual([
      ['link_click', '?q=1', '1280x720', 'https://x.example/'],
      ['pageview', '?q=1', '1280x720', null],
    ]);
    expect(open.facts().rejected.count).toBe(0);
  });

  it('of earlier releases lack columns, and what they have stands in', async () => {
    for (const [count, time] of [
      [108, '2024-03-01 10:00:01'],
      [125, '2024-03-01 10:00:00.5'],
    ] as const) {
      const { rows, mended } = await read(
        `old-${count}.tsv`,
        writeSnowplowRow(common, snowplowColumns.slice(0, count)),
      );
      expect({ mended, rows: rows.map(withoutFurther) }).toEqual({
        mended: false,
        rows: [{ ...canonical, utc_time: time }],
      });
    }
    const undatedClick = writeSnowplowRow(
      { ...common, derived_tstamp: '', event: 'unstruct', unstruct_event: JSON.stringify(eventEnvelopeOf(click)) },
      snowplowColumns.slice(0, 125),
    );
    expect((await read('old-click.tsv', undatedClick)).rows).toMatchObject([
      { utc_time: '2024-03-01 10:00:01', event_type: 'link_click', element_id: 'go' },
    ]);
  });

  it('of several releases may stand in one file, beside rows that are broken', async () => {
    const content = [
      writeSnowplowRow(common),
      writeSnowplowRow(common, snowplowColumns.slice(0, 108)),
      'a\tb',
      writeSnowplowRow(common, snowplowColumnsOf(128)!),
      writeSnowplowRow({ ...common, derived_tstamp: '' }),
    ].join('\n');
    const { rows, rejected } = await read('releases.tsv', content);
    expect(rows.map(withoutFurther)).toEqual(
      [{ ...canonical, utc_time: '2024-03-01 10:00:01' }, canonical, canonical].sort((one, other) =>
        JSON.stringify(one) < JSON.stringify(other) ? -1 : 1,
      ),
    );
    expect(rejected.map(({ line, reason }) => [line, reason])).toEqual([
      [3, '2 fields: fewer than any release of Snowplow writes'],
      [5, 'no time'],
    ]);
    expect(rejected[0]!.text).toBe('a\tb');
  });

  it('take hostile fields to the letter', async () => {
    for (const hostile of [
      '"',
      '""',
      '"a',
      'a"b',
      '\\',
      '\\N',
      "'; DROP TABLE x; --",
      '=1+1',
      '<script>',
      '\u001B[31m',
      '#',
      'NULL',
      '\u{1F600}',
      ',',
      ';',
      ' x ',
    ]) {
      const { rows, mended } = await read(
        'hostile.tsv',
        `${writeSnowplowRow({ ...common, page_title: hostile })}\n${writeSnowplowRow({ ...common, app_id: hostile, event_id: 'e2' })}\n`,
      );
      expect(mended, hostile).toBe(false);
      expect(
        rows.map(({ page_title: title, api_key: key }) => [title, key]),
        hostile,
      ).toEqual(
        expect.arrayContaining([
          [hostile, 'key'],
          [undefined, hostile],
        ]),
      );
    }
    const { rows } = await read(
      'return.tsv',
      `${writeSnowplowRow({ ...common, page_title: 'a\rb' })}\n${writeSnowplowRow(common)}\n`,
    );
    expect(rows.map(({ page_title: title }) => title).sort()).toEqual(['a\rb', undefined].sort());
  });
});

describe('entities', () => {
  const entities: readonly Entity[] = [
    { schema: 'com.snowplowanalytics.snowplow/web_page', data: { id: 'w' } },
    { schema: session, version: '1-0-2', data: { userId: 'device', sessionId: 's1' } },
    {
      schema: browser,
      version: '2-0-0',
      data: { viewport: '800x600', browserLanguage: 'de-AT', documentLanguage: 'de' },
    },
    { schema: 'com.gitlab/user_context', data: { plan: 'pro' } },
  ];
  const derived: readonly Entity[] = [
    {
      schema: uaParser,
      data: {
        useragentFamily: 'Firefox',
        useragentMajor: '124',
        useragentMinor: '0',
        useragentPatch: null,
        osFamily: 'Ubuntu',
        osMajor: '22',
        osMinor: '04',
      },
    },
    {
      schema: yauaa,
      version: '1-0-4',
      data: {
        agentName: 'Firefox Desktop',
        agentVersion: '124.0',
        operatingSystemName: 'Linux',
        operatingSystemVersion: '6',
      },
    },
    { schema: robots, data: { spiderOrRobot: false } },
  ];
  const bare = { derived_tstamp: '2024-03-01 10:00:00.000', collector_tstamp: '2024-03-01 10:00:01.000' };
  const wanted = {
    utc_time: '2024-03-01 10:00:00',
    user_anonymous_id: 'device',
    session_id: 's1',
    event_type: 'link_click',
    viewport_size: '800x600',
    browser_language: 'de-AT',
    document_language: 'de',
    custom_user_props: '{"plan":"pro"}',
    agent_name: 'Firefox',
    agent_version: '124.0',
    os_family: 'Ubuntu',
    os_name: 'Linux',
    os_version: '22.04',
    os_version_major: '22',
    target_url: 'https://x.example/',
    element_id: 'go',
  };
  const own = (list: readonly Entity[]) =>
    Object.fromEntries(list.map((entity) => [ownField('contexts', entity), [entity.data]]));
  const fields = {
    contexts: envelopeOf(entities),
    derived_contexts: envelopeOf(derived),
    unstruct_event: eventEnvelopeOf(click),
  };
  const texts = Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, JSON.stringify(value)]));
  const forms: Readonly<Record<string, string>> = {
    'objects.ndjson': JSON.stringify({ ...bare, ...fields }),
    'texts.ndjson': JSON.stringify({ ...bare, ...texts }),
    'own.ndjson': JSON.stringify({
      ...bare,
      ...own(entities),
      ...own(derived),
      [ownField('unstruct_event', click)]: click.data,
    }),
    'mixed.json': JSON.stringify([
      { ...bare, contexts: fields.contexts, ...own(derived), unstruct_event: texts.unstruct_event },
    ]),
    'bare-list.ndjson': JSON.stringify({
      ...bare,
      contexts: (fields.contexts as { data: unknown }).data,
      derived_contexts: texts.derived_contexts,
      unstruct_event: (fields.unstruct_event as { data: unknown }).data,
    }),
    'enriched.tsv': writeSnowplowRow({ ...bare, ...texts }),
  };
  for (const [name, content] of Object.entries(forms)) {
    it(`fill columns from ${name}, read or asked`, async () => {
      const { rows } = await read(name, content);
      expect(rows.map(withoutFurther)).toEqual([wanted]);
      expect(JSON.stringify(JSON.parse(rows[0]!.further!))).toContain('web_page');
      await using open = await openFiles([folder.write(name, content)]);
      const asked = Object.keys(wanted).filter((column) => column !== 'utc_time');
      expect(
        await open.ask(`SELECT ${asked.join(', ')} FROM events`, { columns: asked.map(() => textColumn) }),
      ).toEqual([asked.map((column) => wanted[column as keyof typeof wanted])]);
    });
  }

  it('are found though they first appear late, by a question too', async () => {
    const plain = Array.from({ length: 2000 }, (_, index) =>
      JSON.stringify({ ...bare, sessionId: 's', docPath: `/${index}`, pageTitle: 'x'.repeat(60) }),
    );
    const file = folder.write('late.ndjson', [...plain, JSON.stringify({ ...bare, ...fields })].join('\n'));
    await using open = await openFiles([file]);
    expect(
      await open.ask("SELECT count(*) FILTER (WHERE session_id = 's1'), count(*) FROM events", { reach: 'all' }),
    ).toEqual([[1, 2001]]);
    expect(open.facts().rejected.count).toBe(0);
  });

  it('give way to the event’s own fields', async () => {
    const { rows } = await read(
      'own-first.ndjson',
      JSON.stringify({
        ...bare,
        ...fields,
        domain_sessionid: 'mine',
        domain_userid: '',
        br_viewwidth: 1,
        br_viewheight: 2,
        event_name: 'custom',
        br_lang: 'fr',
      }),
    );
    expect(rows[0]).toMatchObject({
      session_id: 'mine',
      user_anonymous_id: 'device',
      viewport_size: '1x2',
      event_type: 'custom',
      browser_language: 'fr',
    });
  });

  it('name a custom event, and mark a robot', async () => {
    const { rows } = await read(
      'custom.ndjson',
      JSON.stringify({
        ...bare,
        br_family: 'Chrome',
        unstruct_event: eventEnvelopeOf(custom),
        contexts: envelopeOf([{ schema: robots, version: '2-0-0', data: { spiderOrRobot: true } }]),
      }),
    );
    expect(rows[0]).toMatchObject({
      custom_event_name: 'signed up',
      custom_event_props: '{"plan":"pro","seats":3}',
      agent_name: 'bot',
      event_type: 'custom_event',
    });
  });

  it.each([
    'not JSON',
    '[]',
    '{}',
    '5',
    '{"data":5}',
    '{"data":[1,null,{"schema":7},{"schema":"iglu:com.gitlab/user_context/jsonschema/1-0-0"}]}',
    '{"data":{"schema":null}}',
  ])('that are %s say nothing, and do no harm', async (odd) => {
    const { rows, rejected } = await read(
      'odd.ndjson',
      JSON.stringify({ ...bare, contexts: odd, unstruct_event: odd, contexts_com_gitlab_user_context_1: odd }),
    );
    expect(rejected).toEqual([]);
    expect(withoutFurther(rows[0]!)).toEqual({ utc_time: wanted.utc_time });
    await using open = await openFiles([
      folder.write('odd.tsv', writeSnowplowRow({ ...bare, contexts: odd, unstruct_event: odd })),
    ]);
    expect(
      await open.ask('SELECT count(*) FROM events WHERE session_id IS NULL AND custom_user_props IS NULL'),
    ).toEqual([[1]]);
  });

  it('of one half of the viewport are further fields', async () => {
    const { rows } = await read(
      'half.ndjson',
      `${JSON.stringify({ ...bare, br_viewwidth: 5 })}\n${JSON.stringify({ ...bare, br_viewwidth: 5, br_viewheight: 6 })}`,
    );
    expect(rows.map(({ further: rest }) => JSON.parse(rest!))).toEqual(
      expect.arrayContaining([
        { collector_tstamp: bare.collector_tstamp, br_viewwidth: 5 },
        { collector_tstamp: bare.collector_tstamp },
      ]),
    );
  });
});

describe('fields of entities with a full version', () => {
  const at = { derived_tstamp: '2024-03-01 10:00:00.500', domain_userid: 'ann' };
  const data = (sessionId: string) => JSON.stringify([{ sessionId, userId: 'ann' }]);
  const csv = (row: Readonly<Record<string, string>>) =>
    [Object.keys(row), Object.values(row)]
      .map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','))
      .join('\n');
  const field = (version: string) => `contexts_com_snowplowanalytics_snowplow_client_session_${version}`;
  const forms: Readonly<Record<string, (row: Readonly<Record<string, string>>) => string>> = {
    csv: (row) => csv(row),
    'mended.csv': (row) => `${csv(row)}\n"broken`,
    ndjson: (row) => JSON.stringify(row),
    'mended.ndjson': (row) => `${JSON.stringify(row)}\nbroken`,
  };

  for (const [name, write] of Object.entries(forms)) {
    it.each(['1', '1_0_0', '1_0_2', '2_0_0', '1_0_17', '3', '12_3_4'])(`are read from ${name}: %s`, async (version) => {
      const file = folder.write(`${version}.${name}`, write({ ...at, [field(version)]: data('s1') }));
      await using open = await openFiles([file]);
      expect(await open.ask('SELECT session_id FROM events', { columns: [textColumn] })).toEqual([['s1']]);
      expect((await readAll(engine, file)).rows).toMatchObject([{ session_id: 's1' }]);
    });
    it(`give the newest version that holds a value in ${name}`, async () => {
      const file = folder.write(
        `several.${name}`,
        write({ ...at, [field('1_0_2')]: data('old'), [field('1_0_10')]: data('new'), [field('1_1_0')]: '' }),
      );
      await using open = await openFiles([file]);
      expect(await open.ask('SELECT session_id FROM events', { columns: [textColumn] })).toEqual([['new']]);
    });
  }

  it('are read of self-describing events', async () => {
    const file = folder.write(
      'described.csv',
      csv({
        ...at,
        unstruct_event_com_snowplowanalytics_snowplow_link_click_1_0_1: JSON.stringify({
          targetUrl: 'https://x.example/',
        }),
      }),
    );
    await using open = await openFiles([file]);
    expect(await open.ask('SELECT event_type, target_url FROM events', { columns: [textColumn, textColumn] })).toEqual([
      ['link_click', 'https://x.example/'],
    ]);
  });

  it('are read from Parquet, in capitals too, and told of', async () => {
    const file = `${folder.path}/capitals.parquet`;
    await engine.rows(
      `COPY (SELECT TIMESTAMP '2024-03-01 10:00:00' AS DERIVED_TSTAMP, '${data('s9')}' AS "${field('1_0_0').toUpperCase()}") TO '${file}'`,
    );
    await using open = await openFiles([file]);
    expect(await open.ask('SELECT session_id FROM events', { columns: [textColumn] })).toEqual([['s9']]);
    expect((await readEventFile(engine, file)).entities).toEqual(['client_session']);
  });
});
