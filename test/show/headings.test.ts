import { describe, expect, it } from 'vitest';
import { toHeadings } from '../../src/show/labels/headings.ts';
import { dayColumn, numberColumn } from './example-result.ts';

describe('toHeadings', () => {
  it('takes short titles where they are clear', () => {
    expect(toHeadings([dayColumn('utcTime', 'Utc Time'), numberColumn('count', 'Count')])).toEqual(['Utc Time', 'Count']);
  });

  it('takes full titles where short ones clash', () => {
    const sessions = { ...numberColumn('count', 'Count'), key: 'Sessions.count', title: 'Sessions Count' };
    expect(toHeadings([numberColumn('count', 'Count'), sessions])).toEqual(['Tracked Events Count', 'Sessions Count']);
  });

  it('tells buckets of one time apart by their size', () => {
    const day = dayColumn('utcTime', 'Utc Time');
    expect(toHeadings([day, { ...day, key: 'TrackedEvents.utcTime.week', granularity: 'week' }])).toEqual(['Utc Time (day)', 'Utc Time (week)']);
  });

  it('takes keys where nothing else is clear', () => {
    expect(toHeadings([numberColumn('a', 'Same'), numberColumn('b', 'Same')])).toEqual(['TrackedEvents.a', 'TrackedEvents.b']);
    expect(toHeadings([{ ...numberColumn('a', ''), title: '' }])).toEqual(['TrackedEvents.a']);
  });
});
