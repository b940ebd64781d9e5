import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { open, query } from '../../src/use/index.ts';
import { writeEvents } from '../run/sources/write-events.ts';
import { runs } from '../runs.ts';
import { folderOf, now, openFolder } from './run-in-folder.ts';
import { columnsOfTimed, sorted, timedEvents, timeQuestions, toRows, zones } from './time-questions.ts';

const scratch = openFolder();
const engine = await openEngine({ threads: 1 });
afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  scratch.remove();
});
let worlds = 0;

describe('times that are properties', () => {
  it('have buckets, ends and comparisons as a slow count gives, in files and stores', { timeout: 200_000 }, () =>
    fc.assert(
      fc.asyncProperty(
        timedEvents,
        fc.constantFrom('ndjson' as const, 'csv' as const),
        fc.boolean(),
        fc.constantFrom(...zones),
        async (events, format, stored, timezone) => {
          worlds += 1;
          const place = { path: scratch.root, write: scratch.write };
          const file = await writeEvents(engine, place, `w${worlds}`, format, 'none', toRows(events), columnsOfTimed);
          const store = `${scratch.root}/store${worlds}`;
          if (stored) expect((await scratch.sluice(['ingest', file, '--store', store])).code).toBe(0);
          const from = stored ? { store } : { events: file };
          await using sluice = await open({
            ...from,
            workspace: scratch.root,
            now: () => now,
            onNote: () => undefined,
          });
          for (const [line, expected] of timeQuestions(events, timezone)) {
            const result = await sluice.query(line, { timezone, fill: 'none' });
            const keys = result.columns.map(({ key }) => key);
            const rows = result.rows().map((row) => keys.map((key) => row[key] as string));
            expect(sorted(rows), `${line} in ${timezone}`).toEqual(sorted(expected));
          }
        },
      ),
      { numRuns: runs(40) },
    ),
  );
});

const jobs = [
  ['2024-03-01T10:00:00Z', 'pro', '2024-03-08', '2024-03-01T12:30:00Z'],
  ['2024-03-02T10:00:00Z', 'free', '2024-03-08', '2024-03-02T23:30:00-05:00'],
  ['2024-03-03T10:00:00Z', 'free', '2024-03-10', 'never'],
  ['2024-03-03T11:00:00Z', 'pro', '', '2024-03-03 11:00:01.5'],
].map((row) => `${row.join(',')}\n`);
const files = {
  'jobs.csv': `utcTime,plan,trial_end,finished_at\n${jobs.join('')}`,
  'sluice.yaml': 'events: jobs.csv\n',
};

describe('a question on a time of a property', () => {
  const ask = async (line: string, ...more: readonly string[]) =>
    folderOf(files).sluice(['query', line, '-f', 'csv', ...more]);

  it('has a group of its own for events without one, and says which values are no times', async () => {
    const { stdout, stderr } = await ask('count by finished_at day');
    expect(stdout).toBe(
      'TrackedEvents.props.finished_at.day,TrackedEvents.count\n2024-03-01T00:00:00.000,1\n2024-03-02T00:00:00.000,0\n2024-03-03T00:00:00.000,2\n,1\n',
    );
    expect(stderr).toContain('"finished_at" is a time in 3 of the 4 events that have it');
    expect((await ask('max(finished_at)')).stderr).toContain(
      '1 event whose props.finished_at is not a time is not counted',
    );
  });

  it('reads a date as a day of the zone of the question, and a time without a zone as UTC, with a note', async () => {
    const inZone = ['--timezone', 'America/New_York'];
    expect((await ask('count by trial_end day', ...inZone)).stdout).toContain('2024-03-08T00:00:00.000,2');
    expect((await ask('min(trial_end)', ...inZone)).stdout).toContain('2024-03-08T05:00:00.000Z');
    const note = 'Times of "finished_at" without a zone are read as UTC.';
    for (const line of ['count by finished_at day', 'max(finished_at)', 'max(finished_at), count by finished_at day'])
      expect((await ask(line, ...inZone)).stderr.split(note), line).toHaveLength(2);
    expect((await ask('max(finished_at)')).stderr).not.toContain(note);
    expect((await ask('max(trial_end)', ...inZone)).stderr).not.toContain(note);
  });

  it('writes its figure as a time in every format', async () => {
    const folder = folderOf(files);
    const asked = async (format: string) => (await folder.sluice(['query', 'max(trial_end)', '-f', format])).stdout;
    expect(JSON.parse(await asked('json'))).toEqual([
      { 'TrackedEvents.max(props.trial_end)': '2024-03-10T00:00:00.000Z' },
    ]);
    expect(await asked('table')).toContain('Latest trial_end  2024-03-10 00:00:00Z');
    const { code } = await folder.sluice(['query', 'max(trial_end)', '-f', 'parquet', '-o', 'out.parquet']);
    expect(code).toBe(0);
    const [[type]] = (await engine.rows(`SELECT typeof(COLUMNS(*)) FROM '${folder.root}/out.parquet'`)) as [[string]];
    expect(type).toBe('TIMESTAMP WITH TIME ZONE');
    await using sluice = await open({ workspace: folder.root });
    const [row] = (await sluice.query('max(trial_end)', { times: 'date' })).rows();
    expect(Object.values(row!)).toEqual([new Date('2024-03-10T00:00:00Z')]);
  });

  it('does not speak of events of the future, or that the data ends early', async () => {
    for (const line of ['count by trial_end day', 'count by trial_end day from 2024-03-08 to 2024-03-20'])
      expect((await ask(line, '--as-of', '2024-03-05')).stderr).toBe('');
  });

  it('is the same in a query file, and as the notation writes it', async () => {
    const query = `query:\n  measures: [count]\n  timeDimensions: [{dimension: props.trial_end, granularity: day}]\n`;
    const folder = folderOf({ ...files, 'queries/ends.yaml': query });
    const { stdout } = await folder.sluice(['query', 'ends', '-f', 'csv']);
    expect(stdout).toBe((await ask('count by day of trial_end')).stdout);
  });

  it('is compared for equality with whole days and instants, in lines, flags, query files and programs', async () => {
    const where = async (condition: string, ...more: readonly string[]) =>
      (await ask(`count where ${condition}`, ...more)).stdout.split('\n')[1];
    expect(await where('finished_at = 2024-03-01')).toBe('1');
    expect(await where('finished_at != 2024-03-01')).toBe('3');
    expect(await where('finished_at in (2024-03-01, 2024-03-03)')).toBe('3');
    expect(await where('finished_at not in (2024-03-01, 2024-03-03)')).toBe('1');
    expect(await where('finished_at = 2024-03-02', '--timezone', 'America/New_York')).toBe('1');
    expect(await where('finished_at = 2024-03-03T04:30:00Z')).toBe('1');
    expect(await where('finished_at between 2024-03-01 and 2024-03-02')).toBe('1');
    expect(await where('finished_at <= 2024-03-03')).toBe('3');
    expect(await where("finished_at = '2024-03-03 11:00:01.5'")).toBe('1');
    expect(await where('trial_end = 2024-03-08')).toBe('2');
    expect(await where('finished_at = never')).toBe('1');
    const mixed = await ask('count where trial_end in (2024-03-08, never)');
    expect(mixed.stdout).toContain('\n2\n');
    expect(mixed.stderr).toContain('All values are compared with "trial_end" as text, because "never" names no day');

    const filter = { member: 'props.finished_at', operator: 'equals', values: ['2024-03-01'] } as const;
    const folder = folderOf({
      ...files,
      'queries/first.yaml': `query: {measures: [count], filters: [${JSON.stringify(filter)}]}\n`,
    });
    const ofFile = await folder.sluice(['query', 'first', '-f', 'csv']);
    const ofFlag = await folder.sluice(['query', '-m', 'count', '--where', 'finished_at = 2024-03-01', '-f', 'csv']);
    expect([ofFile.stdout, ofFlag.stdout]).toEqual(Array(2).fill('TrackedEvents.count\n1\n'));
    await using sluice = await open({ workspace: folder.root });
    const result = await sluice.query(query().measures('count').where('finished_at', 'equals', '2024-03-01'));
    expect(result.rows()).toEqual([{ 'TrackedEvents.count': 1 }]);
  });

  it('says what can be asked in place of a sum', async () => {
    expect((await ask('sum(trial_end)')).stderr).toContain('"props.trial_end" is a time. Write `min(props.trial_end)`');
  });
});

describe('the time between two times', () => {
  const ask = (line: string, format = 'csv') =>
    folderOf({
      ...files,
      'jobs.csv': `utcTime,userId,Started at,finished_at,amount
2024-03-01T10:00:00Z,a,2024-03-01T10:00:00Z,2024-03-01T12:30:00Z,1
2024-03-02T10:00:00Z,b,2024-03-02T10:00:00Z,2024-03-02T23:30:00-05:00,2
2024-03-03T10:00:00Z,b,2024-03-03T10:00:00Z,never,3
`,
      'queries/hours.yaml': 'query: {measures: [avg(finished_at - "Started at" in hours)]}\n',
    }).sluice(['query', line, '-f', format]);

  it('is written in several ways, with its unit', async () => {
    const named = 'TrackedEvents.avg(hours(props.Started%20at..props.finished_at))';
    for (const line of [
      'avg(finished_at - "Started at" in hours)',
      'average(finished_at - Started at in hour)',
      'avg(hours between "Started at" and finished_at)',
      'avg(hours from Started at to finished_at)',
      named,
      'hours',
    ]) {
      const { stdout, stderr } = await ask(line);
      expect([line, stdout], stderr).toEqual([line, `${named}\n10.5\n`]);
    }
    expect((await ask('p50(finished_at - Started at)')).stdout.split('\n')[1]).toBe('37800');
    expect((await ask('max(finished_at - utcTime in days)')).stdout.split('\n')[1]).toMatch(/^0\.7708333/);
    const alone = 'Sessions.count, Sessions.avg(endAt - startAt in minutes)';
    expect((await ask(alone)).stdout.split('\n')[1]).toBe('3,0');
    const half = 'avg(finished_at - Started at in hours) / 2 as half where finished_at is set';
    expect((await ask(half)).stdout.split('\n')[1]).toBe('5.25');
  });

  it('has its unit in its label, and says how many events have only one of the times', async () => {
    const { stdout, stderr } = await ask('avg(finished_at - Started at in hours)', 'markdown');
    expect(stdout).toContain('Average finished_at − Started at (hours)');
    expect(stdout + stderr).toContain('1 event with only one of the times Started at and finished_at is not counted');
    expect((await ask('avg(finished_at - utcTime)')).stderr).toContain('1 event whose props.finished_at is not a time');
  });

  it('says that a time without a zone is read as UTC beside one with a zone', async () => {
    const folder = folderOf({ 'a.csv': 'utcTime,done\n2024-03-01T10:00:00Z,2024-03-01 11:00:00\n' });
    const { stdout, stderr } = await folder.sluice([
      'query',
      'avg(done - utcTime in hours)',
      '--events',
      'a.csv',
      '-f',
      'csv',
    ]);
    expect([stdout.split('\n')[1], stderr]).toEqual(['1', 'Times of "done" without a zone are read as UTC.\n']);
  });

  it('is refused with what to write', async () => {
    expect((await ask('avg(amount - finished_at)')).stderr).toMatch(/"amount" is not a time[^]*avg\(amount\) - avg\(/);
    expect((await ask('avg(finished_at - Started at in months)')).stderr).toMatch(/no unit "months"[^]*Use seconds, /);
    expect((await ask('avg(finished_at - begun)')).stderr).toContain('There is no member "begun"');
  });
});

describe('numbers since 1970', () => {
  const [day, begin] = [86_400, Date.UTC(2024, 2, 1) / 1000];
  /** Finished after a day and `index` quarters of a day; every fifth did not start. */
  const rows = Array.from({ length: 20 }, (_, index) => {
    const started = index % 5 === 0 ? undefined : begin + index * 3600;
    return { started, finished: begin + day + (index * day) / 4, ms: index === 3 ? 0 : (begin + index) * 1000 + 0.5 };
  });
  const lines = rows.map(({ started, finished, ms }, index) =>
    [`2024-03-01T00:00:${String(index).padStart(2, '0')}Z`, started ?? '', finished, ms, begin + index].join(','),
  );
  const jobs = { 'a.csv': ['utcTime,started_ts,finished_at,createdAt,format', ...lines, ''].join('\n') };
  const ask = (line: string, ...more: readonly string[]) =>
    folderOf(jobs).sluice(['query', line, '--events', 'a.csv', '-f', 'csv', '--fill', 'none', ...more]);
  const dayOf = (seconds: number) => new Date((seconds - 5 * 3600) * 1000).toISOString().slice(0, 10);

  it('are times where a line asks for one, with a note', async () => {
    const { stdout, stderr } = await ask('count by finished_at day', '--timezone', 'America/New_York');
    const days = Map.groupBy(rows, ({ finished }) => dayOf(finished));
    const expected = [...days].map(([one, { length }]) => `${one}T00:00:00.000,${length}`);
    expect(stdout.trimEnd().split('\n').slice(1)).toEqual(expected);
    expect(stderr).toBe('The numbers of "finished_at" are read as seconds since 1970, in UTC.\n');
    const monthly = await ask('count by month of createdAt');
    expect(monthly.stdout).toContain('2024-03-01T00:00:00.000,19\n,1\n');
    expect(monthly.stderr).toContain('are read as milliseconds since 1970');
    const both = rows.flatMap(({ started, finished }) => (started === undefined ? [] : [(finished - started) / 3600]));
    const mean = both.reduce((sum, hours) => sum + hours, 0) / both.length;
    const span = await ask('avg(finished_at - started_ts in hours)');
    expect(Number(span.stdout.split('\n')[1])).toBeCloseTo(mean, 9);
    expect(span.stderr).toContain('4 events with only one of the times');
    const later = async (condition: string) => Number((await ask(`count where ${condition}`)).stdout.split('\n')[1]);
    const until = Date.UTC(2024, 2, 4) / 1000;
    expect(await later('finished_at before 2024-03-04')).toBe(rows.filter(({ finished }) => finished < until).length);
    expect(await later('finished_at = 2024-03-04')).toBe(4);
    expect(await later('createdAt < 2024-03-02')).toBe(19);
  });

  it('stay numbers elsewhere, and under other names', async () => {
    const highest = await ask('max(finished_at), avg(finished_at)');
    expect(highest.stdout.split('\n')[1]).toBe(`${begin + day + (19 * day) / 4},${begin + day + (19 * day) / 8}`);
    expect(highest.stderr).toBe('The numbers of "finished_at" are seconds since 1970.\n');
    for (const condition of [`finished_at > ${begin}`, 'finished_at > 2024', `finished_at != ${begin}`])
      expect((await ask(`count where ${condition}`)).stdout).toContain('\n20\n');
    expect((await ask('avg(format - started_ts in hours)')).stderr).toContain('"format" is not a time');
  });

  it('count to a quoted column that is mapped to the time of events', async () => {
    const folder = folderOf({
      'tickets.csv': 'Opened On,Closed On,Sent to\n2024-03-01 10:00:00,2024-03-01 12:00:00,a\n2024-03-02 08:00:00,,b\n',
    });
    for (const figure of ['avg("Closed On" - "Opened On" in hours)', 'avg(hours from Opened On to Closed On)']) {
      const answer = await folder.sluice(['query', figure, '--events', 'tickets.csv', '-f', 'csv', '--no-cache']);
      expect(answer.stdout.split('\n')[1], answer.stderr).toBe('2');
    }
    const { stderr } = await folder.sluice(['query', 'avg("Sent to" - "Opened On")', '--events', 'tickets.csv']);
    expect(stderr).toContain('"Sent to" is not a time.');
  });
});
