import { describe, expect, it } from 'vitest';
import { proposeMapping } from '../../../src/plan/mapping/propose-mapping.ts';
import { toShape } from '../../../src/plan/mapping/to-shape.ts';
import { folderOf } from '../../use/run-in-folder.ts';

const rows = (count: number, row: (index: number) => Readonly<Record<string, unknown>>) =>
  Array.from({ length: count }, (_, index) => ({
    time: `2024-03-01T10:00:${String(index % 60).padStart(2, '0')}Z`,
    ...row(index),
  }));
const columnsOf = (records: readonly Readonly<Record<string, unknown>>[]) =>
  proposeMapping(toShape('json', records)).mapping.columns;

describe('the proposed columns of people and events', () => {
  it('leave out the client of OAuth, which is an application', () => {
    const logins = rows(60, (index) => ({ client_id: `app${index % 2}`, user_id: `u${index % 20}` }));
    expect(columnsOf(logins)).toMatchObject({ userId: 'user_id' });
    expect(columnsOf(logins)).not.toHaveProperty('userAnonymousId');
    const visits = rows(60, (index) => ({
      client_id: `c${index % 40}`,
      user_id: index % 3 === 0 ? `u${index % 20}` : null,
    }));
    expect(columnsOf(visits)).toMatchObject({ userAnonymousId: 'client_id', userId: 'user_id' });
  });

  it('prefer a name of a person to an account', () => {
    const calls = rows(30, (index) => ({ userIdentity: { accountId: '123456789012', userName: `u${index}` } }));
    expect(columnsOf(calls)).toMatchObject({ userId: '$.userIdentity.userName' });
    for (const name of ['account_id', 'account'])
      expect(columnsOf(rows(30, (index) => ({ [name]: `a${index % 9}` })))).toMatchObject({ userId: name });
    const visits = rows(30, (index) => ({ accountId: `a${index % 3}`, visitorId: `v${index % 9}` }));
    expect(columnsOf(visits)).toMatchObject({ userAnonymousId: 'visitorId' });
    expect(columnsOf(visits)).not.toHaveProperty('userId');
  });

  it('take names of people in a table of users for no types of events, and numbers with leading zeros for text', () => {
    const users = rows(40, (index) => ({ id: `00${index}`, name: `Person ${index % 36}`, score: `${index}.5` }));
    expect(columnsOf(users)).not.toHaveProperty('eventType');
    const { columns } = proposeMapping(toShape('csv', users));
    expect(columns.map(({ source, column }) => [source, column.type])).toEqual([
      ['time', 'time'],
      ['id', 'text'],
      ['name', 'text'],
      ['score', 'number'],
    ]);
    expect(columnsOf(rows(40, (index) => ({ name: `type ${index % 9}` })))).toMatchObject({ eventType: 'name' });
  });

  it('know the times of orders and of sign-ups', () => {
    for (const name of ['ordered_at', 'Order Date', 'signed_up', 'Bestelldatum'])
      expect(
        proposeMapping(toShape('csv', [{ [name]: '2024-03-01 10:00:00', paid: '2024-03-02' }])).columns[0],
      ).toMatchObject({ field: 'utcTime', confidence: 'sure' });
  });

  it('take no number for the time that is too small or too large for one', () => {
    const timeOf = (number: number) =>
      proposeMapping(
        toShape(
          'json',
          Array.from({ length: 30 }, (_, index) => ({ nr: number + index, kind: 'view' })),
        ),
      ).mapping.columns['utcTime'];
    // Users of Steam, and bar codes.
    for (const number of [151603712, 4006381333931]) expect(timeOf(number)).toBeUndefined();
    for (const number of [874724710, 1709251200, 1709251200000, 1709251200000000]) expect(timeOf(number)).toBe('nr');
  });

  it('are players and installations, too, as numbers or texts', () => {
    for (const id of [(index: number) => index, (index: number) => `p${index}`]) {
      expect(columnsOf(rows(30, (index) => ({ player_id: id(index % 9) })))).toMatchObject({ userId: 'player_id' });
      const installs = rows(30, (index) => ({ install_id: id(index % 9) }));
      expect(columnsOf(installs)).toMatchObject({ userAnonymousId: 'install_id' });
    }
  });

  it('take a dash for no person', async () => {
    const folder = folderOf({
      'a.ndjson': rows(9, (index) => ({ user: index % 3 === 0 ? 'ann' : '-' }))
        .map((row) => JSON.stringify(row))
        .join('\n'),
    });
    const { stdout } = await folder.sluice(['query', 'count, users', '--events', 'a.ndjson', '-f', 'csv']);
    expect(stdout.split('\n')[1]).toBe('9,1');
  });

  it('take an ID of which some events were sent twice', async () => {
    const events = rows(1000, (index) => ({ event_id: `id${index}`, user: `u${index % 7}` }));
    const write = (all: readonly unknown[]) => all.map((row) => JSON.stringify(row)).join('\n');
    // Wherever they are.
    for (const place of [4, 990]) {
      const folder = folderOf({ 'a.ndjson': write(events.toSpliced(place, 0, events[place - 2]!)) });
      const asked = await folder.sluice(['query', 'count', '--events', 'a.ndjson']);
      expect([place, asked.stdout]).toEqual([place, expect.stringMatching(/1,001[^]*1 event .*ID of another one/)]);
    }
    // An ID that often repeats is that of something else.
    expect(columnsOf(rows(60, (index) => ({ event_id: `id${index % 30}` })))).toMatchObject({
      eventId: { value: null },
    });
  });

  it('take no numbers of visits for IDs of sessions, which would merge the visits of different users', async () => {
    const visits = ['user,visit,ts,page'];
    for (const user of ['ann', 'bob', 'cy', 'dan', 'eve'])
      for (let visit = 1; visit <= (user === 'ann' ? 9 : 2); visit += 1)
        for (const minute of [10, 11])
          visits.push(`${user},${visit},2024-03-0${Math.min(visit, 7)}T1${visit}:${minute}:00Z,/`);
    const folder = folderOf({ 'a.csv': `${visits.join('\n')}\n` });
    const ask = async (...flags: readonly string[]) => {
      const line = ['query', 'Sessions.count', '--events', 'a.csv', '-f', 'csv', ...flags];
      const { stdout, stderr } = await folder.sluice(line);
      return { sessions: stdout.split('\n')[1], stderr };
    };
    // Nine visits of ann, and two of each of the others.
    expect(await ask()).toMatchObject({ sessions: '17', stderr: expect.not.stringContaining('sessionId') });
    const { stdout, stderr } = await folder.sluice(['init', 'a.csv', '--yes']);
    expect(stdout + stderr).toContain(
      'visit is kept as a property: several users have the same values, so they cannot be the IDs of sessions.',
    );
    // Mapped by hand, they are what the user says.
    const byHand = await ask('--map', 'utcTime=ts', '--map', 'userId=user', '--map', 'sessionId=visit');
    expect(byHand).toMatchObject({ sessions: '9' });
  });

  it.each(['visit', 'session_id', 'sessionId'])('take IDs of sessions, whoever signs in meanwhile: %s', (name) => {
    const own = (of: (index: number) => unknown, user: (index: number) => unknown) =>
      columnsOf(rows(120, (index) => ({ user_id: user(index), [name]: of(index) })))['sessionId'];
    const isTaken = name === 'visit' ? name : expect.toSatisfy((one) => one === undefined || one === name);
    const isLeft = name === 'visit' ? undefined : { value: null };
    // Numbered through, of one user each.
    expect(
      own(
        (index) => index >> 2,
        (index) => `u${index >> 3}`,
      ),
    ).toEqual(isTaken);
    // Two users share a device, and one value stands for all requests without a session.
    expect(
      own(
        (index) => (index % 5 === 0 ? 0 : index >> 2),
        (index) => `u${index >> 3}`,
      ),
    ).toEqual(isTaken);
    expect(
      own(
        (index) => index >> 2,
        (index) => (index % 2 ? null : `u${index >> 3}`),
      ),
    ).toEqual(isTaken);
    // Numbers of visits, of many users and of two.
    expect(
      own(
        (index) => 1 + (index % 4),
        (index) => `u${index % 40}`,
      ),
    ).toEqual(isLeft);
    expect(
      own(
        (index) => 1 + (index % 4),
        (index) => `u${index % 15}`,
      ),
    ).toEqual(isLeft);
    expect(
      own(
        (index) => (index >> 1) & 3,
        (index) => `u${index & 1}`,
      ),
    ).toEqual(isLeft);
    // Without a user, nothing shows whose they are.
    expect(columnsOf(rows(60, (index) => ({ [name]: 1 + (index % 4) })))['sessionId']).toEqual(isTaken);
  });
});
