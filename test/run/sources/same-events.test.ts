import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type EventField, eventFields, spellingsOf } from '../../../src/plan/model/event-fields.ts';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { openFiles, scratchFolder, textColumn } from '../ask-sql.ts';
import { readAll, type ReadRow } from './read-all.ts';
import {
  cellOf,
  eventFormats,
  type Packing,
  packings,
  tableFormats,
  writeEnriched,
  writeEvents,
  type WrittenEvent,
  type WrittenFormat,
} from './write-events.ts';
import { runs } from '../../runs.ts';

const folder = scratchFolder();
const engine = await openEngine({ threads: 2 });
afterAll(() => engine[Symbol.asyncDispose]());

/** Cells of tables hold texts, and objects. */
function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An event in sluice's columns, with further fields that have none. */
interface TrueEvent {
  readonly time: number;
  readonly fields: Readonly<Record<string, string>>;
  readonly further: Readonly<Record<string, unknown>>;
  readonly copies: number;
}

// The parts of a URL are derived; other tests cover that.
const plainFields = eventFields.filter(
  ({ column, kept }) => !kept && !['utc_time', 'url', 'base_url', 'doc_host', 'doc_path'].includes(column),
);
/** Names of fields that are read into columns and also kept as properties. */
const keptNames: Readonly<Record<string, string>> = {
  utm_source: 'utm_source',
  mkt_campaign: 'utm_campaign',
  country: 'country',
  deviceType: 'device_class',
};
const hostile = [
  '',
  '"',
  'a"b',
  "'; --",
  ',',
  '\t',
  ' x ',
  'ä\u{1F600}',
  'NULL',
  '=1',
  '<b>',
  '\u001B[1m',
  'line\nend',
  '#',
  '{',
  '[1]',
  '-',
  '0',
  'page_view',
];

function valueOf({ type, column }: EventField): fc.Arbitrary<string> {
  if (type === 'number') return fc.integer({ min: -840, max: 840 }).map(String);
  if (type === 'json') return fc.constantFrom('{"plan":"pro"}', '{"a":[1,null,"x"]}');
  if (column === 'event_type') return fc.constantFrom('pageview', 'link_click', 'x');
  if (column === 'doc_search') return fc.constantFrom('?a=1', '?b', '');
  return fc.constantFrom('a', 'b', ...hostile);
}

const further = fc.dictionary(
  fc.constantFrom('extra', 'Extra note', 'count', '日本', 'x"y', "z'z", ...Object.keys(keptNames)),
  fc.oneof(fc.constantFrom('text', ' ', '5'), fc.integer(), fc.boolean(), fc.constant({ deep: [1, { er: null }] })),
  { maxKeys: 3 },
);
const trueEvent: fc.Arbitrary<TrueEvent> = fc.record({
  time: fc.integer({ min: Date.parse('1990-01-01'), max: Date.parse('2090-01-01') }),
  fields: fc.record(Object.fromEntries(plainFields.map((field) => [field.column, valueOf(field)])), {
    requiredKeys: [],
  }) as fc.Arbitrary<Record<string, string>>,
  further,
  copies: fc.constantFrom(1, 1, 1, 2, 3),
});

/** Random numbers that decide how an event is written. */
const choices = fc.infiniteStream(fc.nat({ max: 1000 }));
type Choose = <T>(from: readonly T[]) => T;
const chooser =
  (stream: Iterator<number, unknown>): Choose =>
  (from) =>
    from[(stream.next().value as number) % from.length]!;

function timeText(time: number, choose: Choose): string {
  const iso = new Date(time).toISOString();
  const vienna = new Date(time + 3_600_000).toISOString();
  return choose([iso, iso.slice(0, -1), iso.slice(0, -1).replace('T', ' '), `${vienna.slice(0, -1)}+01:00`]);
}

/** The event with names of any vocabulary, in any order, with some nulls. */
function writeEvent(event: TrueEvent, choose: Choose): WrittenEvent {
  const members: [string, unknown][] = [[choose(spellingsOf(eventFields[0]!)), timeText(event.time, choose)]];
  for (const field of plainFields) {
    const value = event.fields[field.column];
    const spelling = choose(spellingsOf(field));
    if (value === undefined) {
      if (choose([true, false, false, false])) members.push([spelling, null]);
      continue;
    }
    if (field.type === 'number') members.push([spelling, choose([value, Number(value)])]);
    else if (field.type === 'json') members.push([spelling, choose([value, JSON.parse(value) as unknown])]);
    else if (value === 'pageview' && field.column === 'event_type')
      members.push([spelling, choose(['pageview', 'page_view'])]);
    else if (field.column === 'doc_search' && spelling.endsWith('page_urlquery'))
      members.push([spelling, choose([value, value.slice(1)])]);
    else members.push([spelling, value]);
  }
  members.push(...Object.entries(event.further));
  if (event.copies > 1)
    members.push([choose(['TrackedEvents.count', 'Jitsu.count']), choose([event.copies, String(event.copies)])]);
  return Object.fromEntries(
    members
      .map((member) => ({ member, at: choose([1, 2, 3, 4, 5]) }))
      .sort((one, other) => one.at - other.at)
      .map(({ member }) => member),
  );
}

/**
 * The definition. A table (`cells`) contains only texts; separated text (`blank`) does not distinguish an empty field
 * from a missing one.
 */
function rowsOf(event: TrueEvent, room: { readonly cells: boolean; readonly blank: boolean }): readonly ReadRow[] {
  const iso = new Date(event.time).toISOString().slice(0, -1).replace('T', ' ');
  const fields = Object.entries(event.fields).filter(
    ([column, value]) => value !== '' || (!room.blank && column !== ''),
  );
  const row: Record<string, string> = {
    utc_time: iso.replace(/\.?0+$/, (zeros) => (zeros.startsWith('.') ? '' : iso.slice(-4, -3) === '.' ? '' : zeros)),
  };
  for (const [column, value] of fields) row[column] = column === 'local_tz_offset' ? `${value}.0` : value;
  for (const [name, value] of Object.entries(event.further))
    if (keptNames[name] !== undefined) row[keptNames[name]] = cellOf(value) ?? '';
  const rest = Object.entries(event.further)
    .filter(([, value]) => value !== '')
    .sort(([one], [other]) => (one < other ? -1 : 1));
  if (rest.length > 0)
    row.further = `{${rest.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(room.cells && !isObject(value) ? cellOf(value) : value)}`).join(',')}}`;
  return Array.from({ length: event.copies }, () => row);
}

const sorted = (rows: readonly ReadRow[]) =>
  rows
    .map((row) =>
      JSON.stringify(Object.fromEntries(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)))),
    )
    .sort();
const roomOf = (format: WrittenFormat) => ({
  cells: (tableFormats as readonly string[]).includes(format),
  blank: format === 'csv' || format === 'tsv',
});

describe('the same events', () => {
  it('give the same rows, whatever names, order, format and packing they are written in', {
    timeout: 120_000,
  }, async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(trueEvent, { minLength: 1, maxLength: 6 }), choices, async (events, stream) => {
        const choose = chooser(stream[Symbol.iterator]());
        run += 1;
        const files: string[] = [];
        const all: ReadRow[] = [];
        for (const format of eventFormats) {
          const packing: Packing = format === 'parquet' ? 'none' : choose(packings);
          const written = events.map((event) => writeEvent(event, choose));
          const columns = [...new Set(written.flatMap((event) => Object.keys(event)))];
          const file = await writeEvents(engine, folder, `${run}`, format, packing, written, columns);
          const wanted = events.flatMap((event) => rowsOf(event, roomOf(format)));
          const { rows, rejected } = await readAll(engine, file);
          expect(rejected, format).toEqual([]);
          expect(sorted(rows), `${format}, ${packing}`).toEqual(sorted(wanted));
          files.push(file);
          all.push(...wanted);
        }
        // A broken line among them changes nothing.
        const mixed = folder.write(
          `${run}-beside.ndjson`,
          [...events.map((event) => JSON.stringify(writeEvent(event, choose))), 'broken'].join('\n'),
        );
        const wanted = events.flatMap((event) => rowsOf(event, roomOf('ndjson')));
        const { rows, mended } = await readAll(engine, mixed);
        expect({ mended, rows: sorted(rows) }).toEqual({ mended: true, rows: sorted(wanted) });
        // A question directly over all of them sees the same events.
        const columns = eventFields.map(({ column }) => column);
        await using session = await openFiles([...files, mixed]);
        const asked = await session.ask(
          `SELECT ${columns.map((column) => `CAST(${column} AS VARCHAR)`).join(', ')} FROM events`,
          { columns: columns.map(() => textColumn), reach: 'all' },
        );
        const seen = asked.map((row) =>
          Object.fromEntries(
            columns.flatMap((column, index) => (row[index] === null ? [] : [[column, String(row[index])]])),
          ),
        );
        expect(sorted(seen)).toEqual(sorted([...all, ...wanted].map(({ further: _further, ...row }) => row)));
        expect(session.facts().rejected.count).toBe(1);
      }),
      { numRuns: runs(6), endOnFailure: true },
    );
  });

  it('give the same rows as enriched events without a header, as far as those have columns', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(trueEvent, { minLength: 1, maxLength: 6 }), choices, async (events, stream) => {
        const choose = chooser(stream[Symbol.iterator]());
        run += 1;
        const named = plainFields.filter(({ snowplow }) => snowplow !== undefined);
        // The enrichment writes no tabs or line breaks.
        const kept = events.map(
          (event): TrueEvent => ({
            ...event,
            copies: 1,
            further: { collector_tstamp: '2024-01-01 00:00:00.000' },
            fields: Object.fromEntries(
              named.flatMap(({ column }) =>
                event.fields[column] === undefined ? [] : [[column, event.fields[column].replaceAll(/[\t\n]/g, ' ')]],
              ),
            ),
          }),
        );
        const enriched = kept.map(
          (event) =>
            Object.fromEntries([
              ['collector_tstamp', '2024-01-01 00:00:00.000'],
              ['derived_tstamp', timeText(event.time, choose)],
              ...named.flatMap(({ column, snowplow }) =>
                event.fields[column] === undefined
                  ? []
                  : [
                      [
                        snowplow!,
                        column === 'doc_search'
                          ? event.fields[column].slice(1)
                          : event.fields[column].replace(/^pageview$/, 'page_view'),
                      ],
                    ],
              ),
            ]) as Record<string, string>,
        );
        const { rows, rejected } = await readAll(engine, folder.write(`${run}.enriched`, writeEnriched(enriched)));
        expect(rejected).toEqual([]);

        expect(sorted(rows)).toEqual(sorted(kept.flatMap((event) => rowsOf(event, { cells: true, blank: true }))));
      }),
      { numRuns: runs(10) },
    );
  });
});
