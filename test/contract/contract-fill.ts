import type { Query } from '../../src/ask/query/query.ts';
import { filled, partialByPresent, partialByRange } from '../../src/shape/result/marks.ts';
import type { AnswerOptions } from '../../src/use/index.ts';
import {
  agent,
  berlin,
  type ContractQuestion,
  count,
  day,
  newYork,
  path,
  per,
  time,
  users,
  where,
} from './contract-words.ts';
import type { Cell } from './oracle-rows.ts';

export interface FillQuestion extends Omit<ContractQuestion, 'rows'> {
  readonly options?: Pick<AnswerOptions, 'fill' | 'fillWith'>;
  /** The marks of each row follow its cells. */
  readonly rows: readonly (readonly [...(readonly Cell[]), marks: number])[];
  readonly note?: RegExp;
  readonly truncated?: number;
}

const all = { fill: 'all' } as const;
const sessionsPerDay: Query = {
  measures: ['Sessions.count', 'Sessions.averageDurationMinutes'],
  timeDimensions: [{ dimension: 'Sessions.startAt', granularity: 'day', dateRange: ['2024-11-03', '2024-11-05'] }],
};
/** Three days, two series: one page on the first day, another on the second. */
const perPage: Query = { ...per('day', ['2024-11-03', '2024-11-05']), dimensions: [path] };

/** The rows that an engine with the whole answer adds, and their marks. */
export const fillQuestions: Readonly<Record<string, FillQuestion>> = {
  'missing days are 0, both ends of the range in': {
    query: per('day', ['2024-10-24', '2024-10-30']),
    rows: [
      [day('2024-10-24'), 0, filled],
      [day('2024-10-25'), 2, 0],
      [day('2024-10-26'), 2, 0],
      [day('2024-10-27'), 7, 0],
      [day('2024-10-28'), 2, 0],
      [day('2024-10-29'), 0, filled],
      [day('2024-10-30'), 0, filled],
    ],
  },
  'so are those of a range on a filter': {
    query: { ...per('day'), filters: [where(time, 'inDateRange', '2024-10-31', '2024-11-02')] },
    rows: [
      [day('2024-10-31'), 0, filled],
      [day('2024-11-01'), 2, 0],
      [day('2024-11-02'), 0, filled],
    ],
  },
  'and those of a range on the same time, named once more': {
    query: {
      measures: [count],
      timeDimensions: [
        { dimension: time, granularity: 'day' },
        { dimension: time, dateRange: ['2024-11-01', '2024-11-02'] },
      ],
    },
    rows: [
      [day('2024-11-01'), 2, 0],
      [day('2024-11-02'), 0, filled],
    ],
  },
  'days are those of the zone': {
    query: per('day', ['2024-11-01', '2024-11-03'], newYork),
    rows: [
      [day('2024-11-01'), 2, 0],
      [day('2024-11-02'), 1, 0],
      [day('2024-11-03'), 4, 0],
    ],
  },
  'each series has days of its own, that of missing values too': {
    query: {
      ...per('day', ['2024-10-27', '2024-10-29']),
      dimensions: [agent],
      filters: [where(agent, 'equals', 'Googlebot', null)],
    },
    rows: [
      ['Googlebot', day('2024-10-27'), 0, filled],
      [null, day('2024-10-27'), 3, 0],
      ['Googlebot', day('2024-10-28'), 2, 0],
      [null, day('2024-10-28'), 0, filled],
      ['Googlebot', day('2024-10-29'), 0, filled],
      [null, day('2024-10-29'), 0, filled],
    ],
  },
  'a series without any event has its days, too': {
    query: { ...per('day', ['2024-10-29', '2024-10-30']), filters: [where(path, 'equals', 'nowhere')] },
    rows: [
      [day('2024-10-29'), 0, filled],
      [day('2024-10-30'), 0, filled],
    ],
  },
  'no series at all has none': { query: { ...per('day', ['2024-10-29', '2024-10-30']), dimensions: [path] }, rows: [] },
  'an average of nothing is nothing': {
    query: sessionsPerDay,
    rows: [
      [day('2024-11-03'), 4, 0, 0],
      [day('2024-11-04'), 2, 0, 0],
      [day('2024-11-05'), 0, null, filled],
    ],
  },
  'or 0, where that is asked for': {
    query: sessionsPerDay,
    options: { fillWith: 0 },
    rows: [
      [day('2024-11-03'), 4, 0, 0],
      [day('2024-11-04'), 2, 0, 0],
      [day('2024-11-05'), 0, 0, filled],
    ],
  },
  'nothing is filled where that is asked for': {
    query: per('day', ['2024-10-24', '2024-10-25']),
    options: { fill: 'none' },
    rows: [[day('2024-10-25'), 2, 0]],
  },
  'weeks are, and begin before the range': {
    query: per('week', ['2024-10-10', '2024-10-29']),
    rows: [
      [day('2024-10-07'), 0, filled + partialByRange],
      [day('2024-10-14'), 0, filled],
      [day('2024-10-21'), 11, 0],
      [day('2024-10-28'), 2, partialByRange],
    ],
  },
  'so are hours, each of the two that have one name': {
    query: per('hour', ['2024-11-03T00:30:00', '2024-11-03T02:15:00'], newYork),
    rows: [
      ['2024-11-03T00:00:00.000-04:00', 0, filled + partialByRange],
      ['2024-11-03T01:00:00.000-04:00', 1, 0],
      ['2024-11-03T01:00:00.000-05:00', 1, 0],
      ['2024-11-03T02:00:00.000-05:00', 0, filled + partialByRange],
    ],
  },
  'the limit does not count what is added, and what it cuts does not come back': {
    query: { ...perPage, limit: 1, total: true },
    total: 3,
    truncated: 1,
    rows: [
      ['/', day('2024-11-03'), 2, 0],
      ['/', day('2024-11-04'), 0, filled],
      ['/', day('2024-11-05'), 0, filled],
    ],
  },
  'nor does the offset': {
    query: { ...perPage, offset: 2 },
    rows: [
      ['/pricing', day('2024-11-03'), 0, filled],
      ['/pricing', day('2024-11-04'), 2, 0],
      ['/pricing', day('2024-11-05'), 0, filled],
    ],
  },
  'a limit of 0 is 0 rows': {
    query: { ...per('day', ['2024-10-24', '2024-10-30']), limit: 0 },
    rows: [],
    truncated: 0,
  },
  'zeros stand last where the most come first': {
    query: { ...per('day', ['2024-11-01', '2024-11-04']), order: { [count]: 'desc' } },
    rows: [
      [day('2024-11-03'), 4, 0],
      [day('2024-11-01'), 2, 0],
      [day('2024-11-04'), 2, 0],
      [day('2024-11-02'), 0, filled],
    ],
  },
  'and first where the least do, among the zeros that were counted': {
    query: {
      measures: [users, count],
      timeDimensions: [{ dimension: time, granularity: 'day', dateRange: ['2024-10-27', '2024-10-30'] }],
      order: [[users, 'asc']],
    },
    rows: [
      [day('2024-10-28'), 0, 2, 0],
      [day('2024-10-29'), 0, 0, filled],
      [day('2024-10-30'), 0, 0, filled],
      [day('2024-10-27'), 3, 7, 0],
    ],
  },
  'missing averages stand last, upwards': {
    query: { ...sessionsPerDay, order: { 'Sessions.averageDurationMinutes': 'asc' } },
    rows: [
      [day('2024-11-03'), 4, 0, 0],
      [day('2024-11-04'), 2, 0, 0],
      [day('2024-11-05'), 0, null, filled],
    ],
  },
  'and downwards': {
    query: {
      ...sessionsPerDay,
      timeDimensions: [{ dimension: 'Sessions.startAt', granularity: 'day', dateRange: ['2024-10-31', '2024-11-03'] }],
      order: { 'Sessions.averageDurationMinutes': 'desc' },
    },
    rows: [
      [day('2024-11-01'), 1, 30, 0],
      [day('2024-11-03'), 4, 0, 0],
      [day('2024-10-31'), 0, null, filled],
      [day('2024-11-02'), 0, null, filled],
    ],
  },
  'days downwards': {
    query: { ...per('day', ['2024-10-31', '2024-11-01']), order: { [time]: 'desc' } },
    rows: [
      [day('2024-11-01'), 2, 0],
      [day('2024-10-31'), 0, filled],
    ],
  },
  'the present day and what is to come are not over yet': {
    query: per('day', ['2024-11-05', '2024-11-08']),
    rows: [
      [day('2024-11-05'), 0, filled],
      [day('2024-11-06'), 2, partialByPresent],
      [day('2024-11-07'), 1, partialByPresent],
      [day('2024-11-08'), 0, filled + partialByPresent],
    ],
  },
  'the present day is not over where nothing happened on it either': {
    query: { ...per('day', ['2024-11-05', '2024-11-06']), filters: [where(path, 'equals', 'nowhere')] },
    rows: [
      [day('2024-11-05'), 0, filled],
      [day('2024-11-06'), 0, filled + partialByPresent],
    ],
  },
  'days that the range cuts are partial': {
    query: per('day', ['2024-10-28T12:00:00', '2024-10-30T12:00:00'], berlin),
    rows: [
      [day('2024-10-28'), 2, partialByRange],
      [day('2024-10-29'), 0, filled],
      [day('2024-10-30'), 0, filled + partialByRange],
    ],
  },
  'a range back to front is empty': {
    query: per('day', ['2024-10-28', '2024-10-27']),
    rows: [],
    note: /ends before it begins/,
  },
  'a filter on a measure may have removed what is missing': {
    query: { ...per('day', ['2024-11-01', '2024-11-04']), filters: [where(count, 'gt', 2)] },
    rows: [[day('2024-11-03'), 4, 0]],
    note: /filter on a measure/,
  },
  'without a range, a single series ends with its rows': {
    query: per('month'),
    rows: [
      [day('2024-10-01'), 13, 0],
      [day('2024-11-01'), 11, partialByPresent],
    ],
  },
  'and nobody knows where several begin': {
    query: { ...per('month'), dimensions: [agent], filters: [where(agent, 'equals', 'Googlebot')] },
    options: all,
    rows: [['Googlebot', day('2024-10-01'), 2, 0]],
    note: /without a date range/,
  },
  'two axes are left alone': {
    query: {
      measures: [count],
      timeDimensions: [
        { dimension: time, granularity: 'day', dateRange: ['2024-11-01', '2024-11-02'] },
        { dimension: time, granularity: 'hour' },
      ],
    },
    rows: [[day('2024-11-01'), '2024-11-01T10:00:00.000Z', 2, 0]],
    note: /more than one time axis/,
  },
  'each range of a comparison is filled by itself': {
    query: {
      measures: [count],
      timeDimensions: [
        { dimension: time, granularity: 'day', compareDateRange: [['2024-11-01', '2024-11-02'], '2024-10-29'] },
      ],
    },
    rows: [
      ['2024-11-01T00:00:00.000 - 2024-11-02T23:59:59.999', day('2024-11-01'), 2, 0],
      ['2024-11-01T00:00:00.000 - 2024-11-02T23:59:59.999', day('2024-11-02'), 0, filled],
      ['2024-10-29T00:00:00.000 - 2024-10-29T23:59:59.999', day('2024-10-29'), 0, filled],
    ],
    note: /differ in length: 2 and 1 days/,
  },
};
