import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { type Engine, openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { openEventFiles } from '../../../src/run/duckdb/reading/event-files.ts';
import { scratchFolder } from '../ask-sql.ts';

const folder = scratchFolder();
const engine = await openEngine({ threads: 2 });
afterAll(() => engine[Symbol.asyncDispose]());

const strange = ['', 'a', true, 5.5, '1.10', [1, 'x'], { deep: 'y' }, null];

/** Amplitude's export has a mapping, an NDJSON file with usual names has none. */
const kinds = {
  amplitude: (index: number, further: object) => ({
    ...{ $insert_id: `e${index}`, amplitude_id: index % 7, event_type: 'buy', server_upload_time: '2024-03-02' },
    event_time: `2024-03-01 10:${String(index % 60).padStart(2, '0')}:00.000000`,
    event_properties: further,
  }),
  usual: (index: number, further: object) => ({
    ...{ eventId: `e${index}`, utcTime: new Date(Date.UTC(2024, 2, 1, 0, index)).toISOString() },
    ...further,
  }),
};

/** Nearly each event has other keys. */
function lineOf(kind: keyof typeof kinds, index: number): string {
  const further = { [`key ${index % 11}`]: strange[index % 8], [`more ${index % 7}`]: index };
  return `${JSON.stringify(kinds[kind](index, further))}\n`;
}

function write(name: string, text: string, packed: boolean): string {
  const path = join(folder.path, packed ? `${name}.gz` : name);
  writeFileSync(path, packed ? gzipSync(text) : text);
  return path;
}

const perFile = 3;

function writeMany(kind: keyof typeof kinds, files: number, packed: boolean, damaged: readonly number[] = []) {
  return Array.from({ length: files }, (_, file) => {
    const lines = Array.from({ length: perFile }, (_, at) => lineOf(kind, file * perFile + at));
    const text = `${lines.join('')}${damaged.includes(file) ? '{"utcTime": \n' : ''}`;
    return write(`${kind}-${files}-${damaged.length}-${file}.json`, text, packed);
  });
}

async function readAll(reader: Engine, paths: readonly string[]) {
  const files = await openEventFiles(reader, paths, 'anonymous');
  await files.demandFurther();
  await files.refresh();
  const statement = 'SELECT event_id, utc_time::VARCHAR, further, custom_event_props FROM events ORDER BY ALL';
  return { rows: await reader.rows(statement), rejected: files.rejected.count };
}

const cases = (['amplitude', 'usual'] as const).flatMap((kind) => [true, false].map((packed) => ({ kind, packed })));

it.each(cases)('many small files have the events of one: %j', async ({ kind, packed }) => {
  const [files, damaged] = [30, [4, 17, 18]];
  const all = Array.from({ length: files * perFile }, (_, index) => lineOf(kind, index)).join('');
  const expected = await readAll(engine, [write(`${kind}.json`, all, packed)]);
  expect(expected.rows).toHaveLength(files * perFile);
  expect(await readAll(engine, writeMany(kind, files, packed))).toEqual(expected);
  expect(await readAll(engine, writeMany(kind, files, packed, damaged))).toEqual({
    ...expected,
    rejected: damaged.length,
  });
});

it.each(cases)('files of one form are read by one statement, however many they are: %j', async ({ kind, packed }) => {
  const statementsFor = async (count: number) => {
    const texts: string[] = [];
    const counting: Engine = { ...engine, rows: (text, values) => (texts.push(text), engine.rows(text, values)) };
    await readAll(counting, writeMany(kind, count, packed));
    expect(texts.join('\n')).not.toContain('UNION ALL');
    return texts.length;
  };
  expect(await statementsFor(24)).toBe(await statementsFor(12));
});
