import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeCsv } from '../../../src/run/duckdb/reading/source/judge-record.ts';
import { splitCsv } from '../../../src/run/duckdb/reading/text/split-csv.ts';
import { openFiles, scratchFolder, textColumn } from '../ask-sql.ts';
import { readCsvSlowly } from './csv-oracle.ts';
import { runs } from '../../runs.ts';

const folder = scratchFolder();
const numRuns = runs(20);

const delimiters = { csv: ',', tsv: '\t' } as const;
type Kind = keyof typeof delimiters;

/** Texts that look like CSV, but never like a whole row, because rows begin with an ID and a time. */
const texts = fc
  .oneof(
    fc.constantFrom(
      'a',
      '/pricing',
      'b c',
      '',
      'line\nend',
      '\n',
      'one\n\ntwo',
      ',',
      ',\n',
      '\n,x',
      'a,b\nc',
      '"',
      'he said ""',
      '"\n"',
      '{"k":"v"}',
      'ä😀',
      '5" pipe',
      "it's",
    ),
    fc
      .array(fc.constantFrom('a', ' b', ',', '\t', '"', '\n', '\r\n', '7', ';'), { maxLength: 8 })
      .map((parts) => parts.join('')),
    fc
      .array(fc.constantFrom('word', 'at Object.run (file.js:3)', '  indented, twice', 'said "so"'), {
        minLength: 2,
        maxLength: 12,
      })
      .map((lines) => lines.join('\n')),
  )
  .map((text) => text.trim());

interface Written {
  readonly id: string;
  /** As in the file. */
  readonly text: string;
}

const columns = ['eventId', 'utcTime', 'docPath', 'pageTitle', 'userId'] as const;
const at = (index: number) => new Date(Date.UTC(2024, 2, 1) + index * 1000).toISOString();

const files = fc
  .record({
    kind: fc.constantFrom<Kind>('csv', 'tsv'),
    end: fc.constantFrom('\n', '\r\n'),
    order: fc.oneof(
      fc.shuffledSubarray<(typeof columns)[number]>([...columns], { minLength: columns.length }),
      fc
        .shuffledSubarray<(typeof columns)[number]>(['docPath', 'pageTitle', 'userId'], { minLength: 3 })
        .map((rest): (typeof columns)[number][] => ['eventId', 'utcTime', ...rest]),
    ),
    rows: fc.array(fc.record({ texts: fc.tuple(texts, texts, texts), quoteAll: fc.boolean() }), {
      minLength: 1,
      maxLength: 12,
    }),
    lastEnd: fc.boolean(),
  })
  .map(({ kind, end, order, rows, lastEnd }) => {
    const delimiter = delimiters[kind];
    const write = (cells: readonly string[], quoteAll: boolean) =>
      cells
        .map((cell) => (quoteAll || /["\n\r\t,]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
        .join(delimiter);
    const records = rows.map(({ texts: [path, title, user], quoteAll }, index): Written => {
      const cells: Record<(typeof columns)[number], string> = {
        eventId: `e${index}`,
        utcTime: at(index),
        docPath: path,
        pageTitle: title,
        userId: user,
      };
      return {
        id: `e${index}`,
        text: write(
          order.map((name) => cells[name]),
          quoteAll,
        ),
      };
    });
    return { kind, end, lastEnd, delimiter, order, records, header: write(order, false) };
  });

const toText = ({
  header,
  records,
  end,
  lastEnd,
}: {
  header: string;
  records: readonly Written[];
  end: string;
  lastEnd: boolean;
}) => [header, ...records.map(({ text }) => text)].join(end) + (lastEnd ? end : '');

const read = ['event_id', 'CAST(utc_time AS VARCHAR)', 'doc_path', 'page_title', 'user_id'];

async function ask(file: string) {
  await using session = await openFiles([file]);
  const rows = await session.ask(`SELECT ${read.join(', ')} FROM events`, {
    columns: read.map(() => textColumn),
    reach: 'all',
  });
  // The oracle supports only one line ending.
  return {
    rows: rows.map((row) => row.map((value) => (value === null ? '' : String(value).replaceAll('\r\n', '\n')))),
    rejected: session.facts().rejected,
  };
}

/** Reads row by row without the engine; a row with an invalid time is rejected. */
function readByRows(
  written: { readonly order: readonly string[]; readonly delimiter: string } & Parameters<typeof toText>[0],
) {
  const { order, delimiter } = written;
  const rows: { line: number; cells: string[] }[] = [];
  const rejected: { line: number; reason: string }[] = [];
  const judge = judgeCsv(order, { delimiter });
  const splitter = splitCsv({ delimiter, width: order.length, times: [order.indexOf('utcTime')] })((record) => {
    const judged = judge(record);
    if (record.line === 1 || judged.kind === 'blank') return;
    const row = judged.kind === 'object' ? (JSON.parse(judged.json) as Record<string, string>) : {};
    if (judged.kind === 'object' && /^2024-03-01T[\d:.]+Z$/.test(row['utcTime'] ?? '')) {
      rows.push({
        line: record.line,
        cells: columns.map((name) =>
          name === 'utcTime' ? toTimestamp(row[name]!) : (row[name] ?? '').replaceAll('\r\n', '\n'),
        ),
      });
    } else rejected.push({ line: record.line, reason: judged.kind === 'broken' ? judged.reason : 'time' });
  });
  const bytes = Buffer.from(toText(written));
  for (let start = 0; start < bytes.length; start += 37) splitter.push(bytes.subarray(start, start + 37));
  splitter.end();
  return { rows, rejected };
}

const toTimestamp = (text: string) => text.replace('T', ' ').replace('.000Z', '');

const sorted = (rows: readonly (readonly string[])[]) => rows.map((row) => JSON.stringify(row)).sort();

describe('a CSV file', () => {
  it('as RFC 4180 has it is read as the slow reader reads it, cells of several lines included', {
    timeout: 120_000,
  }, async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(files, fc.boolean(), async (written, packed) => {
        const text = toText(written);
        const [, ...expected] = readCsvSlowly(text, written.delimiter);
        const file = folder.write(
          `whole-${(run += 1)}.${written.kind}${packed ? '.gz' : ''}`,
          packed ? gzipSync(text) : text,
        );
        const { rows, rejected } = await ask(file);
        expect(rejected).toEqual({ count: 0, examples: [] });
        const wanted = expected.map((row) =>
          columns.map((name) => {
            const value = row[written.order.indexOf(name)]!;
            return name === 'utcTime' ? toTimestamp(value) : value;
          }),
        );
        expect(sorted(rows)).toEqual(sorted(wanted));
      }),
      { numRuns, endOnFailure: true },
    );
  });

  it('with some stray quotation marks loses no other row, and names every row that it loses', () => {
    const strays = fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(files, strays, (written, places) => {
        const struck = new Set<number>();
        const records = [...written.records];
        for (const [which, where] of places) {
          const index = which % records.length;
          const { id, text } = records[index]!;
          const place = where % (text.length + 1);
          records[index] = { id, text: `${text.slice(0, place)}"${text.slice(place)}` };
          struck.add(index);
        }
        const { rows, rejected } = readByRows({ ...written, records });
        const lines: { first: number; last: number }[] = [];
        let line = 2;
        for (const { text } of records) {
          const count = text.split('\n').length;
          lines.push({ first: line, last: line + count - 1 });
          line += count;
        }
        const named = rejected.map((rejection) => rejection.line);
        const within = (index: number) => (at: number) => lines[index]!.first <= at && at <= lines[index]!.last;
        // Nothing is lost silently. Only a time before the texts identifies the row.
        expect(rows.length).toBeLessThanOrEqual(records.length);
        // Two quotes in rows of several lines may create other, valid rows.
        if (struck.size > 1 && [...struck].some((index) => written.records[index]!.text.includes('\n'))) return;
        if (rows.length < records.length) expect(rejected).not.toEqual([]);
        if (!['eventId,utcTime', 'utcTime,eventId'].includes(written.order.slice(0, 2).join())) return;
        const whole = wholeRows(written);
        records.forEach((_, index) => {
          const read = rows.filter((row) => within(index)(row.line));
          if (struck.has(index)) {
            // The row is read, possibly changed, or it is reported; never twice.
            expect(read.length, `row ${index}`).toBeLessThanOrEqual(1);
            if (read[0]?.line !== lines[index]!.first) expect(named, `row ${index}`).toContain(lines[index]!.first);
          } else {
            expect(read, `row ${index}`).toEqual([{ line: lines[index]!.first, cells: whole[index] }]);
            expect(named.filter(within(index)), `row ${index}`).toEqual([]);
          }
        });
      }),
      { numRuns: 50 * numRuns },
    );
  });

  function wholeRows(written: Parameters<typeof toText>[0] & { delimiter: string; order: readonly string[] }) {
    const [, ...rows] = readCsvSlowly(toText({ ...written, end: '\n' }), written.delimiter);
    return rows.map((row) =>
      columns.map((name) => {
        const value = row[written.order.indexOf(name)]!;
        return name === 'utcTime' ? toTimestamp(value) : value;
      }),
    );
  }
});
