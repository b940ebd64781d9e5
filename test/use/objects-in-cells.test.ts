import { afterAll, describe, expect, it } from 'vitest';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { open } from '../../src/use/index.ts';
import { writeEvents } from '../run/sources/write-events.ts';
import { now, openFolder } from './run-in-folder.ts';

const folder = openFolder();
const engine = await openEngine({ threads: 1 });
afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  folder.remove();
});

/** Texts of a column of objects, and some that are none. */
const metas = [
  '{"plan":"pro","n":3,"cart":{"total":9.5},"tags":["a","b"]}',
  '{ "plan": "free", "n": 9007199254740993, "note": "nan and inf" }',
  '{"plan":"pro","n":4,"items":[{"price":2},{"price":5}]}',
  '{}',
  '{oops',
  '{"plan":"odd","n":NaN}',
  '["list"]',
  'text',
  '',
] as const;
const columns = ['utcTime', 'userId', 'eventType', 'amount', 'meta'];
const events = metas.map((meta, index) => ({
  utcTime: `2024-03-01T10:0${index}:00Z`,
  userId: `u${index % 2}`,
  eventType: 'order',
  amount: index,
  meta,
}));

/** As NDJSON has objects. */
function ndjson(): string {
  const lines = events.map(({ meta, ...event }) => {
    const isObject = meta.startsWith('{') && meta !== '{oops' && !meta.includes('NaN');
    return `${JSON.stringify(event).slice(0, -1)},"meta":${isObject ? meta : JSON.stringify(meta)}}\n`;
  });
  return folder.write('objects.ndjson', lines.join(''));
}

const questions = [
  'sum(amount), p90(amount), users by meta.plan',
  'sum(meta.n), max(meta.n), avg(meta.cart.total)',
  'count by meta.plan where meta.n > 3',
  'count by meta',
  'sum(meta.items.price), count by meta.items.price',
  'count by meta.tags[]',
  'count where meta.note contains nan',
  "funnel 'order where meta.plan = pro' then 'order where meta.n = 4'",
] as const;

const place = { path: folder.root, write: folder.write };
const write = (format: 'csv' | 'tsv' | 'parquet' | 'arrow', packing: 'none' | 'gzip' = 'none') =>
  writeEvents(engine, place, 'cells', format, packing, events, columns);

const files: Readonly<Record<string, () => Promise<string>>> = {
  CSV: () => write('csv'),
  'packed CSV': () => write('csv', 'gzip'),
  'wide CSV': () => {
    const more = Array.from({ length: 70 }, (_, index) => `p${index}`);
    const wide = events.map((event) => ({ ...event, ...Object.fromEntries(more.map((name) => [name, 'x'])) }));
    return writeEvents(engine, place, 'wide', 'csv', 'none', wide, [...columns, ...more]);
  },
  TSV: () => write('tsv'),
  Parquet: () => write('parquet'),
  Arrow: () => write('arrow'),
  'damaged CSV': async () => {
    const lines = events.map((event) => columns.map((column) => `"${cell(event, column)}"`).join(','));
    return folder.write('damaged.csv', [columns.join(','), ...lines, 'no', ''].join('\n'));
  },
  'CSV with other names': async () => {
    const names = ['created_at', 'customer', 'event_name', 'amount', 'meta'];
    const lines = events.map((event) => columns.map((column) => `"${cell(event, column)}"`).join(';'));
    return folder.write('names.csv', [names.join(';'), ...lines, ''].join('\n'));
  },
};

function cell(event: Readonly<Record<string, unknown>>, column: string): string {
  return String(event[column]).replaceAll('"', '""');
}

async function answersOver(source: { readonly events: string } | { readonly store: string }) {
  await using sluice = await open({
    workspace: folder.root,
    env: {},
    now: () => now,
    onNote: () => undefined,
    ...source,
  });
  const answers: unknown[] = [];
  for (const question of questions) answers.push((await sluice.query(question)).rows());
  return answers;
}

/** The formats whose events are also loaded into a store. */
const stored = new Set(['CSV', 'damaged CSV']);

let objects: Promise<readonly unknown[]> | undefined;

describe('JSON objects in the cells of a table', () => {
  it.each(Object.entries(files))('are objects as those of NDJSON: %s', { timeout: 120_000 }, async (name, written) => {
    const expected = await (objects ??= answersOver({ events: ndjson() }));
    const file = await written();
    expect(await answersOver({ events: file })).toEqual(expected);
    if (!stored.has(name)) return;
    const store = `${folder.root}/store of ${name}`;
    const taken = await folder.sluice(['ingest', file, '--store', store]);
    expect(taken.code, taken.stderr).toBe(name === 'damaged CSV' ? 5 : 0);
    expect(await answersOver({ store })).toEqual(expected);
  });
});
