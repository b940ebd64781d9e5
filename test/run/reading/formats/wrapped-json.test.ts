import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Mapping } from '../../../../src/plan/mapping/mapping.ts';
import { scanJson } from '../../../../src/run/duckdb/reading/text/scan-json.ts';
import { looksWrapped } from '../../../../src/run/duckdb/reading/formats/unwrap-json.ts';
import { tellMissingPages, wrappedSentences } from '../../../../src/run/duckdb/reading/formats/wrapped-sentences.ts';
import { runs } from '../../../runs.ts';
import { openFiles, scratchFolder } from '../../ask-sql.ts';

const folder = scratchFolder();
const mapping: Mapping = { columns: { utcTime: 'at', eventType: 'kind' } };
const events = Array.from({ length: 60 }, (_, n) => ({
  at: `2024-03-08T10:${String(n).padStart(2, '0')}:00Z`,
  kind: n % 3 === 0 ? 'view' : 'click',
  // What looks like the end of the list, and a list in a text.
  note: n % 2 ? '"]}, {"results": [{"at": "2024' : '\\',
  items: n % 4 ? [] : [{ sku: n }],
}));

async function count(name: string, content: string | Uint8Array, mapped: Mapping | undefined = mapping) {
  await using asked = await openFiles([folder.write(name, content)], 'anonymous', { mappingOf: () => mapped });
  const [row] = await asked.ask(
    "SELECT count(*), count(*) FILTER (event_type = 'view'), min(epoch(utc_time)), max(epoch(utc_time)) FROM events",
    { reach: 'all' },
  );
  return { row: row!.map(Number), rejected: asked.facts().rejected, lacking: asked.facts().lacking ?? [] };
}

const first = Date.parse(events[0]!.at) / 1000;
const whole = [60, 20, first, first + 59 * 60];

describe('a file whose events lie in a list within an object', () => {
  const shapes: Readonly<Record<string, string>> = {
    'in one line': JSON.stringify({ status: 'ok', results: events }),
    'over many lines': JSON.stringify({ data: { 'the events': events }, took: 3 }, undefined, 2),
    'behind lists of others': JSON.stringify({ tags: ['a', '[{'], nothing: [], users: [{ name: 'x' }], list: events }),
    'beside the time of its making': JSON.stringify({ created_at: '2024-04-01T00:00:00Z', name: 'Export', events }),
    'page after page': [0, 20, 40]
      .map((from) => JSON.stringify({ has_more: from < 40, results: events.slice(from, from + 20) }))
      .join('\n'),
    'page after page, one of them empty': [events.slice(0, 1), [], events.slice(1)]
      .map((results) => JSON.stringify({ results }, undefined, 1))
      .join(' '),
    'with a byte order mark': `\uFEFF\r\n${JSON.stringify({ results: events }, undefined, 1).replaceAll('\n', '\r\n')}`,
  };
  it.each(Object.entries(shapes))('is read: %s', async (name, text) => {
    for (const [ending, bytes] of [
      ['json', text],
      ['json.gz', gzipSync(text)],
      ['ndjson.zst', zstdCompressSync(text)],
    ] as const) {
      const { row, rejected } = await count(`${name}.${ending}`, bytes);
      expect([row, rejected.count]).toEqual([whole, 0]);
    }
    const utf16 = Buffer.from(text.startsWith('\uFEFF') ? text : `\uFEFF${text}`, 'utf16le');
    expect((await count(`${name} utf-16.json`, utf16)).row).toEqual(whole);
  });

  it('has rejected lines where they stand in the file', async () => {
    const lines = JSON.stringify({ a: { b: 1 }, results: events }, undefined, 1).split('\n');
    const broken = lines.findIndex((line) => line.includes('2024-03-08T10:07')) + 1;
    lines[broken - 1] = ' "at": oops,';
    const file = 'broken.json';
    const { row, rejected } = await count(file, lines.join('\n'));
    expect(row[0]).toBe(59);
    expect(rejected.examples).toEqual([
      // The object begins in the line before.
      { file: `${folder.path}/${file}`, line: broken - 1, reason: expect.stringContaining('not valid JSON') as string },
    ]);
  });

  it('that ends too early is told of, never taken for whole', async () => {
    const text = JSON.stringify({ results: events });
    const { row, rejected } = await count('cut.json', text.slice(0, -200));
    expect(row[0]).toBeLessThan(60);
    expect(rejected.examples.at(-1)!.reason).toMatch(/the list is not closed/);
    await expect(count('cut after.json', `${text.slice(0, -1)},"next":`)).rejects.toMatchObject({
      code: 'file-corrupt',
    });
    const packed = gzipSync(JSON.stringify({ results: Array.from({ length: 50 }, () => events).flat() }));
    await expect(count('cut.json.gz', packed.subarray(0, -40))).rejects.toMatchObject({ code: 'file-corrupt' });
  });

  it('holds no events if its list is empty', async () => {
    expect((await count('none.json', '{"results": [], "next": null}')).row[0]).toBe(0);
  });

  it('is refused with the paths of its lists if several may be meant', async () => {
    await expect(count('several.json', JSON.stringify({ a: { events }, b: events.slice(2) }))).rejects.toMatchObject({
      code: 'file-without-events',
      message: expect.stringMatching(
        /several lists of events: a\.events \(60 objects\), b \(58 objects\)\.$/,
      ) as string,
      hint: expect.stringMatching(/`jq -c '\.a\.events\[\]' .*several\.json > events\.ndjson`/) as string,
    });
    await expect(count('timeless.json', '{"a": [{"x": 1}], "b": [{"y": 1}]}')).rejects.toMatchObject({
      message: expect.stringMatching(/none of them has a time: a \(1 object\), b \(1 object\)\.$/) as string,
    });
    const pages = `${JSON.stringify({ results: events })}\n{"error": "slow down"}\n`;
    await expect(count('pages.json', pages)).rejects.toMatchObject({
      message: expect.stringMatching(/2 objects, and 1 of them lacks the list results .* in line 2\.$/) as string,
    });
  });

  it('is refused if each of its events has a key, which would count as one', async () => {
    const keyed = Object.fromEntries(events.map((event, n) => [`id-${n}`, event]));
    for (const [name, text] of [
      ['keyed.json', JSON.stringify(keyed)],
      ['keyed spread.json', JSON.stringify(keyed, undefined, 2)],
      [
        'keyed long.json',
        JSON.stringify(Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`${n}`, events[n % 60]]))),
      ],
    ] as const)
      await expect(count(name, text)).rejects.toMatchObject({
        code: 'file-without-events',
        message: expect.stringMatching(
          /one object with an event under each of its keys, such as "(id-)?0"\.$/,
        ) as string,
        hint: expect.stringMatching(/`jq -c '\.\[\]' .* > events\.ndjson`/) as string,
      });
    // An event may be made of parts, and a file of such events.
    const parts = { user: { id: 'u', at: '2024-03-08' }, event: { at: '2024-03-08T10:00:00Z' }, page: { path: '/' } };
    const own: Mapping = { columns: { utcTime: '$.event.at' } };
    expect((await count('parts.json', JSON.stringify(parts), own)).row[0]).toBe(1);
    expect((await count('parts.ndjson', `${JSON.stringify(parts)}\n`.repeat(4), own)).row[0]).toBe(4);
  });

  it('is refused if it is a table by columns, as pandas writes it, which would count as one', async () => {
    const columnOf = (values: readonly unknown[]) => Object.fromEntries(values.map((value, row) => [row, value]));
    const table = { at: columnOf(events.map(({ at }) => at)), kind: columnOf(events.map(({ kind }) => kind)) };
    const long = { at: columnOf(Array.from({ length: 3000 }, (_, n) => events[n % 60]!.at)), kind: columnOf(['view']) };
    for (const text of [JSON.stringify(table), JSON.stringify(table, undefined, 2), JSON.stringify(long)])
      await expect(count('pandas.json', text)).rejects.toMatchObject({
        code: 'file-without-events',
        hint: expect.stringContaining("orient='records'") as string,
      });
  });

  it('is another one than an event with lists', async () => {
    const order = { at: '2024-03-08T10:00:00Z', kind: 'view', lines: [{ sku: 1, at: '2024-03-08T09:00:00Z' }] };
    expect((await count('order.json', JSON.stringify(order))).row[0]).toBe(1);
    expect((await count('orders.ndjson', `${JSON.stringify(order)}\n${JSON.stringify(order)}\n`)).row[0]).toBe(2);
    const nested = { event: 'x', properties: { time: 1709892000, items: [{ sku: 1 }] } };
    expect(looksWrapped(Buffer.from(JSON.stringify(nested)))).toBe(false);
    expect(looksWrapped(Buffer.from(JSON.stringify({ ...nested, properties: { time: 1709892000, tags: [] } })))).toBe(
      false,
    );
    // A mapping names what the object itself has.
    const push = {
      head: { at: '2024-03-08T10:00:00Z' },
      commits: [{ at: '2024-03-08T09:00:00Z' }, { at: '2024-03-08' }],
    };
    const own: Mapping = { columns: { utcTime: '$.head.at' } };
    expect((await count('push.json', JSON.stringify(push), own)).row[0]).toBe(1);
    expect((await count('push.json', JSON.stringify(push))).row[0]).toBe(2);
  });
});

describe('the scanner', () => {
  // No backslashes: after an object with the key `\`, JSON.parse of Node 24 reads the key `"` as `\`, too.
  const key = fc
    .oneof(fc.string({ maxLength: 6 }), fc.constantFrom('results', '"', '[{', 'ü'))
    .filter((name) => !name.includes('\\'));
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      tie('list'),
      tie('object'),
    ),
    list: fc.array(tie('any'), { maxLength: 4 }),
    object: fc.dictionary(key, tie('any'), { maxKeys: 4 }),
  }));

  interface Plain {
    readonly lists: Record<string, unknown[]>;
    readonly values: Record<string, unknown>;
  }

  /** What it is to find, by walking the parsed object. */
  function walk(object: object, path: readonly string[], found: Plain): void {
    for (const [name, inner] of Object.entries(object) as [string, unknown][]) {
      const own = JSON.stringify([...path, name]);
      if (Array.isArray(inner)) {
        const isObject = typeof inner[0] === 'object' && inner[0] !== null && !Array.isArray(inner[0]);
        if (inner.length === 0 || isObject) found.lists[own] = inner;
      } else if (typeof inner === 'object' && inner !== null) walk(inner, [...path, name], found);
      else found.values[own] = inner;
    }
  }

  it('finds what a walk over the parsed object finds, in pieces of any size', () => {
    fc.assert(
      fc.property(
        value['object']!,
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(undefined, 1),
        (object, size, indent) => {
          // Keys of prototypes do not come back from JSON.
          const text = JSON.stringify(object, undefined, indent);
          const bytes = Buffer.from(text);
          const scanner = scanJson();
          for (let at = 0; at < bytes.length; at += size) scanner.push(bytes.subarray(at, at + size));
          const { lists, values, closed, objects, isOther } = scanner.found();
          const wanted: Plain = { lists: {}, values: {} };
          walk(JSON.parse(text) as object, [], wanted);
          expect([closed, objects, isOther]).toEqual([true, 1, false]);
          expect(Object.fromEntries(values.map(({ path, value: own }) => [JSON.stringify(path), own]))).toEqual(
            wanted.values,
          );
          expect(
            Object.fromEntries(
              lists.map(({ path, parts: [part] }) => [
                JSON.stringify(path),
                JSON.parse(`[${bytes.subarray(part!.start, part!.end).toString()}]`),
              ]),
            ),
          ).toEqual(wanted.lists);
          for (const { path, parts, sample } of lists) {
            const own = wanted.lists[JSON.stringify(path)]!.filter(
              (one) => typeof one === 'object' && one !== null && !Array.isArray(one),
            );
            expect(sample).toEqual(own);
            expect(parts[0]!.line).toBe(bytes.subarray(0, parts[0]!.start).toString().split('\n').length);
          }
        },
      ),
      { numRuns: runs(400) },
    );
  });
});

describe('pages of a longer list', () => {
  const page = (file: string, items: number, beside: Readonly<Record<string, string | number | boolean | null>>) => ({
    file,
    wrapped: {
      list: 'results',
      items,
      inherited: [],
      unread: Object.keys(beside).map((key) => [key]),
      beside: Object.entries(beside).map(([key, value]) => ({ path: key.split('.'), value })),
    },
  });

  it.each([
    [[page('a.json', 100, { total: 500 })], 'a.json has 100 of 500 objects (total: 500).'],
    [
      [page('a.json', 100, { 'meta.total_count': 500, next: 'x' })],
      'a.json has 100 of 500 objects (meta.total_count: 500).',
    ],
    [[page('a.json', 100, { next: 'https://a/2' })], 'a.json is a page of a longer list (next: https://a/2).'],
    [[page('a.json', 100, { '_links.next.href': '/2' })], 'a.json is a page of a longer list (_links.next.href: /2).'],
    [[page('a.json', 100, { '@odata.nextLink': '/2' })], 'a.json is a page of a longer list (@odata.nextLink: /2).'],
    [[page('a.json', 100, { has_more: true })], 'a.json is a page of a longer list (has_more: true).'],
    [[page('a.json', 100, { page: 1, total_pages: 5 })], 'a.json is one of 5 pages (total_pages: 5).'],
    [
      [page('a.json', 100, { next: 2, total: 300 }), page('b.json', 100, { next: 3, total: 300 })],
      '2 files, such as a.json, have 200 of 300 objects (total: 300).',
    ],
    [
      [page('a.json', 9, { next: 2 }), page('b.json', 9, { next: 3 })],
      '2 files, such as a.json, are pages of a longer list (next: 3).',
    ],
  ])('are named: %j', (files, sentence) => {
    expect(tellMissingPages(files)).toEqual([`${sentence} The answer lacks the others. Get the remaining pages.`]);
  });

  it.each([
    [[page('a.json', 100, { total: 100, next: null, has_more: false })]],
    [[page('a.json', 100, { count: 100, took: 300, next: '' })]],
    [[page('a.json', 100, { next: 2, total: 150 }), page('b.json', 50, { next: null, total: 150 })]],
    [[page('a.json', 100, { has_more: true }), page('b.json', 50, { has_more: false })]],
    [[]],
  ])('are whole: %j', (files) => {
    expect(tellMissingPages(files)).toEqual([]);
  });

  it('do not move the terminal of who reads of them', () => {
    const [read, missing] = wrappedSentences([page('a.json', 1, { next: 'x\u001b[2J', '\u001bkey': 1 })]);
    expect(read).toBe('Read the list "results" of a.json: 1 object. Not read: next, ␛key.');
    expect(missing).toContain('(next: x␛[2J)');
  });
});
