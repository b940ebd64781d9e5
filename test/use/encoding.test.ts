import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeText, lettersOf } from '../run/encoded-text.ts';
import { type Folder, folderOf, openFolder } from './run-in-folder.ts';

/** Events whose paths contain the letters of an encoding, quotation marks, delimiters and line ends. */
function eventsIn(letters: readonly string[]): readonly Readonly<Record<string, string>>[] {
  return Array.from({ length: 60 }, (_, index) => ({
    utcTime: new Date(Date.UTC(2024, 2, 1) + index * 60_000).toISOString(),
    userAnonymousId: `u${index % 7}`,
    docPath: `/${letters[index % letters.length]}/${index % 3}`,
    docHost: index % 20 === 4 ? `two\nlines, "${letters[0]}"` : `t${letters.join('')}${index}`,
  }));
}

const columns = ['utcTime', 'userAnonymousId', 'docPath', 'docHost'] as const;
const cell = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const writers: Readonly<Record<string, (events: ReturnType<typeof eventsIn>) => string>> = {
  csv: (events) =>
    `${[columns.join(','), ...events.map((event) => columns.map((name) => cell(event[name] ?? '')).join(','))].join('\n')}\n`,
  ndjson: (events) => `${events.map((event) => JSON.stringify(event)).join('\n')}\n`,
  json: (events) => `[${events.map((event) => JSON.stringify(event)).join(',\n')}]`,
};
const packings: readonly (readonly [ending: string, pack: (bytes: Buffer) => Uint8Array])[] = [
  ['', (bytes) => bytes],
  ['.gz', (bytes) => gzipSync(bytes)],
  ['.zst', (bytes) => zstdCompressSync(bytes)],
];

describe('events in other encodings', () => {
  let folder: Folder;
  beforeAll(() => {
    folder = openFolder();
    folder.write(
      'model.yml',
      'cubes:\n  - name: pages\n    sql_table: pages\n    measures:\n      - {name: count, type: count}\n    dimensions:\n      - {name: path, sql: docPath, type: string}\n      - {name: title, sql: docHost, type: string}\n      - {name: time, sql: utcTime, type: time}\n',
    );
  });
  afterAll(() => folder.remove());

  const thorough = ['windows-1252', 'shift_jis', 'utf-16le'];
  for (const [index, [encoding, letters]] of Object.entries(lettersOf).entries()) {
    it(`give the same answers from ${encoding}: queried, loaded and as a table, compressed or not`, async () => {
      const events = eventsIn(letters.map(([letter]) => letter));
      const asked = ['-m', 'TrackedEvents.count', '-d', 'TrackedEvents.docPath', '-d', 'TrackedEvents.docHost'];
      const ask = async (...argv: readonly string[]) => {
        const { code, stdout, stderr } = await folder.sluice(['query', ...argv, '-f', 'csv']);
        expect([code, stderr]).toEqual([0, expect.anything()]);
        // Except for the header, which names the cube.
        return stdout.slice(stdout.indexOf('\n') + 1);
      };
      const answers = async (name: string, extra: readonly string[]) => {
        const store = ['--store', `store-${name}-${encoding}`];
        const ingest = await folder.sluice(['ingest', name, ...store, ...extra]);
        expect([ingest.code, ingest.stderr]).toEqual([0, expect.anything()]);
        folder.write('table.yml', `model: model.yml\ntables: {pages: ${name}}\n`);
        return [
          await ask(...asked, '--events', name, ...extra),
          await ask(...asked, ...store),
          await ask('-m', 'pages.count', '-d', 'pages.path', '-d', 'pages.title', '--config', 'table.yml', ...extra),
        ];
      };
      for (const [format, write] of Object.entries(writers).filter(
        (_, at) => thorough.includes(encoding) || at === index % 3,
      )) {
        const text = write(events);
        const [ending, pack] = packings[(encoding.length + format.length) % packings.length]!;
        folder.write(`plain.${format}`, text);
        folder.write(`other.${format}${ending}`, pack(encodeText(text, encoding)));
        const declared = encoding.startsWith('utf-16') ? [] : ['--encoding', encoding];
        const expected = await ask(...asked, '--events', `plain.${format}`);
        expect(expected).toContain(letters[0]![0]);
        const found = await answers(`other.${format}${ending}`, declared);
        expect(found).toEqual(found.map(() => expected));
      }
    }, 60_000);
  }
});

describe('invalid bytes of an encoding', () => {
  const rows = Array.from(
    { length: 50 },
    (_, index) => `2024-03-01T00:00:${String(index).padStart(2, '0')}Z,u,/あ${index}`,
  );
  const [bad, position] = [17, 23];
  const encoded = rows.map((row, index) => {
    const bytes = encodeText(row, 'shift_jis');
    if (index + 2 === bad) bytes[position] = 0xff;
    return bytes;
  });
  const csv = Buffer.concat(
    [encodeText('utcTime,userAnonymousId,docPath', 'shift_jis'), ...encoded].flatMap((line) => [
      line,
      Buffer.from('\n'),
    ]),
  );

  it('reject their line, reported with the byte, in queries and when loaded', async () => {
    const folder = folderOf({ 'jis.csv': csv });
    const place = new RegExp(`jis\\.csv:${bad}: not valid shift_jis: byte 0x[0-9A-F]{2} at position \\d+\\n`);
    const asked = await folder.sluice([
      'query',
      'count',
      '--events',
      'jis.csv',
      '--encoding',
      'shift_jis',
      '-f',
      'json',
    ]);
    expect(asked.stderr).toMatch(place);
    expect([asked.code, JSON.parse(asked.stdout)]).toEqual([5, [{ 'TrackedEvents.count': 49 }]]);
    const taken = await folder.sluice(['ingest', 'jis.csv', '--encoding', 'shift_jis']);
    expect(taken.code).toBe(5);
    expect(taken.stderr).toMatch(place);
    expect(taken.stderr).toContain('49 events added');
  });

  it('reject a table, with file and line', async () => {
    const folder = folderOf({ 'jis.csv': csv });
    folder.write(
      'model.yml',
      'cubes:\n  - name: pages\n    sql_table: pages\n    measures:\n      - {name: count, type: count}\n',
    );
    folder.write('sluice.yaml', 'model: model.yml\nencoding: shift_jis\ntables: {pages: jis.csv}\n');
    const { code, stderr } = await folder.sluice(['query', '-m', 'pages.count']);
    expect(code).toBe(5);
    expect(stderr).toMatch(new RegExp(`jis\\.csv:${bad}: not valid shift_jis: byte`));
  });
});

describe('a file that is loaded again in another encoding', () => {
  it('replaces its earlier events, and is known afterwards', async () => {
    const lines = ['a', 'é', 'ü'].map((letter, index) =>
      JSON.stringify({ utcTime: `2024-03-01T00:00:0${index}Z`, userAnonymousId: 'u', docPath: `/${letter}` }),
    );
    const folder = folderOf({ 'old.ndjson': encodeText(`${lines.join('\n')}\n`, 'windows-1252') });
    const paths = async () =>
      (
        JSON.parse((await folder.sluice(['query', 'count by docPath', '-f', 'json'])).stdout) as Record<
          string,
          string
        >[]
      )
        .map((row) => row['TrackedEvents.docPath'])
        .sort();
    const first = await folder.sluice(['ingest', 'old.ndjson']);
    expect(first.code).toBe(5);
    expect(first.stderr).toContain('--encoding windows-1252');
    expect(await paths()).toEqual(['/a']);
    const second = await folder.sluice(['ingest', 'old.ndjson', '--encoding', 'latin1']);
    expect([second.code, second.stderr]).toEqual([0, expect.stringContaining('3 events added')]);
    expect(await paths()).toEqual(['/a', '/é', '/ü']);
    const third = await folder.sluice(['ingest', 'old.ndjson', '--encoding', 'cp1252']);
    expect(third.stderr).toContain('was loaded on');
    await folder.sluice(['ingest', 'old.ndjson', '--encoding', 'macintosh']);
    expect(await paths()).toEqual(['/a', '/¸', '/È']);
  });
});

describe('a file whose column names are in another encoding', () => {
  it.each([['init'], ['ingest'], ['query', 'count', '--events']])(
    'is refused by %s with the encoding to set',
    async (...args) => {
      const text = 'Date;Heure;Évènement\n13/02/2024;08:00;achat\n';
      const folder = folderOf({ 'fr.csv': encodeText(text, 'windows-1252') });
      const { code, stderr } = await folder.sluice([...args, 'fr.csv']);
      expect([code === 0, stderr]).toEqual([false, expect.stringContaining('--encoding windows-1252')]);
      const second = await folder.sluice(['init', 'fr.csv', '--encoding', 'windows-1252', '--yes', '--force']);
      expect(second.stderr).toMatch(/Évènement +text +achat +eventType/);
      // The encoding is part of the workspace from now on.
      const asked = await folder.sluice(['query', 'count by eventType', '-f', 'json']);
      expect(JSON.parse(asked.stdout)).toEqual([{ 'TrackedEvents.eventType': 'achat', 'TrackedEvents.count': 1 }]);
    },
  );
});

describe('a file with a letter of another encoding in every row', () => {
  it('names its lines and the encoding, not its columns', async () => {
    const rows = Array.from(
      { length: 40 },
      (_, index) => `3/${13 + (index % 9)}/2024 9:0${index % 10},Müller ${index}\n`,
    );
    const folder = folderOf({ 'bills.csv': Buffer.from(`InvoiceDate,Customer\n${rows.join('')}`, 'latin1') });
    const asked = await folder.sluice(['query', 'count', '--events', 'bills.csv']);
    expect(asked.code).toBe(5);
    expect(asked.stderr).toContain('bills.csv:2: not valid UTF-8');
    expect(asked.stderr).toContain('Specify the encoding of the file: `--encoding windows-1252`');
    const read = await folder.sluice([
      'query',
      'count',
      '--events',
      'bills.csv',
      '--encoding',
      'windows-1252',
      '-f',
      'csv',
    ]);
    expect([read.code, read.stdout]).toEqual([0, 'TrackedEvents.count\n40\n']);
  });
});

describe('the encoding setting', () => {
  it('is refused if unknown, with the nearest name', async () => {
    const folder = folderOf({ 'a.csv': 'utcTime\n2024-03-01\n' });
    const { code, stderr } = await folder.sluice(['query', 'count', '--events', 'a.csv', '--encoding', 'windows-1525']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/Did you mean "windows-125\d"\? Choose one of utf-8, utf-16/);
  });

  it('does not change files that declare their own', async () => {
    const line = `${JSON.stringify({ utcTime: '2024-03-01T00:00:00Z', userAnonymousId: 'u', docPath: '/é' })}\n`;
    const folder = folderOf({
      'sluice.yaml': 'encoding: windows-1252\nevents: "e/*.ndjson"\n',
      'e/marked.ndjson': `\uFEFF${line}`,
      'e/wide.ndjson': encodeText(line, 'utf-16be'),
      'e/old.ndjson': encodeText(line, 'windows-1252'),
    });
    const { stdout } = await folder.sluice(['query', 'count by docPath', '-f', 'json']);
    expect(JSON.parse(stdout)).toEqual([{ 'TrackedEvents.docPath': '/é', 'TrackedEvents.count': 3 }]);
  });
});

describe('sources with different encodings', () => {
  it('are each read in their own, queried and loaded', async () => {
    const csv = (path: string) => `utcTime,eventType,docPath\n2024-03-01T10:00:00Z,pageview,${path}\n`;
    const folder = folderOf({
      'old/a.csv': encodeText(csv('/größe'), 'windows-1252'),
      'jp.csv': encodeText('when,eventType,docPath\n2024-03-01T10:00:00Z,pageview,/日本\n', 'shift_jis'),
      'ru.csv': encodeText(csv('/привет'), 'koi8-r'),
      'new.csv': csv('/größe/日本'),
      'sluice.yaml':
        'encoding: koi8-r\nsources:\n  - {files: "old/*.csv", encoding: latin1}\n  - {files: jp.csv, encoding: shift_jis, columns: {utcTime: when}}\n  - {files: ru.csv}\n  - {files: new.csv, encoding: utf-8}\n',
    });
    const expected = 'TrackedEvents.docPath,TrackedEvents.count\n/größe,1\n/größe/日本,1\n/привет,1\n/日本,1\n';
    const ask = ['query', 'count by docPath order by docPath', '-f', 'csv'];
    expect((await folder.sluice(ask)).stdout).toBe(expected);
    const taken = await folder.sluice(['ingest', 'old/*.csv', 'jp.csv', 'ru.csv', 'new.csv', '--store', 's']);
    expect(taken.code, taken.stderr).toBe(0);
    expect((await folder.sluice([...ask, '--store', 's'])).stdout).toBe(expected);
  });

  it('are refused for an unknown encoding, with its place', async () => {
    const folder = folderOf({ 'sluice.yaml': 'sources:\n  - {files: a.csv, encoding: latn1}\n' });
    const { code, stderr } = await folder.sluice(['query', 'count']);
    expect(code).toBe(2);
    expect(stderr).toContain('sluice.yaml:2');
    expect(stderr).toContain('latin1');
  });
});
