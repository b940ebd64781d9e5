import { describe, expect, it } from 'vitest';
import { countSlowly, tally } from '../run/presets/oracle.ts';
import { tellStory } from '../run/presets/story.ts';
import { type Row, readRows, type Vendor, without, writeRows } from '../run/presets/vendor.ts';
import { combinedLog, commonLog } from '../run/presets/vendors/access-log.ts';
import { vendors } from '../run/presets/vendors.ts';
import { askFive, toExpected, writeFunnel } from './ask-five.ts';
import { type Folder, folderOf } from './run-in-folder.ts';

const story = tellStory();
const nameOf = ({ format }: Vendor) =>
  `export.${{ ndjson: 'ndjson', 'json-array': 'json', csv: 'csv', lines: 'log' }[format]}`;

async function rowsOf(folder: Folder, argv: readonly string[]): Promise<readonly (readonly unknown[])[]> {
  const { code, stdout, stderr } = await folder.sluice(['query', ...argv, '-f', 'json', '--all']);
  expect([code, code === 0 ? '' : stderr], argv.join(' ')).toEqual([0, '']);
  return (JSON.parse(stdout) as readonly object[]).map((row) => Object.values(row) as readonly unknown[]);
}

/** Every event with all that the five questions are about. */
const everyEvent = ['utcTime', 'userAnonymousId', 'userId', 'sessionId', 'eventType', 'docPath', 'referer']
  .flatMap((name) => ['-d', name])
  .concat('--ungrouped');
const sorted = (rows: readonly (readonly unknown[])[]) => rows.map((row) => JSON.stringify(row)).sort();

const toTally = (rows: readonly (readonly unknown[])[]) =>
  Object.fromEntries(rows.map(([key, count]) => [String(key), count]));

describe.each(vendors.map((vendor) => [`${vendor.preset}: ${vendor.label}`, vendor] as const))(
  '%s',
  (_name, vendor) => {
    const text = writeRows(vendor.format, vendor.write(story));
    const events = readRows(vendor.format, text).flatMap((row) => vendor.read(row as never));
    const slow = countSlowly(events);

    // A store knows nothing of presets: one of each format is asked everything, the others keep what the file says.
    const isFirst = vendors.find(({ format }) => format === vendor.format) === vendor;

    it('answers five questions as a slow count does, of the file and of the store', async () => {
      const folder = folderOf({ [nameOf(vendor)]: text });
      if (isFirst) {
        const flags = ['--backend', 'embedded', '--events', nameOf(vendor), '--timezone', 'UTC'];
        const init = await folder.sluice(['init', ...flags]);
        expect(init.code, init.stderr).toBe(0);
      } else folder.write('sluice.yaml', `events: ${nameOf(vendor)}\ntimezone: UTC\n`);
      writeFunnel(folder);
      const expected = toExpected(slow);
      expect(await askFive(folder.root)).toEqual(expected);
      const ofFile = await rowsOf(folder, everyEvent);
      expect(ofFile.length).toBe(events.length);
      const taken = await folder.sluice(['ingest', nameOf(vendor)]);
      expect(taken.code, taken.stderr).toBe(0);
      folder.write('sluice.yaml', 'timezone: UTC\n');
      expect(sorted(await rowsOf(folder, everyEvent))).toEqual(sorted(ofFile));
      if (isFirst) expect(await askFive(folder.root)).toEqual(expected);
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
    expect(stderr).toContain('an unsalted hash of IP address and user agent');
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

  it.each([
    ['ga4', 'country', ['Austria']],
    ['mixpanel', 'country', ['AT']],
    ['plausible', 'country', ['AT']],
    ['matomo', 'country', ['Österreich']],
    ['segment', 'utmSource', ['newsletter', 'null']],
    ['plausible', 'utmSource', ['newsletter', 'null']],
    ['posthog', 'utmSource', ['ads', 'newsletter', 'null']],
    ['cloudflare', 'utmSource', ['ads', 'newsletter', 'null']],
    ['access-log', 'deviceClass', ['desktop', 'mobile', 'null']],
  ])('of %s tells the %s', async (preset, dimension, expected) => {
    const vendor = vendors.findLast((one) => one.preset === preset)!;
    const folder = folderOf({ [nameOf(vendor)]: textOf(vendor) });
    const rows = await rowsOf(folder, [`count by ${dimension}`, '--events', nameOf(vendor)]);
    expect(rows.map(([value]) => String(value)).sort()).toEqual(expected);
  });

  it('that holds figures is refused', async () => {
    const folder = folderOf({
      'imported_visitors.csv': 'date,visitors,pageviews,bounces,visits,visit_duration\n2024-03-01,3,5,1,3,90\n',
    });
    const { code, stderr } = await folder.sluice(['ingest', 'imported_visitors.csv']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('contains figures that Plausible counted (visitors per day or page), not events');
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
it.each(withColumns.map((vendor) => [`${vendor.preset}: ${vendor.label}`, vendor] as const))(
  'never a silent zero: %s, without any one column',
  async (_name, vendor) => {
    const rows = vendor.write(story).slice(0, 20) as readonly Row[];
    const fileOf = (column: string) => `${vendor.recognised.indexOf(column)}-${nameOf(vendor)}`;
    const folder = folderOf(
      Object.fromEntries(
        vendor.recognised.map((column) => [
          fileOf(column),
          writeRows(
            vendor.format,
            rows.map((row) => without(row, column)),
          ),
        ]),
      ),
    );
    const { stderr } = await folder.sluice(['ingest', '*-export.*']);
    for (const column of vendor.recognised) {
      const told = stderr.split('\n').filter((line) => line.includes(fileOf(column)));
      // What apps write into an entity is told by the column of the web.
      const name = column.startsWith('contexts_') ? 'domain_userid' : column.split('.').at(-1)!;
      const isTold = told.some((line) => line.includes(name) || /: no time$|was not loaded/.test(line));
      expect(isTold, `${column}\n${stderr}`).toBe(true);
    }
  },
);
