import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toBuckets } from '../../../src/ask/time/buckets.ts';
import { granularities } from '../../../src/ask/time/granularity.ts';
import { writeWithOffset } from '../../../src/ask/time/local-time.ts';
import type { TimeContext } from '../../../src/ask/time/range.ts';
import { readDateRange } from '../../../src/ask/time/read-date-range.ts';
import { anyZone, anyZoneAndInstant, day, hour, wallByIntl } from './zones.ts';

/** A Wednesday, just after noon in New York, three days after its clocks went forward. */
const context: TimeContext = { now: Date.parse('2024-03-13T16:04:05.678Z'), zone: 'America/New_York' };

function read(text: string | readonly string[], where: Partial<TimeContext> = {}): readonly [string, string] {
  const at = { ...context, ...where };
  const outcome = readDateRange(text, at);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.issues));
  return [
    writeWithOffset(outcome.value.start, at.zone).replace(/:00\.000/, ''),
    writeWithOffset(outcome.value.end, at.zone).replace(/:00\.000/, ''),
  ];
}

describe('readDateRange', () => {
  it.each([
    ['last 7 days', '2024-03-06T00:00-05:00', '2024-03-13T00:00-04:00'],
    ['past 7 days', '2024-03-06T00:00-05:00', '2024-03-13T00:00-04:00'],
    ['previous 7 days', '2024-03-06T00:00-05:00', '2024-03-13T00:00-04:00'],
    ['  Last   1   DAY ', '2024-03-12T00:00-04:00', '2024-03-13T00:00-04:00'],
    ['last 2 weeks', '2024-02-26T00:00-05:00', '2024-03-11T00:00-04:00'],
    ['last 12 months', '2023-03-01T00:00-05:00', '2024-03-01T00:00-05:00'],
    ['last 2 quarters', '2023-07-01T00:00-04:00', '2024-01-01T00:00-05:00'],
    ['last 3 years', '2021-01-01T00:00-05:00', '2024-01-01T00:00-05:00'],
    ['last 24 hours', '2024-03-12T12:00-04:00', '2024-03-13T12:00-04:00'],
    ['last 100 hours', '2024-03-09T07:00-05:00', '2024-03-13T12:00-04:00'],
    ['last 15 minutes', '2024-03-13T11:49-04:00', '2024-03-13T12:04-04:00'],
    ['last 5 seconds', '2024-03-13T12:04-04:00', '2024-03-13T12:04:05.000-04:00'],
    ['last week', '2024-03-04T00:00-05:00', '2024-03-11T00:00-04:00'],
    ['previous week', '2024-03-04T00:00-05:00', '2024-03-11T00:00-04:00'],
    ['last month', '2024-02-01T00:00-05:00', '2024-03-01T00:00-05:00'],
    ['Last  closed month', '2024-02-01T00:00-05:00', '2024-03-01T00:00-05:00'],
    ['past closed 2 months', '2024-01-01T00:00-05:00', '2024-03-01T00:00-05:00'],
    ['from last closed month to today', '2024-02-01T00:00-05:00', '2024-03-14T00:00-04:00'],
    ['This week', '2024-03-11T00:00-04:00', '2024-03-18T00:00-04:00'],
    ['this month', '2024-03-01T00:00-05:00', '2024-04-01T00:00-04:00'],
    ['this quarter', '2024-01-01T00:00-05:00', '2024-04-01T00:00-04:00'],
    ['this year', '2024-01-01T00:00-05:00', '2025-01-01T00:00-05:00'],
    ['this hour', '2024-03-13T12:00-04:00', '2024-03-13T13:00-04:00'],
    ['next month', '2024-04-01T00:00-04:00', '2024-05-01T00:00-04:00'],
    ['next 2 weeks', '2024-03-18T00:00-04:00', '2024-04-01T00:00-04:00'],
    ['next 3 hours', '2024-03-13T13:00-04:00', '2024-03-13T16:00-04:00'],
    ['today', '2024-03-13T00:00-04:00', '2024-03-14T00:00-04:00'],
    ['yesterday', '2024-03-12T00:00-04:00', '2024-03-13T00:00-04:00'],
    ['tomorrow', '2024-03-14T00:00-04:00', '2024-03-15T00:00-04:00'],
    ['week to date', '2024-03-11T00:00-04:00', '2024-03-13T12:04:05.679-04:00'],
    ['year to date', '2024-01-01T00:00-05:00', '2024-03-13T12:04:05.679-04:00'],
    ['from 2024-03-01 to 2024-03-10', '2024-03-01T00:00-05:00', '2024-03-11T00:00-04:00'],
    ['from 2024-02 to 2024-03-08T10:00', '2024-02-01T00:00-05:00', '2024-03-08T10:00:00.001-05:00'],
    ['from 2023 to yesterday', '2023-01-01T00:00-05:00', '2024-03-13T00:00-04:00'],
    ['from last month to today', '2024-02-01T00:00-05:00', '2024-03-14T00:00-04:00'],
    ['from yesterday to tomorrow', '2024-03-12T00:00-04:00', '2024-03-15T00:00-04:00'],
    ['from 3 days ago to now', '2024-03-10T00:00-05:00', '2024-03-13T12:04:05.679-04:00'],
    ['from 1 month ago to now', '2024-02-13T00:00-05:00', '2024-03-13T12:04:05.679-04:00'],
    ['from 1 year ago to 1 quarter ago', '2023-03-13T00:00-04:00', '2023-12-14T00:00-05:00'],
    ['1 month ago', '2024-02-13T00:00-05:00', '2024-02-14T00:00-05:00'],
    ['from now to 2 days from now', '2024-03-13T12:04:05.678-04:00', '2024-03-16T00:00-04:00'],
    ['from 2 hours from now to 3 weeks from now', '2024-03-13T14:00-04:00', '2024-04-04T00:00-04:00'],
    ['Jan 5, 2024', '2024-01-05T00:00-05:00', '2024-01-06T00:00-05:00'],
    ['5 january 2024', '2024-01-05T00:00-05:00', '2024-01-06T00:00-05:00'],
    ['from March 2nd, 2024 to 3rd Mar 2024', '2024-03-02T00:00-05:00', '2024-03-04T00:00-05:00'],
    ['from 1 hour ago to now', '2024-03-13T11:00-04:00', '2024-03-13T12:04:05.679-04:00'],
    ['from 14 days ago to 8 days ago', '2024-02-28T00:00-05:00', '2024-03-06T00:00-05:00'],
    ['2024-03-08..2024-03-10', '2024-03-08T00:00-05:00', '2024-03-11T00:00-04:00'],
    ['2024..2024-02', '2024-01-01T00:00-05:00', '2024-03-01T00:00-05:00'],
    ['since 2024-03-08', '2024-03-08T00:00-05:00', '2024-03-13T12:04:05.679-04:00'],
    ['since 2024-03-08T10:00Z', '2024-03-08T05:00-05:00', '2024-03-13T12:04:05.679-04:00'],
    ['since last month', '2024-02-01T00:00-05:00', '2024-03-13T12:04:05.679-04:00'],
    ['2024', '2024-01-01T00:00-05:00', '2025-01-01T00:00-05:00'],
    ['2024-03', '2024-03-01T00:00-05:00', '2024-04-01T00:00-04:00'],
    ['2024-W09', '2024-02-26T00:00-05:00', '2024-03-04T00:00-05:00'],
    ['2024-Q1', '2024-01-01T00:00-05:00', '2024-04-01T00:00-04:00'],
    ['2024-q4', '2024-10-01T00:00-04:00', '2025-01-01T00:00-05:00'],
    ['2024-03-10', '2024-03-10T00:00-05:00', '2024-03-11T00:00-04:00'],
  ])('reads %j', (text, start, end) => {
    expect(read(text)).toEqual([start, end]);
  });

  it.each([
    [['2024-03-10'], '2024-03-10T00:00-05:00', '2024-03-11T00:00-04:00'],
    [['last 7 days'], '2024-03-06T00:00-05:00', '2024-03-13T00:00-04:00'],
    [['2024-03-08', '2024-03-08'], '2024-03-08T00:00-05:00', '2024-03-09T00:00-05:00'],
    [['2024-03-08', '2024-03-10'], '2024-03-08T00:00-05:00', '2024-03-11T00:00-04:00'],
    [['2024-03-08T00:00:00.000', '2024-03-10T23:59:59.999'], '2024-03-08T00:00-05:00', '2024-03-11T00:00-04:00'],
    [['2024-03-08T00:00:00Z', '2024-03-08T23:59:59.999Z'], '2024-03-07T19:00-05:00', '2024-03-08T19:00-05:00'],
    [['2024-01', '2024-02'], '2024-01-01T00:00-05:00', '2024-03-01T00:00-05:00'],
    [['yesterday', 'now'], '2024-03-12T00:00-04:00', '2024-03-13T12:04:05.679-04:00'],
    [['2024-11-03T00:00:00.000', '2024-11-03T04:59:59.999'], '2024-11-03T00:00-04:00', '2024-11-03T05:00-05:00'],
    [['2024-11-03T01:00', '2024-11-03T01:59:59.999'], '2024-11-03T01:00-04:00', '2024-11-03T02:00-05:00'],
    [['2024-03-10T02:00', '2024-03-10T02:59:59.999'], '2024-03-10T03:00-04:00', '2024-03-10T03:00-04:00'],
  ])('reads the list %j', (list, start, end) => {
    expect(read(list)).toEqual([start, end]);
  });

  it('begins weeks as the context says', () => {
    expect(read('this week', { weekStart: 'sunday' })).toEqual(['2024-03-10T00:00-05:00', '2024-03-17T00:00-04:00']);
    expect(read('last 2 weeks', { weekStart: 'thursday' })).toEqual([
      '2024-02-22T00:00-05:00',
      '2024-03-07T00:00-05:00',
    ]);
    expect(read('2024-W11', { weekStart: 'sunday' })).toEqual(read('2024-W11'));
  });

  it('uses the current day of the zone, not of UTC', () => {
    expect(read('today', { zone: 'Pacific/Auckland' })).toEqual(['2024-03-14T00:00+13:00', '2024-03-15T00:00+13:00']);
  });

  it.each([
    ['Pacific/Auckland', '2024-04-07', 25],
    ['Pacific/Auckland', '2024-04-06', 24],
    ['Australia/Sydney', '2024-04-07', 25],
    ['Australia/Sydney', '2024-10-06', 23],
    ['America/New_York', '2024-11-03', 25],
    ['America/New_York', '2024-03-10', 23],
    ['Australia/Lord_Howe', '2024-04-07', 24.5],
    ['America/Sao_Paulo', '2018-11-04', 23],
    ['Africa/Cairo', '2024-10-31', 25],
    ['Pacific/Apia', '2011-12-30', 0],
  ])('gives the whole local day in %s on %s: %d hours', (zone, date, hours) => {
    for (const text of [date, [date], [date, date], `from ${date} to ${date}`]) {
      const outcome = readDateRange(text, { ...context, zone });
      expect(outcome).toMatchObject({ ok: true, issues: [] });
      if (outcome.ok) expect(outcome.value.end - outcome.value.start).toBe(hours * hour);
    }
  });

  it('covers exactly the instants with a local day of the list, on and around days of clock changes', () => {
    fc.assert(
      fc.property(anyZoneAndInstant, fc.integer({ min: 0, max: 3 }), ({ zone, instant }, days) => {
        // Newfoundland went back from 00:01 to the day before. There, days as intervals and local dates differ by an
        // hour.
        fc.pre(zone !== 'America/St_Johns');
        const first = wallByIntl(instant, zone).slice(0, 10);
        const last = new Date(Date.parse(first) + days * day).toISOString().slice(0, 10);
        const outcome = readDateRange([first, last], { ...context, zone });
        if (!outcome.ok) throw new Error('unreadable');
        const { start, end } = outcome.value;
        for (let at = start - 30 * hour; at < end + 30 * hour; at += 15 * 60_000) {
          const date = wallByIntl(at, zone).slice(0, 10);
          expect(at >= start && at < end).toBe(date >= first && date <= last);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('puts last, this and next N units end to end, on bucket boundaries', () => {
    fc.assert(
      fc.property(
        anyZoneAndInstant,
        fc.constantFrom(...granularities),
        fc.integer({ min: 1, max: 30 }),
        ({ zone, instant: now }, unit, n) => {
          const [last, present, next] = [`last ${n} ${unit}s`, `this ${unit}`, `next ${n} ${unit}s`].map((text) => {
            const outcome = readDateRange(text, { now, zone });
            if (!outcome.ok) throw new Error(text);
            const buckets = toBuckets(outcome.value, unit, zone);
            expect([buckets[0]!.start, buckets.at(-1)!.end]).toEqual([outcome.value.start, outcome.value.end]);
            return { ...outcome.value, count: buckets.length };
          });
          expect(last!.end).toBe(present!.start);
          expect(next!.start).toBe(present!.end);
          expect(present!.start <= now && now < present!.end && present!.count === 1).toBe(true);
          // A clock change within an hour adds a bucket; a skipped day removes one.
          expect(Math.abs(last!.count - n)).toBeLessThanOrEqual(2);
          expect(Math.abs(next!.count - n)).toBeLessThanOrEqual(2);
        },
      ),
      { numRuns: 600 },
    );
  });

  it.each([
    ['from 2024-03-10 to 2024-03-01'],
    [['2024-03-10', '2024-03-09']],
    [['2024-03-10T12:00', '2024-03-10T11:00']],
    ['since tomorrow'],
  ])('warns about the reversed range %j and leaves it empty', (text) => {
    const outcome = readDateRange(text, context);
    expect(outcome).toMatchObject({ ok: true, issues: [{ code: 'reversed-range', severity: 'warning' }] });
    if (outcome.ok) expect(outcome.value.end).toBe(outcome.value.start);
  });

  it.each([
    ['lst 7 days', 'last 7 days'],
    ['last 7 dais', 'last 7 days'],
    ['tody', 'today'],
    ['weak to date', 'week to date'],
    ['ths month', 'this month'],
    ['from 3 days ago to no', undefined],
    ['March 2024', undefined],
    ['', undefined],
    ['this decade', undefined],
    ['last seven days', undefined],
    ['2024-03-01 - 2024-03-31', undefined],
  ])('refuses %j and suggests %s', (text, near) => {
    const outcome = readDateRange(text, context);
    expect(outcome).toMatchObject({ ok: false, issues: [{ code: 'unreadable-range', path: [] }] });
    if (near !== undefined) expect(outcome.issues[0]!.hint).toContain(`Did you mean "${near}"?`);
    expect(outcome.issues[0]!.hint).toContain('"2024-03');
  });

  it.each(['this fiscal year', 'last fiscal', 'FY26', 'financial year'])('asks for the dates of %j', (text) => {
    expect(readDateRange(text, context)).toMatchObject({
      issues: [{ hint: 'Write the dates of the fiscal year, such as `from 2025-04-01 to 2026-03-31`.' }],
    });
  });

  it.each([
    ['last 0 days', 'invalid-count', []],
    ['next 0 hours', 'invalid-count', []],
    ['0 days ago', 'invalid-count', []],
    ['last 1000001 days', 'invalid-count', []],
    ['last 99999999999999999999999 days', 'invalid-count', []],
    ['last 3000 years', 'range-out-of-reach', []],
    ['next 1000000 months', 'range-out-of-reach', []],
    ['2024-02-30', 'invalid-date', []],
    [['2024-02-30'], 'invalid-date', [0]],
    [['2024-01-01', '2024-02-30'], 'invalid-date', [1]],
    [['last 7 days', 'today'], 'unreadable-range', [0]],
    [[], 'unreadable-range', []],
    [['2024', '2024', '2024'], 'unreadable-range', []],
  ])('refuses %j with %s', (text, code, path) => {
    expect(readDateRange(text, context)).toMatchObject({ ok: false, issues: [{ code, path, severity: 'error' }] });
  });

  it('reports both ends at once', () => {
    expect(readDateRange(['2024-13-01', 'whenever'], context).issues.map((issue) => [issue.code, issue.path])).toEqual([
      ['invalid-date', [0]],
      ['unreadable-range', [1]],
    ]);
  });

  it('never throws, and quotes no control character, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.stringMatching(/^(from|last|since|next)? ?[0-9a-z:T -]{0,20} (days|to|ago|now)?$/),
        ),
        anyZone,
        (text, zone) => {
          for (const issue of readDateRange(text, { ...context, zone }).issues)
            expect(issue.message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
          readDateRange([text, text], { ...context, zone });
        },
      ),
      { numRuns: 1000 },
    );
    expect(readDateRange(`last ${'9'.repeat(1_000_000)} days`, context).ok).toBe(false);
    // A fuzz run found that this took time in proportion to the square of its length.
    expect(readDateRange(`${'.'.repeat(1_000_000)}to now`, context).ok).toBe(false);
  });
});
