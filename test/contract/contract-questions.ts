import { hostileAgent, hostilePath } from './contract-events.ts';
import { filterQuestions } from './contract-filters.ts';
import {
  agent,
  berlin,
  count,
  day,
  newYork,
  offset,
  path,
  per,
  time,
  users,
  where,
  type ContractQuestion,
} from './contract-words.ts';

const measures: Readonly<Record<string, ContractQuestion>> = {
  'every measure of events': {
    query: { measures: [count, 'TrackedEvents.pageViewsCount', 'TrackedEvents.linkClicksCount', users] },
    rows: [[24, 18, 3, 6]],
  },
  'every measure of sessions': {
    query: {
      measures: [
        'Sessions.count',
        'Sessions.usersCount',
        'Sessions.uniqueUsersCount',
        'Sessions.averageDurationMinutes',
        'Sessions.averagePerUser',
      ],
    },
    rows: [[16, 15, 6, 93.75, 16 / 6]],
  },
  'every measure of returning users': {
    query: {
      measures: [
        'ReturningUsers.count',
        'ReturningUsers.returningUsersCount',
        'ReturningUsers.allSessionsCount',
        'ReturningUsers.returningUserPercentage',
      ],
    },
    rows: [[6, 4, 15, 400 / 6]],
  },
  'counts of nothing are 0, averages and ratios of nothing are null': {
    query: {
      measures: [
        'Sessions.count',
        'Sessions.uniqueUsersCount',
        'Sessions.averageDurationMinutes',
        'Sessions.averagePerUser',
      ],
      filters: [where('Sessions.agentName', 'equals', 'nobody')],
    },
    rows: [[0, 0, null, null]],
  },
  'groups of nothing are no rows': {
    query: { measures: [count], dimensions: [path], filters: [where(path, 'equals', 'nowhere')] },
    rows: [],
  },
};

const dimensions: Readonly<Record<string, ContractQuestion>> = {
  'text, the most frequent first, hostile text as it is': {
    query: { measures: [count, users], dimensions: [path] },
    rows: [
      ['/', 7, 4],
      ['/pricing', 5, 2],
      ['/docs', 4, 3],
      ['/a', 2, 1],
      [hostilePath, 2, 0],
      ['/Docs', 1, 1],
      ['/café', 1, 0],
      ['/docs/install', 1, 1],
      ['=cmd|calc', 1, 1],
    ],
  },
  'text that is missing is a group of its own': {
    query: { measures: [count], dimensions: [agent] },
    rows: [
      [null, 7],
      ['Firefox', 5],
      ['Safari', 5],
      ['Chrome', 4],
      ['Googlebot', 2],
      [hostileAgent, 1],
    ],
  },
  'both spellings of a page view': {
    query: { measures: [count], dimensions: ['TrackedEvents.eventType', 'TrackedEvents.eventName'] },
    rows: [
      ['pageview', 'page_view', 18],
      ['link_click', 'link_click', 3],
      ['signup', 'signup', 2],
      [null, null, 1],
    ],
  },
  numbers: {
    query: { measures: [count], dimensions: [offset], order: { [offset]: 'asc' } },
    rows: [
      [-120, 1],
      [0, 1],
      [12.5, 2],
      [300, 1],
      [null, 19],
    ],
  },
  truth: {
    query: { measures: ['Sessions.count'], dimensions: ['Sessions.derived'], order: { 'Sessions.derived': 'asc' } },
    rows: [
      [false, 8],
      [true, 8],
    ],
  },
  'a time without a granularity, in UTC whatever the zone': {
    query: {
      measures: [count],
      dimensions: [time],
      filters: [where(time, 'onTheDate', '2024-10-28')],
      timezone: berlin,
      order: { [time]: 'asc' },
    },
    rows: [
      ['2024-10-27T23:00:00.000', 1],
      ['2024-10-27T23:59:59.999', 1],
      ['2024-10-28T12:00:00.000', 2],
    ],
  },
  'without a measure: each combination once': {
    query: {
      dimensions: ['TrackedEvents.projectId', 'TrackedEvents.eventType'],
      filters: [where('TrackedEvents.projectId', 'set')],
    },
    rows: [
      ['42', 'link_click'],
      ['42', 'pageview'],
      ['7', 'link_click'],
      ['7', 'pageview'],
    ],
  },
  'of sessions: those of the first event': {
    query: { measures: ['Sessions.count', 'Sessions.averageDurationMinutes'], dimensions: ['Sessions.agentName'] },
    rows: [
      [null, 5, 12],
      ['Firefox', 4, 30],
      ['Safari', 4, 7.5],
      ['Chrome', 2, 645],
      [hostileAgent, 1, 0],
    ],
  },
};

const segments: Readonly<Record<string, ContractQuestion>> = {
  'known users': { query: { measures: [count, users], segments: ['TrackedEvents.knownUsers'] }, rows: [[3, 2]] },
  'robots, by name or by useragent': {
    query: { measures: [count], dimensions: [agent], segments: ['TrackedEvents.bots'] },
    rows: [
      [null, 3],
      ['Googlebot', 2],
    ],
  },
  people: { query: { measures: [count], segments: ['TrackedEvents.humans'] }, rows: [[19]] },
  'several, which all hold': {
    query: { measures: [count], segments: ['TrackedEvents.humans', 'TrackedEvents.knownUsers'] },
    rows: [[3]],
  },
  'returning users': {
    query: { measures: ['ReturningUsers.count'], segments: ['ReturningUsers.returningUsers'] },
    rows: [[4]],
  },
};

const times: Readonly<Record<string, ContractQuestion>> = {
  'days in UTC': {
    query: per('day'),
    rows: [
      ['2024-10-25', 2],
      ['2024-10-26', 2],
      ['2024-10-27', 7],
      ['2024-10-28', 2],
      ['2024-11-01', 2],
      ['2024-11-03', 4],
      ['2024-11-04', 2],
      ['2024-11-06', 2],
      ['2024-11-07', 1],
    ].map(([date, events]) => [day(String(date)), events!]),
  },
  'days in Berlin': {
    query: per('day', ['2024-10-25', '2024-10-28'], berlin),
    rows: [
      [day('2024-10-25'), 1],
      [day('2024-10-26'), 2],
      [day('2024-10-27'), 6],
      [day('2024-10-28'), 4],
    ],
  },
  'days in New York': {
    query: per('day', ['2024-11-02', '2024-11-04'], newYork),
    rows: [
      [day('2024-11-02'), 1],
      [day('2024-11-03'), 4],
      [day('2024-11-04'), 1],
    ],
  },
  'hours of the long night in Berlin': {
    query: per('hour', ['2024-10-27T01:00:00', '2024-10-27T02:59:59.999'], berlin),
    rows: [
      ['2024-10-27T01:00:00.000+02:00', 1],
      ['2024-10-27T02:00:00.000+02:00', 2],
      ['2024-10-27T02:00:00.000+01:00', 2],
    ],
  },
  'hours of the long night in New York': {
    query: per('hour', '2024-11-03', newYork),
    rows: [
      ['2024-11-03T00:00:00.000-04:00', 1],
      ['2024-11-03T01:00:00.000-04:00', 1],
      ['2024-11-03T01:00:00.000-05:00', 1],
      ['2024-11-03T23:00:00.000-05:00', 1],
    ],
  },
  'hours in UTC': { query: per('hour', '2024-11-01'), rows: [['2024-11-01T10:00:00.000Z', 2]] },
  minutes: {
    query: per('minute', '2024-11-01', berlin),
    rows: [
      ['2024-11-01T11:00:00.000+01:00', 1],
      ['2024-11-01T11:30:00.000+01:00', 1],
    ],
  },
  seconds: {
    query: per('second', ['2024-10-27T22:59:59Z', '2024-10-27T23:59:59Z']),
    rows: [
      ['2024-10-27T22:59:59.000Z', 1],
      ['2024-10-27T23:00:00.000Z', 1],
    ],
  },
  'weeks, from Monday': {
    query: per('week', undefined, berlin),
    rows: [
      [day('2024-10-21'), 9],
      [day('2024-10-28'), 10],
      [day('2024-11-04'), 5],
    ],
  },
  months: {
    query: per('month', undefined, newYork),
    rows: [
      [day('2024-10-01'), 13],
      [day('2024-11-01'), 11],
    ],
  },
  quarters: { query: per('quarter'), rows: [[day('2024-10-01'), 24]] },
  years: { query: per('year'), rows: [[day('2024-01-01'), 24]] },
  'a range on a filter is the same range': {
    query: { ...per('day', undefined, berlin), filters: [where(time, 'inDateRange', '2024-10-27', '2024-10-28')] },
    rows: [
      [day('2024-10-27'), 6],
      [day('2024-10-28'), 4],
    ],
  },
  'a range without a granularity': {
    query: { measures: [count], timeDimensions: [{ dimension: time, dateRange: ['2024-11-04', '2024-11-30'] }] },
    rows: [[5]],
  },
  'a phrase, by the clock of the zone': {
    query: { measures: [count], timeDimensions: [{ dimension: time, dateRange: 'today' }], timezone: newYork },
    rows: [[2]],
  },
  'until the present, which is in to the millisecond': {
    query: { measures: [count], timeDimensions: [{ dimension: time, dateRange: 'since 2024-11-03' }] },
    rows: [[8]],
  },
  'sessions by the day in which they began': {
    query: {
      measures: ['Sessions.count', 'Sessions.averageDurationMinutes'],
      timeDimensions: [{ dimension: 'Sessions.startAt', granularity: 'day', dateRange: ['2024-10-26', '2024-10-27'] }],
      timezone: berlin,
    },
    rows: [
      [day('2024-10-26'), 1, 120],
      [day('2024-10-27'), 5, 18],
    ],
  },
  'users by the month of their first event': {
    query: {
      measures: ['ReturningUsers.count', 'ReturningUsers.returningUserPercentage'],
      timeDimensions: [{ dimension: 'ReturningUsers.first_timestamp', granularity: 'month' }],
    },
    rows: [
      [day('2024-10-01'), 4, 75],
      [day('2024-11-01'), 2, 50],
    ],
  },
  'buckets and dimensions': {
    query: { ...per('day', ['2024-11-03', '2024-11-04']), dimensions: [path] },
    rows: [
      ['/', day('2024-11-03'), 2],
      ['/docs', day('2024-11-03'), 2],
      ['/pricing', day('2024-11-04'), 2],
    ],
  },
  'two granularities at once': {
    query: {
      measures: [count],
      timeDimensions: [
        { dimension: time, granularity: 'month', dateRange: ['2024-10-31', '2024-11-30'] },
        { dimension: time, granularity: 'week' },
      ],
    },
    rows: [
      [day('2024-11-01'), day('2024-10-28'), 6],
      [day('2024-11-01'), day('2024-11-04'), 5],
    ],
  },
};

const orders: Readonly<Record<string, ContractQuestion>> = {
  'by default: time before all': {
    query: { ...per('month'), dimensions: ['TrackedEvents.eventType'] },
    rows: [
      ['link_click', day('2024-10-01'), 2],
      ['pageview', day('2024-10-01'), 9],
      ['signup', day('2024-10-01'), 2],
      ['link_click', day('2024-11-01'), 1],
      ['pageview', day('2024-11-01'), 9],
      [null, day('2024-11-01'), 1],
    ],
  },
  'by default: the first dimension where nothing is measured': {
    query: { dimensions: [agent], limit: 3 },
    rows: [[hostileAgent], ['Chrome'], ['Firefox']],
  },
  'upwards, ties by the dimension': {
    query: { measures: [users], dimensions: [agent], order: { [users]: 'asc' } },
    rows: [
      [hostileAgent, 0],
      ['Googlebot', 0],
      ['Safari', 1],
      ['Chrome', 2],
      ['Firefox', 2],
      [null, 2],
    ],
  },
  'downwards, what is missing last': {
    query: { dimensions: [agent], order: { [agent]: 'desc' } },
    rows: [['Safari'], ['Googlebot'], ['Firefox'], ['Chrome'], [hostileAgent], [null]],
  },
  'by several': {
    query: {
      measures: [count, users],
      dimensions: [agent],
      order: [
        [users, 'desc'],
        [count, 'asc'],
        [agent, 'desc'],
      ],
    },
    rows: [
      ['Chrome', 4, 2],
      ['Firefox', 5, 2],
      [null, 7, 2],
      ['Safari', 5, 1],
      [hostileAgent, 1, 0],
      ['Googlebot', 2, 0],
    ],
  },
  'of time, downwards': {
    query: { ...per('month'), order: { [time]: 'desc' } },
    rows: [
      [day('2024-11-01'), 11],
      [day('2024-10-01'), 13],
    ],
  },
  'hours of the long night as they pass': {
    query: { ...per('hour', ['2024-10-27T02:00:00', '2024-10-27T02:59:59.999'], berlin), order: { [time]: 'desc' } },
    rows: [
      ['2024-10-27T02:00:00.000+01:00', 2],
      ['2024-10-27T02:00:00.000+02:00', 2],
    ],
  },
  'a limit, and how many there would be': {
    query: { measures: [count], dimensions: [path], limit: 2, total: true },
    rows: [
      ['/', 7],
      ['/pricing', 5],
    ],
    total: 9,
  },
  'an offset goes on where the limit stopped': {
    query: { measures: [count], dimensions: [path], limit: 3, offset: 4, total: true },
    rows: [
      [hostilePath, 2],
      ['/Docs', 1],
      ['/café', 1],
    ],
    total: 9,
  },
  'an offset beyond the end': {
    query: { measures: [count], dimensions: [path], offset: 9, total: true },
    rows: [],
    total: 9,
  },
  'a limit of 0': { query: { measures: [count], dimensions: [path], limit: 0 }, rows: [] },
  'a total of what a filter on a measure leaves': {
    query: { measures: [count], dimensions: [path], filters: [where(count, 'gt', 1)], limit: 1, total: true },
    rows: [['/', 7]],
    total: 5,
  },
};

const comparisons: Readonly<Record<string, ContractQuestion>> = {
  'the groups that a limit leaves in the first range, and a total of all': {
    query: {
      measures: [count],
      dimensions: [path],
      timeDimensions: [{ dimension: time, compareDateRange: ['2024-11-03', '2024-11-06'] }],
      limit: 1,
      total: true,
    },
    rows: [['2024-11-03T00:00:00.000 - 2024-11-03T23:59:59.999', '/', 2]],
    total: 4,
  },
  'ranges below one another, each with its name': {
    query: {
      measures: [count],
      dimensions: ['TrackedEvents.eventType'],
      timeDimensions: [{ dimension: time, compareDateRange: ['2024-10-27', ['2024-10-28', '2024-11-01']] }],
      timezone: berlin,
    },
    rows: [
      ['2024-10-27T00:00:00.000 - 2024-10-27T23:59:59.999', 'pageview', 5],
      ['2024-10-27T00:00:00.000 - 2024-10-27T23:59:59.999', 'link_click', 1],
      ['2024-10-28T00:00:00.000 - 2024-11-01T23:59:59.999', 'pageview', 3],
      ['2024-10-28T00:00:00.000 - 2024-11-01T23:59:59.999', 'signup', 2],
      ['2024-10-28T00:00:00.000 - 2024-11-01T23:59:59.999', 'link_click', 1],
    ],
  },
};

/** Questions that every backend answers alike, without fill. */
export const contractQuestions: Readonly<Record<string, Readonly<Record<string, ContractQuestion>>>> = {
  measures,
  dimensions,
  filters: filterQuestions,
  segments,
  time: times,
  'order, limit and offset': orders,
  comparisons,
};
