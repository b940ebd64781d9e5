import { appendFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { eachValue } from '../../../src/ask/query/property-name.ts';
import type { Mapping } from '../../../src/plan/mapping/mapping.ts';
import type { Template } from '../../../src/plan/model/model.ts';
import { listRows, propertyJsonType, propertyText } from '../../../src/plan/model/property-sql.ts';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { openEventFiles } from '../../../src/run/duckdb/reading/event-files.ts';
import { openFactKeeper } from '../../../src/run/kept/keep-facts.ts';
import { openKeptFiles } from '../../../src/run/kept/kept-files.ts';
import { scratchFolder } from '../ask-sql.ts';
import { writeEvents, type WrittenEvent, type WrittenFormat } from '../sources/write-events.ts';

const folder = scratchFolder();
const engine = await openEngine({ threads: { upTo: 2 } });
afterAll(() => engine[Symbol.asyncDispose]());

const print = (template: Template, relation = 'events') =>
  template.map((part) => (part.kind === 'text' ? part.text : relation)).join('');

const strange = ['', 'a', true, 5, 5.5, '5', '1.10', null, [1, 'x'], { deep: 'y' }, 'ä"\'\\', 1e300, 'NaN', '{"a":1}'];
const keys = [
  'plan',
  'Plan',
  'a/b',
  'a~b',
  "it's",
  'größe',
  'nested',
  'utmSource',
  'customer',
  'docPath',
  'br_viewwidth',
];
const paths: readonly (readonly string[])[] = [
  ...keys.map((key) => [key]),
  ['nested', 'deep'],
  ['nested', 'Deep'],
  ['nested', "it's"],
  ['tags'],
  ['nobody has it'],
  ['of event'],
];

const events = Array.from(
  { length: 300 },
  (_, index): WrittenEvent => ({
    utcTime: new Date(Date.UTC(2024, 2, 1, 0, index)).toISOString(),
    eventId: `e${index}`,
    ...Object.fromEntries(keys.map((key, place) => [key, strange[(index * 5 + place * 3) % strange.length]])),
    tags: [strange[index % strange.length], { name: strange[(index + 3) % strange.length] }],
    ...(index % 3 === 0 && { customEventProps: { 'of event': index, plan: 'of the event' } }),
    ...(index === 299 && { late: 'x' }),
  }),
);
/** Columns of tables must differ in more than letter case. */
const columns = ['utcTime', 'eventId', ...keys.filter((key) => key !== 'Plan'), 'tags', 'customEventProps', 'late'];
const mapping: Mapping = { columns: { utcTime: 'utcTime', userId: 'customer', docPath: { column: 'plan' } } };

const asked = [
  ...paths.flatMap((path) => [propertyText(path), propertyJsonType(path)]).map((template) => print(template)),
  ...[[], ['name']]
    .flatMap((within) => [propertyText, propertyJsonType].map((read) => read(['tags', eachValue, ...within])))
    .map((template) => `list_transform(${print(listRows(['tags']))}, lambda one: ${print(template, 'one')})`),
];
const slow = `SELECT ${asked.flatMap((one) => [`count(${one})`, `sum(hash(event_id, ${one}))`]).join(', ')} FROM events`;

const formats = ['ndjson', 'json', 'csv', 'parquet'] as const satisfies readonly WrittenFormat[];
const cases = formats.flatMap((format) =>
  [false, true].flatMap((mapped) => [
    { format, mapped, damage: '' },
    ...(format === 'csv' ? [{ format, mapped, damage: 'no time,1\n' }] : []),
    ...(format === 'ndjson' ? [{ format, mapped, damage: '{"utcTime":"2024-03-01","plan":\n' }] : []),
  ]),
);
it.each(cases)(
  'fields read one by one have the values that they have among all: %j',
  async ({ format, mapped, damage }) => {
    const path = await writeEvents(engine, folder, `${mapped}-${damage.length}`, format, 'none', events, columns);
    // JSON with blanks within, and with values that only DuckDB takes for JSON.
    if (format === 'ndjson')
      appendFileSync(
        path,
        '{"utcTime":"2024-03-01","eventId":"x","plan":{ "a" : [ 1 , 2 ] },"nested":{ "deep" : NaN },"tags":[ 1 , -Infinity ],"Plan": null ,"größe":1.50}\n',
      );
    appendFileSync(path, damage);
    const files = await openEventFiles(
      engine,
      [path],
      'anonymous',
      'events',
      mapped ? { mappingOf: () => mapping } : {},
    );
    expect(await files.quicken?.(slow)).toBe(slow);
    await files.demandFurther();
    const quick = await files.quicken!(slow);
    expect(quick).not.toMatch(/\.further\b/);
    for (const form of ['text', 'type']) expect(quick).toContain(`events."${form} /%50lan"`);
    // What is within one text is read from lists, so that it is parsed once.
    expect(quick).not.toMatch(
      /json_(?:extract_string|type)\(events\."further \/nested"|json_valid\(events\.custom_event_props/,
    );
    expect(quick).toContain('events."json 0"[1]');
    const [[counts], [byJson], [byColumns]] = [
      await engine.rows(`SELECT ${asked.map((one) => `count(${one})`).join(', ')} FROM events`),
      await engine.rows(slow),
      await engine.rows(quick),
    ];
    expect(byColumns!.map(String)).toEqual(byJson!.map(String));
    expect(counts!.filter((count) => Number(count) > 0).length).toBeGreaterThan(asked.length / 2);
  },
);

it('fields that lines have later are not missed', async () => {
  const line = (fields: object) => `${JSON.stringify({ utcTime: '2024-03-01', ...fields })}\n`;
  const path = folder.write('grows.ndjson', line({ plan: 'a' }));
  const files = await openEventFiles(engine, [path], 'anonymous');
  await files.demandFurther();
  const count = `SELECT count(${print(propertyText(['new']))}) FROM events`;
  const quick = await files.quicken!(count);
  expect(quick).not.toBe(count);
  const { generation } = files;
  appendFileSync(path, line({ new: 'b' }));
  await files.noticeChanges!();
  expect(files.generation).toBe(generation + 1);
  expect(await files.quicken!(count)).toBe(count);
});

it('what was found about a file is known as long as it stays the same', async () => {
  const now = () => Date.now() + 60_000;
  const facts = openFactKeeper(openKeptFiles({ folder: `${folder.path}/kept`, now }), 'circumstances', now);
  const line = (fields: object) => `${JSON.stringify({ utcTime: '2024-03-01', ...fields })}\n`;
  const path = folder.write('known.ndjson', line({ plan: 'a' }));
  const statements: string[] = [];
  const counting = {
    ...engine,
    rows: (...[text, values]: Parameters<typeof engine.rows>) => {
      statements.push(text);
      return engine.rows(text, values);
    },
  };
  const ask = async (change?: () => void) => {
    statements.length = 0;
    const files = await openEventFiles(counting, [path], 'anonymous', 'events', { facts });
    await files.demandFurther();
    change?.();
    const [[plans] = []] = await engine.rows(`SELECT count(${print(propertyText(['plan']))})::INTEGER FROM events`);
    const found = await files.remember!('plans', () => Promise.resolve(String(plans)));
    const before = statements.length;
    await files.inspectText();
    return { found, checked: statements.some((text) => text.includes('whole_row')), again: statements.length > before };
  };
  expect(await ask()).toEqual({ found: '1', checked: true, again: false });
  expect(await ask()).toEqual({ found: '1', checked: false, again: false });
  appendFileSync(path, line({ plan: 'b' }));
  // A change while it is read is found, and not kept as what the file is.
  expect(await ask(() => appendFileSync(path, line({ plan: 'c' })))).toEqual({
    found: '3',
    checked: true,
    again: false,
  });
  expect(await ask()).toEqual({ found: '3', checked: true, again: false });
});

it('what cannot be read is looked at again by the next process', async () => {
  const kept: string[] = [];
  const facts = {
    keep: async (_name: string, _files: readonly string[], find: () => Promise<string>) => {
      const found = await find();
      kept.push(found);
      return found;
    },
    known: async () => undefined,
  };
  const path = folder.write('broken.ndjson', '{"utcTime":"2024-03-01","plan":"a"}\n{"plan":\n');
  const files = await openEventFiles(engine, [path], 'anonymous', 'events', { facts });
  await files.demandFurther();
  expect(await engine.rows('SELECT count(*)::INTEGER FROM events')).toEqual([[1]]);
  expect(files.rejected.count).toBe(1);
  expect(kept).toEqual([]);
});
