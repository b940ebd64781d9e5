import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInModel } from '../../src/plan/model/built-in-model.ts';
import { dataEnd } from '../../src/shape/data-extent.ts';
import { planOf } from '../plan/ask.ts';
import { type Folder, folderOf } from './run-in-folder.ts';

const day = 86_400_000;
const present = Date.parse('2024-03-08T12:00:00Z');

/** Ten events per day up to a last day, in a store, which knows its latest event. */
async function stored(last: string): Promise<Folder> {
  const events = Array.from({ length: 30 * 10 }, (_, index) =>
    JSON.stringify({
      utcTime: new Date(Date.parse(`${last}T10:00:00Z`) - Math.floor(index / 10) * day + index).toISOString(),
      eventType: 'pageview',
      userAnonymousId: 'a',
      eventId: String(index),
    }),
  ).join('\n');
  const folder = folderOf({ 'e.ndjson': events });
  expect((await folder.sluice(['ingest', 'e.ndjson'])).code).toBe(0);
  return folder;
}

const compared = 'name: d\nquery: {measures: [TrackedEvents.count]}\nrange: last 7 days';
const report = `---\ntitle: Week\n---\n\nViews: {{ d.count }} ({{ d.count | change }}).\n\n\`\`\`compare\n${compared}\n\`\`\`\n`;

describe('data that end before the range', () => {
  it('do not look like a drop in a report: it says so first, omits changes, and exits with 5', async () => {
    const folder = await stored('2024-03-04');
    folder.write('reports/week.md', report);
    const { code, stdout, stderr } = await folder.sluice(['report', 'run', 'week']);
    expect(code).toBe(5);
    expect(stdout).toMatch(
      /^> \*\*1 thing in this report needs attention\*\*\n>\n> - d: The data ends on 2024-03-04, before the range ends: the last figures are partial\.\n/,
    );
    expect(stdout).toContain('Views: 40 (');
    expect(stdout).not.toContain('%');
    expect(stderr).toContain('The data ends on 2024-03-04');
  });

  it('are complete up to the last whole day, and then changes are shown', async () => {
    const folder = await stored('2024-03-07');
    folder.write('reports/week.md', report.replace('{{ d.count | change }}', '{{ d.count.change }}'));
    expect(await folder.sluice(['report', 'run', 'week'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Views: 70 (0)') as string,
    });
  });

  it('are marked in a series from their end on, and not compared there', async () => {
    const folder = await stored('2024-03-04');
    const marked = JSON.parse(
      (await folder.sluice(['query', 'count by day last 5 days', '-f', 'json', '--with-provenance'])).stdout,
    ) as { rows: Record<string, unknown>[]; marks: Record<string, unknown> };
    expect(marked.rows.map((row) => row['TrackedEvents.count'])).toEqual([10, 10, 0, 0, 0]);
    expect(marked.marks['TrackedEvents.count']).toEqual({ filled: [2, 3, 4], partialByPresent: [2, 3, 4] });
    expect((await folder.sluice(['query', 'count by day last 5 days'])).stdout).toMatch(
      /The data ends on 2024-03-04, before the range ends/,
    );
    for (const format of ['table', 'markdown', 'html', 'chart']) {
      const { stdout } = await folder.sluice(['query', 'count by day last 5 days', '-f', format]);
      expect(stdout, format).toMatch(/partial[:,] cut by the end of the data/);
    }
    const open = await folder.sluice(['query', 'count by day today', '--as-of', '2024-03-04T12:00:00']);
    expect(open.stdout).toContain('partial: cut by the present');
    folder.write(
      'reports/days.md',
      `---\ntitle: Days\n---\n\`\`\`compare\nquery: {measures: [TrackedEvents.count], timeDimensions: [{dimension: TrackedEvents.utcTime, granularity: day}]}\nrange: last 5 days\n\`\`\`\n`,
    );
    const { blocks } = JSON.parse((await folder.sluice(['report', 'run', 'days', '-f', 'json'])).stdout) as {
      blocks: { stale?: boolean; parts?: { result: { rows: Record<string, unknown>[] } }[] }[];
    };
    const cell = blocks.find((block) => block.parts);
    expect(cell?.stale).toBe(true);
    expect(cell?.parts?.[0]?.result.rows.map((row) => row['TrackedEvents.count.change'])).toEqual([
      0,
      0,
      null,
      null,
      null,
    ]);
  });

  it('are marked in analyses from their end on, also if all periods are later', async () => {
    const folder = await stored('2024-02-20');
    const marked = async (line: string) => {
      const { code, stdout, stderr } = await folder.sluice(['query', line, '-f', 'json', '--with-provenance']);
      expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('2024-02-20') as string });
      const { rows, marks } = JSON.parse(stdout) as {
        rows: Record<string, unknown>[];
        marks: Record<string, { partialByPresent?: number[] }>;
      };
      const column = Object.keys(marks)[0]!;
      return marks[column]!.partialByPresent!.map((row) => Object.values(rows[row]!).slice(0, 2));
    };
    const weeks = ['2024-02-12T00:00:00.000', '2024-02-19T00:00:00.000', '2024-02-26T00:00:00.000'];
    const statuses = (from: number) =>
      weeks.slice(from).flatMap((week) => ['dormant', 'new', 'resurrecting', 'returning'].map((one) => [one, week]));
    expect(await marked('lifecycle of pageview by week last 3 weeks')).toEqual(statuses(1));
    expect(await marked('lifecycle of pageview by week last week')).toEqual(statuses(2));
    const sizes = await marked('retention of pageview by week periods 1 last 3 weeks');
    expect(sizes).toEqual(weeks.slice(1).map((week) => [0, week]));
    expect(await marked('retention of pageview by week periods 1 last week')).toEqual([[0, weeks[2]]]);
    expect(await marked('retention of pageview by week window 24h periods 1 last week')).toEqual([[0, weeks[2]]]);
    expect((await marked('stickiness of pageview by week last week')).length).toBe(1);
  });

  it('are reported for a funnel, and for results written to a file', async () => {
    const folder = await stored('2024-03-04');
    folder.write(
      'funnels/f.yaml',
      'seconds_to_convert: 3600\nsteps:\n  - {name: a, action: pageview, target: /}\n  - {name: b, action: pageview, target: /x}\n',
    );
    expect((await folder.sluice(['funnel', 'run', 'f', '--range', 'last 7 days', '-f', 'json'])).stderr).toContain(
      'The data ends on 2024-03-04',
    );
    expect((await folder.sluice(['query', 'count by docPath last 7 days', '-o', 'x.parquet'])).stderr).toContain(
      'The data ends on 2024-03-04',
    );
  });

  it('give the same bytes for a past reference time, whatever came later', async () => {
    const folder = await stored('2024-03-04');
    folder.write('reports/week.md', report);
    const run = async () =>
      (await folder.sluice(['report', 'run', 'week', '--as-of', '2024-03-03', '-f', 'json'])).stdout;
    const before = await run();
    folder.write(
      'later.ndjson',
      '{"utcTime":"2024-03-07T10:00:00Z","eventType":"pageview","userAnonymousId":"b","eventId":"later"}\n',
    );
    await folder.sluice(['ingest', 'later.ndjson']);
    expect(before).toContain('"title":"Week"');
    expect(await run()).toBe(before);
  });
});

describe('data that begin after the range', () => {
  it('are told of, also for the earlier range of a comparison', async () => {
    const folder = await stored('2024-03-04');
    const said = async (...args: readonly string[]) => {
      const { stdout, stderr } = await folder.sluice(['query', '--as-of', '2024-03-05', ...args]);
      return (stdout + stderr).replaceAll(/\s+/g, ' ');
    };
    // The events begin on 4 February.
    const partly = 'No events before 2024-02-04: earlier days of the range may lack data.';
    expect(await said('count by day since 2024-02-01')).toContain(partly);
    expect(await said('count since 2024-02-03', '-f', 'csv')).toContain(partly);
    expect(await said('Sessions.count by month since 2024-01')).toContain(partly);
    expect(await said('count since 2024-02-20 compare previous')).not.toContain('No events');
    const left = partly.replace(/\.$/, ', so changes from them are left out.');
    expect(await said('count since 2024-02-15 compare previous')).toContain(left);
    expect(await said('count by day since 2024-02-15 compare previous')).toContain(left);
    // Later events do not change an answer about the past.
    expect(await said('count by day in 2024-01', '--as-of', '2024-02-02')).not.toContain('No events');
    for (const asked of ['count since 2024-02-04', 'count', 'count by day'])
      expect(await said(asked)).not.toContain('No events');
    expect(await said('count by day in 2024-01')).toContain(
      'No events from 2024-01-01 to 2024-01-31: the first is from 2024-02-04.',
    );
    expect(await said('count in 2024-02-03')).toContain('No events on 2024-02-03: the first is from 2024-02-04.');
  });

  it('are not told of twice if a store lacks them because they were removed', async () => {
    const folder = await stored('2024-03-04');
    await folder.sluice(['store', 'prune', '--before', '2024-02-20']);
    const { stdout } = await folder.sluice(['query', 'count since 2024-02-01']);
    expect(stdout).toContain('were removed from the store');
    expect(stdout).not.toContain('No events before');
  });
});

describe('the ranges of a comparison', () => {
  it.each([
    [
      ['2024-03-01', '2024-03-07'],
      ['2024-02-20', '2024-02-26'],
    ],
    [
      ['2024-02-20', '2024-02-26'],
      ['2024-03-01', '2024-03-07'],
    ],
  ])('have no change where the data of one ends early: %s and %s', async (...ranges) => {
    const folder = await stored('2024-03-04');
    const query = (granularity?: 'day') => ({
      measures: ['TrackedEvents.count'],
      timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity, compareDateRange: ranges }],
    });
    const asked = async (granularity?: 'day') => {
      folder.write('q.json', JSON.stringify({ query: query(granularity) }));
      const { stdout } = await folder.sluice(['query', 'q.json']);
      expect(stdout).toContain('The data ends on 2024-03-04');
      return stdout;
    };
    const whole = await asked();
    expect(whole).toMatch(/Events \(change\) +–\n/);
    expect(whole).toMatch(/Events \(change in %\) +–\n/);
    const days = (await asked('day')).split('\n').filter((line) => /^2024/.test(line));
    expect(days.map((line) => /(\S+) +(\S+)$/.exec(line)?.slice(1))).toEqual([
      ...Array.from({ length: 4 }, () => ['0', '0%']),
      ...Array.from({ length: 3 }, () => ['–', '–']),
    ]);
  });
});

describe('an earlier range that begins before the data', () => {
  it('has no change, as a whole and bucket by bucket, where data may be missing', async () => {
    const folder = await stored('2024-03-04');
    // The events begin on 4 February, ten a day.
    const asked = async (line: string) => {
      const { stdout } = await folder.sluice(['query', line, '--as-of', '2024-03-05']);
      expect(stdout).toContain('No events before 2024-02-04');
      return stdout;
    };
    expect(await asked('count since 2024-02-15 compare previous')).toMatch(/Events \(change\) +–\n/);
    const days = (await asked('count by day from 2024-02-07 to 2024-02-11 compare previous'))
      .split('\n')
      .filter((line) => /^2024/.test(line));
    expect(days.map((line) => /(\S+) +(\S+)$/.exec(line)?.slice(1))).toEqual([
      ...Array.from({ length: 2 }, () => ['–', '–']),
      ...Array.from({ length: 3 }, () => ['0', '0%']),
    ]);
    const weeks = (await asked('count by week from 2024-02-12 to 2024-02-25 compare previous'))
      .split('\n')
      .filter((line) => /^2024/.test(line));
    // The week of the first event is not whole.
    expect(weeks.map((line) => /(\S+)$/.exec(line)?.[1])).toEqual(['–', '0%']);
  });
});

describe('the end of the data', () => {
  it('is reported exactly if a requested whole day has no data', () => {
    const zones = fc.constantFrom('UTC', 'Asia/Tokyo', 'America/New_York', 'Asia/Kolkata');
    fc.assert(
      fc.property(
        zones,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 25 * 24 * 60 }),
        (timezone, days, minutesBack) => {
          const {
            times: [time],
          } = planOf(
            {
              measures: ['TrackedEvents.count'],
              timeDimensions: [{ dimension: 'TrackedEvents.utcTime', dateRange: `last ${days} days` }],
              timezone,
            },
            builtInModel,
            { now: present },
          );
          const range = {
            start: new Date(time!.range!.start).toISOString(),
            end: new Date(time!.range!.end).toISOString(),
          };
          const freshness = new Date(present - minutesBack * 60_000).toISOString();
          const dayOf = (instant: number) => new Intl.DateTimeFormat('sv-SE', { timeZone: timezone }).format(instant);
          // The last whole day, by another calendar.
          const yesterday = new Date(Date.parse(`${dayOf(present)}T00:00:00Z`) - day).toISOString().slice(0, 10);
          expect(
            dataEnd({ freshness, range, zone: timezone, asOf: new Date(present).toISOString() }) !== undefined,
          ).toBe(dayOf(Date.parse(freshness)) < yesterday);
        },
      ),
    );
  });
});
