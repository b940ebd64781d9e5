import { describe, expect, it } from 'vitest';
import { countSlowly, tally } from '../run/presets/oracle.ts';
import { funnelSteps, tellStory } from '../run/presets/story.ts';
import { type Row, readRows, type Vendor, without, writeRows } from '../run/presets/vendor.ts';
import { combinedLog, commonLog } from '../run/presets/vendors/access-log.ts';
import { vendors } from '../run/presets/vendors.ts';
import { open, type Result } from '../../src/use/index.ts';
import { type Folder, folderOf, now } from './run-in-folder.ts';

const story = tellStory();
const nameOf = ({ format }: Vendor) =>
  `export.${{ ndjson: 'ndjson', 'json-array': 'json', csv: 'csv', lines: 'log' }[format]}`;

async function rowsOf(folder: Folder, argv: readonly string[]): Promise<readonly (readonly unknown[])[]> {
  const { code, stdout, stderr } = await folder.sluice(['query', ...argv, '-f', 'json', '--all']);
  expect([code, code === 0 ? '' : stderr], argv.join(' ')).toEqual([0, '']);
  return (JSON.parse(stdout) as readonly object[]).map((row) => Object.values(row) as readonly unknown[]);
}

const toTally = (rows: readonly (readonly unknown[])[]) =>
  Object.fromEntries(rows.map(([key, count]) => [String(key), count]));

/** Sums of floats depend on their order. */
const roughly = (value: number) => Number(value.toPrecision(12));

/** What somebody asks within the first five minutes. */
async function askFive(folder: Folder) {
  folder.write(
    'funnels/buy.yaml',
    `seconds_to_convert: 86400\nsteps:\n${funnelSteps.map((target, index) => `  - {name: step_${index}, action: pageview, target: "${target}"}\n`).join('')}`,
  );
  // One session for all: to start one takes longer than to answer. The cells are as `-f json` has them.
  await using sluice = await open({ workspace: folder.root, env: {}, now: () => now, onNote: () => undefined });
  const valuesOf = (result: Result) => result.rows().map((row) => Object.values(row) as readonly unknown[]);
  const ask = async (asked: Parameters<typeof sluice.query>[0]) => valuesOf(await sluice.query(asked));
  const [counts] = await ask({
    measures: ['Sessions.count', 'Sessions.uniqueUsersCount', 'Sessions.averageDurationMinutes'],
  });
  return {
    daily: toTally(
      (await ask('uniqueUsersCount by day from 2024-03-01 to 2024-03-10'))
        .map(([day, users]) => [String(day).slice(0, 10), users])
        .filter(([, users]) => users !== 0),
    ),
    pages: toTally(await ask('pageViewsCount by docPath where eventType = pageview')),
    sources: toTally(await ask('pageViewsCount by referer where eventType = pageview')),
    sessions: [counts![0], counts![1], roughly(Number(counts![2]))],
    funnel: valuesOf(await sluice.funnel('buy')).map((row) => row[2]),
    types: toTally(await ask('count by eventType')),
  };
}

describe.each(vendors.map((vendor) => [`${vendor.preset}: ${vendor.label}`, vendor] as const))(
  '%s',
  (_name, vendor) => {
    const text = writeRows(vendor.format, vendor.write(story));
    const events = readRows(vendor.format, text).flatMap((row) => vendor.read(row as never));
    const slow = countSlowly(events);

    it('answers five questions as a slow count does, of the file and of the store', async () => {
      const folder = folderOf({ [nameOf(vendor)]: text });
      const init = await folder.sluice([
        'init',
        '--backend',
        'embedded',
        '--events',
        nameOf(vendor),
        '--timezone',
        'UTC',
      ]);
      expect(init.code, init.stderr).toBe(0);
      const expected = {
        ...slow,
        sessions: [slow.sessions[0], slow.sessions[1], roughly(slow.sessions[2])],
      };
      expect(await askFive(folder)).toEqual(expected);
      const taken = await folder.sluice(['ingest', nameOf(vendor)]);
      expect(taken.code, taken.stderr).toBe(0);
      folder.write('sluice.yaml', 'timezone: UTC\n');
      expect(await askFive(folder)).toEqual(expected);
    });
  },
);

describe('a recognised file', () => {
  const vendorOf = (name: string) => vendors.find(({ preset }) => preset === name)!;
  const textOf = (vendor: Vendor) => writeRows(vendor.format, vendor.write(story));

  it('is named once by ingest, with what was derived', async () => {
    const folder = folderOf({ 'a.log': textOf(combinedLog), 'b.log': textOf(commonLog) });
    const { code, stderr } = await folder.sluice(['ingest', '*.log']);
    expect(code).toBe(0);
    expect(stderr.match(/Read .*/g)).toEqual(['Read 2 files as access log (nginx, Apache) (preset access-log).']);
    expect(stderr).toContain('a hash of address and user agent, without a salt');
    expect(stderr).toContain('The first events in b.log lack http_referer, http_user_agent');
  });

  it('is named by init and doctor, and by query with --verbose', async () => {
    const folder = folderOf({ 'events.ndjson': textOf(vendorOf('posthog')) });
    const init = await folder.sluice(['init', '--backend', 'embedded', '--events', 'events.ndjson']);
    expect(init.stderr).toContain('Read events.ndjson as PostHog (preset posthog).');
    expect((await folder.sluice(['doctor'])).stdout).toContain('Read events.ndjson as PostHog (preset posthog).');
    const query = await folder.sluice(['query', 'count', '--verbose']);
    expect(query.stderr).toContain('Read as PostHog (preset posthog).');
    expect((await folder.sluice(['query', 'count'])).stderr).not.toContain('PostHog');
  });

  it('keeps what no field takes', async () => {
    const folder = folderOf({ 'events.ndjson': textOf(vendorOf('posthog')) });
    await folder.sluice(['ingest', 'events.ndjson']);
    const rows = await rowsOf(folder, [
      'count by customEventProps where eventType = pageview',
      '--store',
      '.sluice/store',
    ]);
    expect(rows.length).toBeGreaterThan(5);
    expect(String(rows[0]![0])).toContain('$current_url');
  });

  it('is read by its columns alone with preset none, and by another preset on request', async () => {
    const folder = folderOf({ 'events.ndjson': textOf(vendorOf('segment')) });
    const none = await folder.sluice(['ingest', 'events.ndjson', '--preset', 'none']);
    expect([none.code, none.stderr]).toEqual([2, expect.not.stringContaining('preset segment') as string]);
    folder.write('sluice.yaml', 'preset: rudderstack\n');
    expect((await folder.sluice(['ingest', 'events.ndjson'])).stderr).toContain('as RudderStack (preset rudderstack)');
    folder.write('sluice.yaml', 'preset: segmint\n');
    const wrong = await folder.sluice(['ingest', 'events.ndjson']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('sluice.yaml:1') as string]);
  });

  it('stands beside files of others: each is read as what it is', async () => {
    const mixed = ['segment', 'posthog', 'matomo', 'access-log', 'snowplow'].map(vendorOf);
    const files = Object.fromEntries(
      mixed.map((vendor, index) => [`events/${index}-${nameOf(vendor)}`, textOf(vendor)]),
    );
    const folder = folderOf(files);
    const expected = mixed
      .flatMap((vendor) => readRows(vendor.format, textOf(vendor)).flatMap((row) => vendor.read(row as never)))
      .filter(({ type }) => type === 'pageview');
    expect((await folder.sluice(['ingest', 'events/*'])).code).toBe(0);
    const counts = toTally(await rowsOf(folder, ['pageViewsCount by docPath where eventType = pageview']));
    expect(counts).toEqual(tally(expected.map(({ path }) => path)));
    const direct = ['pageViewsCount by docPath where eventType = pageview', '--events', 'events/*'];
    expect(toTally(await rowsOf(folder, direct))).toEqual(counts);
  });

  it('that holds figures is refused', async () => {
    const folder = folderOf({
      'imported_visitors.csv': 'date,visitors,pageviews,bounces,visits,visit_duration\n2024-03-01,3,5,1,3,90\n',
    });
    const { code, stderr } = await folder.sluice(['ingest', 'imported_visitors.csv']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('holds figures that Plausible counted (visitors a day or a page), not events');
    expect(stderr).toContain('SELECT * FROM events_v2');
  });

  it('of a log names its broken lines', async () => {
    const folder = folderOf({ 'access.log': textOf(combinedLog).replace('\n', '\nbroken line\n') });
    const { code, stderr } = await folder.sluice(['ingest', 'access.log']);
    expect([code, stderr]).toEqual([5, expect.stringContaining('access.log:2: not a line of an access log') as string]);
  });
});

// A line of a log has all of its fields or is no such line.
const withColumns = vendors.filter(({ format }) => format !== 'lines');
describe.each(withColumns.map((vendor) => [`${vendor.preset}: ${vendor.label}`, vendor] as const))(
  'never a silent zero: %s',
  (_name, vendor) => {
    it.each(vendor.recognised.map((column) => [column]))('without %s', async (column) => {
      const rows = vendor
        .write(story)
        .slice(0, 20)
        .map((row) => without(row as Row, column));
      const folder = folderOf({ [nameOf(vendor)]: writeRows(vendor.format, rows) });
      const { code, stderr } = await folder.sluice(['ingest', nameOf(vendor)]);
      // What apps write into an entity is told by the column of the web.
      const name = column.startsWith('contexts_') ? 'domain_userid' : column.split('.').at(-1)!;
      expect(code !== 0 || stderr.includes(name), stderr).toBe(true);
    });
  },
);
