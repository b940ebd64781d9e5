import { describe, expect, it } from 'vitest';
import { init } from '../../src/use/index.ts';
import { countSlowly, orNull, type ReadEvent, tally } from '../run/presets/oracle.ts';
import { tellStory } from '../run/presets/story.ts';
import { type Row, readRows, type Vendor, without, writeRows } from '../run/presets/vendor.ts';
import { combinedLog, commonLog, vhostLog } from '../run/presets/vendors/access-log.ts';
import { vendors } from '../run/presets/vendors.ts';
import { shareOf } from '../runs.ts';
import { allFive, answersOf, openFor, toExpected, writeFunnel } from './ask-five.ts';
import { type Folder, folderOf, now } from './run-in-folder.ts';

const story = tellStory();
const nameOf = ({ format }: Vendor) =>
  `export.${{ ndjson: 'ndjson', 'json-array': 'json', csv: 'csv', lines: 'log' }[format]}`;

async function rowsOf(folder: Folder, argv: readonly string[]): Promise<readonly (readonly unknown[])[]> {
  const { code, stdout, stderr } = await folder.sluice(['query', ...argv, '-f', 'json', '--all']);
  expect([code, code === 0 ? '' : stderr], argv.join(' ')).toEqual([0, '']);
  return (JSON.parse(stdout) as readonly object[]).map((row) => Object.values(row) as readonly unknown[]);
}

/** The data for the five queries, as an independent reader finds it. */
const fields: Readonly<Record<string, (event: ReadEvent) => unknown>> = {
  'TrackedEvents.utcTime': ({ at }) => new Date(at).toISOString().slice(0, 23),
  'TrackedEvents.userAnonymousId': ({ userAnonymousId }) => userAnonymousId,
  'TrackedEvents.userId': ({ userId }) => userId,
  'TrackedEvents.sessionId': ({ sessionId }) => sessionId,
  'TrackedEvents.eventType': ({ type }) => type,
  'TrackedEvents.docPath': ({ path }) => path,
  'TrackedEvents.referer': ({ referer }) => referer,
};
const sorted = (rows: readonly (readonly unknown[])[]) => rows.map((row) => JSON.stringify(row)).sort();

const toTally = (rows: readonly (readonly unknown[])[]) =>
  Object.fromEntries(rows.map(([key, count]) => [String(key), count]));

describe.each(vendors.map((vendor, index) => [`${vendor.preset}: ${vendor.label}`, vendor, index] as const))(
  '%s',
  (_name, vendor, index) => {
    const text = writeRows(vendor.format, vendor.write(story));
    const events = readRows(vendor.format, text).flatMap((row) => vendor.read(row as never));
    const expected = toExpected(countSlowly(events));

    const forms = vendors.filter(({ preset }) => preset === vendor.preset);
    const isTriedWhole = shareOf(forms, 0, forms.length).includes(vendor);

    // From init to the last answer, as a newcomer would go. Files with content are also queried directly.
    it('is set up, queried, loaded and queried again, with the answers of a slow count', async () => {
      const file = nameOf(vendor);
      const folder = folderOf({ [file]: text });
      writeFunnel(folder);
      const { root: workspace } = folder;
      if (isTriedWhole) {
        const { queries } = await init({ workspace, events: file, timezone: 'UTC', env: {}, now: () => now });
        expect(queries).toContain('events-by-type');
      } else folder.write('sluice.yaml', `events: ${file}\ntimezone: UTC\n`);
      const some = shareOf(allFive, index, 6);
      {
        await using sluice = await openFor(workspace);
        expect(await answersOf(sluice, some)).toEqual(Object.fromEntries(some.map((name) => [name, expected[name]])));
        expect(await sluice.ingest(file)).toMatchObject({ added: events.length, rejected: 0 });
      }
      folder.write('sluice.yaml', 'timezone: UTC\n');
      await using sluice = await openFor(workspace);
      const half = shareOf(allFive, index, 2);
      expect(await answersOf(sluice, half)).toEqual(Object.fromEntries(half.map((name) => [name, expected[name]])));
      const kept = await sluice.query({ dimensions: Object.keys(fields), ungrouped: true });
      expect(sorted(kept.rows().map((row) => Object.values(row).map(orNull)))).toEqual(
        sorted(events.map((event) => Object.values(fields).map((read) => read(event)))),
      );
    });
  },
);

describe('a recognised file', () => {
  const vendorOf = (name: string) => vendors.find(({ preset }) => preset === name)!;
  const textOf = (vendor: Vendor) => writeRows(vendor.format, vendor.write(story));

  it('is named once by ingest, with the derived fields', async () => {
    const folder = folderOf({ 'a.log': textOf(combinedLog), 'b.log': textOf(commonLog) });
    const { code, stderr } = await folder.sluice(['ingest', '*.log']);
    expect(code).toBe(0);
    expect(stderr.match(/Read .*/g)).toEqual([
      'Read 2 files as access log (nginx, Apache, IIS, HAProxy, Squid, AWS and others) (preset access-log).',
    ]);
    expect(stderr).toContain('an unsalted hash of IP address and user agent');
    expect(stderr).toContain('The first events in b.log lack http_referer or http_referrer, http_user_agent');
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

  it.each(['ga4', 'matomo', 'plausible'])('of %s has the operating system that people ask for', async (name) => {
    const vendor = vendorOf(name);
    const folder = folderOf({ [nameOf(vendor)]: textOf(vendor) });
    const flags = ['--events', nameOf(vendor)];
    const asked = await rowsOf(folder, ['count by operating system where os is set', ...flags]);
    expect(asked).toEqual(await rowsOf(folder, ['count by osName where osName is set', ...flags]));
    expect(asked).toHaveLength(1);
  });

  const properties = (row: Row) => row['properties'] as Row;

  it.each<[label: string, form: string, change: (row: Row) => Row]>([
    [
      'raw event export',
      'with milliseconds',
      (row) => ({ ...row, properties: { ...properties(row), time: Number(properties(row)['time']) * 1000 } }),
    ],
    [
      'batch export, JSON lines',
      'with properties as text',
      (row) => ({ ...row, properties: JSON.stringify(row['properties']) }),
    ],
    ['batch export, JSON lines', 'with the name of the ID in the API', ({ uuid, ...row }) => ({ ...row, id: uuid })],
    ['mobile, entities _1', 'without columns of the web', ({ domain_userid: _u, domain_sessionid: _s, ...row }) => row],
  ])('of %s, %s, is loaded with the same words and figures', async (label, _form, change) => {
    const rows = vendors.find((vendor) => vendor.label === label)!.write(story) as readonly Row[];
    const toldOf = async (all: readonly Row[]) => {
      const folder = folderOf({ 'a.ndjson': writeRows('ndjson', all) });
      const { code, stderr } = await folder.sluice(['ingest', 'a.ndjson']);
      const columns = 'docPath, userAnonymousId, sessionId, eventId, utcTime';
      return { code, stderr, rows: sorted(await rowsOf(folder, [`count by ${columns} minute`])) };
    };
    expect(await toldOf(rows.map(change))).toEqual(await toldOf(rows));
  });

  it('of a log without users, sizes and agents is still one', async () => {
    const folder = folderOf({ 'a.log': textOf(commonLog).replaceAll(/ \d+$/gm, ' -') });
    expect((await folder.sluice(['ingest', 'a.log'])).stderr).toContain('Read a.log as access log');
  });

  it('keeps columns without a field', async () => {
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

  it('is read only by its columns with preset none, and by another preset on request', async () => {
    const folder = folderOf({ 'events.ndjson': textOf(vendorOf('segment')) });
    const none = await folder.sluice(['ingest', 'events.ndjson', '--preset', 'none']);
    expect([none.code, none.stderr]).toEqual([2, expect.not.stringContaining('preset segment') as string]);
    folder.write('sluice.yaml', 'preset: rudderstack\n');
    expect((await folder.sluice(['ingest', 'events.ndjson'])).stderr).toContain('as RudderStack (preset rudderstack)');
    folder.write('sluice.yaml', 'preset: segmint\n');
    const wrong = await folder.sluice(['ingest', 'events.ndjson']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('sluice.yaml:1') as string]);
  });

  it('is read by its own format next to files of others', async () => {
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
  ])('of %s gives the %s', async (preset, dimension, expected) => {
    const vendor = vendors.findLast((one) => one.preset === preset)!;
    const folder = folderOf({ [nameOf(vendor)]: textOf(vendor) });
    const rows = await rowsOf(folder, [`count by ${dimension}`, '--events', nameOf(vendor)]);
    expect(rows.map(([value]) => String(value)).sort()).toEqual(expected);
  });

  it('that contains aggregated figures is refused', async () => {
    const folder = folderOf({
      'imported_visitors.csv': 'date,visitors,pageviews,bounces,visits,visit_duration\n2024-03-01,3,5,1,3,90\n',
    });
    const { code, stderr } = await folder.sluice(['ingest', 'imported_visitors.csv']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('contains figures that Plausible counted (visitors per day or page), not events');
    expect(stderr).toContain('SELECT * FROM events_v2');
  });

  it('of a log reports its broken lines', async () => {
    const folder = folderOf({ 'access.log': textOf(combinedLog).replace('\n', '\nbroken line\n') });
    const { code, stderr } = await folder.sluice(['ingest', 'access.log']);
    expect([code, stderr]).toEqual([5, expect.stringContaining('access.log:2: not a line of an access log') as string]);
  });
});

// A line of a log has all fields or is invalid.
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
      // Values that apps write into an entity come from the column of the web.
      const name = column.startsWith('contexts_') ? 'domain_userid' : column.split('.').at(-1)!;
      const isTold = told.some(
        (line) => line.toLowerCase().includes(name.toLowerCase()) || /: no time$|was not loaded/.test(line),
      );
      expect(isTold, `${column}\n${stderr}`).toBe(true);
    }
  },
);

describe.each([commonLog, combinedLog, vhostLog].map((vendor) => [vendor.label, vendor] as const))(
  'never a silent zero: an access log in %s',
  (label, vendor) => {
    const quoted = String.raw`("(?:[^"\\]|\\.)*")`;
    const line = new RegExp(
      String.raw`^(\S+:\d+ )?(\S+) (\S+) (\S+) (\[[^\]]+\]) ${quoted} (\d+) (\S+)(?: ${quoted} ${quoted})?( .*)?$`,
    );
    const lines = writeRows('lines', vendor.write(story)).trimEnd().split('\n').slice(0, 20);
    const fields = lines.map((text) => line.exec(text)!.slice(1));
    const written = (change: (cells: string[]) => void) =>
      fields
        .map(([host = '', ...cells]) => {
          const own = cells.map((cell) => cell ?? '');
          change(own);
          return (
            host +
            own
              .filter((cell) => cell !== '')
              .join(' ')
              .replaceAll('  ', ' ')
          );
        })
        .join('\n');
    const toldOf = async (at: number, cell: string) => {
      const folder = folderOf({ 'a.log': written((own) => (own[at] = cell)) });
      const { code, stderr } = await folder.sluice(['ingest', 'a.log', '--preset', 'access-log']);
      return `${code} ${stderr}`;
    };
    const ofBrowsers = label !== 'common format';
    // Additional text at the end takes the place of missing fields.
    const endsSo = label === 'combined format';

    // No query needs the user and the size; readers see that they are empty.
    it.each([
      ['address', 0, /^5 a\.log:1: /],
      ['time', 3, /^5 a\.log:1: /],
      ['request', 4, /^5 a\.log:1: /],
      ['status', 5, /^5 a\.log:1: /],
      ['size', 6, /^5 a\.log:1: /],
      ...(endsSo
        ? ([
            ['referrer', 7, /^0 [^]*lack http_referer or http_referrer, http_user_agent/],
            ['user agent', 8, /^0 [^]*lack http_referer or http_referrer, http_user_agent/],
          ] as const)
        : []),
    ] as const)('reports lines without the %s', async (_, at, told) => expect(await toldOf(at, '')).toMatch(told));

    it.each([
      ['request', 4, /lack request_uri or request[,.]/],
      ...(ofBrowsers
        ? ([
            ['referrer', 7, /lack http_referer or http_referrer\./],
            ['user agent', 8, /lack http_user_agent\./],
          ] as const)
        : []),
    ] as const)('reports a missing value of the %s', async (_, at, told) =>
      expect(await toldOf(at, '"-"')).toMatch(told),
    );
  },
);
