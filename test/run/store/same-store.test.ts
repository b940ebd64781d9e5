import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EventField, eventFields, spellingsOf } from '../../../src/plan/model/event-fields.ts';
import { scratchStore } from './scratch-store.ts';
import { runs } from '../../runs.ts';

const numRuns = runs(20);

/** Values by canonical column, as in the store. */
type Event = Readonly<Record<string, string>>;

const pointed = [
  'a"b',
  "it's",
  'x,y;z',
  'one\ntwo',
  'tab\there',
  '  spaced ',
  '007',
  'NaN',
  'null',
  'NULL',
  'true',
  '\\',
  '{',
  '[1]',
  '=1+1',
  '#',
  'ß→🛍️',
  '\u001b[31m',
  '2024-03-06',
  '1e3',
];
const text = fc.oneof(fc.constantFrom(...pointed), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }));
const json = fc
  .dictionary(fc.constantFrom('a', 'b', 'c d'), fc.oneof(text, fc.integer(), fc.boolean()), { minKeys: 1, maxKeys: 3 })
  .map((value) => JSON.stringify(value));

function valuesOf({ column, type }: EventField): fc.Arbitrary<string> {
  if (type === 'number') return fc.integer({ min: -840, max: 840 }).map(String);
  if (type === 'json') return json;
  if (column === 'event_type') return fc.constantFrom('pageview', 'link_click', 'custom');
  if (column === 'doc_search') return text.map((search) => `?${search}`);
  if (column === 'viewport_size')
    return fc.tuple(fc.nat(4000), fc.nat(4000)).map(([width, height]) => `${width}x${height}`);
  return text;
}

const time = fc
  .integer({ min: Date.parse('2024-03-06T00:00:00Z'), max: Date.parse('2024-03-08T00:00:00Z') })
  .map((instant) => new Date(instant).toISOString().slice(0, -1));
const others = eventFields.filter(({ type, column }) => type !== 'time' && column !== 'event_id');
const event: fc.Arbitrary<Event> = fc.record(
  {
    utc_time: time,
    plan: text,
    ...Object.fromEntries(others.map((field) => [field.column, valuesOf(field)])),
  },
  { requiredKeys: ['utc_time'] },
);

/** Random numbers that decide the names, order and file of an event. */
interface Form {
  readonly format: 'ndjson' | 'json' | 'csv' | 'tsv';
  readonly packing: 'none' | 'gz' | 'zst';
  readonly dice: readonly number[];
}

const form: fc.Arbitrary<Form> = fc.record({
  format: fc.constantFrom('ndjson', 'json', 'csv', 'tsv'),
  packing: fc.constantFrom('none', 'gz', 'zst'),
  dice: fc.array(fc.nat(), { minLength: 50, maxLength: 50 }),
});

interface Told {
  readonly name: string;
  readonly value: unknown;
}

/** A value under one of its field's names, in one of that name's notations. */
function tell(column: string, value: string, die: number, isText: boolean): readonly Told[] {
  const field = eventFields.find((one) => one.column === column);
  if (!field) return [{ name: column, value }];
  const names = spellingsOf(field);
  const name = names[die % names.length]!;
  const other = die % 7 < 3;
  if (field.type === 'time') return [{ name, value: [value, `${value}Z`, value.replace('T', ' ')][die % 3] }];
  if (field.type === 'number') return [{ name, value: isText || other ? value : Number(value) }];
  if (field.type === 'json') return [{ name, value: isText || other ? value : (JSON.parse(value) as unknown) }];
  if (column === 'viewport_size' && other)
    return ['br_viewwidth', 'br_viewheight'].map((part, index) => ({ name: part, value: value.split('x')[index] }));
  if (column === 'event_type' && value === 'pageview' && other) return [{ name, value: 'page_view' }];
  if (name.endsWith('page_urlquery') && other) return [{ name, value: value.slice(1) }];
  return [{ name, value }];
}

function write(
  events: readonly Event[],
  { format, packing, dice }: Form,
): { readonly name: string; readonly content: string | Uint8Array } {
  const isText = format === 'csv' || format === 'tsv';
  const die = (index: number) => dice[index % dice.length]!;
  const columns = [...new Set(['utc_time', ...events.flatMap(Object.keys)])].sort(
    (one, another) => die(one.length * 7 + one.charCodeAt(0)) - die(another.length * 7 + another.charCodeAt(0)),
  );
  const records = events.map((one, row) =>
    columns.flatMap((column, index) => {
      // Each line of JSON has its own names; a table has one header.
      const cast = die(isText ? index : index + row);
      if (one[column] !== undefined) return tell(column, one[column], cast, isText);
      return isText || cast % 2 === 0
        ? tell(column, 'x'.repeat(3), cast, true).map(({ name }) => ({ name, value: null }))
        : [];
    }),
  );
  const separator = format === 'csv' ? ',' : '\t';
  const quoted = (value: unknown) => (value === null ? '' : `"${String(value).replaceAll('"', '""')}"`);
  const objects = records.map((told) =>
    JSON.stringify(Object.fromEntries(told.map(({ name, value }) => [name, value]))),
  );
  const body = isText
    ? [
        ...(records[0] ? [records[0].map(({ name }) => name)] : []),
        ...records.map((told) => told.map(({ value }) => quoted(value))),
      ]
        .map((cells) => `${cells.join(separator)}\n`)
        .join('')
    : format === 'json'
      ? `[${objects.join(',')}]`
      : objects.map((object) => `${object}\n`).join('');
  if (packing === 'none') return { name: format, content: body };
  return { name: `${format}.${packing}`, content: packing === 'gz' ? gzipSync(body) : zstdCompressSync(body) };
}

describe('the same events', () => {
  it('make the same store by whatever names, in whatever order of columns, with gaps, packed or not, in however many files', {
    timeout: 60_000 + numRuns * 5000,
  }, async () => {
    const columns = eventFields.map(({ column, type }) =>
      type === 'time'
        ? `strftime(${column}, '%Y-%m-%dT%H:%M:%S.%g')`
        : type === 'number'
          ? `CAST(CAST(${column} AS INTEGER) AS VARCHAR)`
          : column,
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 1, maxLength: 12 }),
        fc.array(form, { minLength: 1, maxLength: 4 }),
        async (events, forms) => {
          const store = scratchStore();
          const files = forms.flatMap((one, index) => {
            const own = events
              .map((told, row) => ({ ...told, event_id: `e${row}` }))
              .filter((_, row) => row % forms.length === index);
            if (own.length === 0) return [];
            const { name, content } = write(own, one);
            return [store.write(`${index}.${name}`, content)];
          });
          expect(await store.ingest(files)).toMatchObject({ added: events.length, rejected: 0 });
          const held = await store.ask(`SELECT ${columns.join(', ')}, further ->> '$.plan' FROM events`);
          const expected = events.map((told, row) => [
            ...eventFields.map(({ column }) => (column === 'event_id' ? `e${row}` : (told[column] ?? null))),
            told['plan'] ?? null,
          ]);
          const sorted = (rows: readonly (readonly unknown[])[]) =>
            rows.map((row) => JSON.stringify(comparable(row))).sort();
          expect(sorted(held)).toEqual(sorted(expected));
        },
      ),
      { numRuns, interruptAfterTimeLimit: 20_000 + numRuns * 1000 },
    );
  });
});

const indexOf = (column: string) => eventFields.findIndex((field) => field.column === column);
const jsonColumns = eventFields.flatMap(({ type }, index) => (type === 'json' ? [index] : []));
const parts = ['doc_host', 'doc_path', 'doc_search', 'base_url'].map(indexOf);

/** Compares JSON by value. Parts of a URL that are not given are derived from it; the tests of reading cover that. */
function comparable(row: readonly unknown[]): readonly unknown[] {
  const values = row.map((value, index) =>
    jsonColumns.includes(index) && value !== null ? (JSON.parse(String(value)) as unknown) : value,
  );
  return row[indexOf('url')] === null ? values : values.filter((_, index) => !parts.includes(index));
}
