import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { findTables, openTables } from '../../../src/run/duckdb/answer/table-views.ts';
import { runs } from '../../runs.ts';
import { openFiles, scratchFolder } from '../ask-sql.ts';

const folder = scratchFolder();
const names = ['utcTime', 'user_id', 'docPath', 'note', 'amount'];
const words = fc.constantFrom('a', 'b c', '/p', 'x, y', 'say "hi"', 'ü', '1.5', '', '\\N', '  two', 'null');

async function read(name: string, content: string) {
  await using files = await openFiles([folder.write(name, content)]);
  await files.session.events!.demandFurther();
  const events = await files.ask(
    `SELECT epoch_ms(utc_time), user_id, doc_path, further ->> 'note', further ->> 'amount' FROM events ORDER BY utc_time`,
  );
  return { events, rejected: files.facts().rejected.examples.map(({ line, reason }) => [line, reason]) };
}

/** Cells as a writer of plain files has them; a quoted cell may begin with spaces. */
const quoted = (cell: string) => (/[",]|^ /.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const write = (rows: readonly (readonly string[])[], between: string) =>
  [names, ...rows].map((row) => `${row.map(quoted).join(between)}\n`).join('');

describe('a CSV file with a space after each comma', () => {
  const rows = fc.array(fc.tuple(words, words, words, fc.constantFrom('1', '2.5', '')), { minLength: 1, maxLength: 8 });
  const broken = fc.constantFrom('', 'not a row\n', '2024-03-08T11:00:00Z, u, "open\n');

  it('has the events of the same file without them, also where a line is damaged', async () => {
    await fc.assert(
      fc.asyncProperty(rows, broken, async (own, line) => {
        const all = [['/', 'x', 'y', '1'], ...own].map((row, index) => [`2024-03-08T10:00:0${index}Z`, ...row]);
        // Spaces around a cell are lost, even inside quotation marks.
        const trimmed = all.map((row) => row.map((cell) => cell.trim()));
        const plain = await read('plain.csv', write(trimmed, ',') + line);
        expect(await read('padded.csv', write(all, ', ') + line)).toEqual(plain);
        expect(plain.events.length).toBeGreaterThan(0);
      }),
      { numRuns: runs(40) },
    );
  });

  it('is a table without them, too', async () => {
    const table = async (between: string) => {
      await using engine = await openEngine({});
      const file = folder.write('t.csv', `day,name,size\n2024-03-01,a,1\n2024-03-02,b,2\n`.replaceAll(',', between));
      await openTables(engine, await findTables({ t: file }, folder.path));
      return await engine.rows('SELECT CAST(day AS VARCHAR), name, size, typeof(size) FROM t ORDER BY 1');
    };
    expect(await table(', ')).toEqual(await table(','));
  });

  it('is told by its names and rows: a name with a space before it is not enough', async () => {
    const { events } = await read('names.csv', 'utcTime, user_id, docPath\n2024-03-08T10:00:00Z,u ,/a b \n');
    expect(events.map((row) => row.slice(1, 3))).toEqual([['u ', '/a b ']]);
  });
});
