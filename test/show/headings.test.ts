import { describe, expect, it } from 'vitest';
import { joinHeadings, toHeadings } from '../../src/show/labels/headings.ts';
import { dayColumn, numberColumn } from './example-result.ts';

describe('toHeadings', () => {
  it('uses short titles if they are unique', () => {
    expect(toHeadings([dayColumn('utcTime', 'Utc Time'), numberColumn('count', 'Count')])).toEqual([
      'Utc Time',
      'Count',
    ]);
  });

  it('uses full titles if short ones clash', () => {
    const sessions = { ...numberColumn('count', 'Count'), key: 'Sessions.count', title: 'Sessions Count' };
    expect(toHeadings([numberColumn('count', 'Count'), sessions])).toEqual(['Tracked Events Count', 'Sessions Count']);
  });

  it('distinguishes buckets of one time by granularity', () => {
    const day = dayColumn('utcTime', 'Utc Time');
    expect(toHeadings([day, { ...day, key: 'TrackedEvents.utcTime.week', granularity: 'week' }])).toEqual([
      'Utc Time (day)',
      'Utc Time (week)',
    ]);
  });

  it('uses keys if nothing else is unique', () => {
    expect(toHeadings([numberColumn('a', 'Same'), numberColumn('b', 'Same')])).toEqual([
      'TrackedEvents.a',
      'TrackedEvents.b',
    ]);
    expect(toHeadings([{ ...numberColumn('a', ''), title: '' }])).toEqual(['TrackedEvents.a']);
  });

  const views = { ...numberColumn('pageViewsCount', 'Page Views Count'), label: 'Page views' };
  const users = { ...numberColumn('uniqueUsersCount', 'Unique Users Count'), label: 'Unique users' };

  it('prefers labels to titles', () => {
    const day = { ...dayColumn('utcTime', 'Utc Time'), label: 'Day' };
    expect(toHeadings([day, views, users])).toEqual(['Day', 'Page views', 'Unique users']);
  });

  it('adds the cube to labels that clash', () => {
    const sessions = { ...users, key: 'Sessions.uniqueUsersCount', title: 'Sessions Unique Users Count' };
    expect(toHeadings([users, sessions])).toEqual(['Tracked Events unique users', 'Sessions unique users']);
  });

  it('distinguishes a label from an equal explicit title', () => {
    const written = { ...numberColumn('views', 'Page views'), title: 'Shop Page views' };
    expect(toHeadings([views, written])).toEqual(['Tracked Events page views', 'Shop Page views']);
  });

  it('lower-cases labels after the first, and keeps explicit titles', () => {
    const written = numberColumn('sold', 'Sold');
    const url = { ...numberColumn('url', 'Url'), label: 'URL' };
    expect(joinHeadings(['Page views', 'Unique users', 'Sold', 'URL'], [views, users, written, url])).toBe(
      'Page views, unique users, Sold, URL',
    );
  });
});
