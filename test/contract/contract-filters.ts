import type { Filter } from '../../src/ask/query/query.ts';
import { hostileAgent, hostilePath } from './contract-events.ts';
import { agent, count, offset, path, time, users, where, type ContractQuestion } from './contract-words.ts';

/** The filters leave this many events. */
const leaves = (events: number, ...filters: readonly Filter[]): ContractQuestion => ({
  query: { measures: [count], filters },
  rows: [[events]],
});

/** Every operator, alone and in groups. */
export const filterQuestions: Readonly<Record<string, ContractQuestion>> = {
  'equals one': leaves(4, where(path, 'equals', '/docs')),
  'equals one of several': leaves(6, where(path, 'equals', '/docs', '/a')),
  'equals null': leaves(7, where(agent, 'equals', null)),
  'equals a value or null': leaves(12, where(agent, 'equals', 'Safari', null)),
  'equals hostile text': leaves(2, where(path, 'equals', hostilePath)),
  'notEquals keeps what is missing': leaves(19, where(agent, 'notEquals', 'Safari')),
  'notEquals a value and null': leaves(12, where(agent, 'notEquals', 'Safari', null)),
  'notEquals null': leaves(17, where(agent, 'notEquals', null)),
  in: leaves(9, where(agent, 'in', 'Safari', 'Chrome')),
  notIn: leaves(15, where(agent, 'notIn', 'Safari', 'Chrome')),
  'contains, whatever the letter case': leaves(6, where(path, 'contains', 'DOC')),
  'contains nothing: all that there is': leaves(17, where(agent, 'contains', '')),
  'contains a per cent sign': leaves(1, where('TrackedEvents.pageTitle', 'contains', '%')),
  'contains an underscore': leaves(1, where('TrackedEvents.pageTitle', 'contains', '_')),
  'contains a backslash': leaves(1, where('TrackedEvents.pageTitle', 'contains', '\\')),
  'contains a value, or null': leaves(12, where(agent, 'contains', 'fire', null)),
  'notContains keeps what is missing': leaves(13, where(agent, 'notContains', 'O')),
  'notContains a value nor null': leaves(6, where(agent, 'notContains', 'o', null)),
  startsWith: leaves(6, where(path, 'startsWith', '/DOCS')),
  notStartsWith: leaves(1, where(path, 'notStartsWith', '/')),
  'endsWith one of several': leaves(6, where(path, 'endsWith', 'Install', 'docs')),
  notEndsWith: leaves(19, where(path, 'notEndsWith', 's')),
  gt: leaves(3, where(offset, 'gt', 0)),
  gte: leaves(4, where(offset, 'gte', '0')),
  lt: leaves(2, where(offset, 'lt', '12.5')),
  lte: leaves(4, where(offset, 'lte', 12.5)),
  'gt of text, by code point': leaves(7, where(path, 'gt', '/docs')),
  'equals a number': leaves(2, where(offset, 'equals', '12.50')),
  'notEquals a number': leaves(23, where(offset, 'notEquals', 0)),
  'equals true': {
    query: { measures: ['Sessions.count'], filters: [where('Sessions.derived', 'equals', true)] },
    rows: [[8]],
  },
  set: leaves(17, where(agent, 'set')),
  notSet: leaves(7, where(agent, 'notSet')),
  measureFilter: leaves(3, where('TrackedEvents.linkClicksCount', 'measureFilter')),
  'inDateRange: whole days, both in': leaves(9, where(time, 'inDateRange', '2024-10-27', '2024-10-28')),
  'inDateRange of one day': leaves(7, where(time, 'inDateRange', '2024-10-27')),
  'inDateRange of instants, both in': leaves(
    2,
    where(time, 'inDateRange', '2024-10-25T21:59:59.999Z', '2024-10-25T22:00:00.000Z'),
  ),
  'inDateRange of a phrase': leaves(6, where(time, 'inDateRange', 'last 3 days')),
  'inDateRange back to front: nothing': leaves(0, where(time, 'inDateRange', '2024-10-28', '2024-10-27')),
  notInDateRange: leaves(17, where(time, 'notInDateRange', '2024-10-27', '2024-10-27')),
  onTheDate: leaves(7, where(time, 'onTheDate', '2024-10-27')),
  beforeDate: leaves(4, where(time, 'beforeDate', '2024-10-27')),
  beforeOrOnDate: leaves(11, where(time, 'beforeOrOnDate', '2024-10-27')),
  afterDate: leaves(13, where(time, 'afterDate', '2024-10-27')),
  afterOrOnDate: leaves(20, where(time, 'afterOrOnDate', '2024-10-27')),
  'all of several': leaves(2, where(path, 'equals', '/'), where(agent, 'equals', 'Firefox')),
  or: leaves(10, { or: [where(path, 'equals', '/'), where(agent, 'equals', 'Firefox')] }),
  'or of nothing: no filter at all': leaves(24, { or: [] }),
  'and within or within and': leaves(4, {
    and: [
      where('TrackedEvents.eventType', 'equals', 'pageview'),
      { or: [{ and: [where(path, 'equals', '/'), where(agent, 'notSet')] }, where(path, 'equals', '/a')] },
    ],
  }),
  'times within or, beside a range': {
    query: {
      measures: [count],
      timeDimensions: [{ dimension: time, dateRange: ['2024-10-26', '2024-11-03'] }],
      filters: [
        { or: [where(time, 'beforeDate', '2024-10-27'), where(time, 'inDateRange', '2024-11-03', '2024-11-30')] },
      ],
    },
    rows: [[6]],
  },
  'on a measure': {
    query: { measures: [count], dimensions: [path], filters: [where(count, 'gt', 4)] },
    rows: [
      ['/', 7],
      ['/pricing', 5],
    ],
  },
  'on measures that are not asked for, one or the other': {
    query: {
      measures: [count],
      dimensions: [path],
      filters: [{ or: [where(count, 'gte', '7'), where(users, 'equals', 0)] }],
    },
    rows: [
      ['/', 7],
      [hostilePath, 2],
      ['/café', 1],
    ],
  },
  'on a measure that is missing': {
    query: {
      measures: ['Sessions.count'],
      dimensions: ['Sessions.agentName'],
      filters: [where('Sessions.averagePerUser', 'notSet')],
    },
    rows: [[hostileAgent, 1]],
  },
};
