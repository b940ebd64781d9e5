import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Mapping } from '../../../src/plan/mapping/mapping.ts';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { readEventFile } from '../../../src/run/duckdb/reading/event-reading.ts';
import { mendEventFile } from '../../../src/run/duckdb/reading/mend-event-file.ts';
import { runs } from '../../runs.ts';
import { folderOf } from '../../use/run-in-folder.ts';
import { scratchFolder } from '../ask-sql.ts';

const folder = scratchFolder();
const engine = await openEngine({ threads: { upTo: 2 } });
afterAll(() => engine[Symbol.asyncDispose]());

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const two = (number: number) => String(number).padStart(2, '0');

/** The parts of a wall time. */
type Wall = readonly [year: number, month: number, day: number, hour: number, minute: number, second: number];

const wallUpTo = (day: number): fc.Arbitrary<Wall> =>
  fc.tuple(
    fc.integer({ min: 1995, max: 2035 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: day }),
    fc.integer({ min: 0, max: 23 }),
    fc.integer({ min: 0, max: 59 }),
    fc.integer({ min: 0, max: 59 }),
  );

const date = ([year, month, day]: Wall) => `${year}-${two(month)}-${two(day)}`;
const minutes = (at: Wall) => `${date(at)} ${two(at[3])}:${two(at[4])}:00`;
const seconds = (at: Wall) => `${date(at)} ${two(at[3])}:${two(at[4])}:${two(at[5])}`;
const half = (hour: number) => (hour % 12 === 0 ? 12 : hour % 12);
const inUtc = ([year, month, day, hour, minute, second]: Wall, hours: number) =>
  `${new Date(Date.UTC(year, month - 1, day, hour - hours, minute, second)).toISOString().slice(0, 19).replace('T', ' ')}Z`;

interface Form {
  readonly write: (at: Wall) => string;
  readonly expected: (at: Wall) => string;
  /** Which part is first if both orders are possible. */
  readonly order?: 'day' | 'month' | 'dotted';
}

const forms: readonly Form[] = [
  { write: (at) => `${two(at[2])}.${two(at[1])}.${at[0]}`, expected: date, order: 'dotted' },
  { write: (at) => `${at[2]}.${at[1]}.${at[0]} ${two(at[3])}:${two(at[4])}`, expected: minutes, order: 'dotted' },
  {
    write: (at) => `${two(at[2])}/${two(at[1])}/${at[0]} ${two(at[3])}:${two(at[4])}`,
    expected: minutes,
    order: 'day',
  },
  { write: (at) => `${at[1]}/${at[2]}/${at[0]}`, expected: date, order: 'month' },
  {
    write: (at) =>
      `${two(at[1])}/${two(at[2])}/${at[0]} ${half(at[3])}:${two(at[4])}:${two(at[5])} ${at[3] < 12 ? 'AM' : 'PM'}`,
    expected: seconds,
    order: 'month',
  },
  { write: (at) => `${two(at[2])} ${months[at[1] - 1]} ${at[0]} ${two(at[3])}:${two(at[4])}`, expected: minutes },
  { write: (at) => `${months[at[1] - 1]} ${at[2]}, ${at[0]}`, expected: date },
  {
    write: (at) =>
      `${two(at[2])}/${months[at[1] - 1]}/${String(at[0]).slice(2)} ${half(at[3])}:${two(at[4])} ${at[3] < 12 ? 'AM' : 'PM'}`,
    expected: minutes,
  },
  {
    write: (at) => `Fri, ${two(at[2])} ${months[at[1] - 1]} ${seconds(at).slice(0, 4)} ${seconds(at).slice(11)} +0200`,
    expected: (at) => inUtc(at, 2),
  },
  { write: (at) => `${at[0]}/${two(at[1])}/${two(at[2])} ${seconds(at).slice(11)}`, expected: seconds },
  { write: (at) => `${at[0]}.${two(at[1])}.${two(at[2])} ${two(at[3])}:${two(at[4])}`, expected: minutes },
  { write: (at) => `${seconds(at)} CET`, expected: (at) => inUtc(at, 1) },
  // What properties have anyway.
  { write: seconds, expected: seconds },
  { write: date, expected: date },
  { write: (at) => `${seconds(at).replace(' ', 'T')}Z`, expected: (at) => `${seconds(at).replace(' ', 'T')}Z` },
];

const missing = fc.constantFrom('', 'N/A', '-');

const column = fc.record({
  form: fc.constantFrom(...forms),
  walls: fc.oneof(
    ...[12, 28].map((day) =>
      fc.array(fc.option(wallUpTo(day), { nil: undefined, freq: 5 }), { minLength: 6, maxLength: 6 }),
    ),
  ),
  missing,
  /** One value is no time. */
  stranger: fc.option(fc.constantFrom('soon', '31/31/2024', 'May'), { nil: undefined, freq: 8 }),
});

async function furtherOf(text: string, timeFormat: Mapping['timeFormat'], isBroken: boolean) {
  const path = folder.write('any.csv', text);
  const options = { mappingOf: () => ({ columns: {}, ...(timeFormat && { timeFormat }) }) };
  const { select } = isBroken
    ? await mendEventFile(engine, path, () => undefined, options)
    : await readEventFile(engine, path, options);
  const rows = await engine.rows(`SELECT further FROM (${select}) ORDER BY utc_time`);
  return rows.map(([further]) => JSON.parse(String(further ?? '{}')) as Record<string, string>);
}

describe('times of columns', () => {
  it('are read in ISO 8601 if all values of a column are times in one format', { timeout: 120_000 }, async () => {
    let [converted, ambiguous] = [0, 0];
    await fc.assert(
      fc.asyncProperty(fc.array(column, { minLength: 1, maxLength: 3 }), fc.boolean(), async (columns, isBroken) => {
        const states = columns.map(({ form, walls, stranger }) => {
          const known = walls.filter((at) => at !== undefined);
          const isSure = known.some((at) => at[2] > 12);
          const isEither = (form.order === 'day' || form.order === 'month') && !isSure;
          return { isEither, order: isSure || form.order === 'dotted' ? form.order : undefined, stranger, known };
        });
        const orders = new Set(
          states.flatMap(({ order, stranger, known }) =>
            order && stranger === undefined && known.length > 0 ? [order === 'month' ? 'month' : 'day'] : [],
          ),
        );
        const order = orders.size === 1 ? [...orders][0] : undefined;
        const cells = columns.map((each, index) => {
          const { isEither, stranger } = states[index]!;
          const isRead = stranger === undefined && (!isEither || order !== undefined);
          if (isEither) ambiguous += 1;
          const values = each.walls.map((at): readonly [string, string] => {
            if (at === undefined) return [each.missing, each.missing];
            const written = each.form.write(at);
            if (!isRead) return [written, written];
            if (!isEither) return [written, each.form.expected(at)];
            const [first, second] = each.form.order === order ? [at[1], at[2]] : [at[2], at[1]];
            return [written, each.form.expected([at[0], first, second, at[3], at[4], at[5]])];
          });
          return stranger === undefined ? values : [...values.slice(1), [stranger, stranger] as const];
        });
        if (cells.flat().some(([written, expected]) => written !== expected)) converted += 1;
        const quoted = (value: string) => (value.includes(',') ? `"${value}"` : value);
        const lines = [0, 1, 2, 3, 4, 5].map((at) =>
          [`2024-03-01T10:0${at}:00Z`, 'ann', ...cells.map((values) => quoted(values[at]![0]))].join(','),
        );
        const names = columns.map((_, index) => `p${index}`);
        const text = [['utcTime', 'userId', ...names].join(','), ...lines, ...(isBroken ? ['no'] : []), ''].join('\n');
        const rows = [0, 1, 2, 3, 4, 5].map((at) =>
          Object.fromEntries(
            names.flatMap((name, index) => {
              const value = cells[index]![at]![1];
              return value === '' ? [] : [[name, value]];
            }),
          ),
        );
        expect(await furtherOf(text, undefined, isBroken)).toEqual(rows);
      }),
      { numRuns: runs(320), seed: 7 },
    );
    expect(Math.min(converted, ambiguous)).toBeGreaterThan(0);
  });

  it('have a declared format, whatever the other values are', async () => {
    const text = 'utcTime,due,done\n2024-03-01T10:00:00Z,03/04/24,5/6/2024\n2024-03-01T11:00:00Z,soon,7/8/2024\n';
    for (const isBroken of [false, true])
      expect(await furtherOf(text, { DUE: '%d/%m/%y', done: 'month-first' }, isBroken)).toEqual([
        { due: '2024-04-03', done: '2024-05-06' },
        { due: 'soon', done: '2024-07-08' },
      ]);
  });
});

const deals = [
  'Created On,Stage,Closed On,Due',
  '09 Aug 2026 23:14,won,11 Aug 2026 01:14,04/05/2026',
  '10 Aug 2026 10:00,won,12 Sep 2026 10:00,05/05/2026',
  '11 Aug 2026 10:00,open,,N/A',
  '',
].join('\n');

describe('a question on times in other formats', () => {
  it('has their ends, buckets, comparisons and durations, from files and a store', async () => {
    const workspace = folderOf({ 'deals.csv': deals });
    const init = await workspace.sluice(['init', 'deals.csv', '--yes']);
    expect(init.stdout + init.stderr).toContain('Read as times: Closed On.');
    await workspace.sluice(['ingest', 'deals.csv', '--store', 'store']);
    for (const from of [[], ['--store', 'store']]) {
      const ask = async (line: string) => (await workspace.sluice(['query', line, '-f', 'csv', ...from])).stdout;
      expect(await ask('max(Closed On)')).toContain('2026-09-12T10:00:00.000');
      expect(await ask('count by "Closed On" month')).toContain(
        '2026-08-01T00:00:00.000,1\n2026-09-01T00:00:00.000,1\n,1\n',
      );
      expect(await ask('count where "Closed On" before 2026-09-01')).toContain('\n1\n');
      expect(await ask('max(Closed On - Created On in hours)')).toContain('\n792\n');
    }
  });

  it('says that the order of day and month is not known, and how to declare it', async () => {
    const workspace = folderOf({ 'deals.csv': deals });
    const { stderr } = await workspace.sluice(['query', 'max(Due)', '--events', 'deals.csv']);
    expect(stderr).toContain('`sources: [{files: …, timeFormat: {Due: day-first}}]`');
    const grouped = await workspace.sluice(['query', 'count by Due', '--events', 'deals.csv']);
    expect(grouped.stdout).toContain('Due is kept as text: 04/05/2026 can have the day or the month first.');
  });

  it('is refused if its column is no time', async () => {
    const workspace = folderOf({ 'deals.csv': deals });
    const { code, stderr } = await workspace.sluice(['query', 'count by month of Stage', '--events', 'deals.csv']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('a time dimension must be a time')]);
  });
});
