import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, type Sluice } from '../../src/use/index.ts';

const events = Array.from({ length: 12 }, (_, index) => ({
  time: `2026-03-0${1 + (index % 5)}T10:00:00Z`,
  user_id: `u${index % 4}`,
  event: index % 2 ? 'purchase' : 'app_open',
  app: { version: ['4.1.0', '4.2.0', '4.10.1'][index % 3] },
  os: { name: ['iOS', 'Android'][index % 2], major: 14 },
  experiment: { paywall: index % 4 < 2 ? 'control' : 'short' },
  'Amount Due': index,
  basket: { name: `n${index}`, tax_amount: 2 },
  duration_ms: index,
  payment_method: 'card',
}));

const openEvents = () =>
  open({
    events,
    columns: { utcTime: 'time', userId: 'user_id', eventType: 'event', osName: '$.os.name' },
    onNote: () => undefined,
  });

let sluice: Sluice;
beforeAll(async () => {
  sluice = await openEvents();
});
afterAll(() => sluice.close());

const hintOn = async (line: string) => {
  const { message } = await sluice.query(line).then(
    () => ({ message: 'answered' }),
    (error: unknown) => error as Error,
  );
  return message;
};

describe('a hint on a name', () => {
  it.each([
    ['users by app version', 'Did you mean "props.app.version"?'],
    ['users by Paywall', 'Did you mean "props.experiment.paywall"?'],
    ['funnel app_open then purchase by paywall', 'Did you mean "props.experiment.paywall"?'],
    ['average amount due by app.version', 'write `avg("Amount Due")`'],
    ['revenue by month', 'Write the column of the amounts: `sum("Amount Due")`.'],
    ['users by first source', 'write `by first touch COLUMN`'],
    ['users by number of orders', 'write `users by count per user`'],
    ['top 5 brands by cost', 'There is no member "brands"'],
    ['count as paid share', 'write `as paid_share`.'],
    ['customers by month', 'Ask `users`.'],
    ['count by method', 'Did you mean "props.payment_method"?'],
    ['average duration by event', 'write `avg(props.duration_ms)`'],
    ['app open rate by day', 'write `(count where eventType = app_open) / count as appopenRate`'],
  ])('%s', async (line, hint) => {
    expect(await hintOn(line)).toContain(hint);
  });
});

describe('an answer notes', () => {
  const notesOf = async (line: string) => (await sluice.query(line)).provenance.notes;

  it('that its groups are whole objects', async () => {
    await using fresh = await openEvents();
    const { provenance } = await fresh.query('count by basket');
    expect(provenance.notes).toEqual([
      '"basket" is an object, so each group is a whole object. To group by a value inside it, write `by basket.name`, for example.',
    ]);
    expect(await notesOf('users by basket.name')).toEqual([]);
  });

  it('nothing for the name of a member that is also an object, whatever was asked before', async () => {
    await using fresh = await openEvents();
    for (const asked of [fresh, sluice])
      expect((await asked.query('count by os')).rows()).toEqual([
        { 'TrackedEvents.osFamily': 'Android', 'TrackedEvents.count': 6 },
        { 'TrackedEvents.osFamily': 'iOS', 'TrackedEvents.count': 6 },
      ]);
  });

  it('that versions are compared as text', async () => {
    const [note] = await notesOf('count where app.version >= 4.2.0');
    expect(note).toBe(
      '"app.version" is text, not a number, so it is compared with "4.2.0" letter by letter: 4.10.0 is less than 4.9.0.',
    );
  });
});

it('takes a word of a clause for a column if it cannot begin its clause', async () => {
  const orders = [1, 1, 2, 3].map((order, index) => ({
    time: `2026-03-0${1 + index}T10:00:00Z`,
    order: `o${order}`,
    zone: 'EU',
    limit: order,
    user: `u${index}`,
  }));
  const own = await open({ events: orders, onNote: () => undefined });
  const firstOf = async (line: string) => Object.values((await own.query(line)).rows()[0]!);
  try {
    expect(await firstOf('count by order top 1')).toEqual(['o1', 2]);
    expect(await firstOf('count by zone')).toEqual(['EU', 4]);
    expect(await firstOf('count by order from 2026-03-01 to 2026-03-31')).toEqual(['o1', 2]);
    expect(await firstOf('count by zone, order by count')).toEqual(['EU', 4]);
    expect(await firstOf('count by zone limit 1')).toEqual(['EU', 4]);
    expect(await firstOf('count by limit where order = o1')).toEqual([1, 2]);
  } finally {
    await own.close();
  }
});
