import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { toExportQuery } from '../../../src/run/export/rows/export-query.ts';
import { OutOfOrder, toLineForm, WrittenOtherwise } from '../../../src/run/export/rows/line-form.ts';
import { rewriteRows } from '../../../src/run/export/rows/rewrite-rows.ts';
import type { LineTaker } from '../../../src/run/export/rows/row-sieve.ts';
import { spliceRows } from '../../../src/run/export/rows/splice-rows.ts';
import type { BodySieve } from '../../../src/run/http/body-sieve.ts';
import { platformModel, september } from './export-world.ts';

const form = toLineForm(toExportQuery(platformModel), september);

interface Taken extends LineTaker {
  text(): string;
}

function taker(): Taken {
  let text = '';
  return {
    restart: async () => void (text = ''),
    write: async (bytes) => void (text += bytes.toString()),
    text: () => text,
  };
}

/** The rest of a body that passes through the sieve in pieces of these sizes. */
async function sift(sieve: BodySieve, body: Buffer, sizes: readonly number[]): Promise<string> {
  await sieve.begin();
  for (let start = 0, turn = 0; start < body.length; turn += 1) {
    const size = sizes[turn % sizes.length]!;
    await sieve.take(Buffer.from(body.subarray(start, start + size)));
    start += size;
  }
  return Buffer.from(await sieve.end()).toString();
}

type Row = Readonly<Record<string, string | null>>;

/** Texts that look like separators of rows. */
const hostile = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.constantFrom(
    '},{"TrackedEvents.utcTime":',
    '"},{"TrackedEvents.utcTime":"',
    '","TrackedEvents.count":"9"}',
    ']}',
    '\\',
    '\\"',
    '"data":[',
    '\n',
    '}\n{',
    '\u2028',
    '{"a":[1]}',
    '🙂',
    '',
  ),
);

/** Sometimes equal. */
const instant = fc.oneof(
  fc.integer({ min: september.start, max: september.end - 1 }),
  fc.integer({ min: september.start, max: september.start + 2 }),
);
const row = fc.record({
  at: instant,
  user: fc.option(hostile),
  path: fc.option(hostile),
  type: fc.option(hostile),
  title: fc.option(hostile),
  count: fc.integer({ min: 1, max: 1_000_000 }),
});

/** Some occur twice. */
const rows = fc
  .array(fc.tuple(row, fc.constantFrom(1, 1, 1, 2)), { maxLength: 12 })
  .map((found) =>
    found.flatMap(([each, times]) => Array.from({ length: times }, () => each)).toSorted((a, b) => a.count - b.count),
  )
  .map((found): readonly Row[] =>
    found
      .toSorted((a, b) => a.at - b.at)
      .map(({ at, user, path, type, title, count }) => ({
        'TrackedEvents.utcTime': new Date(at).toISOString().slice(0, -1),
        'TrackedEvents.userAnonymousId': user,
        'TrackedEvents.docPath': path,
        'TrackedEvents.eventType': type,
        'TrackedEvents.pageTitle': title,
        'TrackedEvents.count': String(count),
      })),
  );

/** Rows of equal time, in the order of their bytes. */
function linesOf(data: readonly Row[]): readonly string[] {
  const timeOf = (line: string) => line.slice(0, 60);
  const lines = data.map((each) => `${JSON.stringify(each)}\n`);
  return lines.toSorted((a, b) =>
    timeOf(a) === timeOf(b) ? Buffer.from(a).compare(Buffer.from(b)) : timeOf(a) < timeOf(b) ? -1 : 1,
  );
}

const envelope = (data: readonly Row[]) => ({
  queryType: 'regularQuery',
  results: [
    {
      query: { filters: [{ values: ['"data":[', 'data', ']'] }] },
      data,
      annotation: { title: '},{"TrackedEvents.utcTime":' },
      total: null,
    },
  ],
});
const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 5 });
const eventsOf = (data: readonly Row[]) => data.reduce((sum, each) => sum + Number(each['TrackedEvents.count']), 0);

describe('rows cut out of an answer', () => {
  it.each([
    ['without parsing', spliceRows],
    ['by parsing', rewriteRows],
  ] as const)(
    '%s are those of the answer, in pieces of any size, and the rest is the answer without them',
    async (_, open) => {
      await fc.assert(
        fc.asyncProperty(rows, sizes, async (data, pieces) => {
          const lines = taker();
          const sieve = open(form, lines, { ordered: true });
          const rest = await sift(sieve, Buffer.from(JSON.stringify(envelope(data))), pieces);
          const expected = linesOf(data);
          expect(lines.text()).toBe(expected.join(''));
          expect(JSON.parse(rest)).toEqual(envelope([]));
          expect(sieve.found).toEqual({
            rows: data.length,
            events: eventsOf(data),
            repeated: expected.filter((line, index) => line === expected[index - 1]).length,
          });
        }),
        { numRuns: 300 },
      );
    },
  );

  it('by parsing do not depend on how they are laid out', async () => {
    await fc.assert(
      fc.asyncProperty(
        rows,
        sizes,
        fc.integer({ min: 0, max: 4 }),
        fc.boolean(),
        async (data, pieces, indent, reversed) => {
          const written = reversed
            ? data.map((each) => Object.fromEntries(Object.entries(each).reverse()) as Row)
            : data;
          const lines = taker();
          const rest = await sift(
            rewriteRows(form, lines, { ordered: true }),
            Buffer.from(JSON.stringify(envelope(written), null, indent)),
            pieces,
          );
          expect(lines.text()).toBe(linesOf(data).join(''));
          expect(JSON.parse(rest)).toEqual(envelope([]));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('without parsing are right, or refused, or stand for fewer events than there are, where they are laid out otherwise', async () => {
    await fc.assert(
      fc.asyncProperty(rows, sizes, fc.array(fc.nat(3), { minLength: 1, maxLength: 4 }), async (data, pieces, ways) => {
        const texts = data.map((each, index) => {
          const way = ways[index % ways.length]!;
          if (way === 1) return JSON.stringify(Object.fromEntries(Object.entries(each).reverse()));
          return way === 2
            ? ` ${JSON.stringify(each)}`
            : way === 3
              ? JSON.stringify(each, null, 1)
              : JSON.stringify(each);
        });
        const lines = taker();
        const sieve = spliceRows(form, lines, { ordered: true });
        try {
          await sift(
            sieve,
            Buffer.from(JSON.stringify(envelope([])).replace('"data":[]', () => `"data":[${texts.join(',')}]`)),
            pieces,
          );
          if (sieve.found.events === eventsOf(data)) expect(lines.text().trimStart()).toBe(linesOf(data).join(''));
          else expect(sieve.found.events).toBeLessThan(eventsOf(data));
        } catch (error) {
          if (!(error instanceof WrittenOtherwise)) throw error;
        }
      }),
      { numRuns: 500 },
    );
  });

  it('of one time are put in order though they are more than there is room for', async () => {
    const many = Array.from(
      { length: 9_000 },
      (_, index): Row => ({
        'TrackedEvents.utcTime': new Date(september.start + Math.floor(index / 4_000)).toISOString().slice(0, -1),
        'TrackedEvents.userAnonymousId': String((index * 7919) % 4_001),
        'TrackedEvents.docPath': null,
        'TrackedEvents.eventType': null,
        'TrackedEvents.pageTitle': null,
        'TrackedEvents.count': '1',
      }),
    );
    for (const open of [spliceRows, rewriteRows]) {
      const lines = taker();
      await sift(open(form, lines, { ordered: true }), Buffer.from(JSON.stringify(envelope(many))), [65_536]);
      expect(lines.text() === linesOf(many).join('')).toBe(true);
    }
  });

  it('are longer than the room that is kept for them', async () => {
    const data = Array.from(
      { length: 16 },
      (_, index): Row => ({
        'TrackedEvents.utcTime': new Date(september.start + index).toISOString().slice(0, -1),
        'TrackedEvents.userAnonymousId': 'x'.repeat(index * 90_000),
        'TrackedEvents.docPath': null,
        'TrackedEvents.eventType': null,
        'TrackedEvents.pageTitle': null,
        'TrackedEvents.count': '2',
      }),
    );
    for (const open of [spliceRows, rewriteRows]) {
      const lines = taker();
      await sift(open(form, lines, { ordered: true }), Buffer.from(JSON.stringify(envelope(data))), [65_536]);
      expect(lines.text() === data.map((each) => `${JSON.stringify(each)}\n`).join('')).toBe(true);
    }
  });

  const one: Row = {
    'TrackedEvents.utcTime': '2026-09-02T00:00:00.000',
    'TrackedEvents.userAnonymousId': 'a',
    'TrackedEvents.docPath': '/',
    'TrackedEvents.eventType': 'b',
    'TrackedEvents.pageTitle': null,
    'TrackedEvents.count': '1',
  };
  const at = (time: string | null, changes: Row = {}): Row => ({ ...one, 'TrackedEvents.utcTime': time, ...changes });

  it.each<[string, readonly unknown[], object]>([
    ['come in another order', [at('2026-09-03T00:00:00.000'), at('2026-09-02T00:00:00.000')], { name: 'OutOfOrder' }],
    ['are before the window', [at('2026-08-31T23:59:59.999')], { code: 'rows-outside' }],
    ['are behind it', [one, at('2026-10-01T00:00:00.000')], { code: 'rows-outside' }],
    ['have no time', [at(null)], { code: 'rows-outside' }],
    ['have a time that is none', [at('yesterday')], { code: 'rows-outside' }],
  ])('are refused where they %s', async (_, data, error) => {
    for (const open of [spliceRows, rewriteRows])
      await expect(
        sift(
          open(form, taker(), { ordered: true }),
          Buffer.from(JSON.stringify(envelope(data as readonly Row[]))),
          [70],
        ),
      ).rejects.toMatchObject(error);
  });

  it.each<[string, readonly unknown[]]>([
    ['lack a member', [{ 'TrackedEvents.utcTime': '2026-09-02T00:00:00.000', 'TrackedEvents.count': '1' }]],
    ['have no count', [at('2026-09-02T00:00:00.000', { 'TrackedEvents.count': null })]],
    ['count what is no number', [at('2026-09-02T00:00:00.000', { 'TrackedEvents.count': '1.5' })]],
    ['are no objects', [1, 2]],
    ['are lists', [['2026-09-02T00:00:00.000', '1']]],
  ])('are refused where they %s', async (_, data) => {
    const body = Buffer.from(JSON.stringify(envelope(data as readonly Row[])));
    await expect(sift(spliceRows(form, taker(), { ordered: true }), body, [70])).rejects.toBeInstanceOf(
      WrittenOtherwise,
    );
    await expect(sift(rewriteRows(form, taker(), { ordered: true }), body, [70])).rejects.toMatchObject({
      code: 'rows-unreadable',
    });
  });

  it('of different precision are compared by what they mean', async () => {
    const lines = taker();
    await sift(
      spliceRows(form, lines, { ordered: true }),
      Buffer.from(
        JSON.stringify(envelope([at('2026-09-02T00:00:00'), at('2026-09-02T00:00:00.001'), at('2026-09-02T00:00:01')])),
      ),
      [70],
    );
    expect(lines.text().split('\n')).toHaveLength(4);
    await expect(
      sift(
        spliceRows(form, taker(), { ordered: true }),
        Buffer.from(JSON.stringify(envelope([at('2026-09-02T00:00:01'), at('2026-09-02T00:00:00.001')]))),
        [70],
      ),
    ).rejects.toBeInstanceOf(OutOfOrder);
  });

  it('leave an answer that has none as it is', async () => {
    for (const open of [spliceRows, rewriteRows])
      for (const body of ['{"error":"Continue wait"}', '', '<html>', '{"data":{"members":[],"dataset":[]}}'])
        expect(await sift(open(form, taker(), { ordered: true }), Buffer.from(body), [7])).toBe(body);
  });

  it('leave an answer that stops halfway so that it is no JSON', async () => {
    const body = Buffer.from(JSON.stringify(envelope([one, one, one])));
    for (const open of [spliceRows, rewriteRows]) {
      for (let length = 100; length < body.length; length += 37) {
        const rest = await sift(open(form, taker(), { ordered: true }), body.subarray(0, length), [50]).catch(
          (error: unknown) => (error instanceof WrittenOtherwise ? '{' : Promise.reject(error)),
        );
        expect(() => JSON.parse(rest) as unknown).toThrow();
      }
    }
  });
});

describe('what only local engines have', () => {
  const keysOf = (dimensions?: readonly string[]) =>
    toExportQuery(builtInModel, dimensions && { dimensions }).columns.map(({ key }) => key);

  it('is exported if it is asked for by name, and not by default', () => {
    expect(keysOf(['country', 'utmSource'])).toEqual(
      expect.arrayContaining(['TrackedEvents.country', 'TrackedEvents.utmSource']),
    );
    expect(keysOf()).not.toContain('TrackedEvents.country');
    expect(keysOf()).not.toContain('TrackedEvents.utmSource');
  });
});
