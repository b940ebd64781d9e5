import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventFields, spellingsOf } from '../../src/plan/model/event-fields.ts';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { openFiles, scratchFolder, textColumn, timeColumn } from './ask-sql.ts';
import { realEvents } from '../data/real-events.ts';
import { runs } from '../runs.ts';

const folder = scratchFolder();
const all = { reach: 'all' } as const;

/** Four handwritten events: three page views (two of /a), one click; two users. */
const events = [
  { utcTime: '2024-03-01T10:00:00.000', userAnonymousId: 'ann', eventType: 'pageview', docPath: '/a' },
  { utcTime: '2024-03-01T11:30:00.250', userAnonymousId: 'ann', eventType: 'link_click', docPath: '/a' },
  { utcTime: '2024-03-02T00:00:00.000', userAnonymousId: 'bob', eventType: 'pageview', docPath: '/b, "c"\nd' },
  { utcTime: '2024-03-02T23:59:59.999', userAnonymousId: 'bob', eventType: 'pageview', docPath: '/a' },
];
const figures =
  "SELECT count(*), count(*) FILTER (WHERE event_type = 'pageview'), count(DISTINCT user_key), count(*) FILTER (WHERE doc_path = '/a'), count(*) FILTER (WHERE doc_path = '/b, \"c\"\nd') FROM events";
const ndjson = events.map((event) => JSON.stringify(event)).join('\n');
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const separated = (delimiter: string, end = '\n') =>
  [
    Object.keys(events[0]!).join(delimiter),
    ...events.map((event) => Object.values(event).map(quoted).join(delimiter)),
  ].join(end) + end;

describe('a file of events', () => {
  const files: Readonly<Record<string, string | Uint8Array>> = {
    'plain.ndjson': ndjson,
    'packed.ndjson.gz': gzipSync(ndjson),
    'packed.ndjson.zst': zstdCompressSync(ndjson),
    'two-members.ndjson.gz': Buffer.concat([
      gzipSync(`${ndjson.slice(0, ndjson.indexOf('\n'))}\n`),
      gzipSync(ndjson.slice(ndjson.indexOf('\n') + 1)),
    ]),
    'called-otherwise.txt': ndjson,
    'packed-but-not-called-so.ndjson': gzipSync(ndjson),
    'list.json': JSON.stringify(events, null, 2),
    'list.json.gz': gzipSync(JSON.stringify(events)),
    'comma.csv': separated(','),
    'comma.csv.gz': gzipSync(separated(',')),
    'comma.csv.zst': zstdCompressSync(separated(',')),
    'semicolon.csv': separated(';', '\r\n'),
    'tab.tsv': separated('\t'),
    'csv-by-its-header': separated(','),
    'marked.csv': `\uFEFF${separated(',')}`,
    "it's [a] *name*?.ndjson": ndjson,
  };
  for (const [name, content] of Object.entries(files)) {
    it(`gives the same figures as ${name}`, async () => {
      await using session = await openFiles([folder.write(name, content)]);
      expect(await session.ask(figures, all)).toEqual([[4, 3, 2, 3, 1]]);
      expect(session.facts().rejected).toEqual({ count: 0, examples: [] });
    });
  }

  it('gives the same figures as Parquet', async () => {
    const source = folder.write('source.ndjson', ndjson);
    await using engine = await openEngine({});
    for (const type of ['TIMESTAMP', 'TIMESTAMP_NS', 'TIMESTAMPTZ', 'VARCHAR']) {
      const file = `${folder.path}/${type}.parquet`;
      await engine.rows(
        `COPY (SELECT CAST(utcTime AS ${type}) AS "TrackedEvents.UTCTIME", userAnonymousId, eventType AS event_name, docPath FROM '${source}') TO '${file}'`,
      );
      await using session = await openFiles([file]);
      expect(await session.ask(figures, all), type).toEqual([[4, 3, 2, 3, 1]]);
      expect(await session.ask('SELECT max(utc_time) FROM events'), type).toEqual([['2024-03-02T23:59:59.999Z']]);
    }
  });

  it('adds up with files of all other formats', async () => {
    const several = [
      folder.write('1.ndjson', ndjson),
      folder.write('2.csv', separated(',')),
      folder.write('3.json', JSON.stringify(events)),
      folder.write('4.ndjson.gz', gzipSync(ndjson)),
      folder.write('5.ndjson', ''),
    ];
    await using session = await openFiles(several);
    expect(await session.ask(figures, all)).toEqual([[16, 12, 2, 12, 4]]);
  });
});

describe('Parquet', () => {
  it('counts rows without a time out, and tells of them by their number', async () => {
    await using engine = await openEngine({});
    const file = `${folder.path}/gaps.parquet`;
    await engine.rows(
      `COPY (SELECT CASE WHEN i % 3 = 1 THEN NULL ELSE TIMESTAMP '2024-01-01' + to_seconds(i) END AS utcTime FROM range(9) r(i)) TO '${file}'`,
    );
    await using session = await openFiles([file]);
    expect(await session.ask('SELECT count(*) FROM events', all)).toEqual([[6]]);
    expect(session.facts().rejected).toEqual({
      count: 3,
      examples: [2, 5, 8].map((line) => ({ file, line, reason: 'no time' })),
    });
  });

  it('tests conditions on time by row group', async () => {
    await using engine = await openEngine({});
    const file = `${folder.path}/plain-time.parquet`;
    await engine.rows(
      `COPY (SELECT TIMESTAMP '2024-01-01' + to_seconds(i) AS "TrackedEvents.utcTime" FROM range(9) r(i)) TO '${file}'`,
    );
    await using session = await openFiles([file]);
    const { engine: own, events } = session.session;
    await events?.refresh();
    const [[, plan] = []] = await own.rows(
      "EXPLAIN SELECT count(*) FROM events WHERE utc_time >= TIMESTAMP '2024-01-01 00:00:05'",
    );
    const scan = String(plan).slice(String(plan).indexOf('READ_PARQUET')).replaceAll(/[│\s]/g, '');
    expect(scan).toContain("TrackedEvents.utcTime>='2024-01-0100:00:05'");
    expect(String(plan)).not.toContain('FILTER');
  });

  it('of several shapes is read side by side', async () => {
    await using engine = await openEngine({});
    const [one, other] = [`${folder.path}/one.parquet`, `${folder.path}/other.parquet`];
    await engine.rows(
      `COPY (SELECT TIMESTAMP '2024-01-01' AS utcTime, 'a' AS docPath, {'plan': 'pro', 'seats': [1, 2]} AS customUserProps) TO '${one}'`,
    );
    await engine.rows(
      `COPY (SELECT 1704067200000 AS derived_tstamp, 5 AS user_id, 'page_view' AS event_name) TO '${other}'`,
    );
    await using session = await openFiles([one, other]);
    expect(
      await session.ask(
        'SELECT min(utc_time), max(utc_time), max(doc_path), max(user_id), max(event_type), max(custom_user_props) FROM events',
        { columns: Array.from({ length: 6 }, () => textColumn) },
      ),
    ).toEqual([
      ['2024-01-01T00:00:00.000', '2024-01-01T00:00:00.000', 'a', '5', 'pageview', '{"plan":"pro","seats":[1,2]}'],
    ]);
  });
});

describe('the vocabularies', () => {
  it('mean the same under every spelling, in JSON and CSV', async () => {
    for (const field of eventFields) {
      if (field.type === 'time') continue;
      const value =
        field.type === 'number'
          ? '7'
          : field.column === 'doc_search'
            ? '?x'
            : field.column === 'event_type'
              ? 'click'
              : 'value';
      const lines = spellingsOf(field).map((spelling) => JSON.stringify({ utcTime: '2024-01-01', [spelling]: value }));
      const csvs = spellingsOf(field)
        .slice(0, 2)
        .map((spelling, index) =>
          folder.write(`spelling-${index}.csv`, `utcTime,${spelling.toUpperCase()}\n2024-01-01,${value}\n`),
        );
      await using session = await openFiles([folder.write('spellings.ndjson', lines.join('\n')), ...csvs]);
      expect(
        await session.ask(`SELECT CAST("${field.column}" AS VARCHAR), count(*) FROM events GROUP BY ALL`, {
          columns: [textColumn, textColumn],
        }),
        field.column,
      ).toEqual([[field.type === 'number' ? '7.0' : value, String(lines.length + csvs.length)]]);
    }
  });

  it('may be mixed, and values that are spelled differently become one', async () => {
    const file = folder.write(
      'mixed.ndjson',
      [
        {
          'TrackedEvents.utcTime': '2024-01-01T00:00:00.000',
          'TrackedEvents.eventType': 'pageview',
          'TrackedEvents.docSearch': '?a=1',
        },
        {
          derivedTstamp: '2024-01-01T00:00:00Z',
          eventName: 'page_view',
          pageUrl: 'https://u:p@shop.example:8080/p/q?a=1#f',
        },
        { derived_tstamp: '2024-01-01 00:00:00.000', event_name: 'page_view', page_urlquery: 'a=1' },
        { derived_tstamp: '2024-01-01 00:00:00.000', event_name: 'page_view', page_urlquery: '?a=1' },
      ]
        .map((event) => JSON.stringify(event))
        .join('\n'),
    );
    await using session = await openFiles([file]);
    expect(
      await session.ask('SELECT utc_time, event_type, doc_search, count(*) FROM events GROUP BY ALL', {
        columns: [timeColumn(), textColumn, textColumn, textColumn],
      }),
    ).toEqual([['2024-01-01T00:00:00.000', 'pageview', '?a=1', '4']]);
    expect(
      await session.ask('SELECT doc_host, doc_path, base_url FROM events WHERE url IS NOT NULL', {
        columns: [textColumn, textColumn, textColumn],
      }),
    ).toEqual([['shop.example', '/p/q', 'https://u:p@shop.example:8080']]);
  });

  it('take a key that first appears in the last of many lines', async () => {
    const lines = Array.from({ length: 30_000 }, () => '{"utcTime":"2024-01-01T00:00:00.000"}');
    const file = folder.write(
      'late.ndjson',
      [...lines, '{"utcTime":"2024-01-01T00:00:00.000","element_id":"late"}'].join('\n'),
    );
    await using session = await openFiles([file]);
    expect(await session.ask('SELECT count(element_id), count(*) FROM events')).toEqual([[1, 30_001]]);
  });

  it.each([
    ['https://a.example', 'a.example', '/', null],
    ['https://a.example/?q', 'a.example', '/', '?q'],
    ['https://[::1]:80/x', '[::1]', '/x', null],
    ['/only/path?q#h', null, '/only/path', '?q'],
    ['https://a.example/x#?no', 'a.example', '/x', null],
    ['', null, null, null],
  ])('take host, path and query string from the URL %s', async (url, host, path, search) => {
    await using session = await openFiles([folder.write('url.ndjson', JSON.stringify({ utcTime: '2024-01-01', url }))]);
    expect(
      await session.ask('SELECT doc_host, doc_path, doc_search FROM events', {
        columns: [textColumn, textColumn, textColumn],
      }),
    ).toEqual([[host, path, search]]);
  });
});

describe('the time of an event', () => {
  it.each([
    ['2024-03-10T12:00:00.123', '2024-03-10T12:00:00.123Z'],
    ['2024-03-10T12:00:00Z', '2024-03-10T12:00:00.000Z'],
    ['2024-03-10 12:00:00', '2024-03-10T12:00:00.000Z'],
    ['2024-03-10T12:00:00+02:00', '2024-03-10T10:00:00.000Z'],
    ['2024-03-10T12:00:00.5-0530', '2024-03-10T17:30:00.500Z'],
    ['2024-03-10T12:00:00+02', '2024-03-10T10:00:00.000Z'],
    ['2024-03-10', '2024-03-10T00:00:00.000Z'],
    ['1710072000123', '2024-03-10T12:00:00.123Z'],
    ['0001-01-01T00:00:00.000', '0001-01-01T00:00:00.000Z'],
    ['1969-12-31T23:59:59.9999', '1969-12-31T23:59:59.999Z'],
  ])('%s is %s', async (written, instant) => {
    const number = /^\d+$/.test(written) ? written : JSON.stringify(written);
    await using session = await openFiles([
      folder.write('time.ndjson', `{"utcTime":${number}}\n{"utcTime":${JSON.stringify(written)}}`),
      folder.write('time.csv', `utcTime\n${written}\n`),
    ]);
    expect(await session.ask('SELECT min(utc_time), max(utc_time), count(*) FROM events', all)).toEqual([
      [instant, instant, 3],
    ]);
  });

  it.each(['1710072000', 'now', 'today', 'infinity', '12:00', '2024-13-01', '10/03/2024', ''])(
    'is not %j',
    async (written) => {
      await using session = await openFiles([folder.write('no-time.ndjson', JSON.stringify({ utcTime: written }))]);
      expect(await session.ask('SELECT count(*) FROM events', all)).toEqual([[0]]);
      expect(session.facts().rejected.count).toBe(1);
    },
  );

  it('is the instant that JavaScript finds in the same text', async () => {
    const instants = fc.sample(
      fc.date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true }),
      { numRuns: runs(200), seed: 4 },
    );
    const offsets = ['Z', '', '+05:45', '-11:00'];
    const lines = instants.flatMap((instant) =>
      offsets.map((offset) => ({
        utcTime: instant.toISOString().slice(0, -1) + offset,
        docPath: String(Date.parse(instant.toISOString().slice(0, -1) + (offset || 'Z'))),
      })),
    );
    await using session = await openFiles([
      folder.write('instants.ndjson', lines.map((line) => JSON.stringify(line)).join('\n')),
    ]);
    expect(
      await session.ask(
        'SELECT count(*) FILTER (WHERE epoch_ms(utc_time) = CAST(doc_path AS BIGINT)), count(*) FROM events',
        all,
      ),
    ).toEqual([[lines.length, lines.length]]);
  });
});

describe('the user key', () => {
  const people = [
    { userAnonymousId: 'a' },
    { userAnonymousId: 'a', userId: 'k' },
    { userAnonymousId: '', userId: 'k' },
    { userId: 'k' },
    { userId: 'a' },
    { userAnonymousId: '\u001Fuk' },
    { userAnonymousId: '\u001F\u001Fuk' },
    { userId: '\u001Fk' },
    { userAnonymousId: '', userId: '' },
    {},
  ];
  const file = () =>
    folder.write(
      'people.ndjson',
      people.map((person) => JSON.stringify({ utcTime: '2024-01-01', ...person })).join('\n'),
    );

  it('is the anonymous id, then the known user apart from all anonymous ids, then nobody', async () => {
    await using session = await openFiles([file()]);
    // a (2 events), k (2), known a, two that imitate known k, known \x1Fk.
    expect(
      await session.ask('SELECT count(DISTINCT user_key), count(*) FILTER (WHERE user_key IS NULL) FROM events'),
    ).toEqual([[6, 2]]);
  });

  it('prefers the known user where so configured', async () => {
    await using session = await openFiles([file()], 'known');
    // known k (3 events), known a, known \x1Fk, anonymous a, \x1Fuk, \x1F\x1Fuk.
    expect(
      await session.ask("SELECT count(DISTINCT user_key), count(*) FILTER (WHERE user_key = 'k') FROM events"),
    ).toEqual([[6, 3]]);
  });

  it('is different for different users, whatever their ids are', async () => {
    const id = fc.string({ unit: fc.constantFrom('\u001F', 'u', 'a'), maxLength: 3 });
    const pairs = fc.sample(fc.record({ userAnonymousId: id, userId: id }), { numRuns: 500, seed: 7 });
    await using session = await openFiles([
      folder.write('ids.ndjson', pairs.map((pair) => JSON.stringify({ utcTime: '2024-01-01', ...pair })).join('\n')),
    ]);
    const users = new Set(
      pairs.flatMap(({ userAnonymousId, userId }) =>
        userAnonymousId !== '' ? `anonymous ${userAnonymousId}` : userId !== '' ? `known ${userId}` : [],
      ),
    );
    expect(await session.ask('SELECT count(DISTINCT user_key) FROM events')).toEqual([[users.size]]);
  });
});

const real = realEvents;

describe('real events', () => {
  it('agree with a count by hand', async () => {
    const lines = gunzipSync(readFileSync(real))
      .toString('utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>);
    const distinct = (field: string) => new Set(lines.map((line) => line[`TrackedEvents.${field}`])).size;
    await using session = await openFiles([real]);
    expect(
      await session.ask(
        "SELECT count(*), count(*) FILTER (WHERE event_type = 'pageview'), count(DISTINCT user_key), count(DISTINCT doc_path), count(*) FILTER (WHERE agent_name = 'bot') FROM events",
        all,
      ),
    ).toEqual([
      [
        lines.length,
        lines.filter((line) => line['TrackedEvents.eventType'] === 'pageview').length,
        distinct('userAnonymousId'),
        distinct('docPath'),
        lines.filter((line) => line['TrackedEvents.agentName'] === 'bot').length,
      ],
    ]);
    expect(session.facts().rejected.count).toBe(0);
  });
});
