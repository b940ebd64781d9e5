import { describe, expect, it } from 'vitest';
import { proposeMapping } from '../../../src/plan/mapping/propose-mapping.ts';
import { toShape } from '../../../src/plan/mapping/to-shape.ts';
import type { ShapeColumn } from '../../../src/plan/mapping/preset.ts';
import { botCondition } from '../../../src/plan/model/bot-agents.ts';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { eventFields } from '../../../src/plan/model/event-fields.ts';
import { factsRead } from '../../../src/run/events/expected-facts.ts';

describe('the facts that a statement reads', () => {
  it('are found in its code, not in its texts', () => {
    const from = 'FROM "events" AS "E"';
    expect(factsRead(`SELECT error('an "E".event came, it''s an "E".event') ${from}`)).toEqual([]);
    expect(factsRead(`SELECT count("E".event) ${from}`).map(({ title }) => title)).toEqual(['event class']);
    // As analyses read a breakdown.
    const looked = factsRead('SELECT CAST("looked_at".page_title AS VARCHAR) FROM "events" AS looked_at');
    expect(looked.map(({ title }) => title)).toEqual(['page title']);
  });

  const builtIn = builtInModel.cubes.find(({ name }) => name === 'TrackedEvents')!;
  const columns = eventFields.map(({ column }) => column).filter((column) => column !== 'utc_time');

  it.each(columns)('tell the lack of %s where a dimension is the column', (column) => {
    const statement = `SELECT "TrackedEvents".${column} AS "TrackedEvents.one" FROM "events" AS "TrackedEvents"`;
    const asked = /^utm_|^device_class$/.test(column) ? visitStatement(column) : statement;
    expect(factsRead(asked).map(({ columns }) => columns[0])).toContain(column);
  });

  it('are told in the words of the dimensions', () => {
    for (const { label, expression } of builtIn.dimensions) {
      if (expression.kind !== 'sql' || expression.sql.length !== 2) continue;
      const column = expression.sql[1]?.kind === 'text' ? expression.sql[1].text.slice(1) : '';
      if (column === 'utc_time') continue;
      const facts = factsRead(`SELECT "E".${column} AS "E.one" FROM "events" AS "E"`);
      expect(facts.map(({ title }) => title.toLowerCase())).toContain(label!.toLowerCase());
    }
  });

  it('are not those of columns that something else reads', () => {
    const read = (expression: string) =>
      factsRead(`SELECT ${expression} AS "E.one" FROM "events" AS "E"`).map(({ title }) => title);
    expect(read('traffic_source("E".utm_source, "E".doc_search, "E".referer, "E".doc_host)')).toEqual([
      'traffic source',
    ]);
    expect(read('device_class_of("E".device_class, "E".agent_name, "E".useragent)')).toEqual(['device class']);
    expect(read(botCondition('"E"'))).toEqual(['user agent']);
    expect(read(`json_extract_string("E".custom_event_props, '/plan')`)).toEqual([]);
    // A table of the model has other columns.
    for (const column of ['page_title', 'country'])
      expect(factsRead(`SELECT "U".${column} FROM "events" AS "E" LEFT JOIN "users" AS "U" ON true`)).toEqual([]);
    // Sessions read user, time and session by themselves.
    const sessions =
      'SELECT count(coalesce("S".session_id, "S".session_key)) FROM (SELECT project_id, session_id, event_id FROM "events") AS "S"';
    expect(factsRead(sessions)).toEqual([]);
  });
});

/** As in `plan/model/visit-dimensions.ts`. */
function visitStatement(column: string): string {
  return column === 'device_class'
    ? 'SELECT device_class_of("E".device_class, "E".agent_name, "E".useragent)'
    : `SELECT campaign_field("E".${column}, "E".doc_search, '${column}')`;
}

describe('a proposal', () => {
  const column = (name: string, ...examples: string[]): ShapeColumn =>
    ({
      name,
      type: 'text',
      filled: 1,
      distinct: examples.length,
      examples,
      repeated: 0.5,
      fields: [],
    }) as unknown as ShapeColumn;

  it.each(['url', 'href', 'path'])('takes paths in a column %s for the page', (name) => {
    const { mapping, missing } = proposeMapping({
      kind: 'csv',
      columns: [column('created_at', '2024-03-01 10:00:00'), column(name, '/article/1', '/article/2')],
      has: () => false,
      countsBeside: () => [],
    });
    expect(mapping.columns['docPath']).toBe(name);
    expect(missing).not.toContain('page');
  });

  it('takes paths with queries for addresses, so that a page is counted as one', () => {
    const { mapping, missing } = proposeMapping({
      kind: 'csv',
      columns: [column('created_at', '2024-03-01 10:00:00'), column('uri', '/a', '/a?utm_source=ads')],
      has: () => false,
      countsBeside: () => [],
    });
    expect(mapping.columns).toEqual({ utcTime: 'created_at', url: 'uri' });
    expect(missing).not.toContain('page');
    const routes = column('path', '/#/a?b=1');
    expect(
      proposeMapping({ kind: 'csv', columns: [routes], has: () => false, countsBeside: () => [] }).mapping.columns,
    ).toEqual({
      docPath: 'path',
    });
  });

  it('takes the message of a structured log for the type of events, and not the type of an error', () => {
    const rows = [
      { time: 1709892000000, msg: 'incoming request', userId: 'u1' },
      { time: 1709892001000, msg: 'request errored', err: { type: 'TypeError' } },
      { time: 1709892002000, msg: 'incoming request', userId: 'u1' },
    ];
    expect(proposeMapping(toShape('json', rows)).mapping.columns['eventType']).toBe('msg');
    const errors = rows.map(({ msg, ...row }) => ({ ...row, text: msg }));
    expect(proposeMapping(toShape('json', errors)).missing).toContain('event type');
  });

  it('takes no person or session from texts that stand for NULL', () => {
    const numbers = Array.from({ length: 30 }, (_, index) => String(index));
    const rows = [...numbers, 'NULL', 'none'].map((user) => ({
      at: '2024-03-01 10:00:00',
      user_id: user,
      session: `s${user}`,
      action: `a${Number(user) % 7}`,
    }));
    expect(proposeMapping(toShape('csv', rows)).mapping.columns).toEqual({
      utcTime: 'at',
      userId: { column: 'user_id', values: { NULL: null, none: null } },
      sessionId: 'session',
      eventType: 'action',
    });
    const nested = rows.slice(-10).map(({ at, user_id }) => ({ at, data: { user_id } }));
    expect(proposeMapping(toShape('json', nested)).mapping.columns).toMatchObject({
      userId: { path: '$.data.user_id', values: { NULL: null, none: null } },
    });
  });

  it('takes no type of events from a column in which each row has a value of its own', () => {
    const orders = Array.from({ length: 40 }, (_, index) => ({
      'Created at': '2024-03-01 10:00:00',
      Name: `#${1000 + index}`,
      customer: `c${index % 9}`,
    }));
    const { mapping, missing } = proposeMapping(toShape('csv', orders));
    expect(mapping.columns).not.toHaveProperty('eventType');
    expect(missing).toContain('event type');
    // Few rows can have a type each, but `#1000` is the number of an order.
    const few = orders.slice(0, 3);
    expect(proposeMapping(toShape('csv', few)).missing).toContain('event type');
    const named = few.map((order) => ({ ...order, Name: order.Name.replace('#', 'step ') }));
    expect(proposeMapping(toShape('csv', named)).mapping.columns['eventType']).toBe('Name');
  });

  it('looks for fields four objects deep', () => {
    const change = { at: '2024-03-01 10:00:00', payload: { after: { user: { id: 'u1' } } } };
    expect(proposeMapping(toShape('json', [change])).mapping.columns['userId']).toBe('$.payload.after.user.id');
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
      countsBeside: () => [],
    });
    expect(mapping.columns['utcTime']).toBe('created_at');
    expect(missing).not.toContain('time');
  });

  it('takes a column for the time by its name where none has readable times, and says that it is no more', () => {
    const written = ['le 8 mars 2024 à 10 h', 'le 9 mars 2024 à 10 h'];
    const ofNames = (...columns: ShapeColumn[]) =>
      proposeMapping({ kind: 'csv', columns, has: () => false, countsBeside: () => [] });
    const alone = ofNames(column('created_at', ...written), column('path', '/article/1'));
    expect(alone.columns[0]).toMatchObject({ field: 'utcTime', confidence: 'likely' });
    const beside = ofNames(column('created_at', ...written), column('begun', '2024-03-08 10:00:00'));
    expect(beside.mapping.columns).toMatchObject({ utcTime: 'begun' });
    expect(ofNames(column('created_at'), column('path', '/article/1')).missing).toContain('time');
  });

  const filled = (share: number, one: ShapeColumn): ShapeColumn => ({ ...one, filled: share });
  const propose = (...columns: ShapeColumn[]) =>
    proposeMapping({ kind: 'csv', columns, has: () => false, countsBeside: () => [] });
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

  it('takes the screens of an app for pages, also beside the paths of a website', () => {
    const pageIn = (...columns: ShapeColumn[]) => propose(time, ...columns).mapping.columns['docPath'];
    expect(pageIn(column('Screen Name', 'Home', 'Product Detail'))).toBe('Screen Name');
    expect(pageIn(column('properties', '{"screen_name": "Home"}'))).toBe('$.properties.screen_name');
    expect(pageIn(column('screen', '390x844', '1920 × 1080'))).toBeUndefined();
    const website = filled(0.4, column('page', '/home'));
    expect(pageIn(website, filled(0.6, column('screen', 'Home')))).toEqual(['page', 'screen']);
    expect(pageIn(column('page', '/home'), column('screen', 'Home'))).toBe('page');
    expect(pageIn(column('doc_path', '/home'), column('screen', 'Home'))).toBeUndefined();
  });

  it('takes the name of a plan or a device for no type of events', () => {
    const typeIn = (...columns: ShapeColumn[]) => propose(time, ...columns).mapping.columns['eventType'];
    expect(typeIn(column('plan', '{"name": "pro"}'), column('device', '{"type": "mobile"}'))).toBeUndefined();
    expect(typeIn(column('event', '{"name": "pro"}'))).toBe('$.event.name');
  });

  it('knows times whose names have a unit', () => {
    for (const name of ['ts_ms', 'time_us', 'event_ts', 'created_at_ms', 'epoch', 'created_utc'])
      expect(propose(column(name, '1792838928061')).columns[0]).toMatchObject({ field: 'utcTime', confidence: 'sure' });
  });

  it('keeps the path of an address beside the name of a page', () => {
    const url = (index: number) => (index % 2 ? `https://shop.example.org/p/${index}` : '');
    const pageOf = (screen: (index: number) => string) =>
      proposeMapping(
        toShape(
          'csv',
          Array.from({ length: 10 }, (_, index) => ({ time: '2024-03-01', url: url(index), screen: screen(index) })),
        ),
      ).mapping.columns['docPath'];
    expect(pageOf(() => 'Home')).toBeUndefined();
    expect(pageOf((index) => (index % 2 ? '' : 'Home'))).toBe('screen');
  });

  it('takes no empty column for the type, and none for the user where another has values', () => {
    const empty = (name: string) => filled(0, { ...column(name), type: 'empty' });
    const pages = propose(time, column('anonymous_id', 'a1'), empty('user_id'), empty('name'));
    expect(pages.missing).toEqual(['event type', 'page']);
    expect(propose(time, empty('user_id')).missing).toContain('user');
  });

  it('joins a date and a time of day', () => {
    const date = column('Datum', '05.10.2026', '06.10.2026');
    expect(propose(date, column('Uhrzeit', '04:21:32', '9:05')).mapping.columns['utcTime']).toEqual({
      sql: `"Datum" || ' ' || "Uhrzeit"`,
    });
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
    const named = column('Event name', 'page_view');
    expect(propose(time, named, number('Active users'), number('Event count')).figures).toHaveLength(2);
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

  it.each([
    ['German', ['Zeitstempel', 'Benutzer-ID', 'Sitzungs-ID', 'Ereignis', 'Seite'], 'Seitenaufruf'],
    ['Japanese', ['日時', 'ユーザーID', 'セッションID', 'イベント', 'ページ'], 'ページ表示'],
    ['French', ['Horodatage', 'ID utilisateur', 'session_id', 'Événement', 'chemin'], 'Vue de page'],
    ['Spanish', ['Fecha', 'usuario', 'Sesión', 'evento', 'página'], 'Visita de página'],
    ['dotted', ['event.time', 'user.id', 'session.id', 'event.name', 'http.path'], 'Viewed Pricing Page'],
    ['Amplitude', ['EVENT_TIME', 'USER_ID', 'SESSION_ID', 'EVENT_TYPE', 'PAGE_PATH'], '[Amplitude] Page Viewed'],
    ['Mixpanel', ['time', '$user_id', 'session', 'event', '$current_url'], '$mp_web_page_view'],
  ])('reads names in %s', (_, names, pageView) => {
    const [at, user, session, type, page] = names as [string, string, string, string, string];
    const { mapping, missing } = propose(
      column(at, '2024-03-01 10:00:00'),
      column(user, 'u1', 'u2'),
      column(session, 's1'),
      column(type, pageView, 'order'),
      column(page, '/a', '/b'),
    );
    expect(missing).toEqual([]);
    expect(mapping.columns).toEqual({
      utcTime: at,
      userId: user,
      sessionId: session,
      eventType: { column: type, values: { [pageView]: 'pageview' } },
      docPath: page,
    });
  });

  it('takes the type from a column that names page views', () => {
    const { mapping, columns } = propose(time, column('datapoint', 'pageview', 'order'), column('note', 'page', 'pv'));
    expect(mapping.columns).toEqual({ utcTime: 'timestamp', eventType: 'datapoint' });
    expect(columns[1]).toMatchObject({ field: 'eventType', confidence: 'guess' });
    const unique = { ...column('title', 'Page view', 'Order'), isUnique: true };
    expect(propose(time, unique).missing).toContain('event type');
  });

  it('takes no ID for that of events whose values repeat, not even one that is called so', () => {
    const unique = (one: ShapeColumn): ShapeColumn => ({ ...one, isUnique: true, repeated: 0 });
    expect(propose(time, unique(column('messageId', 'a', 'b'))).mapping.columns['eventId']).toBe('messageId');
    expect(propose(time, column('messageId', 'a', 'b')).mapping.columns).toEqual({ utcTime: 'timestamp' });
    const called = propose(time, column('event_id', '1', '2'));
    expect(called.mapping.columns).toEqual({ utcTime: 'timestamp', eventId: { value: null } });
    expect([called.repeated, called.columns[1]?.field]).toEqual([['event_id'], undefined]);
  });

  it('shows columns that are read by their own names', () => {
    const { mapping, columns, missing } = propose(time, column('doc_path', '/a'), column('plan', 'pro'));
    expect(mapping.columns).toEqual({ utcTime: 'timestamp' });
    expect(columns.map(({ field }) => field)).toEqual(['utcTime', 'docPath', undefined]);
    expect(missing).not.toContain('page');
  });

  it('reads addresses without a scheme, and numbers of sessions that two users may share', () => {
    const { mapping } = propose(
      time,
      column('user_pseudo_id', '1.2'),
      column('ga_session_id', '1709297184'),
      column('url', 'www.example.org/a b', 'www.example.org/'),
    );
    expect(mapping.columns).toMatchObject({
      sessionId: { sql: `"user_pseudo_id" || '.' || "ga_session_id"` },
      url: { sql: `'https://' || "url"` },
    });
    expect(
      propose(time, column('session_id', '2000000000000160'), column('user_id', 'u')).mapping.columns,
    ).toMatchObject({ sessionId: 'session_id' });
  });

  it('takes an object or a text of JSON for the properties of events', () => {
    const json = JSON.stringify({ plan: 'pro', path: '/a' });
    const object: ShapeColumn = { ...column('props', json), type: 'object' };
    expect(propose(time, object).mapping.columns).toMatchObject({ customEventProps: 'props', docPath: '$.props.path' });
    expect(propose(time, column('EVENT_PROPERTIES', json)).mapping.columns).toMatchObject({
      customEventProps: 'EVENT_PROPERTIES',
    });
    expect(propose(time, column('props', 'text')).mapping.columns).toEqual({ utcTime: 'timestamp' });
  });

  it('takes fractions of milliseconds and microseconds for times', () => {
    for (const text of ['1791188921014.7056', '1791188921014705.5', '1791188921.25'])
      expect(propose(column('ts', text)).missing).not.toContain('time');
  });
});
