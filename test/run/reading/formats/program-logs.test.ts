import { describe, expect, it } from 'vitest';
import { folderOf } from '../../../use/run-in-folder.ts';

const start = Date.UTC(2026, 9, 1, 8);
const levels = ['INFO', 'WARN', 'ERROR'];

/** The events of all logs. */
const events = Array.from({ length: 90 }, (_, n) => ({
  at: new Date(start + n * 600_000).toISOString(),
  level: levels[n % 3]!,
  user: `u${n % 7}`,
  amount: n,
  trace:
    n % 10 === 0 ? ['Traceback (most recent call last):', '  File "shop.py", line 1', '', 'ValueError: amount=7'] : [],
}));
type Event = (typeof events)[number];

const clock = ({ at }: Event, mark: string) => `${at.slice(0, 10)} ${at.slice(11, 19)}${mark}${at.slice(20, 23)}`;
const pairs = ({ user, amount }: Event) => `order placed user=${user} amount=${amount}`;

/** How programs write an event by default or by habit. */
const writers: Readonly<Record<string, (event: Event) => string>> = {
  "Python's logging": (event) => `${clock(event, ',')} - shop.cart - ${event.level} - ${pairs(event)}`,
  bars: (event) => `${clock(event, '.')} | ${event.level.padEnd(8)} | shop.cart:add:12 - ${pairs(event)}`,
  logback: (event) => `${clock(event, '.')} [main] ${event.level.padEnd(5)} c.shop.Cart - ${pairs(event)}`,
  'Spring Boot': (event) =>
    `${event.at.slice(0, 23)}+00:00  ${event.level} 1234 --- [main] c.shop.Cart : ${pairs(event)}`,
  brackets: (event) => `[${clock(event, '.').slice(0, 19)}] [${event.level.toLowerCase()}] ${pairs(event)}`,
  'slashes, as Go and nginx': (event) =>
    `${clock(event, '.').slice(0, 19).replaceAll('-', '/')} [${event.level}] ${pairs(event)}`,
  'tabs, as zap': (event) =>
    `${event.at.replace('Z', '+0000')}\t${event.level.toLowerCase()}\tcart.go:12\t${pairs(event)}`,
};

function figures(): readonly string[] {
  return levels.map((level) => {
    const own = events.filter((each) => each.level === level);
    const sum = own.reduce((total, { amount }) => total + amount, 0);
    return `${level},${own.length},${new Set(own.map(({ user }) => user)).size},${sum},${own.filter(({ trace }) => trace.length > 0).length}`;
  });
}

describe('logs that programs write', () => {
  it.each(Object.entries(writers))('have a time, a level, pairs and whole messages: %s', async (_name, write) => {
    const folder = folderOf({
      'app.log': events.flatMap((event) => [write(event), ...event.trace, '']).join('\n'),
    });
    const line = 'count, distinct(user), sum(amount), (count where message contains ValueError) as faults by level';
    const { code, stdout, stderr } = await folder.sluice(['query', line, '--events', 'app.log', '-f', 'csv']);
    expect([code, stderr.includes('could not be read')]).toEqual([0, false]);
    const rows = stdout
      .trim()
      .split('\n')
      .slice(1)
      .map((row) => row.replace(/^[a-z]+/, (level) => level.toUpperCase()));
    expect(rows.filter((row) => /^[A-Z]+,/.test(row)).toSorted()).toEqual(figures().toSorted());
    const times = await folder.sluice(['query', 'min(utcTime), max(utcTime)', '--events', 'app.log', '-f', 'csv']);
    expect(times.stdout).toContain('2026-10-01T08:00:00.000Z,2026-10-01T22:50:00.000Z');
  });

  it('are no tables: those keep their rows', async () => {
    const rows = events.map(({ at, user }) => `${at.slice(0, 19).replace('T', ' ')}\t${user}\torder`);
    const folder = folderOf({ 'table.txt': ['created_at\tuser_id\tevent', ...rows, ''].join('\n') });
    const { stdout } = await folder.sluice(['query', 'count by event', '--events', 'table.txt', '-f', 'csv']);
    expect(stdout).toContain('order,90');
  });

  it('have their pairs behind a prefix, too', async () => {
    const lines = events.map((event) => `web-1  | ${event.at} ${event.level} ${pairs(event)}`);
    const folder = folderOf({ 'compose.log': `${lines.join('\n')}\n` });
    const { stdout } = await folder.sluice(['query', 'count, sum(amount)', '--events', 'compose.log', '-f', 'csv']);
    expect(stdout).toContain('90,4005');
  });
});

describe('a file for the bulk API of Elasticsearch', () => {
  it('has an event for each document', async () => {
    const lines = events.flatMap(({ at, user }, n) => [
      JSON.stringify(
        n % 2 ? { index: { _index: 'events', _id: `${n}` } } : { create: { _index: 'events', routing: user } },
      ),
      JSON.stringify({ '@timestamp': at, user: { id: user }, index: { name: 'x' } }),
    ]);
    const folder = folderOf({ 'bulk.ndjson': `${lines.join('\n')}\n` });
    const { code, stdout, stderr } = await folder.sluice([
      'query',
      'count, uniqueUsersCount',
      '--events',
      'bulk.ndjson',
      '-f',
      'csv',
    ]);
    expect([code, stdout.trim().split('\n')[1], stderr.includes('not')]).toEqual([0, '90,7', false]);
  });
});

describe("a dump of Kafka's console consumer", () => {
  it('has the time of its records', async () => {
    const lines = events.map(
      ({ at, user }, n) =>
        `CreateTime:${Date.parse(at)}\tPartition:${n % 3}\tnull\t${JSON.stringify({ user_id: user })}`,
    );
    const folder = folderOf({ 'kafka.txt': `${lines.join('\n')}\n` });
    const line = 'count, uniqueUsersCount, max(utcTime) by partition';
    const { stdout } = await folder.sluice(['query', line, '--events', 'kafka.txt', '-f', 'csv']);
    expect(stdout.trim().split('\n').slice(1).toSorted()).toEqual([
      '0,30,7,2026-10-01T22:30:00.000Z',
      '1,30,7,2026-10-01T22:40:00.000Z',
      '2,30,7,2026-10-01T22:50:00.000Z',
    ]);
  });
});
