import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { settingsOfText } from '../../../src/use/config/read-config-file.ts';
import { partOfEvents, slowBytes } from '../../../src/use/setup/part-of-events.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'part-of-events-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const big = 25 * 2 ** 20;

/** A file of numbered lines. */
function write(name: string, bytes: number, line: (number: number) => string, first = ''): readonly string[] {
  const lines = first === '' ? [] : [first];
  for (let length = 0; length < bytes; ) {
    lines.push(line(lines.length));
    length += lines.at(-1)!.length + 1;
  }
  writeFileSync(path.join(folder, name), `${lines.join('\n')}\n`);
  return lines;
}

/** Lines of the files that stand for these, by name; undefined if they stand for themselves. */
async function partOf(...names: readonly string[]) {
  return partIn(`events: ${JSON.stringify(names)}\n`);
}

async function partIn(text: string) {
  const settings = settingsOfText({ file: 'sluice.yaml', folder, text }, {});
  await using part = await partOfEvents(settings, folder);
  const parts = part?.settings.events.value ?? [];
  for (const { files } of part?.settings.sources.value ?? []) expect(files).toEqual(parts);
  return (
    part &&
    parts.map((file) => ({
      file,
      lines: readFileSync(file, 'utf8').replace(/\n$/, '').split('\n'),
    }))
  );
}

const json = (number: number) => `{"time":"2024-03-01","n":${number},"text":"${'é'.repeat(number % 300)}"}`;
const csv = (number: number) => `2024-03-01,${number},"a, ""b""",${'x'.repeat(number % 300)}`;

it('text is slow to read again and again if it has hundreds of megabytes', async () => {
  const bytesOf = (...names: readonly string[]) =>
    slowBytes(settingsOfText({ file: 'sluice.yaml', folder, text: `events: ${JSON.stringify(names)}\n` }, {}), folder);
  for (const name of ['a.csv', 'b.ndjson.gz', 'c.parquet']) {
    writeFileSync(path.join(folder, name), 'time\n');
    truncateSync(path.join(folder, name), 150_000_000);
  }
  expect(await bytesOf('a.csv')).toBeUndefined();
  expect(await bytesOf('a.csv', 'c.parquet')).toBeUndefined();
  expect(await bytesOf('a.csv', 'b.ndjson.gz')).toBe(300_000_000);
});

describe('a part of large files', () => {
  it.each([
    ['lines.ndjson', json, ''],
    ['lines.csv', csv, 'time,n,quoted,text'],
  ])('has whole lines from all over %s', async (name, line, head) => {
    const all = write(name, big, line, head);
    const inZone = await partIn(`sources: [{files: ${name}, timezone: Europe/Rome}]\n`);
    expect(inZone?.map(({ lines }) => lines)).toEqual((await partOf(name))?.map(({ lines }) => lines));
    const [part, ...others] = (await partOf(name)) ?? [];
    expect(others).toEqual([]);
    const known = new Map(all.map((each, index) => [each, index]));
    const places = part!.lines.map((each) => known.get(each));
    expect(places).not.toContain(undefined);
    expect(places[0]).toBe(0);
    expect(places.at(-1)).toBe(all.length - 1);
    expect(places).toEqual([...new Set(places)].sort((one, other) => one! - other!));
    // From each tenth of the file, and much shorter than it.
    expect(new Set(places.map((place) => Math.floor((place! * 10) / all.length))).size).toBe(10);
    expect(part!.lines.join('\n').length).toBeLessThan(6 * 2 ** 20);
  });

  it('has lines of each file, and small ones whole', async () => {
    write('one.ndjson', big, json);
    const two = write('two.ndjson', 1000, json);
    const parts = await partOf('one.ndjson', 'two.ndjson');
    expect(parts!.map(({ file }) => path.basename(file))).toEqual(['one.ndjson', 'two.ndjson']);
    expect(parts![1]!.lines).toEqual(two);
  });

  it('is not taken of small files, nor where a record may be more than a line', async () => {
    write('small.ndjson', 1000, json);
    write('list.json', big, (number) => `${json(number)},`, '[');
    write('breaks.csv', big, (number) => `2024-03-01,"${number}\n",x`, 'time,n,text');
    write('wide.csv', big, (number) => `2024-03-01,${number}\0`, 'time,n');
    write('long.ndjson', big, (number) => `{"text":"${'x'.repeat(400_000)}${number}"}`);
    write('other.log', big, json);
    for (const name of ['small.ndjson', 'list.json', 'breaks.csv', 'wide.csv', 'long.ndjson', 'other.log'])
      expect(await partOf(name), name).toBeUndefined();
  });
});
