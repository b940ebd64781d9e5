import { describe, expect, it } from 'vitest';
import { type Folder, folderOf } from './run-in-folder.ts';

const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

async function rowsOf(folder: Folder, ...argv: readonly string[]): Promise<readonly (readonly unknown[])[]> {
  const { code, stdout, stderr } = await folder.sluice(['query', ...argv, '-f', 'json', '--all']);
  expect([code, code === 0 ? '' : stderr], argv.join(' ')).toEqual([0, '']);
  return (JSON.parse(stdout) as readonly object[]).map((row) => Object.values(row) as readonly unknown[]);
}

describe('Mixpanel', () => {
  const eventAt = (time: number) => ({
    event: 'A',
    properties: { time, distinct_id: 'u1', $insert_id: String(time), mp_lib: 'web', mp_processing_time_ms: 1 },
  });
  const note = 'Projects created before 2023 export times in their own time zone';

  it('epochs are wall time of the zone that their source declares, and UTC otherwise', async () => {
    const zone = 'America/New_York';
    // Two years, every 37 hours: both sides of each change of the clocks.
    const instants = Array.from({ length: 480 }, (_, index) => Date.UTC(2021, 0, 1) + index * 37 * 3_600_000);
    const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
    const walls = instants.map((instant) => Date.parse(`${clock.format(instant)}Z`));
    const folder = folderOf({
      'wall.ndjson': lines(walls.map((wall) => eventAt(wall / 1000))),
      'ms.ndjson': lines(walls.map((wall) => eventAt(wall))),
      'utc.ndjson': lines(instants.map((instant) => eventAt(instant / 1000))),
    });
    const timesOf = async (file: string, source: string) => {
      folder.write('sluice.yaml', `events: ${file}\nsources: [{files: ${file}${source}}]\n`);
      const rows = await rowsOf(folder, 'raw events utcTime');
      return rows.map(([time]) => Date.parse(`${String(time)}Z`)).sort((one, other) => one - other);
    };
    expect(await timesOf('wall.ndjson', `, timezone: ${zone}`)).toEqual(instants);
    expect(await timesOf('ms.ndjson', `, timezone: ${zone}`)).toEqual(instants);
    expect(await timesOf('utc.ndjson', ', preset: mixpanel')).toEqual(instants);
    // Declared as seconds in another tool, an epoch is UTC.
    const columns = "columns: {utcTime: '$.properties.time'}, timezone: America/New_York";
    expect(await timesOf('utc.ndjson', `, ${columns}`)).toEqual(instants);
  });

  it('is asked for the zone of its source until that is declared', async () => {
    const folder = folderOf({ 'a.ndjson': lines([eventAt(1788391800)]), 'sluice.yaml': 'events: a.ndjson\n' });
    const { stdout } = await folder.sluice(['doctor']);
    expect(stdout).toContain(note);
    expect(stdout).toContain('`sources: [{files: …, timezone: America/New_York}]`');
    for (const zone of ['America/New_York', 'UTC']) {
      folder.write('sluice.yaml', `events: a.ndjson\nsources: [{files: a.ndjson, timezone: ${zone}}]\n`);
      expect((await folder.sluice(['doctor'])).stdout).not.toContain(note);
    }
  });
});

describe('Amplitude', () => {
  it('an empty object of a column hides no property of the event with the same name', async () => {
    const events = ['pro', 'free', 'pro'].map((plan, index) => ({
      $insert_id: `i${index}`,
      amplitude_id: index,
      device_id: 'd',
      event_time: `2024-03-01 10:00:0${index}.000000`,
      event_type: 'A',
      client_event_time: `2024-03-01 10:00:0${index}.000000`,
      server_upload_time: `2024-03-01 10:00:0${index}.000000`,
      plan: {},
      event_properties: { plan },
      user_properties: { tier: plan },
    }));
    const folder = folderOf({ 'a.json': lines(events), 'sluice.yaml': 'events: a.json\n' });
    const expected = [
      ['pro', 2],
      ['free', 1],
    ];
    expect(await rowsOf(folder, 'count by plan')).toEqual(expected);
    expect(await rowsOf(folder, 'count by props.customUserProps.tier')).toEqual(expected);
    expect((await folder.sluice(['query', 'count by tier'])).stderr).toContain('props.customUserProps.tier');
    await folder.sluice(['ingest', 'a.json']);
    expect(await rowsOf(folder, 'count by plan', '--store', '.sluice/store')).toEqual(expected);
  });
});

describe('PostHog', () => {
  it('without persons and sessions has both, and says by what', async () => {
    const event = (index: number) => ({
      uuid: `e${index}`,
      event: '$pageview',
      distinct_id: `u${index % 2}`,
      timestamp: `2024-03-01T10:00:0${index}Z`,
      elements_chain: '',
      properties: { $current_url: 'https://a.example/' },
    });
    const files = Array.from({ length: 21 }, (_, index) => [`events/${index}.ndjson`, lines([event(index % 10)])]);
    const folder = folderOf({ 'a.ndjson': lines([event(1), event(2)]), ...Object.fromEntries(files) });
    const { stderr } = await folder.sluice(['ingest', 'a.ndjson']);
    expect(stderr).toContain(
      'The first events in a.ndjson lack person_id, properties.$referrer, properties.$session_id. Without person_id, users are counted by distinct_id. Without properties.$session_id, sessions are derived from users and times. Figures that need properties.$referrer are empty.',
    );
    folder.write('sluice.yaml', "events: 'events/*'\n");
    const { stdout } = await folder.sluice(['doctor']);
    expect(stdout).toMatch(/Inspected the first 20 of 21 files\. All are read\.\s+Read 20 files as PostHog/);
  });
});

describe.each(['segment', 'rudderstack'])("the tables of %s's warehouse", (preset) => {
  const own = preset === 'rudderstack' ? { channel: 'web', context_session_id: '1709287200' } : {};
  const row = (id: number, more: object) => ({
    id: `id${id}`,
    anonymous_id: `a${id % 3}`,
    user_id: id % 2 === 0 ? 'u1' : '',
    received_at: '2024-03-02 00:00:00 UTC',
    sent_at: `2024-03-01 10:00:0${id} UTC`,
    timestamp: `2024-03-01 10:00:0${id} UTC`,
    original_timestamp: `2024-03-01 10:00:0${id} UTC`,
    uuid_ts: '2024-03-02 00:00:00 UTC',
    context_page_path: `/p${id % 2}`,
    context_page_url: `https://shop.example/p${id % 2}`,
    context_campaign_source: id === 1 ? 'ads' : '',
    context_user_agent: 'Mozilla/5.0',
    context_locale: 'de',
    ...own,
    ...more,
  });
  const toCsv = (rows: readonly object[]) =>
    [Object.keys(rows[0]!), ...rows.map((one) => Object.values(one) as readonly string[])].join('\n');
  const order = { event: 'order_completed', event_text: 'Order Completed' };
  const tables = {
    'pages.csv': [0, 1, 2].map((id) => row(id, {})),
    'tracks.csv': [3, 4].map((id) => row(id, order)),
    'order_completed.csv': [3, 4].map((id) => row(id, { ...order, revenue: '10' })),
    'identifies.csv': [5].map((id) => row(id, { plan: 'pro' })),
  };

  it.each(['detected', 'chosen'])('give page views and events, and repeats are said: %s', async (how) => {
    const folder = folderOf(
      Object.fromEntries(Object.entries(tables).map(([name, rows]) => [`w/${name}`, toCsv(rows)])),
    );
    folder.write('sluice.yaml', `events: 'w/*.csv'\n${how === 'chosen' ? `preset: ${preset}\n` : ''}`);
    expect(await rowsOf(folder, 'count by eventType')).toEqual([
      ['order_completed', 4],
      ['pageview', 3],
      ['identify', 1],
    ]);
    expect(await rowsOf(folder, 'pageViewsCount, users by docPath where eventType = pageview')).toEqual([
      ['/p0', 2, 2],
      ['/p1', 1, 1],
    ]);
    expect(await rowsOf(folder, 'sum(revenue), count by customEventName where customEventName set')).toEqual([
      ['Order Completed', 20, 4],
    ]);
    expect(await rowsOf(folder, 'count by utmSource where utmSource set')).toEqual([['ads', 1]]);
    expect((await folder.sluice(['query', 'count'])).stdout).toContain('2 events repeat the ID of another one');
    const { stderr } = await folder.sluice(['ingest', 'w/*.csv']);
    expect(stderr).toContain(`(preset ${preset})`);
    expect(stderr).toContain('Leave it out if you read those.');
    folder.write('sluice.yaml', '{}');
    // The store has each event once.
    expect(await rowsOf(folder, 'count by eventType where eventType != identify')).toEqual([
      ['pageview', 3],
      ['order_completed', 2],
    ]);
    expect(await rowsOf(folder, 'sum(revenue)')).toEqual([[20]]);
  });
});

it('the user properties of GA4 are read as its event parameters are', async () => {
  const event = (index: number, tier: object) => ({
    event_date: '20240301',
    event_timestamp: String(1709287200000000 + index),
    event_name: 'page_view',
    event_params: [{ key: 'tier', value: { string_value: 'of the event' } }],
    user_properties: [{ key: 'tier', value: { ...tier, set_timestamp_micros: '1' } }],
    user_pseudo_id: 'a',
    event_bundle_sequence_id: index,
    traffic_source: {},
  });
  const events = [event(1, { string_value: 'gold' }), event(2, { int_value: '7' }), event(3, { string_value: 'gold' })];
  const folder = folderOf({ 'a.ndjson': lines(events) });
  const tiers = 'count by props.customUserProps.tier';
  expect(await rowsOf(folder, tiers, '--events', 'a.ndjson')).toEqual([
    ['gold', 2],
    ['7', 1],
  ]);
  expect(await rowsOf(folder, 'count by tier', '--events', 'a.ndjson')).toEqual([['of the event', 3]]);
});

describe('columns that a preset maps', () => {
  it('may be asked for by their own names', async () => {
    const visit = (id: number) => ({
      ...{ idVisit: id, idSite: 1, visitorId: `v${id % 2}`, serverTimestamp: 1709287200, referrerType: 'direct' },
      ...{ visitIp: '1.2.3.4', browserName: 'Firefox', countryCode: 'at' },
      actionDetails: [{ type: 'action', url: 'https://a.example/x', timestamp: 1709287200 + id }],
    });
    const folder = folderOf({ 'a.ndjson': lines([1, 2, 3].map(visit)) });
    const events = ['--events', 'a.ndjson'];
    expect(await rowsOf(folder, 'count by browserName', ...events)).toEqual([['Firefox', 3]]);
    const visitors = [
      ['v1', 2],
      ['v0', 1],
    ];
    expect(await rowsOf(folder, 'count by visitorId', ...events)).toEqual(visitors);
    expect(await rowsOf(folder, 'count by "visitorId"', ...events)).toEqual(visitors);
    expect(await rowsOf(folder, 'distinct(idVisit)', ...events)).toEqual([[3]]);
    expect(await rowsOf(folder, 'count where visitorId = v1', ...events)).toEqual([[2]]);
  });

  it('are refused with the member if it has other sources', async () => {
    const event = {
      ...{ uuid: 'e', event: 'A', distinct_id: 'u', person_id: 'p', timestamp: '2024-03-01T10:00:00Z' },
      properties: {},
    };
    const folder = folderOf({ 'a.ndjson': lines([event]) });
    for (const name of ['person_id', '"person_id"']) {
      const { code, stderr } = await folder.sluice(['query', `count by ${name}`, '--events', 'a.ndjson']);
      expect([code, stderr]).toEqual([2, expect.stringContaining('Write `userAnonymousId`.')]);
    }
    expect(await rowsOf(folder, 'count by distinct_id', '--events', 'a.ndjson')).toEqual([['u', 1]]);
  });
});
