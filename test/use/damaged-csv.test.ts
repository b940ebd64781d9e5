import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFolder, type Folder } from './run-in-folder.ts';

const rows = Array.from({ length: 200 }, (_, index) => ({
  utcTime: new Date(Date.UTC(2024, 2, 1) + index * 1000).toISOString(),
  userAnonymousId: `u${index % 9}`,
  docPath: index === 10 ? '/caf\xe9' : `/p/${index % 5}`,
}));
const columns = ['utcTime', 'userAnonymousId', 'docPath'] as const;
const separated = (mark: string) =>
  [columns.join(mark), ...rows.map((row) => columns.map((name) => row[name]).join(mark))].join('\n');
const lines = rows.map((row) => JSON.stringify(row));

describe('a file in another encoding', () => {
  let folder: Folder;
  const files: Readonly<Record<string, readonly [line: number, content: string]>> = {
    'latin.csv': [12, separated(',')],
    'latin.tsv': [12, separated('\t')],
    'latin.ndjson': [11, lines.join('\n')],
    'latin.json': [11, `[${lines.join(',\n')}]`],
  };
  beforeAll(() => {
    folder = openFolder(
      Object.fromEntries(Object.entries(files).map(([name, [, content]]) => [name, Buffer.from(content, 'latin1')])),
    );
  });
  afterAll(() => folder.remove());

  for (const [name, [line]] of Object.entries(files)) {
    const place = new RegExp(
      `${name}:${line}: not valid UTF-8: byte 0xE9 at position \\d+\\n.*hint: .*--encoding windows-1252`,
      's',
    );

    it(`rejects the same line of ${name} in every query and when loaded, and reports the byte and what to do`, async () => {
      for (const asked of [['query', 'count'], ['query', 'count by docPath'], ['ingest']]) {
        const command =
          asked[0] === 'ingest'
            ? ['ingest', name, '--store', `store-${name}`]
            : [...asked, '--events', name, '-f', 'json'];
        const { code, stdout, stderr } = await folder.sluice(command);
        expect({ asked, code }).toEqual({ asked, code: 5 });
        expect(stderr).toMatch(place);
        if (asked[0] === 'ingest') expect(stderr).toContain('199 events added');
        else
          expect(
            (JSON.parse(stdout) as Record<string, number>[]).reduce(
              (sum, row) => sum + Number(row['TrackedEvents.count']),
              0,
            ),
          ).toBe(199);
      }
    });
  }

  it('is refused as a table because of the same line', async () => {
    folder.write(
      'model.yml',
      'cubes:\n  - name: pages\n    sql_table: pages\n    measures:\n      - {name: count, type: count}\n',
    );
    folder.write('tables.yaml', 'model: model.yml\ntables: {pages: latin.csv}\n');
    const { code, stderr } = await folder.sluice(['query', '-m', 'pages.count', '--config', 'tables.yaml']);
    expect(code).toBe(5);
    expect(stderr).toMatch(
      /latin\.csv:12: not valid UTF-8: byte 0xE9 at position \d+\.\n.*hint: .*--encoding windows-1252/s,
    );
  });
});

describe('a CSV file with stray quotation marks', () => {
  const many = [
    'utcTime,userAnonymousId,docPath',
    ...Array.from(
      { length: 8000 },
      (_, index) => `${new Date(Date.UTC(2024, 2, 1) + index * 1000).toISOString()},u${index % 9},/p/${index % 5}`,
    ),
  ];
  const struck = (changes: Readonly<Record<number, (line: string) => string>>) =>
    many.map((line, index) => changes[index + 1]?.(line) ?? line).join('\n');
  const open = (line: string) => line.replace(/(\/p\/)/, '"$1');
  let folder: Folder;
  beforeAll(() => {
    folder = openFolder({
      'one.csv': struck({ 100: open }),
      'two.csv': struck({ 100: open, 6000: (line) => line.replace(/,u/, '",u') }),
      'text.csv': struck({ 100: (line) => line.replace(/\/p.*/, '"a"b') }),
    });
  });
  afterAll(() => folder.remove());

  it.each(['one.csv', 'two.csv', 'text.csv'])(
    'keeps all other lines of %s, in every query and when loaded',
    async (name) => {
      // A time that contains a quotation mark is not a time.
      const left = name === 'two.csv' ? 7998 : 7999;
      const { code, stdout, stderr } = await folder.sluice(['query', 'count', '--events', name, '-f', 'json']);
      expect({ code, rows: JSON.parse(stdout) as unknown }).toEqual({
        code: 5,
        rows: [{ 'TrackedEvents.count': left }],
      });
      expect(stderr).toContain(`${name}:100: `);
      if (name === 'two.csv') expect(stderr).toContain(`${name}:6000: `);
      const taken = await folder.sluice(['ingest', name, '--store', `store-${name}`]);
      expect(taken.code).toBe(5);
      expect(taken.stderr).toContain(`${left.toLocaleString('en')} events added`);
    },
  );
});
