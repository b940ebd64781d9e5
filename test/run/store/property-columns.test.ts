import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eachValue } from '../../../src/ask/query/property-name.ts';
import type { Template } from '../../../src/plan/model/model.ts';
import { listRows, propertyJsonType, propertyNumber, propertyText } from '../../../src/plan/model/property-sql.ts';
import { type Engine, openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { openStoreEvents } from '../../../src/run/duckdb/store/store-events.ts';
import { readStore } from '../../../src/run/store/store-contents.ts';
import { lines, scratchStore, type ScratchStore } from './scratch-store.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ threads: { upTo: 2 } });
});
afterAll(() => engine[Symbol.asyncDispose]());

const print = (template: Template, relation = 'events') =>
  template.map((part) => (part.kind === 'text' ? part.text : relation)).join('');

const strange = ['', 'a', 'true', true, 5, 5.5, '5', '1.10', 1.1, null, [1, 'x'], { deep: 'y' }, 'ä"\'\\', 1e300, -0];
const keys = ['plan', 'Plan', 'a/b', 'a~b', "it's", 'größe', 'nested'];
const paths: readonly (readonly string[])[] = [
  ...keys.map((key) => [key]),
  ['nested', 'deep'],
  ['of event'],
  ['customUserProps', 'tier'],
  ['rare'],
];

/** A list of objects, as text at times; now and then it has other values, or none, or is an object or no list. */
function someItems(value: (index: number, place: number) => unknown, index: number): unknown {
  const items = Array.from({ length: index % 5 }, (_, at) => ({
    name: value(index, at),
    'unit/price': value(index, at + 2),
    deep: { color: value(index, at + 3) },
    ...(at % 2 === 0 && { quantity: at }),
  }));
  if (index % 11 === 0) return [...items, value(index, 1), [items], null];
  if (index % 13 === 0) return index % 2 === 0 ? { name: value(index, 2), quantity: 3 } : value(index, 3);
  return index % 7 === 0 ? JSON.stringify(items) : items;
}

/** Events that mostly have the first keys, and some others; enough of them for columns. */
function manyEvents(seed: number, count: number, own: readonly string[]): string {
  const value = (index: number, place: number) => strange[(index * 7 + place * 3 + seed) % strange.length];
  const events = Array.from({ length: count }, (_, index) => ({
    minute: index % 1000,
    eventId: `${seed}-${index}`,
    userAnonymousId: `u${index % 50}`,
    filler: 'x'.repeat(700),
    ...Object.fromEntries(own.map((key, place) => [key, value(index, place)])),
    ...(index % 3 === 0 && { customEventProps: { 'of event': value(index, 1), plan: 'of the event' } }),
    ...(index % 4 === 0 && { customUserProps: JSON.stringify({ tier: value(index, 2) }) }),
    ...(index % 5 === 1 && { customEventProps: 'no JSON {' }),
    ...(index > count - 3 && { rare: value(index, 0) }),
    ...(own.includes('items') && index % 3 > 0 && { items: someItems(value, index) }),
    ...(index % 4 === 1 && { 'my tags': index % 8 === 1 ? [value(index, 4), value(index, 5)] : value(index, 6) }),
  }));
  return lines(...events);
}

const files = {
  'one.ndjson': manyEvents(1, 7000, [...keys, 'items']),
  'two.ndjson': manyEvents(2, 5600, keys.slice(3)),
  'small.ndjson': manyEvents(3, 40, keys),
};

type FileName = keyof typeof files;

/** Each file separately, so that there are segments with and without columns. */
const byOne = scratchStore();
const atOnce = scratchStore();
const writeAll = (store: ScratchStore, names: readonly FileName[]) =>
  names.map((name) => store.write(name, files[name]));
beforeAll(async () => {
  for (const file of writeAll(byOne, ['one.ndjson', 'two.ndjson', 'small.ndjson'])) await byOne.ingest([file]);
  await atOnce.ingest(writeAll(atOnce, ['small.ndjson', 'two.ndjson', 'one.ndjson']));
});

/** The values of the events under each path, by JSON and by the columns of the store: sums of hashes of each value. */
async function readBoth(store: ScratchStore) {
  const events = await openStoreEvents(engine, store.folder, { user: 'anonymous' });
  const members = paths.flatMap((path) => [print(propertyText(path)), print(propertyJsonType(path))]);
  const sums = members.flatMap((member) => [`count(${member})`, `sum(hash(event_id, ${member}))`]);
  const slow = `SELECT count(*), ${sums.join(', ')} FROM events`;
  const quick = await events.quicken!(slow);
  const [byJson] = await engine.rows(slow);
  const [byColumns] = await engine.rows(quick);
  return { byJson: byJson!.map(String), byColumns: byColumns!.map(String), quick };
}

const ofItems = [['name'], ['unit/price'], ['deep', 'color'], ['quantity'], []];

/** The same for values of a list, once in rows and once in conditions. */
async function readListBoth(store: ScratchStore, list: readonly string[], within: readonly (readonly string[])[]) {
  const members = within.flatMap((inner) => {
    const path = [...list, eachValue, ...inner];
    return [propertyText(path), propertyJsonType(path)].map((template) => print(template, 'one'));
  });
  const rows = print(listRows(list));
  const sums = members.flatMap((member) => [`count(${member})`, `coalesce(sum(hash(event_id, ${member})), 0)`]);
  const having = members.map(
    (member) =>
      `coalesce(sum(hash(event_id)) FILTER (len(list_filter(${rows}, lambda one: ${member} IS NOT NULL)) > 0), 0)`,
  );
  const events = await openStoreEvents(engine, store.folder, { user: 'anonymous' });
  const asked = [
    `SELECT count(*), ${sums.join(', ')} FROM (SELECT *, unnest(${rows}) AS one FROM events)`,
    `SELECT ${having.join(', ')} FROM events`,
  ];
  return Promise.all(
    asked.map(async (slow) => {
      const statement = await events.quicken!(slow);
      const [byJson] = await engine.rows(slow);
      const [byColumns] = await engine.rows(statement);
      return { statement, byJson: byJson!.map(String), byColumns: byColumns!.map(String) };
    }),
  );
}

describe('properties in a store', () => {
  it('have the values in their columns that their JSON has, whatever the segments have columns for', async () => {
    const { segments } = (await readStore(byOne.folder))!;
    const listed = segments.map(({ properties = [] }) => properties.map(({ path }) => path.join('.')));
    expect(listed[0]).toEqual(expect.arrayContaining(['plan', 'Plan', 'a/b', 'nested.deep', 'of event']));
    expect(listed[1]).not.toContain('Plan');
    expect(listed[2]).toEqual([]);
    const { byJson, byColumns, quick } = await readBoth(byOne);
    expect(byJson[0]).toBe('12640');
    // Every path has values.
    expect(byJson.filter((count, index) => index % 2 === 1 && count === '0')).toEqual([]);
    expect(byColumns).toEqual(byJson);
    // The statement reads no JSON for paths that have a column in some segment.
    expect(quick).not.toContain(print(propertyText(['plan'])));
    expect(quick).toContain('"text /plan"');
    expect(quick).toContain('"text /%50lan"');
  });

  it('have the same values in whatever order and number the files were taken in', async () => {
    const read = await readBoth(atOnce);
    expect(read.byColumns).toEqual(read.byJson);
    expect(read.byJson).toEqual((await readBoth(byOne)).byJson);
  });

  it.each([
    { list: ['items'], within: ofItems, quick: true },
    { list: ['items'], within: [['quantity']], quick: true },
    { list: ['my tags'], within: [[]], quick: true },
    { list: ['items'], within: [['name'], ['nobody has it']], quick: false },
    { list: ['nobody has it'], within: [[]], quick: false },
  ])('have the same values within the list $list: $within', async ({ list, within, quick }) => {
    for (const store of [byOne, atOnce]) {
      for (const { statement, byJson, byColumns } of await readListBoth(store, list, within)) {
        expect(byColumns).toEqual(byJson);
        expect(statement.includes('list_zip(')).toBe(quick);
        expect(statement.includes('json_type(one.value')).toBe(!quick);
        // Every path has values.
        expect(byJson.includes('0')).toBe(!quick);
      }
    }
  });

  it('are read as they are where a text of SQL only looks like reading them', async () => {
    const events = await openStoreEvents(engine, byOne.folder, { user: 'anonymous' });
    const literal = `SELECT '${print(propertyText(['plan'])).replaceAll("'", "''")}', count(*)::INTEGER FROM events`;
    expect(await events.quicken!(literal)).toBe(literal);
    const other = `SELECT count(${print(propertyText(['nobody has it']))})::INTEGER FROM events`;
    expect(await events.quicken!(other)).toBe(other);
    expect(await engine.rows(other)).toEqual([[0]]);
  });

  it('keep their columns where segments are written anew, and no user who is forgotten', async () => {
    await byOne.forget('u7');
    const { segments } = (await readStore(byOne.folder))!;
    expect(segments.map(({ properties, values }) => [properties, values].map((all) => all !== undefined))).toEqual([
      [true, true],
      [true, true],
      [false, false],
    ]);
    for (const each of await readListBoth(byOne, ['items'], ofItems)) expect(each.byColumns).toEqual(each.byJson);
    const { byJson, byColumns } = await readBoth(byOne);
    expect(Number(byJson[0])).toBeLessThan(12_640);
    expect(byColumns).toEqual(byJson);
  });
});

it('reads numbers of every length and scale as decimals of 38 digits do', async () => {
  const digits = '123456789012345';
  for (let scale = 0; scale <= 9; scale += 1) {
    const wholes = ['0', ...Array.from(digits, (_, length) => digits.slice(0, length + 1)), '9'.repeat(15)];
    const texts = wholes
      .flatMap((whole) => [whole, ...(scale > 0 ? [`${whole}.5`, `${whole}.${'987654321'.slice(0, scale)}`] : [])])
      .flatMap((number) => [number, `-${number}`]);
    const json = texts.map((text) => `(json_object('n', '${text}'), '${text}')`).join(', ');
    const [row] = await engine.rows(
      `SELECT count(*), count(*) FILTER (n IS NOT DISTINCT FROM CAST(written AS DECIMAL(38, ${scale})))
        FROM (SELECT written, ${print(propertyNumber(['n'], scale))} AS n FROM (SELECT CAST(j AS VARCHAR) AS further, NULL::VARCHAR AS custom_event_props, written FROM (VALUES ${json}) AS v(j, written)) AS events)`,
    );
    expect(row!.map(Number)).toEqual([texts.length, texts.length]);
  }
});
