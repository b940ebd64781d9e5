import { describe, expect, it } from 'vitest';
import { proposeMapping } from '../../../src/plan/mapping/propose-mapping.ts';
import type { ShapeColumn } from '../../../src/plan/mapping/preset.ts';
import { botCondition } from '../../../src/plan/model/bot-agents.ts';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { eventFields } from '../../../src/plan/model/event-fields.ts';
import { factsRead } from '../../../src/run/duckdb/reading/recognise-fields.ts';

describe('the facts that a statement reads', () => {
  it('are found in its code, not in its texts', () => {
    const mapped = {
      fields: [{ column: 'event', name: 'event', type: 'text', parts: [] }],
      roots: [],
      consumed: [],
    } as unknown as NonNullable<Parameters<typeof factsRead>[1]>;
    expect(factsRead("SELECT error('an event came, it''s an event')", mapped)).toEqual([]);
    expect(factsRead('SELECT count(e.event)', mapped).map(({ title }) => title)).toEqual(['event']);
  });

  const builtIn = builtInModel.cubes.find(({ name }) => name === 'TrackedEvents')!;
  const columns = eventFields.map(({ column }) => column).filter((column) => column !== 'utc_time');

  it.each(columns)('tell the lack of %s where a dimension is the column', (column) => {
    const statement = `SELECT "TrackedEvents".${column} AS "TrackedEvents.one" FROM "events" AS "TrackedEvents"`;
    const asked = /^utm_|^device_class$/.test(column) ? visitStatement(column) : statement;
    expect(factsRead(asked, undefined).map(({ columns }) => columns[0])).toContain(column);
  });

  it('are told in the words of the dimensions', () => {
    for (const { label, expression } of builtIn.dimensions) {
      if (expression.kind !== 'sql' || expression.sql.length !== 2) continue;
      const column = expression.sql[1]?.kind === 'text' ? expression.sql[1].text.slice(1) : '';
      if (column === 'utc_time') continue;
      const facts = factsRead(`SELECT "E".${column} AS "E.one" FROM "events" AS "E"`, undefined);
      expect(facts.map(({ title }) => title.toLowerCase())).toContain(label!.toLowerCase());
    }
  });

  it('are not those of columns that something else reads', () => {
    const read = (expression: string) =>
      factsRead(`SELECT ${expression} AS "E.one" FROM "events" AS "E"`, undefined).map(({ title }) => title);
    expect(read('traffic_source("E".utm_source, "E".doc_search, "E".referer, "E".doc_host)')).toEqual([
      'traffic source',
    ]);
    expect(read('device_class_of("E".device_class, "E".agent_name, "E".useragent)')).toEqual(['device class']);
    expect(read(botCondition('"E"'))).toEqual(['user agent']);
    expect(read(`json_extract_string("E".custom_event_props, '/plan')`)).toEqual([]);
    // A table of the model has columns of its own.
    expect(factsRead('SELECT "U".page_title FROM "events" AS "E" LEFT JOIN "users" AS "U" ON true', undefined)).toEqual(
      [],
    );
    // Sessions read who, when and in which session by themselves.
    const sessions =
      'SELECT count(coalesce("S".session_id, "S".session_key)) FROM (SELECT project_id, session_id, event_id FROM "events") AS "S"';
    expect(factsRead(sessions, undefined)).toEqual([]);
  });
});

/** As `plan/model/visit-dimensions.ts` reads these. */
function visitStatement(column: string): string {
  return column === 'device_class'
    ? 'SELECT device_class_of("E".device_class, "E".agent_name, "E".useragent)'
    : `SELECT campaign_field("E".${column}, "E".doc_search, '${column}')`;
}

describe('a proposal', () => {
  const column = (name: string, ...examples: string[]): ShapeColumn =>
    ({ name, type: 'text', filled: 1, distinct: examples.length, examples, fields: [] }) as unknown as ShapeColumn;

  it.each(['url', 'href', 'path'])('takes paths in a column %s for the page', (name) => {
    const { mapping, missing } = proposeMapping({
      kind: 'csv',
      columns: [column('created_at', '2024-03-01 10:00:00'), column(name, '/article/1', '/article/2')],
      has: () => false,
    });
    expect(mapping.columns['docPath']).toBe(name);
    expect(missing).not.toContain('page');
  });

  it.each([
    ['to the hour', '2024-03-08T10Z', '2024-03-08 11'],
    ['by week', '2024-W10-5T10:00:00Z', '2024W105T1130Z'],
    ['of days by week', '2024-W10-5', '2024-W11-1'],
    ['by day of the year', '2024-068T10:00:00Z', '2024068T1000Z'],
    ['of days without signs', '20240308', '20240309'],
  ])('takes ISO times %s for the time', (_what, ...examples) => {
    const { mapping, missing } = proposeMapping({
      kind: 'csv',
      columns: [column('created_at', ...examples), column('path', '/article/1', '/article/2')],
      has: () => false,
    });
    expect(mapping.columns['utcTime']).toBe('created_at');
    expect(missing).not.toContain('time');
  });

  it('takes a column for the time by its name where none has readable times, and says that it is no more', () => {
    const written = ['Fri Mar 08 2024 10:00:00 GMT+0000 (UTC)', 'Sat Mar 09 2024 10:00:00 GMT+0000 (UTC)'];
    const ofNames = (...columns: ShapeColumn[]) => proposeMapping({ kind: 'csv', columns, has: () => false });
    const alone = ofNames(column('created_at', ...written), column('path', '/article/1'));
    expect(alone.columns[0]).toMatchObject({ field: 'utcTime', confidence: 'likely' });
    const beside = ofNames(column('created_at', ...written), column('begun', '2024-03-08 10:00:00'));
    expect(beside.mapping.columns).toMatchObject({ utcTime: 'begun' });
    expect(ofNames(column('created_at'), column('path', '/article/1')).missing).toContain('time');
  });

  const filled = (share: number, one: ShapeColumn): ShapeColumn => ({ ...one, filled: share });
  const propose = (...columns: ShapeColumn[]) => proposeMapping({ kind: 'csv', columns, has: () => false });
  const time = column('timestamp', '2024-03-01 10:00:00');

  it('takes the type from two columns where trackers name custom events in one and page views in another', () => {
    const { mapping, types } = propose(
      time,
      column('eventType', 'pageview', 'event'),
      filled(0.2, column('eventName', 'Sign Up')),
    );
    expect(mapping.columns['eventType']).toEqual(['eventName', 'eventType']);
    expect(types).toEqual([]);
  });

  it('takes no empty column for the type, and none for the user where another has values', () => {
    const empty = (name: string) => filled(0, { ...column(name), type: 'empty' });
    const pages = propose(time, column('anonymous_id', 'a1'), empty('user_id'), empty('name'));
    expect(pages.missing).toEqual(['event type', 'page']);
    expect(propose(time, empty('user_id')).missing).toContain('user');
  });

  it('joins a date and a time of day, and reads dates with dots as the whole world writes them', () => {
    const date = column('Datum', '05.10.2026', '06.10.2026');
    expect(propose(date, column('Uhrzeit', '04:21:32', '9:05')).mapping.columns['utcTime']).toEqual({
      sql: `"Datum" || ' ' || "Uhrzeit"`,
      format: 'day-first',
    });
    expect(propose(date).mapping.columns['utcTime']).toEqual({ column: 'Datum', format: 'day-first' });
    expect(propose(column('date', '05/10/2026'), column('a', '1:00'), column('b', '2:00')).mapping.columns).toEqual({
      utcTime: 'date',
    });
    expect(propose(time, column('duration', '00:10:00')).mapping.columns).toEqual({ utcTime: 'timestamp' });
  });

  it('says that columns are figures, and that no type looks like a page view', () => {
    const number = (name: string): ShapeColumn => ({ ...column(name, '12', '3'), type: 'number' });
    expect(propose(time, column('path', '/'), number('Pageviews'), number('Visits')).figures).toEqual([
      'Pageviews',
      'Visits',
    ]);
    expect(propose(time, column('user_id', 'u'), number('pageviews'), number('visits')).figures).toEqual([]);
    expect(propose(time, column('event', 'opened', 'closed')).types).toEqual(['opened', 'closed']);
    expect(propose(time, column('event', 'opened', 'Page View')).types).toEqual([]);
    for (const name of [
      'Page_View',
      'PAGE-VIEW',
      'PageViewed',
      'page_viewed',
      'view_page',
      'screen_view',
      'ScreenViewed',
      '$screen',
    ]) {
      const { types, mapping } = propose(time, column('event', 'opened', name));
      expect([types, mapping.columns['eventType']]).toEqual([[], { column: 'event', values: { [name]: 'pageview' } }]);
    }
    expect(propose(time, column('event', 'opened', 'page_view')).mapping.columns['eventType']).toBe('event');
  });

  it('reads what lies within an object by the name of both', () => {
    const inside = (name: string, value: object): ShapeColumn => ({
      ...column(name, JSON.stringify(value)),
      type: 'object',
    });
    const { mapping } = propose(
      time,
      inside('actor', { id: 'u1' }),
      inside('session', { id: 's1' }),
      inside('event', { name: 'opened' }),
      inside('order', { id: '7', session: { name: 'x' } }),
    );
    expect(mapping.columns).toMatchObject({
      userId: '$.actor.id',
      sessionId: '$.session.id',
      eventType: '$.event.name',
    });
  });

  it('finds the list of the events in one object, and no other list', () => {
    const list = (name: string, value: unknown): ShapeColumn => ({
      ...column(name, JSON.stringify(value)),
      type: 'list',
    });
    const ofJson = (...columns: ShapeColumn[]) => proposeMapping({ kind: 'json', columns, has: () => false }).wrapped;
    expect(ofJson(column('from', '2024-03-01'), list('results', [{ visitor: 'v', at: 1709892000000 }]))).toBe(
      'results',
    );
    expect(ofJson(time, list('items', [{ sku: 'a' }]))).toBeUndefined();
    expect(ofJson(column('id', '1', '2'), list('log', [{ at: '2024-03-01' }]))).toBeUndefined();
  });

  it('takes fractions of milliseconds and microseconds for times', () => {
    for (const text of ['1791188921014.7056', '1791188921014705.5', '1791188921.25'])
      expect(propose(column('ts', text)).missing).not.toContain('time');
  });
});
