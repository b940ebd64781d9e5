import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { FieldSource, Mapping } from '../../../src/plan/mapping/mapping.ts';
import { eventFields } from '../../../src/plan/model/event-fields.ts';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { eventFormats, writeEvents, type WrittenEvent } from '../sources/write-events.ts';
import { scratchStore } from './scratch-store.ts';
import { runs } from '../../runs.ts';

const engine = await openEngine({ threads: 1 });
afterAll(() => engine[Symbol.asyncDispose]());

const texts = fc.option(fc.constantFrom('/a', '/b?x', 'ä\u{1F600}', "'; --", '0', '007', 'null', 'a"b', '=1'));

/** Fields, and possible names of their columns in a mapped file. */
const fields = [
  { field: 'eventType', column: 'event_type', names: ['kind', 'Event Name', 'type'] },
  { field: 'userAnonymousId', column: 'user_anonymous_id', names: ['visitor', 'uid'] },
  { field: 'userId', column: 'user_id', names: ['customer', 'e mail'] },
  { field: 'sessionId', column: 'session_id', names: ['visit', 'sid'] },
  { field: 'docPath', column: 'doc_path', names: ['page', 'path'] },
  { field: 'referer', column: 'referer', names: ['from', 'source'] },
  { field: 'utmCampaign', column: 'utm_campaign', names: ['promo', 'campaign name'] },
  { field: 'country', column: 'country', names: ['land', 'geo'] },
] as const;

type Event = Readonly<Record<string, string | null>> & { readonly at: string };

/** All events have the same columns, as in a table. */
const eventsOf: fc.Arbitrary<readonly Event[]> = fc
  .subarray(
    fields.map(({ field }) => field as string),
    { minLength: 1 },
  )
  .chain((present) =>
    fc.array(
      fc.tuple(
        fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2024, 11, 31) }),
        fc.record(Object.fromEntries(present.map((field) => [field, texts]))),
      ),
      { minLength: 1, maxLength: 8 },
    ),
  )
  .map((all) => all.map(([at, event]) => ({ ...event, at: new Date(at).toISOString() }) as Event));

/** How a file writes them: names and order of columns, time notation, and format. */
const shape = fc.record({
  name: fc.nat(1),
  order: fc.array(fc.nat(), { minLength: 10, maxLength: 10 }),
  time: fc.constantFrom('iso', 'milliseconds', 'microseconds'),
  typed: fc.boolean(),
  format: fc.constantFrom(...eventFormats),
});

function timeAs(at: string, kind: string, typed: boolean): unknown {
  if (kind === 'iso') return at;
  const number = Date.parse(at) * (kind === 'microseconds' ? 1000 : 1);
  return typed ? number : String(number);
}

describe('a store of mapped files', () => {
  it('is the same whatever subset, order and type of columns tell the same events', { timeout: 120_000 }, async () => {
    const columns = eventFields.map(({ column }) => `CAST(${column} AS VARCHAR)`).join(', ');
    let run = 0;
    await fc.assert(
      fc.asyncProperty(eventsOf, fc.tuple(shape, shape), async (events, shapes) => {
        const present = fields.filter(({ field }) => field in events[0]!);
        const expected = events.map((event) => [
          ...eventFields.map(({ column }) => {
            if (column === 'utc_time')
              return event.at
                .slice(0, -1)
                .replace('T', ' ')
                .replace(/\.?0*$/, '');
            const field = present.find((one) => one.column === column);
            return (field && event[field.field]) || null;
          }),
        ]);
        for (const { name, order, time, typed, format } of shapes) {
          run += 1;
          const named = present.map(({ field, names }) => ({ field, name: names[name % names.length]! }));
          const written = events.map((event): WrittenEvent => {
            const members = [
              ['made at', timeAs(event.at, time, typed)] as const,
              ...named.map((one) => [one.name, event[one.field]] as const),
            ];
            const sorted = members
              .map((member, index) => ({ member, at: order[index]! }))
              .sort((one, other) => one.at - other.at);
            return Object.fromEntries(sorted.map(({ member }) => member));
          });
          const mapping: Mapping = {
            columns: {
              utcTime: 'made at',
              ...Object.fromEntries(named.map((one): [string, FieldSource] => [one.field, one.name])),
            },
          };
          const store = scratchStore();
          const place = { path: store.folder.replace(/\/\.sluice\/store$/, ''), write: store.write };
          const file = await writeEvents(engine, place, `r${run}`, format, 'none', written, Object.keys(written[0]!));
          const report = await store.ingest([file], { mappingOf: () => mapping });
          expect(report).toMatchObject({ added: events.length, rejected: 0 });
          const held = await store.ask(`SELECT ${columns} FROM events`);
          const comparable = (rows: readonly (readonly unknown[])[]) =>
            rows.map((row) => JSON.stringify(row.map((value) => (value === '' ? null : value)))).sort();
          const told = held.map((row) =>
            row.map((value, index) =>
              eventFields[index]!.column === 'utc_time' ? String(value).replace(/\.?0*$/, '') : value,
            ),
          );
          expect(comparable(told), format).toEqual(comparable(expected));
        }
      }),
      { numRuns: runs(12), seed: 20240308 },
    );
  });
});
