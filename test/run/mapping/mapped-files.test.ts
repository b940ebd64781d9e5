import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { FieldSource, Mapping } from '../../../src/plan/mapping/mapping.ts';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { openEventFiles } from '../../../src/run/duckdb/reading/event-files.ts';
import { scratchFolder } from '../ask-sql.ts';
import { readAll } from '../sources/read-all.ts';
import { eventFormats, packings, writeEvents, type WrittenEvent } from '../sources/write-events.ts';
import { runs } from '../../runs.ts';

const folder = scratchFolder();
const engine = await openEngine({ threads: { upTo: 2 } });
afterAll(() => engine[Symbol.asyncDispose]());

const texts = fc.constantFrom('/a', '/b?x=1', 'Page View', 'click', '', "'; --", 'ä\u{1F600}', '0', 'null', 'a"b');

/** A field's name, possible names of its column in a mapped file, and possible values. */
const fields = [
  { field: 'eventType', names: ['kind', 'event', 'Event Name', 'type'], value: texts },
  { field: 'userAnonymousId', names: ['distinct_id', 'visitor', 'uid'], value: texts },
  { field: 'userId', names: ['customer', 'user'], value: texts },
  { field: 'docHost', names: ['host', 'domain'], value: texts },
  { field: 'referer', names: ['from', 'Referring URL'], value: texts },
  { field: 'pageTitle', names: ['title', 'select'], value: texts },
] as const;

interface Column {
  readonly field: string;
  readonly name: string;
  readonly values: readonly (string | null)[];
  readonly renamed: boolean;
}

const rows = 4;

const columns: fc.Arbitrary<readonly Column[]> = fc
  .tuple(
    ...fields.map(({ field, names, value }) =>
      fc.record({
        field: fc.constant(field as string),
        name: fc.constantFrom<string>(...names),
        values: fc.array(fc.option(value), { minLength: rows, maxLength: rows }),
        renamed: fc.boolean(),
      }),
    ),
  )
  .chain((all) => fc.shuffledSubarray(all));

const properties = fc.dictionary(
  fc.constantFrom('plan', 'amount', 'a b', 'ünï'),
  fc.array(fc.constantFrom<unknown>('x', 1, 1.5, true, { deep: [1] }, 'text'), { minLength: rows, maxLength: rows }),
);

const times = fc.array(fc.integer({ min: Date.UTC(1990), max: Date.UTC(2060) }), { minLength: rows, maxLength: rows });
const kinds = fc.constantFrom('iso', 'seconds', 'milliseconds', 'microseconds', 'nanoseconds');

function writeTime(instant: number, kind: string): unknown {
  if (kind === 'iso') return new Date(instant).toISOString();
  if (kind === 'seconds') return instant / 1000;
  return kind === 'milliseconds' ? instant : `${instant}${kind === 'microseconds' ? '000' : '000000'}`;
}

describe('a mapping', () => {
  it('gives the same events as a file that was rewritten by hand, whatever its columns, their order and their types', async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(
        columns,
        properties,
        times,
        kinds,
        fc.constantFrom(...eventFormats),
        fc.constantFrom(...packings),
        async (chosen, further, instants, kind, format, packing) => {
          const theirs: WrittenEvent[] = [];
          const byHand: WrittenEvent[] = [];
          for (let row = 0; row < rows; row++) {
            const properties = Object.fromEntries(Object.entries(further).map(([name, values]) => [name, values[row]]));
            // Empty text is no value in a mapped file.
            const mapped = chosen.map(({ name, values }) => [name, values[row]]);
            const canonical = chosen.map(({ field, values, renamed }) => [
              field,
              renamed && values[row] === 'Page View' ? 'pageview' : values[row] || null,
            ]);
            theirs.push({ ...properties, ...Object.fromEntries(mapped), 'made at': writeTime(instants[row]!, kind) });
            byHand.push({
              ...Object.fromEntries(canonical),
              utcTime: new Date(instants[row]!).toISOString(),
              ...properties,
            });
          }
          const mapping: Mapping = {
            columns: {
              ...Object.fromEntries(
                chosen.map(({ field, name, renamed }): [string, FieldSource] => [
                  field,
                  renamed ? { column: name, values: { 'Page View': 'pageview' } } : name,
                ]),
              ),
              utcTime: 'made at',
            },
          };
          number += 1;
          const packed = format === 'parquet' || format.startsWith('arrow') ? 'none' : packing;
          const names = Object.keys(theirs[0]!);
          const file = await writeEvents(engine, folder, `theirs-${number}`, format, packed, theirs, names);
          const hand = await writeEvents(
            engine,
            folder,
            `hand-${number}`,
            format,
            packed,
            byHand,
            Object.keys(byHand[0]!),
          );
          const read = await readAll(engine, file, () => mapping);
          const wanted = await readAll(engine, hand);
          expect(read.rejected).toEqual([]);
          expect(read.rows).toEqual(wanted.rows);
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('reads JSON paths, expressions and constants, the first of several that holds a value, and keeps what it reads from', async () => {
    const file = folder.write(
      'nested.ndjson',
      [
        { at: '2024-03-08T10:00:00Z', context: { page: { 'a b': ['/x'] } }, who: '', device: 'd1', n: 2 },
        {
          at: '2024-03-08T10:00:01Z',
          context: '{"page":{"a b":["/y"]}}',
          who: 'w',
          device: 'd2',
          n: 12345678901234567890n,
        },
      ]
        .map((event) => JSON.stringify(event, (_, value) => (typeof value === 'bigint' ? Number(value) : value)))
        .join('\n'),
    );
    const { rows } = await readAll(engine, file, () => ({
      columns: {
        utcTime: 'at',
        docPath: '$.context.page."a b"[0]',
        eventType: { value: 'pageview' },
        userId: ['who', 'device'],
        pageTitle: { sql: "upper(device) || '-' || CAST(n AS DOUBLE)" },
      },
    }));
    expect(
      rows.map(({ doc_path, event_type, user_id, page_title }) => [doc_path, event_type, user_id, page_title]),
    ).toEqual([
      ['/x', 'pageview', 'd1', 'D1-2.0'],
      ['/y', 'pageview', 'w', 'D2-1.2345678901234567e+19'],
    ]);
    expect(rows.map(({ further }) => Object.keys(JSON.parse(further!)))).toEqual([
      ['context', 'device', 'n'],
      ['context', 'device', 'n'],
    ]);
  });

  it('reads structures and lists of Parquet by path and by expression', async () => {
    const file = `${folder.path}/nested.parquet`;
    await engine.rows(
      `COPY (SELECT 1709892000123456 AS ts, {'page': {'path': '/x'}} AS context, [{'key': 'who', 'value': 'u1'}] AS params) TO '${file}' (FORMAT parquet)`,
    );
    const { rows } = await readAll(engine, file, () => ({
      columns: {
        utcTime: 'ts',
        docPath: '$.context.page.path',
        userId: { sql: "list_filter(params, lambda p: p.key = 'who')[1].value" },
      },
    }));
    expect(rows).toMatchObject([{ utc_time: '2024-03-08 10:00:00.123456', doc_path: '/x', user_id: 'u1' }]);
  });

  it('keeps a column as a property whose name is that of a field that is taken from elsewhere', async () => {
    const file = folder.write('own.csv', 'utcTime,url,location\n2024-03-08T10:00:00.000,short,https://e.example/a\n');
    const { rows } = await readAll(engine, file, () => ({ columns: { url: 'location' } }));
    expect(rows).toMatchObject([{ url: 'https://e.example/a', doc_path: '/a', further: '{"url":"short"}' }]);
  });

  it('rejects the lines that are broken or without a time, and no others', async () => {
    const lines = Array.from({ length: 50 }, (_, n) =>
      JSON.stringify({ at: 1_709_892_000 + n, kind: n % 2 ? 'a' : 'b' }),
    );
    const file = folder.write('asked.ndjson', [...lines, 'broken', '{"at":"never","kind":"c"}'].join('\n'));
    const { rows, rejected } = await readAll(engine, file, () => ({ columns: { utcTime: 'at', eventType: 'kind' } }));
    expect(rows).toHaveLength(50);
    expect(rejected.map(({ line, reason }) => [line, reason])).toEqual([
      [51, 'not valid JSON'],
      [52, 'a time that cannot be read: never'],
    ]);
  });

  it.each([
    ['(SELECT 1)', 'mapping-sql-not-allowed'],
    ["a FROM read_csv('/etc/passwd')", 'mapping-sql-not-allowed'],
    ['a; SELECT 1', 'mapping-sql-not-allowed'],
    ['a; DROP TABLE x', 'mapping-sql-invalid'],
    ['count(*)', 'mapping-sql-not-allowed'],
    ['sum(a)', 'mapping-sql-not-allowed'],
    ['row_number() OVER ()', 'mapping-sql-not-allowed'],
    ['random()', 'mapping-sql-not-allowed'],
    ['now()', 'mapping-sql-not-allowed'],
    ['current_date()', 'mapping-sql-not-allowed'],
    ["getvariable('x')", 'mapping-sql-not-allowed'],
    ["current_setting('memory_limit')", 'mapping-sql-not-allowed'],
    ["content(read_text('/etc/passwd'))", 'mapping-sql-not-allowed'],
    ["getenv('HOME')", 'mapping-sql-not-allowed'],
    ['nextval(a)', 'mapping-sql-not-allowed'],
    ['a, b', 'mapping-sql-not-allowed'],
    ['*', 'mapping-sql-not-allowed'],
    ['$1', 'mapping-sql-not-allowed'],
    ['unnest([1,2])', 'mapping-sql-not-allowed'],
    ['DISTINCT a', 'mapping-sql-not-allowed'],
    ['a ORDER BY b', 'mapping-sql-not-allowed'],
    ['lower(', 'mapping-sql-invalid'],
    ['', 'mapping-sql-invalid'],
  ])('refuses the expression %s', async (sql, code) => {
    const file = folder.write('sql.csv', 'at,a,b\n2024-03-08,x,y\n');
    await expect(
      readAll(engine, file, () => ({ columns: { utcTime: 'at', eventType: { sql } } })),
    ).rejects.toMatchObject({ code });
  });
});

describe('what a file lacks', () => {
  const given = { made: '2024-03-08T10:00:00Z', kind: 'pageview', who: 'u1', where: '/a' };
  const mapping: Mapping = { columns: { utcTime: 'made', eventType: 'kind', userId: 'who', docPath: 'where' } };
  const statement = 'SELECT event_type, doc_path, user_key FROM events';

  it.each(['ndjson', 'csv', 'parquet'] as const)(
    'is told of each of its columns that is removed (%s)',
    async (format) => {
      for (const [removed, title] of [
        [undefined, undefined],
        ['kind', 'event type'],
        ['who', 'user'],
        ['where', 'page'],
      ] as const) {
        const event = Object.fromEntries(Object.entries(given).filter(([name]) => name !== removed));
        const file = await writeEvents(
          engine,
          folder,
          `without-${removed}`,
          format,
          'none',
          [event],
          Object.keys(event),
        );
        const events = await openEventFiles(engine, [file], 'anonymous', `without_${format}_${removed}`, {
          mappingOf: () => mapping,
        });
        const lacking = await events.lacking(statement);
        expect(lacking.map((text) => /have no ([^:]*):/.exec(text)?.[1])).toEqual(title === undefined ? [] : [title]);
        expect(await events.lacking('SELECT count(*) FROM events')).toEqual([]);
      }
    },
  );

  it('is an error if it is the time', async () => {
    const file = folder.write('timeless.csv', 'kind,who\na,b\n');
    await expect(readAll(engine, file, () => mapping)).rejects.toMatchObject({ code: 'events-without-time' });
  });
});
