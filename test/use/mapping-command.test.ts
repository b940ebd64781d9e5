import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { keys, seatPerson } from './seated-person.ts';
import { folderOf, openFolder, type Folder } from './run-in-folder.ts';

let folder: Folder;
afterEach(() => folder.remove());

const shop = `created_at,event_name,distinct_id,page,plan\n${Array.from(
  { length: 40 },
  (_, n) => `${1_709_892_000 + n * 60},${n % 4 === 0 ? 'signup' : 'Page View'},u${n % 5},/p${n % 2},pro`,
).join('\n')}\n`;

const ask = 'uniqueUsersCount by docPath where eventType = pageview';
const answer = 'TrackedEvents.docPath,TrackedEvents.uniqueUsersCount\n/p0,5\n/p1,5\n';

describe('a file with custom columns', () => {
  it('gets a mapping proposed by init and ingest, which answers queries unchanged', async () => {
    folder = openFolder({ 'shop.csv': shop });
    const proposed = await folder.sluice(['ingest', 'shop.csv']);
    expect(proposed.code).toBe(2);
    expect(proposed.stderr).toMatch(/^created_at +number +1709892000 +utcTime +sure$/m);
    expect(proposed.stderr).toMatch(/^plan +text +pro +property$/m);
    expect(parse(proposed.stdout)).toEqual({
      sources: [
        {
          files: 'shop.csv',
          columns: {
            utcTime: 'created_at',
            userAnonymousId: 'distinct_id',
            eventType: { column: 'event_name', values: { 'Page View': 'pageview' } },
            docPath: 'page',
          },
        },
      ],
    });
    expect(await folder.sluice(['init', 'shop.csv'])).toMatchObject({ code: 2, stdout: proposed.stdout });
    folder.write('sluice.yaml', proposed.stdout);
    expect((await folder.sluice(['query', ask, '-f', 'csv'])).stdout).toBe(answer);
    expect((await folder.sluice(['doctor'])).stdout).toMatch(
      /recognised: utcTime \(created_at\).*\n.*kept as properties: plan/,
    );
    const taken = await folder.sluice(['ingest', 'shop.csv']);
    expect(taken).toMatchObject({ code: 0 });
    expect(taken.stderr).toContain('Recognised columns: utcTime (created_at)');
    folder.write('sluice.yaml', '');
    expect((await folder.sluice(['query', ask, '-f', 'csv'])).stdout).toBe(answer);
  });

  it('is asked about on a terminal: ingest loads it with the proposed mapping, or loads nothing', async () => {
    folder = openFolder({ 'shop.csv': shop });
    const refusing = seatPerson([['Load the file with this mapping?', `n${keys.enter}`]]);
    expect(await folder.sluice(['ingest', 'shop.csv'], { person: refusing })).toMatchObject({ code: 2, stdout: '' });
    expect(refusing.left()).toBe(0);
    const stored = async () => (await folder.sluice(['store', 'stats'])).stdout;
    expect(await stored()).not.toMatch(/\b40\b/);
    const accepting = seatPerson([['Load the file with this mapping?', `y${keys.enter}`]]);
    const taken = await folder.sluice(['ingest', 'shop.csv'], { person: accepting });
    expect([taken.code, accepting.left()]).toEqual([0, 0]);
    expect(taken.stderr).toContain('To keep this mapping, add it to sluice.yaml');
    expect(await stored()).toMatch(/\b40\b/);
    expect((await folder.sluice(['query', ask, '-f', 'csv'])).stdout).toBe(answer);
  });

  it('is asked about on a terminal: init writes the mapping', async () => {
    folder = openFolder({ 'shop.csv': shop });
    const person = seatPerson([
      ['time zone', keys.enter],
      ['Write sluice.yaml', keys.enter],
    ]);
    const made = await folder.sluice(['init', 'shop.csv'], { person, env: { TZ: 'UTC' } });
    expect([made.code, person.left()], made.stderr).toEqual([0, 0]);
    expect((await folder.sluice(['query', ask, '-f', 'csv'])).stdout).toBe(answer);
  });

  it('lists every recognised column, including those with the name of their field', async () => {
    const folder = folderOf({
      'mixed.csv': 'created_at,distinct_id,eventType,docPath,plan\n2024-03-01 10:00:00,ann,pageview,/,free\n',
      'sluice.yaml': 'events: mixed.csv\ncolumns: {utcTime: created_at, userAnonymousId: distinct_id}\n',
    });
    const taken = await folder.sluice(['ingest', 'mixed.csv']);
    expect(taken.code).toBe(0);
    const [, listed = ''] = /Recognised columns: (.*)\./.exec(taken.stderr) ?? [];
    const all = ['docPath', 'eventType', 'userAnonymousId (distinct_id)', 'utcTime (created_at)'];
    expect(listed.split(', ').sort()).toEqual(all);
    const [, told = ''] = /recognised: (.*)$/m.exec((await folder.sluice(['doctor'])).stdout) ?? [];
    expect(told.split(', ').sort()).toEqual(all);
  });

  it.each([['init'], ['ingest']])('is read by the output of %s redirected into sluice.yaml', async (name) => {
    folder = openFolder({ 'shop.csv': shop, 'sluice.yaml': '' });
    const printed = await folder.sluice([name, 'shop.csv']);
    expect(printed.code, printed.stderr).toBe(name === 'init' ? 0 : 2);
    folder.write('sluice.yaml', printed.stdout);
    expect((await folder.sluice(['query', ask, '-f', 'csv'])).stdout).toBe(answer);
    expect(await folder.sluice(['ingest', 'shop.csv'])).toMatchObject({ code: 0 });
    expect((await folder.sluice(['query', ask, '-f', 'csv'])).stdout).toBe(answer);
    expect(await folder.sluice(['init', 'shop.csv'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('is identified by its mapping, too: another mapping replaces its events', async () => {
    folder = openFolder({ 'shop.csv': shop });
    const first = ['ingest', 'shop.csv', '--map', 'utcTime=created_at'];
    const more = [...first, '--map', 'docPath=page'];
    expect((await folder.sluice(first)).stderr).toContain('shop.csv has no user, no page');
    expect((await folder.sluice(more)).stderr).toContain('shop.csv replaced its earlier content.');
    expect((await folder.sluice(more)).stderr).toContain('was loaded on');
    expect((await folder.sluice(['query', 'count by docPath', '-f', 'csv'])).stdout).toContain('/p0,20\n/p1,20\n');
    expect((await folder.sluice(['query', 'uniqueUsersCount'])).stdout).toContain('The events have no user');
  });

  it('is refused with the mistakes in its mapping, by place', async () => {
    folder = openFolder({ 'shop.csv': shop, 'sluice.yaml': 'events: shop.csv\ncolumns:\n  utcTyme: created_at\n' });
    const wrong = await folder.sluice(['query', 'count']);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('sluice.yaml:3');
    expect(wrong.stderr).toContain('utcTime');
    folder.write('sluice.yaml', '');
    const flag = await folder.sluice(['query', 'count', '--events', 'shop.csv', '--map', 'utcTime']);
    expect(flag.code).toBe(2);
    const gone = await folder.sluice(['query', 'count', '--events', 'shop.csv', '--map', 'utcTime=nothing']);
    expect(gone.stderr).toContain('no column nothing');
  });
});
