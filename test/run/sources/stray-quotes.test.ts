import fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openFiles, scratchFolder, textColumn } from '../ask-sql.ts';
import { readCsvSlowly } from './csv-oracle.ts';

const folder = scratchFolder();
const runs = Number(process.env['CSV_RUNS'] ?? 60);

const delimiters = { csv: ',', tsv: '\t' } as const;
type Kind = keyof typeof delimiters;

/** Texts that look like CSV themselves, but never like a whole row, as those begin with an id and a time. */
const texts = fc.oneof(
  fc.constantFrom('a', '/pricing', 'b c', '', 'line\nend', '\n', 'one\n\ntwo', ',', ',\n', '\n,x', 'a,b\nc', '"', 'he said ""', '"\n"', '{"k":"v"}', 'ä😀', '5" pipe', "it's"),
  fc.array(fc.constantFrom('a', ' b', ',', '\t', '"', '\n', '\r\n', '7', ';'), { maxLength: 8 }).map((parts) => parts.join('')),
  fc.array(fc.constantFrom('word', 'at Object.run (file.js:3)', '  indented, twice', 'said "so"'), { minLength: 2, maxLength: 12 }).map((lines) => lines.join('\n')),
).map((text) => text.trim());

interface Written {
  readonly id: string;
  /** As it stands in the file. */
  readonly text: string;
}

const columns = ['eventId', 'utcTime', 'docPath', 'pageTitle', 'userId'] as const;
const at = (index: number) => new Date(Date.UTC(2024, 2, 1) + index * 1000).toISOString();

const files = fc.record({
  kind: fc.constantFrom<Kind>('csv', 'tsv'),
  end: fc.constantFrom('\n', '\r\n'),
  order: fc.shuffledSubarray([...columns], { minLength: columns.length }),
  rows: fc.array(fc.record({ texts: fc.tuple(texts, texts, texts), quoteAll: fc.boolean() }), { minLength: 1, maxLength: 12 }),
  lastEnd: fc.boolean(),
}).map(({ kind, end, order, rows, lastEnd }) => {
  const delimiter = delimiters[kind];
  const write = (cells: readonly string[], quoteAll: boolean) =>
    cells.map((cell) => (quoteAll || /["\n\r\t,]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(delimiter);
  const records = rows.map(({ texts: [path, title, user], quoteAll }, index): Written => {
    const cells: Record<(typeof columns)[number], string> = { eventId: `e${index}`, utcTime: at(index), docPath: path, pageTitle: title, userId: user };
    return { id: `e${index}`, text: write(order.map((name) => cells[name]), quoteAll) };
  });
  return { kind, end, lastEnd, delimiter, order, records, header: write(order, false) };
});

const toText = ({ header, records, end, lastEnd }: { header: string; records: readonly Written[]; end: string; lastEnd: boolean }) =>
  [header, ...records.map(({ text }) => text)].join(end) + (lastEnd ? end : '');

const read = ['event_id', 'CAST(utc_time AS VARCHAR)', 'doc_path', 'page_title', 'user_id'];

async function ask(file: string) {
  await using session = await openFiles([file]);
  const rows = await session.ask(`SELECT ${read.join(', ')} FROM events`, { columns: read.map(() => textColumn), reach: 'all' });
  return { rows: rows.map((row) => row.map((value) => (value === null ? '' : String(value)))), rejected: session.facts().rejected };
}

const sorted = (rows: readonly (readonly string[])[]) => rows.map((row) => JSON.stringify(row)).sort();

describe('a CSV file', () => {
  it('as RFC 4180 has it is read as the slow reader reads it, cells of several lines included', { timeout: 120_000 }, async () => {
    let run = 0;
    await fc.assert(fc.asyncProperty(files, fc.boolean(), async (written, packed) => {
      const text = toText(written);
      const [, ...expected] = readCsvSlowly(text, written.delimiter);
      const file = folder.write(`whole-${run += 1}.${written.kind}${packed ? '.gz' : ''}`, packed ? gzipSync(text) : text);
      const { rows, rejected } = await ask(file);
      expect(rejected).toEqual({ count: 0, examples: [] });
      const wanted = expected.map((row) => columns.map((name) => {
        const value = row[written.order.indexOf(name)]!;
        return name === 'utcTime' ? value.replace('T', ' ').replace('.000Z', '') : value;
      }));
      // The oracle ends lines within cells as the file does not: only \n is compared.
      expect(sorted(rows.map((row) => row.map((cell) => cell.replaceAll('\r\n', '\n'))))).toEqual(sorted(wanted));
    }), { numRuns: runs, endOnFailure: true });
  });

  it('with some stray quotation marks loses no other row, and names every row that it loses', { timeout: 240_000 }, async () => {
    let run = 0;
    const strays = fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 3 });
    await fc.assert(fc.asyncProperty(files, strays, async (written, places) => {
      const struck = new Set<number>();
      const records = [...written.records];
      for (const [which, where] of places) {
        const index = which % records.length;
        const { id, text } = records[index]!;
        const place = where % (text.length + 1);
        records[index] = { id, text: `${text.slice(0, place)}"${text.slice(place)}` };
        struck.add(index);
      }
      const { rows, rejected } = await ask(folder.write(`stray-${run += 1}.${written.kind}`, toText({ ...written, records })));
      const lines: { first: number; last: number }[] = [];
      let line = 2;
      for (const { text } of records) {
        const count = text.split('\n').length;
        lines.push({ first: line, last: line + count - 1 });
        line += count;
      }
      const ids = rows.map(([id]) => id!.replaceAll('"', ''));
      const whole = (await wholeRows(written)).filter((row) => !struck.has(Number(row[0]!.slice(1))));
      // Rows without a stray mark are there as they were, once.
      for (const row of whole) expect(rows.filter((one) => JSON.stringify(one) === JSON.stringify(row)), JSON.stringify(row)).toHaveLength(1);
      // Nothing is there that is no row.
      expect(ids.filter((id) => !/^e\d+$/.test(id))).toEqual([]);
      expect(new Set(ids).size).toBe(ids.length);
      // A row with one is there, or named; and nothing else is named.
      const namedLines = rejected.examples.map((example) => example.line);
      for (const index of struck) {
        const { first } = lines[index]!;
        if (!ids.includes(records[index]!.id)) expect(namedLines, `line ${first}`).toContain(first);
      }
      for (const named of namedLines) expect([...struck].some((index) => lines[index]!.first <= named && named <= lines[index]!.last), `line ${named}`).toBe(true);
      if (rows.length < records.length) expect(rejected.count).toBeGreaterThan(0);
    }), { numRuns: runs, endOnFailure: true });
  });

  async function wholeRows(written: Parameters<typeof toText>[0] & { delimiter: string; order: readonly string[] }) {
    const [, ...rows] = readCsvSlowly(toText({ ...written, end: '\n' }), written.delimiter);
    return rows.map((row) => columns.map((name) => {
      const value = row[written.order.indexOf(name)]!;
      return name === 'utcTime' ? value.replace('T', ' ').replace('.000Z', '') : value;
    }));
  }
});
