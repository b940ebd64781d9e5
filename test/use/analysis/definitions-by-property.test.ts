import { describe, expect, it } from 'vitest';
import { shareOf } from '../../runs.ts';
import { randomFrom } from '../../../src/run/sample/random.ts';
import { type Folder, folderOf } from '../run-in-folder.ts';

interface Did {
  readonly at: string;
  readonly user: string;
  readonly path: string;
  readonly plan: string | null;
  readonly amount: number | null;
  readonly source: string | null;
}

/** Some weeks of page views of a few users. */
function someEvents(seed: number): readonly Did[] {
  const { fraction } = randomFrom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(fraction() * items.length)]!;
  return Array.from({ length: 160 }, () => ({
    at: new Date(Date.UTC(2024, 1, 5) + Math.floor(fraction() * 28 * 24 * 60) * 60_000).toISOString(),
    user: pick(['a', 'b', 'c', 'd', 'e']),
    path: pick(['/', '/', '/buy', '/docs']),
    plan: pick(['pro', 'free', null]),
    amount: pick([1, 3, 8, 21, null]),
    source: pick(['mail', 'ads', null]),
  }));
}

/** Queries on properties and on an address, and the same on fields with the same values. */
const asked = {
  plan: 'TrackedEvents.props.cart.plan',
  amount: '{member: TrackedEvents.props.amount, operator: gt, values: ["5"]}',
  source: 'TrackedEvents.utmSource',
};
/** The amount is that of one of several values in a list. */
const askedInList = {
  ...asked,
  amount: '{member: "TrackedEvents.props.items[].amount", operator: gt, values: ["5"]}',
};
/** The names that the columns have in the files. */
const askedByColumn = {
  plan: 'cart.plan',
  amount: '{member: amount, operator: gt, values: ["5"]}',
  source: 'utmSource',
};
const askedInWords = { ...askedByColumn, amount: '"amount > 5"' };
const plainly = {
  plan: 'TrackedEvents.agentName',
  amount: '{member: TrackedEvents.osName, operator: equals, values: [large]}',
  source: 'TrackedEvents.elementId',
};

function writeAsked({ at, user, path, plan, amount, source }: Did): object {
  const search = source === null ? '' : `?utm_source=${source}`;
  const shared = {
    utcTime: at,
    eventType: 'pageview',
    userAnonymousId: user,
    url: `https://s.example${path}${search}`,
  };
  return { ...shared, cart: { plan }, amount, items: [{ amount: 1 }, { amount }, {}] };
}

function writePlainly({ at, user, path, plan, amount, source }: Did): object {
  const shared = { utcTime: at, eventType: 'pageview', userAnonymousId: user, docPath: path };
  return { ...shared, agentName: plan, osName: amount !== null && amount > 5 ? 'large' : 'small', elementId: source };
}

function definitions({ plan, amount, source }: typeof asked): Readonly<Record<string, string>> {
  const isSet = (member: string) => `{member: ${member}, operator: set}`;
  const steps = (more: string) =>
    `seconds_to_convert: 86400\nsteps:\n  - {name: one, action: pageview, target: /}\n  - {name: two, action: pageview, target: /buy${more}}\n`;
  return {
    'funnels/by_plan.yaml': `${steps('')}sluice: {breakdown: {dimension: ${plan}}}\n`,
    'funnels/by_source.yaml': `${steps(`, sluice: {where: [${amount}]}`)}sluice: {by: session, breakdown: {dimension: ${source}}, where: [${isSet(source)}]}\n`,
    'funnels/spoiled.yaml': `${steps('')}sluice: {order: strict, exclude: [{event: pageview, where: [${amount}]}], where: [${isSet(plan)}]}\n`,
    'funnels/held.yaml': `${steps('')}sluice: {hold: [${plan}, ${source}], breakdown: {dimension: ${plan}}}\n`,
    'queries/ret.yaml': `retention: {period: week, periods: 4, where: [${isSet(plan)}], return: {where: [${amount}]}, breakdown: {dimension: ${source}}}\n`,
    'queries/ret2.yaml': `retention: {period: week, periods: 4, cohort: first_time, start: {where: [${amount}]}, breakdown: {dimension: ${plan}, limit: 1}}\n`,
    'queries/life.yaml': `lifecycle: {period: week, active: {where: [${amount}]}, where: [${isSet(source)}]}\n`,
    'queries/stick.yaml': `stickiness: {period: day, active: {where: [${isSet(source)}]}, where: [${amount}, ${isSet(plan)}]}\n`,
  };
}

const range = 'from 2024-02-05 to 2024-03-03';
const questions: readonly (readonly string[])[] = [
  ...['by_plan', 'by_source', 'spoiled', 'held'].map((name) => ['funnel', 'run', name, '-f', 'json']),
  ['query', 'by_plan.count by by_plan.step', '-f', 'json'],
  ...['ret', 'ret2'].map((name) => [
    'query',
    `${name}.users by cohort, ${name}.period, ${name}.breakdown ${range}`,
    '-f',
    'json',
  ]),
  ['query', `life.users by life.time, life.status ${range}`, '-f', 'json'],
  ['query', `stick.users by stick.periods ${range}`, '-f', 'json'],
];

async function answersOf(folder: Folder, source: readonly string[]): Promise<readonly unknown[]> {
  const answers: unknown[] = [];
  for (const question of questions) {
    const { code, stdout, stderr } = await folder.sluice([...question, ...source]);
    expect([code, code === 0 ? '' : stderr], question.join(' ')).toEqual([0, '']);
    // A column has the name of its dimension.
    answers.push((JSON.parse(stdout) as object[]).map((row) => Object.values(row) as unknown[]));
  }
  return answers;
}

describe('funnels, retention, lifecycle and stickiness', () => {
  it.each(shareOf([7, 8], 0, 2))(
    'give the same for properties and addresses as for plain fields (%i)',
    { timeout: 120_000 },
    async (seed) => {
      const events = someEvents(seed);
      const write = (one: (event: Did) => object) => events.map((event) => `${JSON.stringify(one(event))}\n`).join('');
      const plain = folderOf({ 'a.ndjson': write(writePlainly), ...definitions(plainly) });
      const expected = await answersOf(plain, ['--events', 'a.ndjson']);
      expect(new Set(expected.map((answer) => JSON.stringify(answer))).size).toBe(questions.length);
      for (const members of [asked, askedInList, seed % 2 === 0 ? askedByColumn : askedInWords]) {
        const folder = folderOf({ 'a.ndjson': write(writeAsked), ...definitions(members) });
        expect(await answersOf(folder, ['--events', 'a.ndjson'])).toEqual(expected);
        const taken = await folder.sluice(['ingest', 'a.ndjson', '--store', 's']);
        expect(taken.code, taken.stderr).toBe(0);
        expect(await answersOf(folder, ['--store', 's'])).toEqual(expected);
      }
    },
  );

  it('refuse a property that no event has when they run, not when they are read', async () => {
    const folder = folderOf({
      'a.ndjson': `${JSON.stringify(writeAsked(someEvents(7)[0]!))}\n`,
      ...definitions({ ...asked, plan: 'TrackedEvents.props.plna' }),
    });
    expect(await folder.sluice(['funnel', 'check'])).toMatchObject({ code: 0 });
    const { code, stderr } = await folder.sluice(['funnel', 'run', 'by_plan', '--events', 'a.ndjson']);
    expect(code).toBe(2);
    expect(stderr).toContain('There is no dimension "TrackedEvents.props.plna"');
  });

  it('work in reports and load bodies', async () => {
    const events = someEvents(7).map((event) => `${JSON.stringify(writeAsked(event))}\n`);
    const report =
      '# Plans\n\n```query\nquery: {measures: [by_plan.count], dimensions: [by_plan.step]}\n```\n\n```funnel\nfunnel: by_source\n```\n';
    const folder = folderOf({ 'a.ndjson': events.join(''), 'r.md': report, ...definitions(asked) });
    const run = await folder.sluice(['report', 'run', 'r.md', '--events', 'a.ndjson', '-o', 'r.html']);
    expect(run.code, run.stderr).toBe(0);
    const body = JSON.stringify({ query: { measures: ['by_plan.count'], dimensions: ['by_plan.step'] } });
    const loaded = await folder.sluice(['load', '-', '--events', 'a.ndjson'], { stdin: body });
    expect(loaded.code, loaded.stderr).toBe(0);
    expect(loaded.stdout).toContain('"by_plan.step"');
  });
});
