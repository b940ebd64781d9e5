import fc from 'fast-check';
import type { RowColumn } from '../../../src/run/export/rows/export-query.ts';

export type Row = Readonly<Record<string, string | null>>;

/** Members of each type, with the platform's names. */
export const columns: readonly RowColumn[] = [
  { key: 'TrackedEvents.utcTime', type: 'time' },
  { key: 'TrackedEvents.userAnonymousId', type: 'text' },
  { key: 'TrackedEvents.pageTitle', type: 'text' },
  { key: 'TrackedEvents.localTzOffset', type: 'number' },
  { key: 'TrackedEvents.count', type: 'count' },
];

const start = Date.parse('2026-09-01T00:00:00Z');

// Texts that are hard for spreadsheets, terminals, CSV or JSON.
const hostile = fc.constantFrom(
  '',
  '=1+1',
  '+1',
  '-5',
  '@x',
  '＝cmd',
  '\tx',
  'a,b',
  'a"b',
  'a\r\nb',
  'a\rb',
  'a\nb',
  '\u0000',
  '\u001b[31m',
  '\u0085',
  'NULL',
  'null',
  '"',
  '","count":"9"',
  '🎈',
  '\\',
  '\\ud800',
  ' x ',
  '#x',
  "'",
  '-1e5',
  '+.5',
  '-',
  '=',
  '1.',
  '\ufeffx',
  '\u2028',
);

const text = fc.option(
  fc.oneof(
    hostile,
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.string({ unit: 'binary', maxLength: 6 }).map((value) => value.toWellFormed()),
  ),
  { nil: null, freq: 8 },
);

/** Rows in wire format; counts are mostly one. */
export const rows: fc.Arbitrary<readonly Row[]> = fc.array(
  fc
    .record({
      time: fc.option(fc.integer({ min: 0, max: 3_600_000 }), { nil: null, freq: 20 }),
      user: text,
      title: text,
      offset: fc.option(fc.constantFrom('-120', '0', '330', '-60.5', '1e3'), { nil: null }),
      count: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 5 })),
    })
    .map(({ time, user, title, offset, count }) => ({
      'TrackedEvents.utcTime': time === null ? null : new Date(start + time).toISOString().slice(0, -1),
      'TrackedEvents.userAnonymousId': user,
      'TrackedEvents.pageTitle': title,
      'TrackedEvents.localTzOffset': offset,
      'TrackedEvents.count': String(count),
    })),
  { maxLength: 30 },
);

export function toLines(of: readonly Row[]): string {
  return of.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** Parses CSV strictly by RFC 4180. An empty field without quotes is null. */
export function parseCsv(csv: string): readonly (readonly (string | null)[])[] {
  const records: (string | null)[][] = [];
  let record: (string | null)[] = [];
  for (let at = 0; at < csv.length; ) {
    let field: string | null = '';
    if (csv[at] === '"') {
      for (at += 1; ; at += 1) {
        if (csv[at] === undefined) throw new Error('a quote is not closed');
        if (csv[at] === '"' && csv[at + 1] === '"') at += 1;
        else if (csv[at] === '"') break;
        field += csv[at]!;
      }
      at += 1;
    } else {
      const bare = /[^,"\r\n]*/y;
      bare.lastIndex = at;
      field = bare.exec(csv)![0];
      at += field.length;
      field = field === '' ? null : field;
    }
    record.push(field);
    if (csv[at] === ',') {
      at += 1;
      if (at === csv.length) record.push(null);
      continue;
    }
    if (csv[at] !== '\n' && csv.slice(at, at + 2) !== '\r\n')
      throw new Error(`neither a comma nor an end at ${at}: ${JSON.stringify(csv.slice(at, at + 5))}`);
    at += csv[at] === '\n' ? 1 : 2;
    records.push(record);
    record = [];
  }
  return records;
}
