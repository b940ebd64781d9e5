import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { countSlowly, pathOf, type ReadEvent } from '../run/presets/oracle.ts';
import { type StoryEvent, tellStory } from '../run/presets/story.ts';
import { writeRows } from '../run/presets/vendor.ts';
import { askFive, toExpected, writeFunnel } from './ask-five.ts';
import { folderOf } from './run-in-folder.ts';

/** A file with unknown columns, and its meaning to a person. */
interface Unknown {
  readonly file: string;
  readonly write: (events: readonly StoryEvent[]) => string;
  readonly read: (event: StoryEvent) => Partial<ReadEvent>;
}

const kindOf = ({ kind, name }: StoryEvent) => (kind === 'page' ? 'Page View' : kind === 'custom' ? name : kind);
const visitorOf = ({ visitor }: StoryEvent) => (visitor === null ? null : `v${visitor}`);
const urlOf = ({ host, path, search }: StoryEvent) => `https://${host}${path}${search}`;
const seconds = ({ at }: StoryEvent) => Math.floor(at / 1000);
const cell = (value: unknown) => {
  const text = value === null ? '' : String(value);
  return /[";\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const local = (at: number) => new Date(at).toUTCString().replace('GMT', '+0000');

const files: readonly Unknown[] = [
  {
    file: 'visits.csv',
    write: (events) =>
      writeRows(
        'csv',
        events.map((event) => ({
          created_at: new Date(event.at).toISOString().slice(0, 19).replace('T', ' '),
          visitor_id: visitorOf(event),
          customer: event.account,
          visit_id: `s${event.visit}`,
          action: kindOf(event),
          page: event.path,
          referrer: event.referrer,
          plan: event.props['plan'] ?? null,
        })),
      ),
    read: (event) => ({
      at: seconds(event) * 1000,
      userId: event.account,
      sessionId: `s${event.visit}`,
      path: event.path,
    }),
  },
  {
    file: 'log.ndjson',
    write: (events) =>
      writeRows(
        'ndjson',
        events.map((event) => ({
          ts: event.at,
          actor: { visitorId: visitorOf(event), email: event.account },
          event: kindOf(event),
          context: { page: { url: urlOf(event), title: event.title }, referrer: event.referrer },
          payload: event.props,
        })),
      ),
    read: (event) => ({ userId: event.account, path: pathOf(urlOf(event)) }),
  },
  {
    file: 'ereignisse.csv',
    write: (events) =>
      [
        'zeitpunkt;besucher;ereignis;seite;herkunft',
        ...events.map((event) =>
          [local(event.at), visitorOf(event), kindOf(event), event.path, event.referrer].map(cell).join(';'),
        ),
      ].join('\r\n'),
    read: (event) => ({ at: seconds(event) * 1000, path: event.path }),
  },
  {
    // Typical for Excel and German shops: a title, decimal commas, and an ID of types that does not identify events.
    file: 'export.csv',
    write: (events) =>
      [
        'Ereignisse',
        '',
        'Datum;Uhrzeit;Benutzer-ID;Ereignis;event_id;Seite;Betrag',
        ...events.map((event) =>
          [
            new Date(event.at).toISOString().slice(0, 10).split('-').reverse().join('.'),
            new Date(event.at).toISOString().slice(11, 19),
            visitorOf(event),
            event.kind === 'page' ? 'Seitenaufruf' : kindOf(event),
            kindOf(event).length,
            event.path,
            `${event.number},50`,
          ]
            .map(cell)
            .join(';'),
        ),
      ].join('\r\n'),
    read: (event) => ({
      at: seconds(event) * 1000,
      userAnonymousId: null,
      userId: visitorOf(event),
      path: event.path,
      referer: null,
    }),
  },
  {
    file: 'flat.csv',
    write: (events) =>
      [
        'event|time|distinct_id|$insert_id|$current_url|properties',
        ...events.map((event) =>
          [
            event.kind === 'page' ? '$mp_web_page_view' : kindOf(event),
            seconds(event),
            visitorOf(event) ?? '',
            `i${event.number}`,
            urlOf(event).replaceAll('|', '%7C'),
            JSON.stringify(event.props).replaceAll('|', ' '),
          ].join('|'),
        ),
      ].join('\n'),
    read: (event) => ({ at: seconds(event) * 1000, path: pathOf(urlOf(event)), referer: null }),
  },
  {
    file: 'dump.json',
    write: (events) =>
      writeRows(
        'json-array',
        events.map((event) => ({
          when: seconds(event),
          who: visitorOf(event),
          what: kindOf(event),
          location: urlOf(event),
          camefrom: event.referrer,
          tags: ['a', { b: 1 }],
        })),
      ),
    read: (event) => ({
      at: seconds(event) * 1000,
      userAnonymousId: null,
      userId: visitorOf(event),
      path: pathOf(urlOf(event)),
    }),
  },
];

type Source = string | { readonly column?: string; readonly path?: string };

/** A dimension that reads no other field. */
const memberOf: Readonly<Record<string, string>> = { url: 'pageUrl', userAnonymousId: 'userAnonymousId' };

/** The file without a column, or without a key in the objects of one. */
function withoutColumn(file: string, text: string, name: string): string {
  if (file.endsWith('.csv'))
    return text.replace(new RegExp(`(^|[,;|\\n])${name.replaceAll('$', '\\$')}([,;|\\r\\n])`), '$1other$2');
  const key = name.split('.').at(-1)!;
  return text.replaceAll(`"${key}":`, '"other":');
}

describe('a file with unknown columns', () => {
  const story = tellStory();

  it.each(files.map((one) => [one.file, one] as const))(
    '%s gives the five answers of a slow count',
    async (_name, { file, write, read }) => {
      const events = story.map((event): ReadEvent => {
        const plain = { at: event.at, eventId: String(event.number), userAnonymousId: visitorOf(event), userId: null };
        const type = event.kind === 'page' ? 'pageview' : kindOf(event);
        return { ...plain, sessionId: null, type, path: null, referer: event.referrer, ...read(event) };
      });
      const expected = toExpected(countSlowly(events));
      const folder = folderOf({ [file]: write(story), 'sluice.yaml': '' });
      writeFunnel(folder);
      const init = await folder.sluice(['init', file]);
      expect(init.code, init.stderr).toBe(0);
      folder.write('sluice.yaml', init.stdout);
      expect(await askFive(folder.root), init.stdout).toEqual(expected);
      const taken = await folder.sluice(['ingest', file]);
      expect(taken.code, taken.stderr).toBe(0);
      folder.write('sluice.yaml', '');
      expect(await askFive(folder.root)).toEqual(expected);
    },
  );

  it.each(files.map((one) => [one.file, one] as const))(
    '%s reports any recognised column that later files lack, loaded or queried',
    async (_name, { file, write }) => {
      const whole = write(story.slice(0, 40));
      const folder = folderOf({ [file]: whole, 'sluice.yaml': '' });
      const { stdout } = await folder.sluice(['init', file]);
      const [{ columns }] = (parse(stdout) as { sources: [{ columns: Record<string, Source> }] }).sources;
      folder.write('sluice.yaml', stdout.replace(`files: ${file}`, `files: "*${file}"`));
      for (const [field, source] of Object.entries(columns)) {
        const name = typeof source === 'string' ? source : (source.column ?? source.path);
        if (name === undefined) continue;
        const later = `${field}-${file}`;
        folder.write(later, withoutColumn(file, whole, name));
        const taken = await folder.sluice(['ingest', later, '--store', `s-${field}`]);
        expect(taken.code !== 0 || taken.stderr.includes(`${name} (${field})`), `${name}\n${taken.stderr}`).toBe(true);
        if (field === 'utcTime') continue;
        const asked = await folder.sluice(['query', `count by ${memberOf[field] ?? field}`, '--events', later]);
        expect(asked.stdout, name).toMatch(/The events have no .*: figures about it are empty/);
      }
    },
  );
});

it('keeps the keys of objects in columns with the names of fields, and no host of the page before', async () => {
  const events = [
    { time: '2024-03-01T10:00:00Z', user: 'a', event: { name: 'view', plan: 'pro' }, src: { kind: 'app' } },
    { time: '2024-03-01T11:00:00Z', user: 'b', event: { name: 'buy', plan: 'free' }, referer: { host: 'b.org' } },
  ];
  const folder = folderOf({ 'log.ndjson': events.map((event) => JSON.stringify(event)).join('\n') });
  const ask = async (line: string) =>
    (await folder.sluice(['query', line, '-f', 'csv', '--events', 'log.ndjson'])).stdout;
  expect((await ask('count by event.plan, eventType order by event.plan')).split('\n').slice(1, 3)).toEqual([
    'free,buy,1',
    'pro,pageview,1',
  ]);
  expect((await ask('count by src.kind where src.kind is set')).split('\n')[1]).toBe('app,1');
  expect((await ask('count by docHost, referer.host where referer.host is set')).split('\n')[1]).toBe(',b.org,1');
});

it.each([
  ['a date with a month name, and a clock beside it', 'Date,Time,User\n14-Mar-2024,10:05 PM,u\n', '22:05:00'],
  ['a compact date, and an hour beside it', 'day,hour,user\n20240314,7,u\n20240314,22,u\n', '22:00:00'],
  ['a date with commas', 'Activity Date,user\n"Mar 14, 2024, 10:05:07 PM",u\n', '22:05:07'],
  ['a date of git', 'date,author\nThu Mar 14 22:05:07 2024 +0100,u\n', '21:05:07'],
  ['a zone in the name of the column', 'started_at (America/New_York),user_id\n2024-03-14 10:05:07,u\n', '14:05:07'],
  ['a zone in the name, which the times have, too', 'at (Europe/Berlin),user\n2024-03-14T10:05:07Z,u\n', '10:05:07'],
  ['dates of a spreadsheet', 'Created,Amount,User\n45365.9202199074,45364,u\n45364,45364,u\n', '22:05:07'],
  ['dates of a spreadsheet with decimal commas', 'Date;User\n45365,9202199074;u\n45364,5;v\n', '22:05:07'],
  ['dates with dots, the year first', 'When,User\n2024.03.14 22:05:07,u\n', '22:05:07'],
  ['a 12-hour clock', 'When,User\n2024-03-14 10:05:07 PM,u\n', '22:05:07'],
  ['times in digits alone', 'When,User\n20240314220507,u\n', '22:05:07'],
  ['no zone in the name', 'started_at (Room/12),user_id\n2024-03-14 10:05:07,u\n', '10:05:07'],
])('reads the time of a file with %s', async (_, text, clock) => {
  const folder = folderOf({ 'a.csv': text });
  const asked = await folder.sluice(['query', 'max(utcTime)', '-f', 'csv', '--events', 'a.csv']);
  expect([asked.stdout.split('\n')[1], asked.code]).toEqual([`2024-03-14T${clock}.000Z`, 0]);
});

it('says how to map whole numbers that may be dates of a spreadsheet', async () => {
  const folder = folderOf({ 'a.csv': 'Sent time,user\n45364,u\n45365,v\n' });
  const { code, stderr } = await folder.sluice(['init', 'a.csv']);
  expect([code, stderr]).toEqual([2, expect.stringContaining("name it: --map 'utcTime=Sent time'")]);
  const asked = await folder.sluice([
    'query',
    'max(utcTime)',
    '-f',
    'csv',
    '--events',
    'a.csv',
    '--map',
    'utcTime=Sent time',
  ]);
  expect(asked.stdout).toContain('2024-03-14T00:00:00.000Z');
});

it('asks for the order of dates with years of two digits', async () => {
  const folder = folderOf({ 'a.csv': 'Date,user\n3/14/24 10:05,u\n' });
  const { code, stderr } = await folder.sluice(['query', 'count', '--events', 'a.csv']);
  expect([code, stderr]).toEqual([2, expect.stringContaining("format: '%m/%d/%y %H:%M'")]);
  folder.write('sluice.yaml', "events: a.csv\ncolumns: {utcTime: {column: Date, format: '%m/%d/%y %H:%M'}}\n");
  const asked = await folder.sluice(['query', 'max(utcTime)', '-f', 'csv']);
  expect(asked.stdout).toContain('2024-03-14T10:05:00.000Z');
});

it('a report says once how unknown columns are read', async () => {
  const cell = (query: string) => `\`\`\`query\nquery: ${query}\n\`\`\`\n`;
  const folder = folderOf({
    'shop.csv': 'created_at,visitor,what\n2024-03-01T10:00:00Z,ann,order\n2024-03-02T10:00:00Z,bob,visit\n',
    'reports/days.md': `---\ntitle: Days\n---\n\n${cell('count')}\n${cell('count by day')}\n${cell('users')}`,
  });
  for (const format of ['md', 'html', 'eml']) {
    const { code, stdout } = await folder.sluice([
      ...['report', 'run', 'days', '--events', 'shop.csv', '--as-of', '2024-03-03', '-f', format],
      ...['--from', 'a@example.org', '--to', 'b@example.org', '--subject', 'Days'].slice(format === 'eml' ? 0 : 6),
    ]);
    expect(code).toBe(0);
    const parts = format === 'eml' ? stdout.split(/^--.*$/m).filter((part) => part.includes('text/plain')) : [stdout];
    for (const part of parts) expect(part.replace(/=\r?\n/g, '').match(/Unknown column names/g)).toHaveLength(1);
  }
});
