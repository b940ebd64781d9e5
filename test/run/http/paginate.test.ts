import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BackendError } from '../../../src/ask/sluice-error.ts';
import { nullIsFalse } from '../../../src/ask/platform/record.ts';
import { findNextLink, paginate, readLinks } from '../../../src/run/http/paginate.ts';
import { get, openTestHttp, token } from './open-test-http.ts';
import { openScriptedServer, type Reply, type Script, type ScriptedServer } from './scripted-server.ts';

const item = z.object({ id: z.int(), active: nullIsFalse });

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of items) all.push(each);
  return all;
}

/** A list of `count` items by offset or keyset, as the platform returns it. */
function list(url: () => string, count: number): Script {
  return ({ query }) => {
    const size = Number(query.get('per_page') ?? 20);
    if (query.get('pagination') === 'keyset') {
      const after = Number(query.get('id_after') ?? 0);
      const ids = Array.from({ length: Math.max(0, Math.min(size, count - after)) }, (_, index) => after + index + 1);
      // The last page is empty and has no link.
      return {
        json: ids.map((id) => ({ id, active: null })),
        headers:
          ids.length === 0
            ? {}
            : { link: `<${url()}/api/v4/list?pagination=keyset&per_page=${size}&id_after=${ids.at(-1)}>; rel="next"` },
      };
    }
    const page = Number(query.get('page') ?? 1);
    const ids = Array.from({ length: count }, (_, index) => index + 1).slice((page - 1) * size, page * size);
    const link = (relation: string, number: number) =>
      `<${url()}/api/v4/list?page=${number}&per_page=${size}>; rel="${relation}"`;
    const next = page * size < count;
    return {
      json: ids.map((id) => ({ id, active: true })),
      headers: {
        link: [
          ...(page > 1 ? [link('prev', page - 1)] : []),
          ...(next ? [link('next', page + 1)] : []),
          link('first', 1),
        ].join(', '),
        'x-page': String(page),
        'x-next-page': next ? String(page + 1) : '',
      },
    };
  };
}

async function withServer(
  script: (server: () => ScriptedServer) => Script,
  work: (server: ScriptedServer, http: ReturnType<typeof openTestHttp>) => Promise<void>,
): Promise<void> {
  let found: ScriptedServer | undefined;
  await using server = await openScriptedServer(script(() => found!));
  found = server;
  await using http = openTestHttp(server.url);
  await work(server, http);
}

describe('a list', () => {
  it.each([
    [0, false],
    [1, false],
    [20, false],
    [101, true],
    [400, false],
    [101, false],
  ])('of %i items is read to its end by offset and by keyset, ahead: %s', async (count, ahead) => {
    await withServer(
      (server) => list(() => server().url, count),
      async (server, http) => {
        const ids = Array.from({ length: count }, (_, index) => index + 1);
        expect(await collect(paginate(http, { ...get, query: { per_page: 20 } }, item, { ahead }))).toEqual(
          ids.map((id) => ({ id, active: true })),
        );
        expect(server.requests).toHaveLength(Math.max(1, Math.ceil(count / 20)));
        expect(
          await collect(
            paginate(
              http,
              { ...get, query: { per_page: 20, pagination: 'keyset', order_by: 'id', sort: 'asc' } },
              item,
              { ahead },
            ),
          ),
        ).toEqual(ids.map((id) => ({ id, active: false })));
      },
    );
  });

  it.each([
    [false, 1],
    [true, 2],
  ])(
    'is fetched by the page when it is asked for (ahead: %s), and no further once nobody asks',
    async (ahead, first) => {
      await withServer(
        (server) => list(() => server().url, 100),
        async (server, http) => {
          const items = paginate(http, get, item, { ahead });
          expect(server.requests).toHaveLength(0);
          for (let id = 1; id <= 20; id += 1) expect((await items.next()).value).toMatchObject({ id });
          while (server.requests.length < first) await new Promise(setImmediate);
          expect(server.requests).toHaveLength(first);
          expect((await items.next()).value).toMatchObject({ id: 21 });
          await items.return();
          expect(server.requests.length).toBeLessThanOrEqual(first + 1);
        },
      );
    },
  );

  it('that is left while the next page is on its way ends at once and without a trace', async () => {
    await withServer(
      (server) =>
        ({ query }) =>
          query.has('page')
            ? { trick: { kind: 'silence' } }
            : { json: [{ id: 1, active: true }], headers: { link: `<${server().url}/api/v4/list?page=2>; rel=next` } },
      async (server, http) => {
        for await (const each of paginate(http, get, item, { ahead: true })) {
          expect(each.id).toBe(1);
          while (server.requests.length < 2) await new Promise(setImmediate);
          break;
        }
        while (server.openConnections > 1) await new Promise(setImmediate);
      },
    );
  });

  it('gives the items before a page that fails, and then its error', async () => {
    await withServer(
      (server) =>
        ({ query }) =>
          query.has('page')
            ? { status: 403, json: { message: 'no' } }
            : { json: [{ id: 1, active: true }], headers: { link: `<${server().url}/x?page=2>; rel=next` } },
      async (_, http) => {
        for (const ahead of [true, false]) {
          const items = paginate(http, get, item, { ahead });
          expect((await items.next()).value).toMatchObject({ id: 1 });
          await expect(items.next()).rejects.toMatchObject({ name: 'HttpError', code: 'forbidden', status: 403 });
        }
        await expect(
          collect(
            paginate(http, { ...get, query: { page: 1 } }, item, {
              refuse: () => new BackendError('Mine.', { code: 'not-onboarded' }),
            }),
          ),
        ).rejects.toMatchObject({ code: 'not-onboarded' });
      },
    );
  });

  it('keeps the error of a page that came too early until its turn comes', async () => {
    const unnoticed: unknown[] = [];
    const note = (error: unknown) => void unnoticed.push(error);
    process.on('unhandledRejection', note);
    await withServer(
      (server) =>
        ({ query }) =>
          query.has('page')
            ? { status: 403 }
            : { json: [{ id: 1, active: true }], headers: { link: `<${server().url}/x?page=2>; rel=next` } },
      async (server, http) => {
        const items = paginate(http, get, item, { ahead: true });
        await items.next();
        while (server.requests.length < 2) await new Promise(setImmediate);
        await pause(50);
        expect(unnoticed).toEqual([]);
        await expect(items.next()).rejects.toMatchObject({ code: 'forbidden' });
      },
    );
    process.off('unhandledRejection', note);
  });

  it.each<[string, string, (server: ScriptedServer) => Reply]>([
    [
      'leads to another origin',
      'bad-link',
      () => ({ json: [], headers: { link: '<http://127.0.0.1:1/a>; rel=next' } }),
    ],
    [
      'leads to another scheme',
      'bad-link',
      ({ url }) => ({ json: [], headers: { link: `<${url.replace('http', 'https')}/a>; rel=next` } }),
    ],
    ['is no address', 'bad-link', () => ({ json: [], headers: { link: '<http://[>; rel=next' } })],
    [
      'holds a credential',
      'bad-link',
      ({ url }) => ({ json: [], headers: { link: `<${url}/a?private_token=x>; rel=next` } }),
    ],
    [
      'leads back to the first page',
      'pages-in-a-circle',
      ({ url }) => ({ json: [], headers: { link: `<${url}/api/v4/list?a=b>; rel=next` } }),
    ],
    [
      'leads in a circle',
      'pages-in-a-circle',
      ({ url, requests }) => ({
        json: [],
        headers: { link: `<${url}/api/v4/list?page=${requests.length % 3}>; rel=next` },
      }),
    ],
    [
      'leads to the same page under other addresses',
      'pages-in-a-circle',
      ({ url, requests }) => ({
        json: [{ id: 1 }],
        headers: { link: `<${url}/api/v4/list?page=${requests.length}>; rel=next` },
      }),
    ],
    ['is missing though there is more', 'link-missing', () => ({ json: [], headers: { 'x-next-page': '2' } })],
    [
      'is missing though there are more pages',
      'link-missing',
      () => ({ json: [], headers: { 'x-page': '1', 'x-total-pages': '2' } }),
    ],
    ['is fine but the page is no list', 'bad-page', () => ({ json: { message: 'no' } })],
    ['is fine but an item is not as it should be', 'bad-page', () => ({ json: [{ id: 1 }, { id: 'x' }] })],
  ])('whose link %s is an error', async (_, code, reply) => {
    await withServer(
      (server) => () => reply(server()),
      async (server, http) => {
        const error: unknown = await collect(paginate(http, { ...get, query: { a: 'b' } }, item)).catch(
          (caught: unknown) => caught,
        );
        expect(error).toMatchObject({ name: 'HttpError', code });
        expect(server.requests.length).toBeLessThan(5);
      },
    );
  });

  it.each<[string, number, (page: number) => Reply]>([
    ['items', 1_000, (page) => ({ json: [{ id: page }] })],
    ['nothing', 10, () => ({ json: [] })],
    ['more than it says in pages', 16, (page) => ({ json: [{ id: page }], headers: { 'x-total-pages': '3' } })],
    [
      'more than it says in items',
      14,
      (page) => ({ json: [{ id: page }], headers: { 'x-total': '200', 'x-per-page': '100' } }),
    ],
    [
      'items under a total that makes no sense',
      1_000,
      (page) => ({ json: [{ id: page }], headers: { 'x-total-pages': '1e99', 'x-total': '-1' } }),
    ],
  ])('without an end, whose pages hold %s, ends after %i of them with an error', async (_, pages, reply) => {
    await withServer(
      (server) => (__, index) => {
        const page = reply(index);
        return {
          ...page,
          headers: { ...page.headers, link: `<${server().url}/api/v4/list?cursor=${index}>; rel=next` },
        };
      },
      async (server, http) => {
        await expect(collect(paginate(http, get, item))).rejects.toMatchObject({
          name: 'HttpError',
          code: 'too-many-pages',
        });
        expect(server.requests).toHaveLength(pages);
      },
    );
  });

  it('may grow while it is read', async () => {
    await withServer(
      (server) => (_, index) => ({
        json: [{ id: index }],
        headers: {
          'x-total-pages': String(index < 10 ? 10 : 30),
          ...(index < 29 ? { link: `<${server().url}/api/v4/list?page=${index + 2}>; rel=next` } : {}),
        },
      }),
      async (__, http) => {
        expect(await collect(paginate(http, get, item))).toHaveLength(30);
      },
    );
  });

  it('never shows its token to where a link leads', async () => {
    await using other = await openScriptedServer(() => ({ json: [] }));
    await withServer(
      () => () => ({ json: [], headers: { link: `<${other.url}/a?x=${token}>; rel=next` } }),
      async (_, http) => {
        await expect(collect(paginate(http, get, item))).rejects.toMatchObject({ code: 'bad-link' });
        expect(other.requests).toEqual([]);
      },
    );
  });

  it('follows a relative link', async () => {
    await withServer(
      () =>
        ({ query }) => ({
          json: [{ id: Number(query.get('page') ?? 1) }],
          headers: query.has('page') ? {} : { link: '<?page=2>; rel="next"' },
        }),
      async (_, http) => {
        expect((await collect(paginate(http, get, item))).map(({ id }) => id)).toEqual([1, 2]);
      },
    );
  });
});

describe('a Link header', () => {
  it.each<[string, string | undefined]>([
    ['<a>; rel=next', 'a'],
    ['<a>;rel="next"', 'a'],
    ['<a,b;c="d">; rel="next"', 'a,b;c="d"'],
    ['<a>; title="x, <y>; rel=\\"next\\""; rel="prev", <b>; rel="last next"', 'b'],
    ['<a>; REL=NEXT', 'a'],
    ['<a>; rel=prev; rel=next', undefined],
    ['<a>; rel="next"; anchor="/other"', undefined],
    ['<a>;;; rel = next ; x', 'a'],
    [', ,<a>; rel=prev,,<b>; rel=next', 'b'],
    ['<a>', undefined],
    ['', undefined],
    ['<a; rel=next', undefined],
    ['nonsense', undefined],
    ['<a>; rel="next', undefined],
    ["<a>; title*=UTF-8''x%2Cy; rel=next", 'a'],
    ['<a>; rel=prev nonsense, <b>; rel=next', undefined],
  ])('%s', (header, next) => {
    expect(findNextLink(header)).toBe(next);
  });

  it('is read back as it was written', () => {
    const link = fc.record({
      target: fc.string().map((text) => text.replace(/[<>\s]/g, '')),
      relations: fc.array(fc.stringMatching(/^[a-z][a-z0-9.-]*$/), { minLength: 1, maxLength: 3 }),
      title: fc.string(),
    });
    fc.assert(
      fc.property(fc.array(link), (links) => {
        const header = links
          .map(
            ({ target, relations, title }) =>
              `<${target}>; title="${title.replace(/["\\]/g, '\\$&')}"; rel="${relations.join(' ')}"`,
          )
          .join(', ');
        expect(readLinks(header)).toEqual(
          links.map(({ target, relations }) => ({ target, relations, anchored: false })),
        );
      }),
    );
  });

  it('is read in no time, whatever it is', () => {
    for (const text of [' ', ';', '<a>;', '<', '"', '<a>; x="', '; ', '<a>;a ', ',', '\\'])
      expect(readLinks(`<a>${text.repeat(50_000)}`).length).toBeGreaterThan(0);
  });
});
