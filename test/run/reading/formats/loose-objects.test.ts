import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { areLooseObjects } from '../../../../src/run/duckdb/reading/formats/loose-objects.ts';
import { runs } from '../../../runs.ts';
import { folderOf } from '../../../use/run-in-folder.ts';

const events = Array.from({ length: 40 }, (_, index) => ({
  utcTime: `2024-03-14T10:${String(index).padStart(2, '0')}:00Z`,
  userId: `u${index % 7}`,
  docPath: index % 2 ? '/a"}{' : '/b\\',
  tags: ['},{'],
}));
const texts = events.map((event) => JSON.stringify(event));
const shapes: Readonly<Record<string, string>> = {
  'on one line': texts.join(''),
  'with spaces between them': texts.join('  '),
  'over several lines': events.map((event) => JSON.stringify(event, undefined, 2)).join('\n'),
  'over several lines, without a break between them': events
    .map((event) => JSON.stringify(event, undefined, 2))
    .join(''),
  'of which each line ends with a comma': `${texts.join(',\n')},\n`,
  'on one line, with commas': texts.join(', '),
  'several on some lines': texts.map((text, index) => text + ['\n', '\n', '', ' ', ', ', ',\n'][index % 6]!).join(''),
};

describe('objects one after another', () => {
  it.each(Object.entries(shapes))('are events, %s', async (_, text) => {
    const folder = folderOf({ 'plain.ndjson': texts.join('\n') });
    folder.write('some.json', text);
    folder.write('packed.gz', gzipSync(text));
    folder.write('marked.json', `\uFEFF${text}`);
    const ask = async (...source: readonly string[]) => {
      const query = ['query', 'count, uniqueUsersCount by docPath, tags[]', '-f', 'csv', ...source];
      const { code, stdout, stderr } = await folder.sluice(query);
      return code === 0 ? stdout : stderr;
    };
    const wanted = await ask('--events', 'plain.ndjson');
    expect(wanted.split('\n')).toHaveLength(4);
    for (const file of ['some.json', 'packed.gz', 'marked.json'])
      expect([file, await ask('--events', file)]).toEqual([file, wanted]);
    await folder.sluice(['ingest', 'some.json', '--store', 'loaded']);
    expect(await ask('--store', 'loaded')).toBe(wanted);
  });

  it('are read if the first of them is longer than the head of a file', async () => {
    const [first, ...others] = events;
    const long = { ...first, note: Array.from({ length: 9000 }, (_, n) => `line ${n}`) };
    const text = [long, ...others].map((event) => JSON.stringify(event, undefined, 2)).join('\n');
    const folder = folderOf({ 'long.json': text });
    const { code, stdout } = await folder.sluice(['query', 'count', '--events', 'long.json', '-f', 'csv']);
    expect([code, stdout]).toEqual([0, 'TrackedEvents.count\n40\n']);
  });

  it('are rejected where they are broken, with their line', async () => {
    const lines = shapes['over several lines']!.split('\n');
    const broken = lines.findIndex((line) => line.includes('10:07')) + 1;
    lines[broken - 1] = '  "utcTime": oops,';
    const folder = folderOf({ 'broken.json': lines.join('\n'), 'cut.json': texts.join('').slice(0, -5) });
    const query = ['query', 'count', '-f', 'csv', '--events'];
    const asked = await folder.sluice([...query, 'broken.json']);
    // The object begins in the line before.
    expect([asked.code, asked.stdout, asked.stderr]).toEqual([
      5,
      'TrackedEvents.count\n39\n',
      expect.stringContaining(`broken.json:${broken - 1}: not valid JSON`),
    ]);
    const cut = await folder.sluice([...query, 'cut.json']);
    expect([cut.code, cut.stdout]).toEqual([5, 'TrackedEvents.count\n39\n']);
  });

  it('are read from a line up to where it is broken', async () => {
    const [first, second, third, fourth] = texts;
    const lines = [first, `${second}${third}{"utcTime":"2024-03`, `${fourth} and more`, `{"utc${fourth}`, first];
    const folder = folderOf({ 'some.ndjson': lines.join('\n') });
    const query = ['query', 'count', '-f', 'csv'];
    const asked = await folder.sluice([...query, '--events', 'some.ndjson']);
    expect([asked.code, asked.stdout]).toEqual([5, 'TrackedEvents.count\n4\n']);
    const told = asked.stderr.matchAll(/some\.ndjson:(\d+): not valid JSON/g);
    expect(Array.from(told, ([, line]) => line)).toEqual(['2', '3', '4']);
    const loaded = await folder.sluice(['ingest', 'some.ndjson', '--store', 'loaded']);
    expect([loaded.code, loaded.stdout + loaded.stderr]).toEqual([5, expect.stringContaining('4 events added')]);
    expect((await folder.sluice([...query, '--store', 'loaded'])).stdout).toBe('TrackedEvents.count\n4\n');
  });

  it('are not seen in NDJSON, even if its first line is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.json()), { minLength: 1, maxLength: 4 }), (objects) => {
        const text = objects.map((object) => JSON.stringify(object)).join('\n');
        expect(areLooseObjects(text)).toBe(false);
        expect(areLooseObjects(objects.length > 1 ? text.replace('\n', ' ') : `${text}{`)).toBe(true);
      }),
      { numRuns: runs(200) },
    );
    expect(areLooseObjects('{"a": 1, "b": {\n{"a": 1}\n{"a": 2}\n')).toBe(false);
    expect(areLooseObjects('{"a": {"b": 1\n{"a": 1}\n}}')).toBe(false);
  });
});
