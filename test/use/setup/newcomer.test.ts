import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { writeZip } from '../../run/write-zip.ts';
import { folderOf } from '../run-in-folder.ts';
import { keys, seatPerson } from '../seated-person.ts';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';

const rows = Array.from({ length: 60 }, (_, index) => ({
  time: new Date(Date.UTC(2024, 2, 1) + index * 3_600_000).toISOString().slice(0, 19).replace('T', ' '),
  user: `u${index % 7}`,
  page: ['/', '/preise', '/größe'][index % 3]!,
}));
const csv = (from = 0, to = rows.length) =>
  `Zeitpunkt;Besucher;Seite\r\n${rows
    .slice(from, to)
    .map(({ time, user, page }) => `${time};${user};${page}\r\n`)
    .join('')}`;
const perPage = { '/': '20', '/preise': '20', '/größe': '20' };

/** Follows the proposal, and runs a query. */
async function follow(name: string, content: string | Uint8Array, flags: readonly string[] = []) {
  const folder = folderOf({ [name]: content });
  const proposed = await folder.sluice(['init', name, ...flags]);
  expect([proposed.code, proposed.stderr]).toEqual([2, expect.stringContaining(`${name}`)]);
  expect(proposed.stderr).not.toContain(`${tmpdir()}/`);
  folder.write('sluice.yaml', proposed.stdout);
  const taken = await folder.sluice(['ingest', name, ...flags]);
  expect(taken.code, taken.stderr).toBe(0);
  const answer = async (more: readonly string[]) => {
    const { stdout } = await folder.sluice(['query', 'count by docPath', '-f', 'json', ...flags, ...more]);
    return Object.fromEntries((JSON.parse(stdout) as object[]).map((row) => Object.values(row).map(String)));
  };
  expect(await answer([])).toEqual(perPage);
  folder.write('sluice.yaml', 'timezone: UTC\n');
  expect(await answer(['--store', '.sluice/store'])).toEqual(perPage);
}

describe('the proposal of init works for ingest and query', () => {
  it('for a zip of several files', () =>
    follow(
      'shop.zip',
      writeZip([
        { name: 'a.csv', content: Buffer.from(csv(0, 25)) },
        { name: 'b.csv', content: Buffer.from(csv(25)) },
      ]),
    ));
  it('for UTF-16, as Excel writes it', () =>
    follow(
      'excel.txt',
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(csv().replaceAll(';', '\t'), 'utf16le')]),
    ));
  it('for windows-1252', () =>
    follow(
      'alt.csv',
      Buffer.from(
        csv()
          .replace('Seite', 'Seite;Größe')
          .replaceAll(/(\/\S*)\r/g, '$1;1\r'),
        'latin1',
      ),
      ['--encoding', 'windows-1252'],
    ));
});

describe('a file that cannot be queried as it is', () => {
  it('in no supported format is refused as a whole, not line by line', async () => {
    const folder = folderOf({ 'app.log': '10:00:00 INFO user u1 logged in\n'.repeat(3) });
    for (const argv of [
      ['query', 'count', '--events', 'app.log'],
      ['ingest', 'app.log'],
    ]) {
      const { code, stderr } = await folder.sluice(argv);
      expect([code, stderr]).toEqual([2, expect.stringContaining('app.log is not in a format that sluice reads.')]);
    }
  });

  it('is shown with all digits of its numbers', async () => {
    const folder = folderOf({ 'a.ndjson': '{"ts": 1709892000, "user_id": 18446744073709551617, "action": "view"}\n' });
    expect((await folder.sluice(['init', 'a.ndjson'])).stderr).toMatch(
      /^user_id +number +18446744073709551617 +userId/m,
    );
  });

  it('causes no false alarms: columns that a preset leaves empty or derives are not missing', async () => {
    const properties = {
      time: 1709892000,
      distinct_id: 'a',
      $insert_id: 'i',
      mp_lib: 'web',
      $current_url: 'https://a.b/',
    };
    const event = { event: '$mp_web_page_view', properties };
    const folder = folderOf({ 'mixpanel.ndjson': JSON.stringify(event) });
    for (const line of ['Sessions.count', 'count by eventType', 'pageViewsCount by docPath']) {
      const { stdout, stderr } = await folder.sluice(['query', line, '--events', 'mixpanel.ndjson']);
      expect(stdout + stderr, line).not.toContain('The events have no');
    }
  });

  it('without a time is reported with its columns, by init and ingest', async () => {
    const folder = folderOf({ 'a.csv': 'who,page\nann,/\n', 'a.ndjson': '{"who":"ann","page":"/"}\n' });
    for (const argv of ['init', 'ingest'].flatMap((name) => ['a.csv', 'a.ndjson'].map((file) => [name, file])))
      expect(await folder.sluice(argv)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(
          /has no column for the time of its events[^]*who +text +ann +userId[^]*--map utcTime=COLUMN/,
        ) as string,
      });
  });

  it('of one object is read by the list of its events, which output names along with missing pages', async () => {
    const results = [0, 1, 2].map((at) => ({ at: 1709892000000 + at, kind: 'view', visitor: `v${at % 2}` }));
    const text = JSON.stringify({ from: '2024-03-01', paging: { next: 'https://api.example/2', total: 9 }, results });
    const folder = folderOf({ 'a.json': text });
    const read = 'Read the list "results" of a.json: 3 objects. Not read: from, paging.next, paging.total.';
    const missing =
      'a.json has 3 of 9 objects (paging.total: 9). The answer lacks the others. Get the remaining pages.';
    const proposed = (await folder.sluice(['init', 'a.json'])).stderr;
    expect([proposed.includes(read), proposed.includes(missing)]).toEqual([true, true]);
    const map = ['--map', 'utcTime=at', '--map', 'eventType=kind', '--map', 'userId=visitor'];
    const asked = await folder.sluice(['query', 'count, uniqueUsersCount', '--events', 'a.json', ...map, '-f', 'json']);
    expect(JSON.parse(asked.stdout)).toEqual([{ 'TrackedEvents.count': 3, 'TrackedEvents.uniqueUsersCount': 2 }]);
    expect(asked.stderr).toContain(missing);
    for (const command of [
      ['ingest', ...map],
      ['ingest', ...map, '--store', 'other', '-'],
    ]) {
      const { stderr } = await folder.sluice([...command, ...(command.includes('-') ? [] : ['a.json'])], {
        stdin: text,
      });
      const name = command.includes('-') ? 'stdin' : 'a.json';
      expect(stderr).toContain(read.replace('a.json', name));
      expect(stderr).toContain(missing.replace('a.json', name));
    }
    folder.write('sluice.yaml', 'events: a.json\ncolumns: {utcTime: at, eventType: kind, userId: visitor}\n');
    expect((await folder.sluice(['doctor'])).stdout).toContain(read);
  });

  it('of CloudFront or IIS is an access log, as it is and in a store', async () => {
    const lines = rows.map(({ time, page }) => `${time} GET ${encodeURI(page)} 10.0.0.1 Mozilla/5.0+(X11) 200\n`);
    const fields = '#Fields: date time cs-method cs-uri-stem c-ip cs(User-Agent) sc-status\n';
    const log = ['#Version: 1.0\n', fields, ...lines.slice(0, 9), '#Date: x\n', fields, ...lines.slice(9)].join('');
    const folder = folderOf({ 'cf.log': log });
    const ask = async (...argv: readonly string[]) =>
      (await folder.sluice(['query', ...argv, '-f', 'csv', '--all'])).stdout;
    for (const source of [['--events', 'cf.log'], []]) {
      expect(await ask('pageViewsCount by docPath,hour top 1', ...source)).toContain('/,2024-03-01T00:00:00.000Z,1');
      expect(await ask('pageViewsCount by docPath', ...source)).toContain('/preise,20');
      const { code, stderr } = await folder.sluice(['ingest', 'cf.log']);
      expect([code, stderr]).toEqual([0, expect.stringMatching(/^(Loaded 1 file: 60 events|cf.log|Nothing)/)]);
    }
  });
});

describe('a misleading zero', () => {
  const both = async (content: string, config: string, argv: readonly string[]) => {
    const folder = folderOf({ 'a.csv': content, 'sluice.yaml': `sources: [{files: a.csv, ${config}}]\n` });
    const file = await folder.sluice(['query', ...argv]);
    const taken = await folder.sluice(['ingest', 'a.csv']);
    const doctor = [await folder.sluice(['doctor'])];
    folder.write('sluice.yaml', '');
    doctor.push(await folder.sluice(['doctor']));
    const store = await folder.sluice(['query', ...argv]);
    return { asked: [file, store].map(({ stdout }) => stdout), taken, doctor: doctor.map(({ stdout }) => stdout) };
  };

  it('is explained if no event is a page view, for a file and for a store', async () => {
    const config = 'columns: {utcTime: at, eventType: what}';
    const content = 'at,what\n2024-03-01 10:00:00,Seitenaufruf\n2024-03-01 10:01:00,order\n';
    const told = 'No event has the type pageview, so page views are 0';
    for (const line of ['pageViewsCount', 'Sessions.count by landingPage', 'Sessions.count by exitPage'])
      for (const text of (await both(content, config, [line])).asked) expect(text).toContain(told);
    for (const line of ['count by eventName', 'Sessions.count'])
      for (const text of (await both(content, config, [line])).asked) expect(text).not.toContain(told);
    const viewed = content.replace('Seitenaufruf', 'pageview');
    for (const text of (await both(viewed, config, ['pageViewsCount'])).asked) expect(text).not.toContain(told);
  });

  it.each([
    ['found', 'columns: {utcTime: at, userId: who}', '2024-03-01', '2024-03-02'],
    [
      'declared by name',
      'columns: {utcTime: {column: at, format: day-first}, userId: who}',
      '01.03.2024',
      '02.03.2024',
    ],
    [
      'declared by pattern, in a zone',
      'timezone: Europe/Berlin, columns: {utcTime: {column: at, format: "%d. %m. %Y"}, userId: who}',
      '01. 03. 2024',
      '02. 03. 2024',
    ],
  ])('is explained if times are dates: %s', async (_what, config, one, other) => {
    const told = 'The events have dates without times.';
    const { asked, taken, doctor } = await both(`at,who\n${one},ann\n${other},ann\n`, config, [
      'Sessions.averageDurationMinutes',
    ]);
    for (const text of [...asked, ...doctor, taken.stderr]) expect(text).toContain(told);
    for (const text of (await both(`at,who\n${one},ann\n`, config, ['count by day'])).asked)
      expect(text).not.toContain(told);
  });

  it('is explained for dates in a field with the canonical name, too', async () => {
    const told = 'The events have dates without times.';
    const text = (first: string) => `utcTime,userAnonymousId\n${first},ann\n2024-03-02,ann\n`;
    const question = ['Sessions.averageDurationMinutes'];
    const dated = await both(text('2024-03-01'), 'columns: {}', question);
    for (const said of [...dated.asked, ...dated.doctor, dated.taken.stderr]) expect(said).toContain(told);
    const timed = await both(text('2024-03-01T00:00:01Z'), 'columns: {}', question);
    for (const said of [...timed.asked, ...timed.doctor, timed.taken.stderr]) expect(said).not.toContain(told);
  });

  it.each([
    ['JSON', 'a.ndjson', '{"utcTime":"2024-03-01","docPath":"/"}\n{"utcTime":"2024-03-02","docPath":"/"}\n'],
    [
      'a tracker’s export',
      'a.csv',
      'timestamp,name,user_id,session_id,hostname,pathname,referrer\n2024-03-01,pageview,1,2,x.example,/,\n2024-03-02,pageview,1,2,x.example,/b,\n',
    ],
  ])('is explained by ingest and doctor for dates in %s', async (_what, name, content) => {
    const folder = folderOf({ [name]: content, 'sluice.yaml': `events: ${name}\n` });
    const said = [await folder.sluice(['doctor']), await folder.sluice(['ingest', name])];
    for (const { stdout, stderr } of said) expect(stdout + stderr).toContain('The events have dates without times.');
  });
});

describe('a mapped column that a file lacks', () => {
  const columns = {
    utcTime: 'at',
    userId: 'who',
    eventType: 'what',
    docPath: 'page',
    referer: 'from',
    sessionId: 'visit',
    pageTitle: 'title',
  };
  const cells = ['2024-03-01 10:00:00', 'ann', 'pageview', '/a', 'https://x.example/', 's1', 'A'];
  it.each(Object.entries(columns))('%s is named by ingest', async (field, column) => {
    const kept = Object.values(columns).flatMap((name, index) => (name === column ? [] : [[name, cells[index]!]]));
    const folder = folderOf({
      'a.csv': `${kept.map(([name]) => name).join(',')}\n${kept.map(([, cell]) => cell).join(',')}\n`,
      'sluice.yaml': `columns: ${JSON.stringify(columns)}\n`,
    });
    const { code, stderr } = await folder.sluice(['ingest', 'a.csv']);
    expect(code !== 0 || stderr.includes(`${column} (${field})`), stderr).toBe(true);
    expect(stderr).toContain(column);
  });
});

describe('questions about a new file', () => {
  it('may use its column names, mapped or not', async () => {
    const text = ['timestamp,customer,event,amount', '2024-03-01,ann,buy,3', '2024-03-02,ann,refund,0', ''].join('\n');
    const folder = folderOf({ 'a.csv': text });
    expect((await folder.sluice(['init', 'a.csv', '--yes', '--timezone', 'UTC'])).code).toBe(0);
    const ask = async (...args: readonly string[]) => {
      const { stdout, stderr } = await folder.sluice(['query', ...args, '-f', 'csv']);
      return stderr + stdout;
    };
    expect(await ask('sum(amount) by customer where event = buy')).toBe(
      'TrackedEvents.userId,TrackedEvents.sum(props.amount)\nann,3\n',
    );
    expect(await ask('-m', 'count', '-d', 'event', '--where', 'amount = 0')).toBe(
      'TrackedEvents.eventType,TrackedEvents.count\nrefund,1\n',
    );
    expect(await ask('amount by customer')).toContain('`sum(props.amount)`');
    expect(await ask('top 5 customer by amount last 3 years')).toContain(
      'Write `sum(props.amount) by userId top 5 last 3 years`.',
    );
    expect(await ask('refunds by day')).toContain('It is an event: write `count where eventType = refund`.');
    expect(await ask('count where eventType = refund')).toBe('TrackedEvents.count\n1\n');
    folder.write('sluice.yaml', 'sources: [{files: a.csv, columns: {utcTime: timestamp, userId: customer}}]\n');
    expect(await ask('count by customer')).toBe('TrackedEvents.userId,TrackedEvents.count\nann,2\n');
  });

  it('may use a word of the names of its events, which a hint spells out', async () => {
    const text = [
      'timestamp,user_id,event,screen',
      '2024-03-01,ann,Order Completed,Home',
      '2024-03-02,ann,Order Refunded,Cart',
      '',
    ];
    const folder = folderOf({ 'a.csv': text.join('\n') });
    const ask = async (line: string) => (await folder.sluice(['query', line, '--events', 'a.csv'])).stderr;
    expect(await ask('how many orders by day')).toContain(
      "hint: To count events, write `count where eventType = 'Order Completed'`, or 'Order Refunded'.",
    );
    expect(await ask('refunds')).toContain("hint: To count events, write `count where eventType = 'Order Refunded'`.");
    expect(await ask('top screens')).toContain('`count by screen top 10`');
    expect(await ask('refunds / count')).toContain('write `(count where eventType = ');
    expect(await ask('count by order')).not.toContain('To count events');
    expect(await ask('users who refunded')).toContain("`users where eventType = 'Order Refunded'`");
    expect(await ask('how many users completed yesterday')).toContain("`where eventType = 'Order Completed'`");
  });

  it.each([
    ['load time by screen', 'Write `avg(props.load_ms)`.'],
    ['p95 load time', 'Write `p95(props.load_ms)`.'],
    ['active companies', 'To count its values, write `distinct(props.company)`.'],
    ['most popular screens', 'Write `count by screen top 10`.'],
    ['logins by week', 'To count events, write `count where eventType = logged_in`.'],
    ['signups', "To count events, write `count where eventType = 'Signed Up'`."],
    ['conversion rate by screen', "Ask `funnel logged_in then 'Signed Up'`."],
    ['7 day retention', 'Ask `retention by day`.'],
    ['peak hours', 'Ask `count by hourOfDay top 3`.'],
  ])('learns what to write for %s', async (line, hint) => {
    const folder = folderOf({
      'app.csv':
        'timestamp,user_id,event,company,screen,load_ms\n2024-03-01T10:00:00Z,a,logged_in,Acme,Home,120\n2024-03-01T11:00:00Z,a,logged_in,Acme,Cart,80\n2024-03-01T12:00:00Z,b,Signed Up,Bolt,Home,95\n',
    });
    const { code, stderr } = await folder.sluice(['query', line, '--events', 'app.csv']);
    expect(code).toBe(2);
    expect(stderr).toContain(`hint: ${hint}`);
    const [, written = ''] = /`(.+?)`/.exec(hint) ?? [];
    expect(await folder.sluice(['query', written, '--events', 'app.csv'])).toMatchObject({ code: 0 });
  });

  it('learns a funnel that ends with what people are brought to', async () => {
    const rows = ['Placed Order', 'Placed Order', 'Viewed Item', 'Logged In'].map(
      (name) => `2024-03-01T10:00:00Z,a,${name}`,
    );
    const folder = folderOf({ 'a.csv': ['timestamp,user_id,event', ...rows, ''].join('\n') });
    const { stderr } = await folder.sluice(['query', 'conversion rate', '--events', 'a.csv']);
    expect(stderr).toMatch(/hint: Ask `funnel '(?:Viewed Item|Logged In)' then 'Placed Order'`\./);
  });

  it('may use column names of several words', async () => {
    const text = [
      'Order Date,Customer Email,Event Name,Plan Type,Order Value,utm.source',
      '2024-03-01 10:00,a@x.example,Signed Up,Pro Plan,19.90,mail',
      '2024-03-02 10:00,a@x.example,Placed Order,Pro Plan,49.50,mail',
      '2024-03-02 11:00,b@x.example,Placed Order,Free,5,ads',
      '',
    ].join('\n');
    const folder = folderOf({ 'a.csv': text });
    expect((await folder.sluice(['init', 'a.csv', '--yes', '--timezone', 'UTC'])).code).toBe(0);
    const ask = async (...args: readonly string[]) => {
      const { stdout, stderr } = await folder.sluice(['query', ...args, '-f', 'csv']);
      return stderr + stdout.slice(stdout.indexOf('\n') + 1);
    };
    const perPlan = 'Pro Plan,69.4\nFree,5\n';
    for (const line of ['sum("Order Value") by "Plan Type"', 'sum(Order Value) by Plan Type'])
      expect(await ask(line), line).toBe(perPlan);
    expect(await ask('-m', 'sum(Order Value)', '-d', 'Plan Type')).toBe(perPlan);
    expect(await ask('count where Plan Type = "Pro Plan" and Event Name is "Signed Up"')).toBe('1\n');
    expect(await ask('count by "Customer Email" order by "Customer Email"')).toBe('a@x.example,2\nb@x.example,1\n');
    expect(await ask('count by "utm.source"')).toBe('mail,2\nads,1\n');
    expect(await ask('raw events "Plan Type"')).toBe('Free\nPro Plan\nPro Plan\n');
    expect(await ask('count by plan_type')).toContain('Did you mean `"Plan Type"`?');
  });

  it('may use quotes for a column that is called like a measure', async () => {
    const folder = folderOf({ 'a.csv': 'utcTime,userId,eventType,count\n2024-03-01,a,buy,7\n2024-03-01,b,buy,8\n' });
    const ask = async (line: string) => {
      const { stdout, stderr } = await folder.sluice(['query', line, '--events', 'a.csv', '-f', 'csv']);
      return stdout.slice(stdout.indexOf('\n') + 1) || stderr;
    };
    expect(await ask('count where "count" > 7')).toBe('1\n');
    expect(await ask('count by "count"')).toBe('7,1\n8,1\n');
    expect(await ask('count by eventType where count > 1')).toBe('buy,2\n');
    expect(await ask('count where "uniqueUsersCount" > 7')).toContain(
      'hint: Quotes mean a column. Write `uniqueUsersCount` for the measure.',
    );
  });

  it('begin with pages rather than dates if no event is a page view', async () => {
    const rows = ['01.03.2024,10:00,/a,ann', '01.03.2024,11:00,/a,bob', '02.03.2024,10:00,/b,ann'];
    const folder = folderOf({ 'a.csv': `Date,Time,Page,Visitor\n${rows.join('\n')}\n` });
    const { stderr } = await folder.sluice(['init', 'a.csv', '--yes', '--timezone', 'UTC']);
    expect(stderr).toContain('queries/events-by-page.yaml');
    expect(stderr).not.toContain('events-by-date');
    expect((await folder.sluice(['query', 'events-by-page', '-f', 'csv'])).stdout).toContain('/a,2\n/b,1\n');
  });

  it.each(['csv', 'ndjson'])('may use column names with dots, signs and other letters: %s', async (format) => {
    const rows = [
      { Datum: '2024-03-01 10:00', Kunde: 'ann', Umsätze: 3, 'Größe (cm)': 10, 'Land/Region': 'DE', 'cart.total': 5 },
      { Datum: '2024-03-02 10:00', Kunde: 'bob', Umsätze: 4, 'Größe (cm)': 20, 'Land/Region': 'AT', 'cart.total': 7 },
      { Datum: '2024-03-02 11:00', Kunde: 'bob', Umsätze: 5, 'Größe (cm)': 30, 'Land/Region': 'DE', 'cart.total': 9 },
    ];
    const lines =
      format === 'csv'
        ? [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))].map((cells) => cells.join(','))
        : rows.map((row) => JSON.stringify(row));
    const file = `a.${format}`;
    const folder = folderOf({ [file]: `${lines.join('\n')}\n` });
    expect((await folder.sluice(['init', file, '--yes', '--timezone', 'UTC'])).code).toBe(0);
    const ask = async (line: string) => {
      const { stdout, stderr } = await folder.sluice(['query', line, '-f', 'csv']);
      return stderr + stdout.slice(stdout.indexOf('\n') + 1);
    };
    expect(await ask('sum(Umsätze) by Land/Region')).toBe('DE,8\nAT,4\n');
    expect(await ask('count where Umsätze > 3')).toBe('2\n');
    expect(await ask('avg(Größe (cm)), sum(cart.total) where cart.total >= 7')).toBe('25,16\n');
    expect(await ask('count by Größe (cm) order by Größe (cm)')).toBe('10,1\n20,1\n30,1\n');
    expect(await ask('count by cart.total where Land/Region = DE order by cart.total')).toBe('5,1\n9,1\n');
    expect(await ask('count where Größe (cm) ends with 0 and Größe (cm) not contains .')).toBe('3\n');
    const rowsOf = async (line: string) => (await ask(line)).match(/^\d.*$/gm);
    const people = ['10,1,1', '10,2,0', '20,1,1', '20,2,1'];
    for (const by of ['Größe (cm)', '"Größe (cm)"'])
      expect(await rowsOf(`funnel of any, any by ${by}`)).toEqual(people);
    expect(await rowsOf('funnel of any, any where Land/Region = DE and cart.total > 5')).toEqual(['1,1', '2,0']);
    expect(await ask('count by Groesse')).toContain('There is no member "Groesse".');
  });

  it('may follow users by its column names', async () => {
    const text = [
      'timestamp,customer,event,Plan Type',
      ...['ann,view,Pro', 'ann,buy,Pro', 'bob,view,Free', 'eve,view,Pro'].map(
        (rest, index) => `2024-03-01 1${index}:00:00,${rest}`,
      ),
      '',
    ].join('\n');
    const folder = folderOf({ 'a.csv': text });
    expect((await folder.sluice(['init', 'a.csv', '--yes', '--timezone', 'UTC'])).code).toBe(0);
    const rows = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await folder.sluice([...args, '-f', 'csv', '--as-of', '2024-03-08']);
      expect(code, stderr).toBe(0);
      return stdout.trim().split('\n').slice(1);
    };
    const perPlan = ['Free,1,1', 'Free,2,0', 'Pro,1,2', 'Pro,2,1'];
    const steps = 'funnel pageview then buy';
    const short = async (line: string) => (await rows('query', line)).toSorted();
    expect(await short(`${steps} by "Plan Type"`)).toEqual(perPlan);
    expect(await short(`${steps} by customer`)).toEqual([
      'ann,1,1',
      'ann,2,1',
      'bob,1,1',
      'bob,2,0',
      'eve,1,1',
      'eve,2,0',
    ]);
    expect(await short(`${steps} where "Plan Type" = Free`)).toEqual(['1,1', '2,0']);
    expect(await short(`${steps} where Plan Type = Pro`)).toEqual(['1,2', '2,1']);
    expect(await short(`funnel pageview then 'buy where "Plan Type" = Free'`)).toEqual(['1,3', '2,0']);
    // The column `event` fills the event type, although an event has a member of that name, too.
    expect(await short(`${steps} where event in (pageview, buy)`)).toEqual(['1,3', '2,1']);
    const flags = ['--step', 'pageview', '--step', 'buy'];
    const told = await rows('funnel', ...flags, '--breakdown', 'Plan Type');
    expect(told.map((row) => /^[^,]*,\d+,\w+,\d+/.exec(row)?.[0])).toEqual([
      'Free,1,pageview,1',
      'Free,2,buy,0',
      'Pro,1,pageview,2',
      'Pro,2,buy,1',
    ]);
    const retained = await rows('query', 'retention of pageview by day by "Plan Type" last 7 days');
    expect(retained.length).toBeGreaterThan(0);
    const paths = await folder.sluice([
      'query',
      'paths step "Plan Type" events any',
      '-f',
      'csv',
      '--as-of',
      '2024-03-08',
    ]);
    expect([paths.code, paths.stdout]).toEqual([0, expect.stringContaining('Pro')]);
    const unknown = await folder.sluice(['query', `${steps} by "Plan Typo"`]);
    expect([unknown.code, unknown.stdout]).toEqual([2, '']);
    expect(unknown.stderr).toContain('There is no dimension "TrackedEvents.props.Plan%20Typo".');
    for (const line of [
      `${steps} by "Plan Typo"`,
      `${steps} by plan_type`,
      'paths step PlanType',
      'stickiness where plantype = x',
    ])
      expect((await folder.sluice(['query', line])).stderr, line).toContain('hint: Did you mean `"Plan Type"`?');
    // Each part of an analysis in a line has a position.
    for (const line of ['paths step docPth', 'lifecycle of buy where docPth = /', 'stickiness where docPth = /'])
      expect((await folder.sluice(['query', line])).stderr, line).not.toMatch(/^1:1 |cannot be used/m);
  });

  it('may use everyday names beside a definition of paths, whose cube has measures of these names', async () => {
    const events = '{"utcTime":"2024-03-01T10:00:00Z","eventType":"pageview","docPath":"/","userAnonymousId":"a"}\n';
    const folder = folderOf({
      'a.ndjson': events,
      'queries/user-paths.yaml': 'title: User paths\npaths: {}\n',
      'sluice.yaml': 'events: a.ndjson\n',
    });
    expect((await folder.sluice(['model'])).stdout).toContain('user_paths');
    for (const [line, member] of [
      ['sessions', 'Sessions.count'],
      ['users by day', 'TrackedEvents.utcTime.day,TrackedEvents.uniqueUsersCount'],
    ] as const)
      expect((await folder.sluice(['query', line, '-f', 'csv'])).stdout.split('\n')[0]).toBe(member);
  });

  it('is told by what name a mapping reads a value', async () => {
    const text = ['timestamp,user_session,event', '2024-03-01,s1,view', '2024-03-02,s1,buy', ''].join('\n');
    const folder = folderOf({ 'a.csv': text });
    expect((await folder.sluice(['init', 'a.csv', '--yes', '--timezone', 'UTC'])).code).toBe(0);
    const ask = async (line: string) => (await folder.sluice(['query', line])).stdout;
    expect(await ask('count where event = view')).toContain(
      'eventType has no value "view": the mapping reads it as "pageview".',
    );
    expect(await ask('count where event = constructor')).toContain('eventType has no value "constructor". Values are');
    expect(await ask('Sessions.count')).toMatch(/Sessions +1\n/);
    for (const line of ['funnel view, buy by session', 'retention of view by week', 'lifecycle of view']) {
      const { code, stdout, stderr } = await folder.sluice(['query', line]);
      expect([code, stdout], line).toEqual([2, '']);
      expect(stderr, line).toContain('No event has the type "view": the mapping reads it as "pageview".');
      expect(stderr, line).toContain('Write pageview.');
    }
  });

  it('is told by what name a preset reads a value', async () => {
    const line = (name: string, user: string, second: number) =>
      JSON.stringify({
        event_date: '20240301',
        event_timestamp: String(Date.UTC(2024, 2, 1, 0, 0, second) * 1000),
        event_name: name,
        event_params: [],
        user_pseudo_id: user,
        event_bundle_sequence_id: second,
        traffic_source: {},
      });
    const lines = [line('screen_view', 'a', 1), line('purchase', 'a', 2), line('screen_view', 'b', 3)];
    const folder = folderOf({ 'ga.ndjson': `${lines.join('\n')}\n` });
    const ask = (text: string) => folder.sluice(['query', text, '--events', 'ga.ndjson']);
    expect((await ask('count where eventType = screen_view')).stdout).toContain(
      'eventType has no value "screen_view": the mapping reads it as "pageview".',
    );
    const { code, stderr } = await ask('funnel screen_view then purchase');
    expect(code).toBe(2);
    expect(stderr).toContain('No event has the type "screen_view": the mapping reads it as "pageview".');
    expect((await ask('funnel pageview then purchase')).stdout).toContain('purchase');
  });
});

describe('dates without times', () => {
  const zones = ['UTC', 'America/New_York', 'Asia/Tokyo', 'Pacific/Kiritimati'];
  const rows = ['2024-02-29,ann,1', '2024-03-01,bob,2', '2024-03-01,ann,3', '2024-03-02,eve,4'];
  const days = '2024-02-29T00:00:00.000,1\n2024-03-01T00:00:00.000,2\n2024-03-02T00:00:00.000,1\n';

  it.each(zones)('are days of the zone that the workspace reports in: %s', async (zone) => {
    const folder = folderOf({ 'orders.csv': ['order_date,customer,amount', ...rows, ''].join('\n') });
    const { code, stderr } = await folder.sluice(['init', 'orders.csv', '--yes', '--timezone', zone]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('4 events, 2024-02-29 to 2024-03-02')]);
    expect(stderr).toContain('Dates without a time are read as days of the time zone that you report in.');
    const asked = await folder.sluice(['query', 'count by day', '-f', 'csv']);
    expect(asked).toMatchObject({ stdout: expect.stringContaining(days) as string, stderr: '' });
    const person = seatPerson([['Write sluice.yaml, ', keys.enter]]);
    const again = ['init', 'orders.csv', '--force', '--timezone', zone];
    expect((await folder.sluice(again, { person })).code).toBe(0);
    expect(await folder.sluice(['query', 'count by day', '-f', 'csv'])).toEqual(asked);
  });

  it.each(zones)('are days of the zone of --timezone: %s', async (zone) => {
    const folder = folderOf({ 'orders.csv': ['order_date,customer,amount', ...rows, ''].join('\n') });
    for (const line of ['count by day', 'uniqueUsersCount by day']) {
      const asked = await folder.sluice(['query', line, '--events', 'orders.csv', '--timezone', zone, '-f', 'csv']);
      expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining(days) as string });
      expect(asked.stderr).not.toContain('read as UTC');
    }
  });

  it('are days in UTC if their column says so, with --yes as on a terminal', async () => {
    const folder = folderOf({ 'orders.csv': ['date_utc,customer,amount', ...rows, ''].join('\n') });
    const flags = ['init', 'orders.csv', '--force', '--timezone', 'America/New_York'];
    const written = () => readFileSync(`${folder.root}/sluice.yaml`, 'utf8');
    expect((await folder.sluice([...flags, '--yes'])).code).toBe(0);
    const before = written();
    expect(before).toContain('utcTime: date_utc');
    expect((await folder.sluice(flags, { person: seatPerson([['Write sluice.yaml, ', keys.enter]]) })).code).toBe(0);
    expect(written()).toBe(before);
  });

  it('get their hour from a column beside them', async () => {
    const text = ['date,hour,visitor', '2024-03-01,3,ann', '2024-03-01,15,bob', '2024-03-02,0,ann', ''].join('\n');
    const folder = folderOf({ 'visits.csv': text });
    expect((await folder.sluice(['init', 'visits.csv', '--yes', '--timezone', 'UTC'])).code).toBe(0);
    expect((await folder.sluice(['query', 'count by hour', '--fill', 'none', '-f', 'csv'])).stdout).toContain(
      '2024-03-01T03:00:00.000Z,1\n2024-03-01T15:00:00.000Z,1\n2024-03-02T00:00:00.000Z,1\n',
    );
  });

  it('with a single figure are not taken for events without a warning', async () => {
    const proposed = async (header: string) => {
      const folder = folderOf({ 'a.csv': `${header}\n2024-03-01,web,12\n2024-03-02,web,7\n` });
      return (await folder.sluice(['init', 'a.csv', '--yes'])).stderr;
    };
    for (const figure of ['count', 'Visits', 'Page views'])
      expect(await proposed(`day,channel,${figure}`)).toContain(
        `The column ${figure} looks like figures, not events. sluice counts each row as one event`,
      );
    expect(await proposed('day,channel,price')).not.toContain('figures');
  });
});

describe('times without a zone', () => {
  const rows = (time: (hour: string) => string) =>
    ['created_at,customer,event', ...['10', '23'].map((hour) => `${time(hour)},a,signup`), ''].join('\n');
  const note = /Times without a zone are read as UTC. If they are local, declare their zone/;
  const said = async (text: string, config = 'columns: {utcTime: created_at}\n', name = 'shop.csv') => {
    const folder = folderOf({ [name]: text });
    const proposed = await folder.sluice(['init', name]);
    folder.write('sluice.yaml', config);
    const doctor = await folder.sluice(['doctor', ...(config.includes('sources') ? [] : ['--events', name])]);
    const taken = await folder.sluice(['ingest', name]);
    return [proposed.stderr + proposed.stdout, doctor.stdout, taken.stderr].map((one) => note.test(one));
  };

  it('are read as UTC, as init, doctor and ingest say', async () => {
    expect(await said(rows((hour) => `2026-10-02 ${hour}:30:00`))).toEqual([true, true, true]);
    expect(
      await said(
        rows((hour) => `02.10.2026 ${hour}:30`),
        'columns: {utcTime: {column: created_at, format: day-first}}\n',
      ),
    ).toEqual([true, true, true]);
    expect(
      await said(
        'day,clock,customer\n2026-10-02,10:30,a\n2026-10-02,23:30,a\n',
        'columns: {utcTime: {sql: "day || \' \' || clock"}}\n',
      ),
    ).toEqual([true, true, true]);
    const json = '{"created_at":"2026-10-02T23:30:00","event":"signup","customer":"a"}\n';
    expect(await said(json, 'columns: {utcTime: created_at}\n', 'shop.ndjson')).toEqual([true, true, true]);
  });

  it('are told in answers by days of another zone', async () => {
    const folder = folderOf({
      'shop.csv': rows((hour) => `2026-10-02 ${hour}:30:00`),
      'sluice.yaml': 'columns: {utcTime: created_at}\nevents: shop.csv\n',
    });
    const asked = async (...args: readonly string[]) =>
      note.test((await folder.sluice(['query', ...args])).stdout.replaceAll(/\s+/g, ' '));
    const berlin = ['--timezone', 'Europe/Berlin'];
    expect(await asked('count by day', ...berlin)).toBe(true);
    expect(await asked('count in 2026-10', ...berlin)).toBe(true);
    expect(await asked('count', ...berlin)).toBe(false);
    expect(await asked('count by day')).toBe(false);
    folder.write('sluice.yaml', 'sources: [{files: shop.csv, timezone: UTC, columns: {utcTime: created_at}}]\n');
    expect(await asked('count by day', ...berlin)).toBe(false);
  });

  it('are told for dates in Parquet, and not for its timestamps', async () => {
    const folder = folderOf({});
    await using engine = await openEngine({ threads: 1 });
    for (const [type, told] of [['DATE', true] as const, ['TIMESTAMP', false] as const]) {
      const rows = `SELECT ${type} '2026-10-02' AS created_at, 'a' AS customer`;
      await engine.rows(`COPY (${rows}) TO '${folder.root}/shop.parquet'`);
      folder.write('sluice.yaml', 'columns: {utcTime: created_at}\nevents: shop.parquet\n');
      const { stdout } = await folder.sluice(['query', 'count by day', '--timezone', 'America/New_York']);
      expect([type, note.test(stdout.replaceAll(/\s+/g, ' '))]).toEqual([type, told]);
    }
  });

  it('are not suspected where values, names or the configuration tell the zone', async () => {
    for (const time of ['2026-10-02 10:30:00Z', '2026-10-02T10:30:00+02:00', '2026-10-02 10:30:00 UTC', '1759400000'])
      expect([time, await said(rows(() => time))]).toEqual([time, [false, false, false]]);
    const named = rows((hour) => `2026-10-02 ${hour}:30:00`).replace('created_at', 'created (UTC)');
    expect(await said(named, 'columns: {utcTime: created (UTC)}\n')).toEqual([false, false, false]);
    const declared = 'sources: [{files: shop.csv, timezone: Europe/Berlin, columns: {utcTime: created_at}}]\n';
    expect(
      (
        await said(
          rows((hour) => `2026-10-02 ${hour}:30:00`),
          declared,
        )
      ).slice(1),
    ).toEqual([false, false]);
  });
});
