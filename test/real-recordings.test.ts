import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Query } from '../src/ask/query/query.ts';
import { openWithSession, type SluiceWithSession } from './use/open-session.ts';
import type { RunningServer } from '../src/use/server/running-server.ts';
import { openServer } from '../src/use/server/open-server.ts';
import type { ExportedEvent } from './contract/exported-events.ts';
import { answerSlowly } from './contract/oracle.ts';
import { type Cell, toStore } from './contract/oracle-rows.ts';
import { expectTable, type Table, tableOf } from './contract/tables.ts';
import { readRealEvents } from './data/real-events.ts';
import { realEvents } from './data/real-events.ts';

const now = Date.parse('2015-06-01T00:00:00Z');
const whole: [string, string] = ['2015-05-17', '2015-05-20'];
const [count, pages, users] = ['count', 'pageViewsCount', 'uniqueUsersCount'].map(
  (name) => `TrackedEvents.${name}`,
) as [string, string, string];
const time = (granularity?: string, dateRange: [string, string] = whole) => ({
  timeDimensions: [{ dimension: 'TrackedEvents.utcTime', dateRange, ...(granularity && { granularity }) }],
});
const where = (member: string, operator: string, ...values: string[]) => ({
  member: `TrackedEvents.${member}`,
  operator,
  ...(values.length > 0 && { values }),
});

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland', 'America/St_Johns'];
const dimensions = ['eventType', 'agentName', 'docPath', 'referer', 'useragent'].map((name) => `TrackedEvents.${name}`);
const filters = [
  where('eventType', 'equals', 'link_click'),
  where('docPath', 'startsWith', '/projects/'),
  where('docPath', 'notContains', 'blog'),
  where('agentName', 'notEquals', 'bot'),
  where('referer', 'set'),
  where('useragent', 'contains', 'Windows'),
];

const questions = {
  'all measures': { measures: [count, pages, users, 'TrackedEvents.linkClicksCount'] },
  ...Object.fromEntries(
    dimensions.map((dimension) => [
      `by ${dimension}`,
      {
        measures: [count, users],
        dimensions: [dimension],
        order: [
          [count, 'desc'],
          [dimension, 'asc'],
        ],
        limit: 15,
      },
    ]),
  ),
  ...Object.fromEntries(
    zones.flatMap((timezone) =>
      ['hour', 'day', 'week'].map((granularity) => [
        `by ${granularity} in ${timezone}`,
        { measures: [count, users], ...time(granularity), timezone },
      ]),
    ),
  ),
  ...Object.fromEntries(
    filters.map((filter) => [
      `where ${filter.member} ${filter.operator}`,
      { measures: [count, users], ...time('day'), filters: [filter] },
    ]),
  ),
  'pages above a number of views': {
    measures: [pages, users],
    dimensions: ['TrackedEvents.docPath'],
    filters: [{ member: pages, operator: 'gte', values: ['40'] }],
    order: [[pages, 'desc']],
  },
  'one of two conditions': {
    measures: [count],
    dimensions: ['TrackedEvents.eventType'],
    filters: [{ or: [where('docPath', 'endsWith', '.pdf'), where('agentName', 'equals', 'bot')] }],
  },
  'a page of groups': {
    measures: [count],
    dimensions: ['TrackedEvents.docPath'],
    order: [
      [count, 'desc'],
      ['TrackedEvents.docPath', 'asc'],
    ],
    limit: 5,
    offset: 10,
    total: true,
  },
  'no event is left': { measures: [count, users], filters: [where('eventType', 'equals', 'nothing')] },
} as unknown as Readonly<Record<string, Query>>;

const store = toStore(readRealEvents().map(toExported), { project: undefined, user: 'anonymous' });
const recorded = Object.fromEntries(
  Object.entries(questions).map(([name, query]) => {
    const { keys, rows } = answerSlowly(query, store, { now, zone: 'UTC', weekStart: 1, fill: 'none' });
    return [name, { query, columns: keys, rows: rows.map(({ cells }) => keys.map((key) => cells[key]!)) }];
  }),
);

describe('recordings of real events', () => {
  let sluice: SluiceWithSession;
  let server: RunningServer;

  beforeAll(async () => {
    sluice = await openWithSession({ events: [realEvents] });
    server = await openServer({ session: sluice.session });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await sluice[Symbol.asyncDispose]();
  });

  it('agree with a slow reference count', async () => {
    const lines = Object.entries(recorded).map(([name, each]) => `${JSON.stringify(name)}: ${JSON.stringify(each)}`);
    await expect(`{\n${lines.join(',\n')}\n}\n`).toMatchFileSnapshot('./data/recordings.json');
  });

  it.each(Object.entries(recorded))('%s: the library', async (_, { query, columns, rows }) => {
    const result = await sluice.query(query, { asOf: now, fill: 'none' });
    expect(result.columns.map(({ key }) => key)).toEqual(columns);
    expectTable(tableOf(result), rows);
  });

  it.each(Object.entries(recorded))('%s: the server', async (_, { query, columns, rows }) => {
    const response = await fetch(`${server.url}/cubejs-api/v1/load`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    expect(response.status).toBe(200);
    const { data } = (await response.json()) as { data: readonly Readonly<Record<string, Cell>>[] };
    expectTable(
      data.map((row): Table[number] => columns.map((key) => row[key] ?? null)),
      rows.map((row) => row.map(toWire)),
    );
  });
});

/** Numbers travel as text, and hours as local time. */
function toWire(cell: Cell): Cell {
  if (typeof cell === 'number') return String(cell);
  return typeof cell === 'string' && isHour.test(cell) ? cell.slice(0, 23) : cell;
}

const isHour = /^\d{4}-\d\d-\d\dT\d\d:00:00\.000(?:Z|[+-]\d\d:\d\d)$/;

function toExported(event: Readonly<Record<string, string>>): ExportedEvent {
  return Object.fromEntries(
    Object.entries(event).map(([key, value]) => [key.replace('TrackedEvents.', ''), value]),
  ) as unknown as ExportedEvent;
}
