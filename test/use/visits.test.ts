import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { query } from '../../src/ask/query/builder.ts';
import { builtInModelOfServers } from '../../src/plan/model/built-in-model.ts';
import { writeMeta } from '../../src/plan/model/write-meta.ts';
import { open, type Sluice } from '../../src/use/index.ts';
import { runs } from '../runs.ts';
import { type Folder, folderOf, now } from './run-in-folder.ts';

type Event = Readonly<Record<string, string | null>>;

const lines = (events: readonly object[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');

const openOver = (folder: Folder, source: { readonly events: string } | { readonly store: string }) =>
  open({ workspace: folder.root, env: {}, now: () => now, onNote: () => undefined, ...source });

/** Queries the file, then the same events in a store. */
async function inBoth(events: readonly object[], check: (sluice: Sluice, where: string) => Promise<void>) {
  const folder = folderOf({ 'a.ndjson': lines(events) });
  {
    await using ofFile = await openOver(folder, { events: 'a.ndjson' });
    await check(ofFile, 'file');
  }
  const taken = await folder.sluice(['ingest', 'a.ndjson', '--store', 's']);
  expect(taken.code, taken.stderr).toBe(0);
  await using ofStore = await openOver(folder, { store: 's' });
  await check(ofStore, 'store');
}

const valuesOf = async (sluice: Sluice, question: Parameters<Sluice['query']>[0]) =>
  (await sluice.query(question)).rows().map((row) => Object.values(row) as unknown[]);

const fields = ['source', 'medium', 'campaign', 'term', 'content'] as const;
const memberOf = (field: (typeof fields)[number]) => `utm${field[0]!.toUpperCase()}${field.slice(1)}`;

const piece = fc.oneof(
  fc.constantFrom('a', 'é', '😀', '+', '%20', '%2B', '%26', '%3D', '%C3%A4', '%c3', '%E2%82', '%E2%82%AC', '%F0%9F%98'),
  fc.constantFrom(
    '%F0%9F%98%80',
    '%ED%A0%80',
    '%C0%AF',
    '%F5',
    '%80',
    '%',
    '%4',
    '%zz',
    "'",
    '"',
    '<b>',
    ';',
    '=',
    '?',
  ),
  fc.constantFrom(
    '\t',
    '\n',
    '$1',
    '\\1',
    '`',
    '|',
    '/',
    '@',
    ':',
    '\u{1F}',
    '日本',
    '{CUBE}',
    '%00x',
    '%0D%0A',
    '\u001B[1m',
  ),
  fc.string({ maxLength: 3 }).filter((text) => !/[#&\s]/.test(text) && text.isWellFormed()),
);
const text = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''));
const nameOf = fc.oneof(
  fc.constantFrom(...fields.map((field) => `utm_${field}`)),
  fc.constantFrom('utm%5Fsource', '%75tm_medium', 'UTM_SOURCE', 'utm_source+', 'xutm_source', 'utm', ''),
);
const pair = fc.oneof(
  fc.tuple(nameOf, text).map(([name, value]) => `${name}=${value}`),
  nameOf,
);
const address = fc
  .record({
    front: fc.constantFrom('https://shop.example/', 'http://shop.example:8080/a/b', 'https://u:p@shop.example'),
    pairs: fc.array(pair, { minLength: 1, maxLength: 5 }),
    hash: fc.constantFrom('', '#x', '#utm_source=no?utm_medium=no'),
  })
  .map(({ front, pairs, hash }) => `${front}?${pairs.join('&')}${hash}`)
  // Spaces at the end of an address are not part of it. `docSearch` does not show whether something followed.
  .filter((url) => !/[\0- ]#/.test(url));

describe('campaign fields', () => {
  it('match the URL standard for hostile addresses', { timeout: 60_000 }, async () => {
    const urls = fc.sample(address, { numRuns: runs(800, 600), seed: 20240308 });
    const events = urls.map((url, at) => ({
      utcTime: '2024-03-01T10:00:00Z',
      eventType: 'pageview',
      eventId: `${at}`,
      url,
    }));
    await inBoth(events, async (sluice, where) => {
      const rows = await valuesOf(sluice, {
        dimensions: ['eventId', ...fields.map(memberOf)].map((name) => `TrackedEvents.${name}`),
        ungrouped: true,
        limit: 1000,
      });
      expect(rows).toHaveLength(urls.length);
      for (const [at, ...found] of rows) {
        const url = urls[Number(at)]!;
        const { searchParams } = new URL(url);
        const expected = fields.map((field) => searchParams.get(`utm_${field}`) || null);
        expect(found, `${where}: ${JSON.stringify(url)}`).toEqual(expected);
      }
    });
  });

  it('come from columns first, which stay properties', async () => {
    const events = [
      {
        utcTime: '2024-03-01T10:00:00Z',
        url: 'https://s.example/?utm_source=link',
        utm_source: 'column',
        country: 'AT',
      },
      { utcTime: '2024-03-01T11:00:00Z', url: 'https://s.example/?utm_source=link', utm_source: '', country: null },
      { utcTime: '2024-03-01T12:00:00Z', docSearch: 'utm_source=bare', utmSource: null, country: 'DE' },
    ];
    await inBoth(events, async (sluice) => {
      expect(await valuesOf(sluice, 'count by utmSource order by utmSource')).toEqual([
        ['bare', 1],
        ['column', 1],
        ['link', 1],
      ]);
      expect(await valuesOf(sluice, 'count by props.utm_source where props.utm_source is set')).toEqual([
        ['column', 1],
      ]);
      expect(await valuesOf(sluice, 'count by country where country in (AT, DE) order by country')).toEqual([
        ['AT', 1],
        ['DE', 1],
      ]);
      expect(await valuesOf(sluice, 'count by props.country where props.country = DE')).toEqual([['DE', 1]]);
    });
  });
});

describe('the referrer host', () => {
  const host = fc.oneof(
    fc.constantFrom(
      'News.Example',
      'a.b.c.example',
      'localhost',
      'ünï.example',
      'xn--nxasmq6b.example',
      '[2001:db8::1]',
    ),
    fc.constantFrom(
      '192.168.0.1',
      'a_b.example',
      'ex ample',
      'a<b',
      'a%20b',
      '%6Eews.example',
      'a|b',
      '',
      'host.example.',
    ),
  );
  const referrer = fc
    .record({
      scheme: fc.constantFrom(
        'https://',
        'http://',
        'HTTPS://',
        'https:/',
        'https:',
        'https:\\\\',
        'ftp://',
        'android-app://',
      ),
      user: fc.constantFrom('', '', 'u@', 'u:p@', 'a@b@', '@'),
      host,
      port: fc.constantFrom('', '', ':80', ':8443', ':', ':x'),
      rest: fc.constantFrom('', '/', '/x@y:z', '?q=a@b', '#h', '\\w', '/\t'),
      around: fc.constantFrom(['', ''], ['  ', ' '], ['\t', '\n']),
    })
    .map(
      ({ scheme, user, host, port, rest, around: [front, back] }) =>
        `${front}${scheme}${user}${host}${port}${rest}${back}`,
    );

  const expectedOf = (text: string): string | null => {
    const url =
      URL.parse(text) ??
      (/^[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*\.\p{L}+([/?#]|$)/u.test(text) ? URL.parse(`http://${text}`) : null);
    return url?.hostname || null;
  };
  const toAscii = (found: unknown) => (typeof found === 'string' ? domainToASCII(found) || found : found);

  it('matches the URL standard for hostile addresses', { timeout: 60_000 }, async () => {
    const texts = [
      ...fc.sample(referrer, { numRuns: 500, seed: 20240308 }),
      ...[
        'news.example',
        'news.example/path',
        'about:blank',
        'data:,x',
        '/pricing',
        '(direct)',
        '-',
        'file:///etc/passwd',
        '',
      ],
    ].filter((text) => !/android-app:.*[\s<>|%\\]|android-app:.*:80$/.test(text));
    const events = texts.map((referer, at) => ({
      utcTime: '2024-03-01T10:00:00Z',
      eventType: 'pageview',
      eventId: `${at}`,
      referer,
    }));
    await inBoth(events, async (sluice) => {
      const rows = await valuesOf(sluice, {
        dimensions: ['TrackedEvents.eventId', 'TrackedEvents.referrerHost'],
        ungrouped: true,
        limit: 1000,
      });
      expect(rows).toHaveLength(texts.length);
      for (const [at, found] of rows) {
        const written = texts[Number(at)]!;
        expect(toAscii(found), JSON.stringify(written)).toEqual(toAscii(expectedOf(written)));
      }
    });
  });
});

describe('the device class', () => {
  const agents: readonly (readonly [string | null, string])[] = [
    [
      'desktop',
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36',
    ],
    [
      'desktop',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15',
    ],
    ['desktop', 'Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0'],
    [
      'desktop',
      'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36',
    ],
    [
      'mobile',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1',
    ],
    [
      'mobile',
      'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36',
    ],
    [
      'mobile',
      'Mozilla/5.0 (Linux; Android 9; CUBOT X19) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/99.0 Mobile Safari/537.36',
    ],
    ['mobile', 'Opera/9.80 (J2ME/MIDP; Opera Mini/9.80) Presto/2.5.25'],
    ['tablet', 'Mozilla/5.0 (iPad; CPU OS 12_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148'],
    [
      'tablet',
      'Mozilla/5.0 (Linux; Android 13; SM-X900) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36',
    ],
    [
      'tv',
      'Mozilla/5.0 (SMART-TV; Linux; Tizen 5.0) AppleWebKit/538.1 (KHTML, like Gecko) Version/5.0 NativeTVAds Safari/538.1',
    ],
    [
      'tv',
      'Mozilla/5.0 (Linux; Android 9; BRAVIA 4K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/90.0 Safari/537.36',
    ],
    [
      'bot',
      'Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X) Chrome/124.0 Mobile Safari/537.36 (compatible; Googlebot/2.1)',
    ],
    ['bot', 'curl/8.5.0'],
    [null, 'SomethingElse/1.0'],
    [null, ''],
  ];

  it('comes from a column if there is one, else from the user agent', async () => {
    const base = { utcTime: '2024-03-01T10:00:00Z', eventType: 'pageview' };
    const events = [
      ...agents.map(([, useragent], at) => ({ ...base, eventId: `${at}`, useragent })),
      { ...base, eventId: 'c1', device_type: 'Smartphone', useragent: 'curl/8' },
      { ...base, eventId: 'c2', device_type: 'Game console' },
      { ...base, eventId: 'c3', device_type: '(not set)', useragent: agents[0]![1] },
    ];
    await inBoth(events, async (sluice) => {
      const rows = await valuesOf(sluice, {
        dimensions: ['TrackedEvents.eventId', 'TrackedEvents.deviceClass'],
        ungrouped: true,
      });
      expect(Object.fromEntries(rows)).toEqual({
        ...Object.fromEntries(agents.map(([expected], at) => [String(at), expected])),
        c1: 'mobile',
        c2: 'Game console',
        c3: 'desktop',
      });
    });
  });
});

interface Visit {
  readonly session: string;
  readonly user: string;
  readonly at: number;
  readonly id: string | null;
  readonly type: string | null;
  readonly path: string | null;
  readonly referer: string | null;
  readonly utm: string | null;
}

const visit: fc.Arbitrary<Visit> = fc.record({
  session: fc.constantFrom('s1', 's2', 's3', 's4'),
  user: fc.constant(''),
  at: fc.nat({ max: 3 }),
  id: fc.constantFrom(null, 'a', 'b', 'B'),
  type: fc.constantFrom('pageview', 'pageview', 'pageview', 'click', null),
  path: fc.constantFrom('/', '/a', '/b', '/Ü', null),
  referer: fc.constantFrom(null, 'https://news.example/', 'https://www.shop.example/x'),
  utm: fc.constantFrom(null, null, 'mail'),
});

/** Sorts text by its bytes, with missing text last. */
function order(one: string | null, other: string | null): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? 1 : -1;
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

describe('entry and exit pages of a session, and the first touch of a user', () => {
  it('agree with a slow count, whatever shares an instant', { timeout: 60_000 }, async () => {
    const worlds = fc.sample(fc.array(visit, { minLength: 1, maxLength: 40 }), { numRuns: 6, seed: 20240308 });
    for (const world of worlds) {
      const visits = world.map((each) => ({ ...each, user: `u${Number(each.session[1]) % 2}` }));
      const events: Event[] = visits.map(({ session, user, at, id, type, path, referer, utm }) => ({
        utcTime: new Date(Date.UTC(2024, 2, 1 + Number(session[1]), 0, at)).toISOString(),
        sessionId: session,
        userAnonymousId: user,
        eventId: id === null ? null : id,
        eventType: type,
        docHost: 'shop.example',
        docPath: path,
        referer,
        utm_source: utm,
      }));
      const sessions = Map.groupBy(visits, ({ session }) => session);
      const ends = [...sessions.values()].map((all) => {
        const pages = all
          .filter(({ type, path }) => path !== null && type === 'pageview')
          .sort((one, other) => one.at - other.at || order(one.id, other.id) || order(one.path, other.path));
        return `${pages[0]?.path} → ${pages.at(-1)?.path}`;
      });
      const tally = (texts: readonly string[]) =>
        Object.fromEntries([...Map.groupBy(texts, (each) => each)].map(([key, all]) => [key, all.length]));
      // IDs mark equal events as duplicates, so only the file is queried.
      const folder = folderOf({ 'a.ndjson': lines(events) });
      await using sluice = await openOver(folder, { events: 'a.ndjson' });
      const found = await valuesOf(sluice, 'Sessions.count by landingPage, exitPage');
      const shown = (value: unknown) => String(value ?? undefined);
      expect(
        Object.fromEntries(found.map(([first, last, count]) => [`${shown(first)} → ${shown(last)}`, count])),
      ).toEqual(tally(ends));
    }
  });

  it('show where users first came from, in a file and in a store', async () => {
    const event = (user: string, day: number, more: object) => ({
      utcTime: `2024-03-0${day}T10:00:00Z`,
      eventType: 'pageview',
      userAnonymousId: user,
      url: 'https://www.shop.example/',
      ...more,
    });
    const events = [
      event('ann', 1, { url: 'https://shop.example/?utm_source=mail&utm_medium=email&utm_campaign=May' }),
      event('ann', 3, { url: 'https://shop.example/?utm_source=ads' }),
      event('bob', 1, { referer: 'https://www.news.example/item' }),
      event('bob', 2, { url: 'https://shop.example/?utm_source=ads' }),
      event('cyd', 1, { referer: 'https://shop.example/other' }),
      event('cyd', 2, { referer: 'https://search.example/' }),
      event('dan', 1, {}),
    ];
    await inBoth(events, async (sluice) => {
      const touched = await valuesOf(
        sluice,
        'ReturningUsers.count by firstTouchSource, firstTouchMedium, firstTouchCampaign',
      );
      expect(new Set(touched.map((row) => row.join(' ')))).toEqual(
        new Set(['mail email May 1', 'www.news.example   1', '   2']),
      );
      expect(Object.fromEntries(await valuesOf(sluice, 'Sessions.count by Sessions.trafficSource'))).toEqual({
        mail: 1,
        ads: 2,
        'www.news.example': 1,
        'search.example': 1,
        null: 2,
      });
    });
  });
});

const plain = [
  { utcTime: '2024-03-01T10:00:00Z', eventType: 'pageview', userAnonymousId: 'a', docPath: '/' },
  { utcTime: '2024-03-01T10:01:00Z', eventType: 'pageview', userAnonymousId: 'a', docPath: '/b' },
];

describe('dimensions that the events lack', () => {
  it.each([
    ['count by utmSource', 'no campaign source'],
    ['count by utmCampaign', 'no campaign'],
    ['count by trafficSource', 'no traffic source'],
    ['count by referrerHost', 'no referrer'],
    ['count by country', 'no country'],
    ['count where deviceClass = mobile', 'no device class'],
    ['Sessions.count by Sessions.utmTerm', 'no campaign term'],
    ['ReturningUsers.count by firstTouchSource', 'no traffic source'],
    ['count by agentName', 'no browser'],
    ['count where pageTitle = x', 'no page title'],
    ['count by localTzOffset, viewportSize', 'no time zone offset'],
    ['Sessions.count by Sessions.osName', 'no operating system'],
  ])('are reported for %s', async (line, words) => {
    for (const [name, text] of [
      ['a.ndjson', lines(plain)],
      [
        'a.csv',
        ['utcTime,eventType,userAnonymousId,docPath', ...plain.map((event) => Object.values(event).join(','))].join(
          '\n',
        ),
      ],
    ] as const) {
      const folder = folderOf({ [name]: text });
      expect((await folder.sluice(['query', line, '--events', name])).stdout).toContain(
        `${words}: figures about it are empty`,
      );
      await folder.sluice(['ingest', name, '--store', 's']);
      expect((await folder.sluice(['query', line, '--store', 's'])).stdout).toContain(
        `${words}: figures about it are empty`,
      );
    }
  });

  it('are not reported if one event has a value', async () => {
    const folder = folderOf({
      'a.ndjson': lines([...plain, { ...plain[0], docSearch: '?utm_source=x', country: 'AT' }]),
    });
    for (const line of ['count by utmSource', 'count by country', 'count by trafficSource'])
      expect((await folder.sluice(['query', line, '--events', 'a.ndjson'])).stdout).not.toContain('are empty');
  });
});

describe('visit dimensions', () => {
  const events = [{ ...plain[0], url: 'https://s.example/?utm_source=mail' }, plain[1]!];

  it('work in notation, files, the builder, load bodies, lists and tables', async () => {
    const asked = {
      measures: ['Sessions.count'],
      dimensions: ['Sessions.landingPage', 'Sessions.utmSource'],
      filters: [{ member: 'Sessions.exitPage', operator: 'equals' as const, values: ['/b'] }],
      order: { 'Sessions.landingPage': 'asc' as const },
    };
    const folder = folderOf({ 'a.ndjson': lines(events), 'q.yaml': JSON.stringify({ query: asked }) });
    const answer = [{ 'Sessions.landingPage': '/', 'Sessions.utmSource': 'mail', 'Sessions.count': 1 }];
    const table = await folder.sluice(['query', 'q.yaml', '--events', 'a.ndjson', '-f', 'table']);
    expect(table.stdout).toMatch(/Landing page +Campaign source +Sessions/);
    await using sluice = await openOver(folder, { events: 'a.ndjson' });
    expect(
      (await sluice.query('Sessions.count by landingPage, Sessions.utmSource where exitPage = /b')).rows(),
    ).toEqual(answer);
    const built = query()
      .measures('Sessions.count')
      .dimensions('Sessions.landingPage', 'Sessions.utmSource')
      .where('Sessions.exitPage', 'equals', '/b');
    expect((await sluice.query(built)).rows()).toEqual(answer);
    expect(JSON.stringify((await sluice.load({ query: asked })).body)).toContain('"Sessions.landingPage":"/"');
    const listed = await folder.sluice(['model', 'Sessions', '--events', 'a.ndjson']);
    for (const name of ['landingPage', 'exitPage', 'utmSource', 'deviceClass', 'trafficSource'])
      expect(listed.stdout).toContain(name);
  });

  it('are refused on a server, with an alternative', async () => {
    const server = createServer((_, response) => response.end(writeMeta(builtInModelOfServers)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const folder = folderOf({ 'sluice.yaml': `backend: cube\ncube: {url: "http://127.0.0.1:${port}"}\n` });
    const answer = await folder.sluice(['query', 'count by utmSource']);
    expect(answer.code).toBe(2);
    expect(answer.stderr).toContain('Servers do not compute it. Export the events');
    expect((await folder.sluice(['model', 'TrackedEvents'])).stdout).not.toContain('utmSource');
  });
});

it('lists the sessions of one visitor by the anonymous ID, also after the visitor logged in', async () => {
  const events = ['09:00', '09:10', '12:00', '18:00'].flatMap((time, index) => {
    const at = { utcTime: `2024-03-04T${time}:00Z`, eventType: 'pageview', docPath: '/' };
    return [
      { ...at, eventId: `a${index}`, userAnonymousId: 'ana', userId: index > 1 ? 'u1' : null },
      { ...at, eventId: `b${index}`, userAnonymousId: 'ben', userId: null },
    ];
  });
  await inBoth(events, async (s, where) => {
    const listed = await s.query('Sessions.count by startAt, userId, pageViews where Sessions.userAnonymousId = ana');
    const keys = ['Sessions.startAt', 'Sessions.userId', 'Sessions.pageViews'] as const;
    expect(
      listed.rows().map((row) => keys.map((key) => row[key])),
      where,
    ).toEqual([
      ['2024-03-04T09:00:00.000', null, 2],
      ['2024-03-04T12:00:00.000', 'u1', 1],
      ['2024-03-04T18:00:00.000', 'u1', 1],
    ]);
    const all = await s.query('Sessions.count by userAnonymousId');
    expect([...all.values('Sessions.count')], where).toEqual([3, 3]);
  });
});
