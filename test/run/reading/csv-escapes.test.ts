import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seemsToEscape } from '../../../src/run/duckdb/reading/text/split-csv.ts';
import { runs } from '../../runs.ts';
import { openFiles, scratchFolder } from '../ask-sql.ts';

const folder = scratchFolder();
const header = 'utcTime,user_id,docPath,note\n';
const text = fc.string({ unit: fc.constantFrom('"', '\\', ',', 'a', ' ', '\n', 'n', '{', '}', ':', 'ü') });
const rows = fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 6 });

/** As Spark and MySQL write it. */
const escaped = (cell: string) => `"${cell.replace(/["\\]/g, '\\$&')}"`;
/** RFC 4180. */
const doubled = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

async function read(name: string, content: string) {
  await using files = await openFiles([folder.write(name, content)]);
  await files.session.events!.demandFurther();
  const events = await files.ask(
    `SELECT epoch_ms(utc_time), user_id, doc_path, further ->> 'note' FROM events ORDER BY utc_time`,
  );
  return { events, rejected: files.facts().rejected };
}

describe('a CSV file with backslashes before quotation marks', () => {
  it('has the events of the same rows with doubled ones', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (own) => {
        const all = [['say "hi", ok', 'x'] as const, ...own];
        const write = (cell: (text: string) => string) =>
          header +
          all
            .map(
              ([path, note], index) =>
                `2024-03-08T10:00:0${index}Z,${cell(`u${index % 2}`)},${cell(path)},${cell(note)}\n`,
            )
            .join('');
        const [one, other] = [await read('escaped.csv', write(escaped)), await read('doubled.csv', write(doubled))];
        expect(one.events).toEqual(other.events);
        expect(one.rejected.count).toBe(other.rejected.count);
      }),
      { numRuns: runs(60) },
    );
  });

  it('keeps a backslash before another character, and tells of rows that are not whole', async () => {
    const lines = [
      String.raw`2024-03-08T10:00:00Z,u1,/a,"{\"plan\":\"pro\"}"`,
      String.raw`2024-03-08T10:00:01Z,u1,/a,"line\nbreak C:\\"`,
      String.raw`2024-03-08T10:00:02Z,\N,/a,"a ""doubled"" one"`,
      String.raw`2024-03-08T10:00:03Z,\N,C:\dir,plain`,
      String.raw`2024-03-08T10:00:04Z,u2,/b,"\"quoted\""`,
    ];
    const { events, rejected } = await read('kept.csv', `${header}${lines.join('\n')}\n`);
    const at = Date.parse('2024-03-08T10:00:00Z');
    expect(events).toEqual([
      [at, 'u1', '/a', '{"plan":"pro"}'],
      [at + 1000, 'u1', '/a', String.raw`line\nbreak C:` + '\\'],
      [at + 3000, null, String.raw`C:\dir`, 'plain'],
      [at + 4000, 'u2', '/b', '"quoted"'],
    ]);
    expect(rejected.examples.map(({ line, reason }) => [line, reason])).toEqual([
      [4, 'text after a closing quotation mark'],
    ]);
  });

  it('is told by its rows: a path that ends with a backslash is none', () => {
    const shape = { delimiter: ',', width: 2, times: [] };
    const isRead = (...lines: readonly string[]) => seemsToEscape(`${lines.join('\n')}\n`, shape);
    expect(isRead(String.raw`"a \"b\"",c`)).toBe(true);
    expect(isRead(String.raw`"C:\",c`)).toBe(false);
    expect(isRead(String.raw`"C:\",c`, String.raw`"a \"b\"",c`)).toBe(false);
    expect(isRead(String.raw`"{""a"":""b\""c""}",c`)).toBe(false);
    expect(isRead('a,b', '"a",b')).toBe(false);
  });
});
