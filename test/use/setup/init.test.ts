import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { fewEvents, openFolder, type Folder } from '../run-in-folder.ts';
import { keys, seatPerson } from '../seated-person.ts';

let folder: Folder;
beforeEach(() => {
  const reversed = `${fewEvents.trim().split('\n').reverse().join('\n')}\n`;
  folder = openFolder({ 'events/a.ndjson': fewEvents, 'events/b.ndjson': reversed });
});
afterEach(() => folder.remove());

const read = (file: string) => readFileSync(path.join(folder.root, file), 'utf8');
const config = () => parse(read('sluice.yaml')) as unknown;
const files = () =>
  (readdirSync(folder.root, { recursive: true }) as string[]).filter((file) => !file.startsWith('events')).sort();
const embedded = ['init', '--backend', 'embedded', '--events', 'events/*.ndjson'] as const;

describe('sluice init with flags', () => {
  it('checks the events, and writes a workspace whose starter queries have answers', async () => {
    const { code, stdout, stderr } = await folder.sluice([
      ...embedded,
      '--timezone',
      'Europe/Berlin',
      '--group',
      'acme=42,shop/web',
    ]);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(
      /^10 events, 2024-03-06 to 2024-03-07, in events\/\*\.ndjson\nWrote sluice\.yaml, .*\.gitignore\.\nNext: sluice query daily-active-users\n$/,
    );
    expect(config()).toEqual({
      backend: 'embedded',
      events: 'events/*.ndjson',
      timezone: 'Europe/Berlin',
      usage: { groups: [{ name: 'acme', projects: [42, 'shop/web'] }] },
    });
    expect(read('.gitignore')).toBe('.sluice/\n');
    const named = readdirSync(path.join(folder.root, 'queries'));
    expect(named.length).toBeGreaterThan(3);
    for (const file of named) {
      const answer = await folder.sluice(['query', path.parse(file).name, '-f', 'json']);
      expect([answer.code, answer.stderr]).toEqual([
        0,
        'No events before 2024-03-06: earlier days of the range may lack data.\n',
      ]);
      expect((JSON.parse(answer.stdout) as unknown[]).length, file).toBeGreaterThan(0);
    }
    expect((await folder.sluice(['doctor'])).code).toBe(0);
    const report = await folder.sluice(['report', 'run', 'overview']);
    expect([report.code, report.stderr]).toEqual([0, '']);
    for (const file of named)
      expect(report.stdout).toContain(`**${(parse(read(`queries/${file}`)) as { readonly title: string }).title}**`);
    expect(await folder.sluice(['report', 'check', '--strict'])).toMatchObject({
      code: 0,
      stderr: '1 report: 0 errors, 0 warnings.\n',
    });
  });

  it('uses the days of the events if they are old', async () => {
    folder.write('events/a.ndjson', fewEvents.replaceAll('2024-03-0', '2021-05-0'));
    folder.write('events/b.ndjson', '');
    expect((await folder.sluice([...embedded, '--events', 'events/a.ndjson'])).code).toBe(0);
    expect(read('queries/daily-active-users.yaml')).toMatch(/- 2021-05-06\n *- 2021-05-07\n/);
    const days = JSON.parse((await folder.sluice(['query', 'daily-active-users', '-f', 'json'])).stdout) as Record<
      string,
      unknown
    >[];
    expect(days.map((day) => day['TrackedEvents.uniqueUsersCount'])).toEqual([2, 1]);
  });

  it('leaves out queries that the events cannot answer', async () => {
    folder.write('clicks.ndjson', '{"utcTime":"2024-03-06T10:00:00","eventType":"link_click","userAnonymousId":"u"}\n');
    await folder.sluice(['init', '--backend', 'embedded', '--events', 'clicks.ndjson']);
    expect(readdirSync(path.join(folder.root, 'queries'))).not.toContain('top-pages.yaml');
    expect(readdirSync(path.join(folder.root, 'queries'))).toContain('events-by-type.yaml');
  });

  it('asks about properties with few values if the events have neither types nor pages', async () => {
    const rows = ['1,Paid,usd,first', '2,Paid,usd,second', '3,Refunded,usd,third', '4,Paid,eur,'];
    folder.write(
      'pay.csv',
      ['Created (UTC),id,Status,Currency,Note', ...rows.map((row) => `2024-03-06 10:00:00,${row}`), ''].join('\n'),
    );
    expect((await folder.sluice(['init', 'pay.csv', '--yes'])).code).toBe(0);
    expect(readdirSync(path.join(folder.root, 'queries')).sort()).toEqual([
      'events-by-currency.yaml',
      'events-by-status.yaml',
      'events-per-week.yaml',
    ]);
    expect((await folder.sluice(['query', 'events-by-status', '-f', 'csv'])).stdout).toBe(
      'TrackedEvents.props.Status,TrackedEvents.count\nPaid,3\nRefunded,1\n',
    );
  });

  it.each([
    ['Order Value', ['Order Value', 'Shipping Amount', 'price'], ['9.5', '3', '1'], 'order-value-by-week', '28.5'],
    ['Amount with commas', ['Amount', 'Amount Refunded', 'Fee'], ['"1,299.00"', '0', '38'], 'amount-by-week', '3897'],
    ['nothing that is a number', ['Total', 'Tax'], ['many', '3'], undefined, undefined],
  ])('asks for the sum of %s', async (_what, columns, values, name, sum) => {
    const rows = ['#1001,a@x.example', '#1002,b@x.example', '#1003,a@x.example'];
    folder.write(
      'orders.csv',
      [
        ['Created at', 'Name', 'Billing Email', ...columns].join(','),
        ...rows.map((row) => ['2024-02-28 10:00:00', row, ...values].join(',')),
        '',
      ].join('\n'),
    );
    expect((await folder.sluice(['init', 'orders.csv', '--yes', '--timezone', 'UTC'])).code).toBe(0);
    // The number of an order is no type of event, and events by email address say little.
    expect(read('sluice.yaml')).not.toContain('eventType');
    const queries = readdirSync(path.join(folder.root, 'queries'));
    expect(queries.filter((query) => /by-(?:week|name|type|billing)/.test(query) && !/^sessions/.test(query))).toEqual(
      name === undefined ? [] : [`${name}.yaml`],
    );
    if (name === undefined) return;
    const { stdout } = await folder.sluice(['query', name, '-f', 'csv']);
    expect(stdout.trim().split('\n').at(-1)).toBe(`2024-02-26T00:00:00.000,${sum}`);
    expect(read('reports/overview.md')).toContain(`from: ${name}`);
  });

  it.each([
    ['price and quantity', { price: 10, quantity: 2, tax: 1 }, 'price-quantity-by-name', 'Mug,40,2'],
    ['an amount', { price: 10, item_revenue: 25, discount: 1 }, 'item-revenue-by-name', 'Mug,50,2'],
    ['no amount', { weight: 3 }, undefined, undefined],
  ])('asks for the revenue of items by %s', async (_what, numbers, name, row) => {
    const order = (user: string) => ({
      utcTime: '2024-03-05T10:00:00Z',
      eventType: 'order',
      userId: user,
      items: [{ id: '7', name: 'Mug', ...numbers }],
    });
    folder.write('orders.ndjson', ['a', 'b'].map((user) => `${JSON.stringify(order(user))}\n`).join(''));
    expect((await folder.sluice(['init', 'orders.ndjson', '--yes', '--timezone', 'UTC'])).code).toBe(0);
    const queries = readdirSync(path.join(folder.root, 'queries'));
    expect(queries.filter((query) => /by-(?:name|id)/.test(query))).toEqual(name ? [`${name}.yaml`] : []);
    if (name === undefined) return;
    const { stdout } = await folder.sluice(['query', name, '-f', 'csv']);
    expect(stdout.trim().split('\n').slice(1)).toEqual([row]);
    expect(read('reports/overview.md')).toContain(`from: ${name}`);
  });

  it('adds up no amounts of several currencies', async () => {
    const order = (currency: string, price: number) => ({
      utcTime: '2024-02-28T10:00:00Z',
      eventType: 'order',
      userId: currency,
      order: { revenue: price, currency_code: currency },
      Currency: 'USD',
      items: [{ name: 'Mug', price }],
    });
    const events = [order('EUR', 10), order('JPY', 1500), order('EUR', 5)];
    folder.write('orders.ndjson', events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    expect((await folder.sluice(['init', 'orders.ndjson', '--yes', '--timezone', 'UTC'])).code).toBe(0);
    const rowsOf = async (name: string) =>
      (await folder.sluice(['query', name, '-f', 'csv'])).stdout.trim().split('\n').slice(1).sort();
    expect(await rowsOf('order-revenue-by-week')).toEqual(
      expect.arrayContaining(['EUR,2024-02-26T00:00:00.000,15', 'JPY,2024-02-26T00:00:00.000,1500']) as string[],
    );
    // The currency beside the amount, or else that of the event.
    expect(await rowsOf('price-by-name')).toEqual(['Mug,USD,1515,3']);
    expect(read('reports/overview.md')).toContain('per week and currency');
  });

  it('looks at a part of a large file for its questions, and counts all of it', async () => {
    const line = `2024-02-28T00:00:00Z,ann,2.5,${'x'.repeat(1000)}\n`;
    folder.write('large.csv', `time,user,amount,text\n${line.repeat(26_000)}`);
    const { code, stderr } = await folder.sluice(['init', '--yes', 'large.csv']);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('26,000 events, 2024-02-28 to 2024-02-28, in large.csv'),
    ]);
    expect(config()).toMatchObject({ events: 'large.csv' });
    expect(existsSync(path.join(folder.root, 'queries/amount-by-week.yaml'))).toBe(true);
    const { stdout } = await folder.sluice(['query', 'amount-by-week', '-f', 'csv']);
    expect(stdout.trim().split('\n').at(-1)).toBe('2024-02-26T00:00:00.000,65000');
  });

  it('asks for the rows of each week first, and for no sessions, if each row is one of its own', async () => {
    const days = Array.from({ length: 30 }, (_, index) =>
      new Date(Date.UTC(2021, 0, 1 + index * 3)).toISOString().slice(0, 10),
    );
    folder.write(
      'subscriptions.csv',
      ['user_id,started_at,plan,mrr', ...days.map((day, at) => `u${at % 9},${day},p${at % 3},9.90`), ''].join('\n'),
    );
    const { stderr } = await folder.sluice(['init', 'subscriptions.csv', '--yes', '--timezone', 'UTC']);
    expect(stderr).toContain('Wrote sluice.yaml, queries/events-per-week.yaml, queries/mrr-by-week.yaml');
    expect(stderr).not.toContain('sessions-by-week');
    // The last event is on 29 March, and 55 days before are a Tuesday.
    expect(read('queries/events-per-week.yaml')).toMatch(/- 2021-02-01\n *- 2021-03-29\n/);
  });

  it('asks by texts, not by whole lists', async () => {
    const order = { userId: 'a', status: 'paid', codes: [{ code: 'SPRING' }] };
    const written = ['05', '06'].map((day) => JSON.stringify({ utcTime: `2024-03-${day}T10:00:00Z`, ...order }));
    folder.write(
      'orders.ndjson',
      `${written.join('\n')}\n${written[0]!.replace('paid', 'open').replace(/\[.*\]/, '[]')}\n`,
    );
    expect((await folder.sluice(['init', 'orders.ndjson', '--yes', '--timezone', 'UTC'])).code).toBe(0);
    const queries = readdirSync(path.join(folder.root, 'queries'));
    expect(queries.filter((query) => query.startsWith('events-by'))).toEqual(['events-by-status.yaml']);
  });

  it('asks about sessions and users without a note on event types, which they do not need', async () => {
    const rows = ['10:00,a', '11:00,a', '12:00,b'].map((row) => `2024-03-06 ${row}`);
    folder.write('visits.csv', ['utcTime,userId', ...rows, ''].join('\n'));
    const asked = async (line: string) => (await folder.sluice(['query', line, '--events', 'visits.csv'])).stdout;
    for (const line of ['Sessions.count', 'Sessions.averageDurationMinutes by day', 'ReturningUsers.count'])
      expect([line, await asked(line)]).toEqual([line, expect.not.stringContaining('no event type')]);
    for (const line of ['Sessions.count by Sessions.landingPage', 'count by eventType', 'pageViewsCount'])
      expect([line, await asked(line)]).toEqual([line, expect.stringContaining('no event type')]);
  });

  it('names missing flags if there is no terminal, and writes nothing', async () => {
    for (const [argv, missing] of [
      [['init'], '--backend embedded|platform|cube'],
      [['init', '--backend', 'embedded'], '--events'],
      [['init', '--backend', 'platform'], '--host, --project'],
      [['init', '--backend', 'cube'], '--host'],
    ] as const) {
      const { code, stderr } = await folder.sluice(argv);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`these flags are required: ${missing}.\n`)]);
    }
    expect(files()).toEqual([]);
  });

  it('uses the suggestions with --yes', async () => {
    expect((await folder.sluice(['init', '--yes'], { env: { TZ: 'Asia/Tokyo' } })).code).toBe(0);
    expect(config()).toEqual({ backend: 'embedded', events: 'events/*.ndjson', timezone: 'Asia/Tokyo' });
  });

  it('prefers an existing store to files', async () => {
    await folder.sluice(['ingest', 'events/a.ndjson']);
    const { code, stderr } = await folder.sluice(['init', '--yes']);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('5 events, 2024-03-06 to 2024-03-07, in the store .sluice/store\n'),
    ]);
    expect(config()).toEqual({ backend: 'embedded', timezone: expect.any(String) as string });
  });

  it('prints the mapping of a file for a configuration that exists, and changes nothing', async () => {
    folder.write('sluice.yaml', 'timezone: Europe/Berlin\n');
    folder.write('shop.csv', 'created_at,who,what\n2024-03-08 09:00:00,ann,buy\n2024-03-09 09:00:00,bob,buy\n');
    for (const more of [[], ['--yes']]) {
      const { code, stdout, stderr } = await folder.sluice(['init', 'shop.csv', ...more]);
      expect([code, stdout]).toEqual([2, expect.stringMatching(/^sources:\n {2}- files: shop\.csv\n/)]);
      expect(stderr).toContain('The configuration sluice.yaml already exists. Nothing was written. Add this to it:\n');
      expect(read('sluice.yaml')).toBe('timezone: Europe/Berlin\n');
    }
  });

  it('never overwrites a configuration unless told to, and keeps existing queries', async () => {
    folder.write('sluice.yaml', '# mine\n');
    folder.write('queries/top-pages.yaml', '# mine, too\n');
    folder.write('.gitignore', 'dist');
    const refused = await folder.sluice([...embedded]);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/sluice\.yaml already exists\.\n.*sluice doctor.*sluice init --force/),
    ]);
    expect([read('sluice.yaml'), files()]).toEqual([
      '# mine\n',
      ['.gitignore', 'queries', 'queries/top-pages.yaml', 'sluice.yaml'],
    ]);
    const forced = await folder.sluice([...embedded, '--force']);
    expect([forced.code, forced.stderr]).toEqual([0, expect.stringContaining('Not changed: queries/top-pages.yaml.')]);
    expect([read('queries/top-pages.yaml'), read('.gitignore')]).toEqual(['# mine, too\n', 'dist\n.sluice/\n']);
    expect(config()).toEqual({ backend: 'embedded', events: 'events/*.ndjson' });
  });

  it('does not hide a sluice.yml by a sluice.yaml, and names the file of --config', async () => {
    folder.write('sluice.yml', '# mine\n');
    expect((await folder.sluice([...embedded])).code).toBe(2);
    expect((await folder.sluice([...embedded, '--config', 'events/other.yaml'])).code).toBe(0);
    // Its paths start from its folder.
    expect(read('events/other.yaml')).toContain("events: '*.ndjson'".replaceAll("'", '"'));
    expect((await folder.sluice(['query', 'count', '-f', 'json', '--config', 'events/other.yaml'])).stdout).toBe(
      '[{"TrackedEvents.count":10}]\n',
    );
  });

  it('writes nothing if the events cannot be read, with a hint; --force writes it anyway', async () => {
    for (const events of ['gone/*.csv', 'notes.md']) {
      folder.write('notes.md', '# no events\n');
      const failed = await folder.sluice(['init', '--backend', 'embedded', '--events', events]);
      expect([failed.code, failed.stderr]).toEqual([
        2,
        expect.stringMatching(/^events: .*\n[^]*Nothing was written\. To write it anyway, add --force\./),
      ]);
      expect(files()).toEqual(['notes.md']);
    }
    const forced = await folder.sluice(['init', '--backend', 'embedded', '--events', 'gone/*.csv', '--force']);
    expect([forced.code, forced.stderr]).toEqual([0, expect.stringContaining('Next: sluice doctor\n')]);
    expect(config()).toEqual({ backend: 'embedded', events: 'gone/*.csv' });
  });

  it.each([
    'a\nevents: b',
    'it\'s: "quoted"',
    '- # [x]',
    ' lead',
    '!tag &a *a',
    '\u001b[2J',
    'null',
    '42',
    'a'.repeat(300),
  ])('writes %j so that it reads back unchanged', async (events) => {
    const { code, stderr } = await folder.sluice([
      'init',
      '--backend',
      'embedded',
      '--events',
      events,
      '--group',
      `${events.replaceAll('=', '')}=${events.replaceAll(',', '')}`,
      '--force',
    ]);
    expect([code, stderr.includes('\u001b')]).toEqual([0, false]);
    expect(config()).toMatchObject({ events });
  });

  it('accepts no token, under any name', async () => {
    const secret = 'glpat-0123456789abcdefghij';
    const { code, stderr } = await folder.sluice([
      'init',
      '--backend',
      'platform',
      '--host',
      'http://127.0.0.1:1',
      '--project',
      '42',
      '--token-file',
      secret,
      '--force',
    ]);
    expect([code, stderr.includes(secret), files()]).toEqual([2, false, []]);
    expect(stderr).toContain('token does not belong');
  });

  it('reports that there are no events yet, and the next command', async () => {
    const empty = openFolder();
    const made = await empty.sluice(['init', '--yes']);
    expect([made.code, made.stderr]).toEqual([0, expect.stringMatching(/Next: sluice sample/)]);
    await empty.sluice(['sample', '-n', '1000']);
    expect((await empty.sluice(['query', 'daily-active-users', '-f', 'json'])).code).toBe(0);
    empty.remove();
  });
});

describe('sluice init on a terminal', () => {
  const { enter, down, interrupt } = keys;

  it('asks, checks, asks whether to write, and names the next command', async () => {
    const person = seatPerson([
      ['Where are your events?', enter],
      ['Which files', enter],
      ['time zone', enter],
      ['Write sluice.yaml, ', enter],
    ]);
    const { code, stdout } = await folder.sluice(['init'], { person, env: { TZ: 'Europe/Rome' } });
    expect([code, stdout, person.left()]).toEqual([0, '', 0]);
    expect(person.seen()).toMatch(
      /10 events, 2024-03-06 to 2024-03-07[^]*Wrote sluice\.yaml[^]*Next: sluice query daily-active-users/,
    );
    expect(config()).toEqual({ backend: 'embedded', events: 'events/*.ndjson', timezone: 'Europe/Rome' });
  });

  it('asks for the zone of times without one, unless days are in UTC', async () => {
    const rows = ['2024-03-06 10:00:00,ann,2024-03-06 11:00:00', '2024-03-06 23:30:00,bob,2024-03-07 00:30:00'];
    folder.write('shop.csv', ['created_at,customer,finished_at', ...rows, ''].join('\n'));
    const days = async (answer: string) => {
      const person = seatPerson([
        ['time zone', enter],
        ['In which zone are they?', answer],
        ['Write sluice.yaml, ', enter],
      ]);
      const { code } = await folder.sluice(['init', 'shop.csv', '--force'], { person, env: { TZ: 'Europe/Rome' } });
      expect([code, person.left()]).toEqual([0, 0]);
      const ask = async (line: string) => (await folder.sluice(['query', line, '-f', 'csv'])).stdout;
      // All times of the file are in this zone.
      expect(await ask('avg(finished_at - utcTime in hours)')).toMatch(/,?1\n$/);
      return { days: await ask('count by day'), zone: config() };
    };
    expect(await days(enter)).toEqual({
      days: expect.stringContaining('2024-03-06T00:00:00.000,1\n2024-03-07T00:00:00.000,1\n'),
      zone: expect.objectContaining({
        sources: [expect.objectContaining({ files: 'shop.csv', timezone: 'UTC' })],
      }),
    });
    expect(await days(`${down}${enter}`)).toEqual({
      days: expect.stringContaining('2024-03-06T00:00:00.000,2\n'),
      zone: expect.objectContaining({
        sources: [expect.objectContaining({ files: 'shop.csv', timezone: 'Europe/Rome' })],
      }),
    });
    const inUtc = seatPerson([
      ['time zone', enter],
      ['Write sluice.yaml, ', enter],
    ]);
    expect((await folder.sluice(['init', 'shop.csv', '--force'], { person: inUtc, env: { TZ: 'UTC' } })).code).toBe(0);
    expect(inUtc.seen()).not.toContain('In which zone');
  });

  it('asks only for values without a flag, and refuses invalid ones', async () => {
    const person = seatPerson([
      ['time zone', 'Mars'],
      ['UTCMars', enter],
      ['is not a time zone', `${keys.erase.repeat(4)}${enter}`],
      ['Write sluice.yaml', enter],
    ]);
    const { code } = await folder.sluice([...embedded], { person, env: { TZ: 'UTC' } });
    expect([code, person.left()]).toEqual([0, 0]);
    expect(person.seen()).not.toContain('Where are your events?');
    expect(config()).toEqual({ backend: 'embedded', events: 'events/*.ndjson', timezone: 'UTC' });
  });

  it('lets a person answer again, write anyway, or stop', async () => {
    const wrong = [
      ['Where are your events?', enter],
      ['Which files', `${down}${enter}`],
      ['Path, folder or pattern', `gone.csv${enter}`],
      ['time zone', enter],
      ['The check failed', ''],
    ] as const;
    const again = seatPerson([
      ...wrong.slice(0, -1),
      ['The check failed', enter],
      ['Where are your events?', enter],
      ['Which files', enter],
      ['Write sluice.yaml', enter],
    ]);
    expect((await folder.sluice(['init'], { person: again })).code).toBe(0);
    expect(config()).toMatchObject({ events: 'events/*.ndjson' });
    const stop = seatPerson([...wrong.slice(0, -1), ['The check failed', `${down}${down}${enter}`]]);
    expect((await folder.sluice(['init', '--config', 'other.yaml'], { person: stop })).code).toBe(0);
    expect([stop.seen(), files().includes('other.yaml')]).toEqual([
      expect.stringContaining('Nothing was written'),
      false,
    ]);
    const anyway = seatPerson([...wrong.slice(0, -1), ['The check failed', `${down}${enter}`]]);
    expect((await folder.sluice(['init', '--config', 'other.yaml'], { person: anyway })).code).toBe(0);
    expect(read('other.yaml')).toContain('events: gone.csv');
  });

  it('exits with 130 when interrupted at any question, and writes nothing', async () => {
    const all = [
      ['Where are your events?', enter],
      ['Which files', enter],
      ['time zone', enter],
      ['Write sluice.yaml', enter],
    ] as const;
    for (const count of [0, 1, 2, 3]) {
      const person = seatPerson([...all.slice(0, count), [all[count]?.[0] ?? '', interrupt]]);
      expect((await folder.sluice(['init'], { person })).code).toBe(130);
      expect(files()).toEqual([]);
    }
    const stopped = new AbortController();
    const person = seatPerson([]);
    const running = folder.sluice(['init'], { person, signal: stopped.signal });
    setTimeout(() => stopped.abort(), 300);
    expect((await running).code).toBe(130);
  });

  it('stops on "no" and writes nothing', async () => {
    const person = seatPerson([
      ['time zone', enter],
      ['Write sluice.yaml', `n`],
    ]);
    expect((await folder.sluice([...embedded], { person })).code).toBe(0);
    expect(existsSync(path.join(folder.root, 'sluice.yaml'))).toBe(false);
  });
});
