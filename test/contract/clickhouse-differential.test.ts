import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { funnelOrders } from '../../src/ask/funnel/funnel.ts';
import { clickHouse } from '../../src/plan/sql/clickhouse/dialect.ts';
import { trusted } from '../../src/plan/sql/expression.ts';
import { printStatement } from '../../src/plan/sql/print-statement.ts';
import { openConnection } from '../../src/run/clickhouse/connection.ts';
import { walkExpression } from '../../src/run/clickhouse/walk/walk-in-arrays.ts';
import { openAttributedValue } from '../../src/run/analysis/funnel/attributed-value.ts';
import type { FunnelRules } from '../../src/run/analysis/funnel/funnel-rules.ts';
import { openEventKinds } from '../../src/run/analysis/funnel/user-events.ts';
import { openWalk } from '../../src/run/analysis/funnel/walk-users.ts';
import { open, type Sluice } from '../../src/use/index.ts';
import { askHeldOracle, askOracle, type OracleEvent } from '../run/funnel/funnel-oracle.ts';
import { arbitraryCase } from '../run/funnel/random-funnels.ts';
import { fillTable } from '../clickhouse/fill-table.ts';
import { noClickHouse, onClickHouse, openClickHouseServer, type TestServer } from '../clickhouse/open-clickhouse.ts';
import { openFolder } from '../use/run-in-folder.ts';
import { askedLine, type Asking, localAsking as asking, type World, world } from './arbitrary-world.ts';
import { askedAnalyses, linesOfLargeNumbers, property } from './arbitrary-analysis.ts';
import { askedFunnel } from './arbitrary-funnel.ts';
import { answerOf, settingsOf } from './differential.ts';
import { inTime, runs, thorough } from '../runs.ts';
import { whileAsking } from './in-world.ts';

const folder = openFolder();
afterAll(() => folder.remove());

/** `npm run fuzz` asks more questions. */
const worlds = Number(process.env['TEST_WORLDS'] ?? runs(4));
const questions = 25;
const seed = Number(process.env['TEST_SEED'] ?? 20240308);

/** Milliseconds of a test; whoever is over may still finish a question. */
const longest = 600_000;
const budget = thorough ? 450_000 : 12_000;

/** The worlds of a test and what is asked in each, as far as there is time. */
function* worldsOf<T>(
  test: number,
  asked: (number: number) => readonly T[],
): Generator<{ readonly number: number; readonly one: World; readonly asked: Iterable<T> }, void, undefined> {
  const within = inTime(budget);
  const found = fc.sample(world, { seed: seed + test, numRuns: worlds });
  for (const number of within([...found.keys()])) yield { number, one: found[number]!, asked: within(asked(number)) };
}

describe.skipIf(noClickHouse)(onClickHouse('the same events on ClickHouse and in the embedded engine'), () => {
  let server: TestServer | undefined;
  beforeAll(async () => {
    server = await openClickHouseServer();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  async function ask<T>(
    one: World,
    number: string,
    asked: Iterable<T>,
    answer: (sluice: Sluice, question: T) => Promise<unknown>,
    properties?: readonly object[],
  ): Promise<void> {
    const database = number;
    const events = `${folder.root}/events-${number}.${properties ? 'ndjson' : 'parquet'}`;
    await fillTable(server!, database, one.events, events, properties);
    folder.write('sluice.yaml', `clickhouse: {url: '${server!.url}', database: ${database}}\n`);
    const env = { SLUICE_CLICKHOUSE_PASSWORD: server!.password };
    const shared = { workspace: folder.root, env, ...settingsOf(one) };
    await using here = await open({ ...shared, events, backend: 'embedded' });
    await using there = await open({ ...shared, backend: 'clickhouse' });
    let [answered, refused] = [0, 0];
    for (const question of asked) {
      const [expected, got] = [await answerOf(answer(here, question)), await answerOf(answer(there, question))];
      const told = properties ? withoutLatest : (answer: unknown) => answer;
      whileAsking(question, one, () => expect(told(got)).toEqual(told(expected)));
      if (Object.hasOwn(expected as object, 'refused')) refused += 1;
      else answered += 1;
    }
    // Refusals are the same as well, but prove little.
    if (answered + refused >= 12) expect(answered).toBeGreaterThan(refused / 3);
  }

  it(
    'give the same answers to any question',
    async () => {
      const all = (number: number) => fc.sample(asking, { seed: seed + number, numRuns: questions });
      for (const { number, one, asked } of worldsOf(0, all))
        await ask(one, `asked_${number}`, asked, (sluice, { query, ...options }: Asking) =>
          sluice.query(query, options),
        );
    },
    longest,
  );

  it(
    'understand a line the same: windows, shares, users’ own sums, formulas, other groups, compared ranges',
    async () => {
      const all = (number: number) => fc.sample(askedLine, { seed: seed + number, numRuns: Math.ceil(questions / 2) });
      for (const { number, one, asked } of worldsOf(3, all))
        await ask(one, `lines_${number}`, asked, (sluice, line) => sluice.query(line));
    },
    longest,
  );

  it(
    'follow users through funnels to the same steps',
    async () => {
      const all = (number: number) =>
        fc.sample(askedFunnel, { seed: seed + number, numRuns: Math.ceil(questions / 2) });
      for (const { number, one, asked } of worldsOf(1, all))
        await ask(one, `followed_${number}`, asked, (sluice, { funnel, options }) =>
          sluice.funnel(funnel as never, options as never),
        );
    },
    longest,
  );

  const few = { min: 2, max: 4 };
  const kinds = funnelOrders.flatMap((order) => [
    { order, apart: true, times: 10, steps: few, tied: false },
    { order, apart: true, times: 600, steps: few, tied: false },
    { order, apart: false, times: 600, steps: few, tied: false },
    // Most events share their time with others, and can be several steps.
    { order, apart: false, times: 4, steps: few, tied: true },
    { order, apart: false, times: 10, steps: few, tied: true },
    { order, apart: false, times: 4, steps: { min: 5, max: 8 }, tied: true },
    { order, apart: true, times: 10, steps: few, tied: false, held: true },
    { order, apart: false, times: 10, steps: few, tied: true, held: true },
  ]);
  it.each(kinds.map((kind) => ({ held: false, ...kind })))(
    'follow users in arrays as the definition says: $order, apart $apart, $times times, $steps.max steps, tied $tied, held $held',
    async ({ tied, held: isHeld, ...shape }) => {
      await using connection = await openConnection({
        url: server!.url,
        database: 'default',
        user: server!.user,
        password: async () => server!.password,
        newId: () => crypto.randomUUID(),
      });
      const shapes = fc.sample(arbitraryCase(shape), { seed, numRuns: 4 * worlds });
      const users = fc
        .sample(arbitraryCase({ ...shape, events: shape.steps === few ? 9 : 16 }), { seed, numRuns: 60 })
        .map(({ events }) => events);
      let [followed, hard] = [0, 0];
      const within = inTime(budget / 3);
      for (const [at, { rules, entriesBefore }] of within([...shapes.entries()])) {
        // Bits follow the order in which the steps name their conditions.
        const bits = [
          ...new Set(
            [...rules.steps, ...rules.exclusions, ...[0, 1, 2, 3].map((condition) => ({ condition }))].map(
              ({ condition }) => condition,
            ),
          ),
        ];
        const attribution = (['first', 'last', shape.order === 'unordered' ? 'last' : 1] as const)[at % 3]!;
        const rows = users.flatMap((events, who) =>
          events.map(({ time, meets, value }, index) => [
            String(who),
            time,
            meets.reduce((met, condition) => met + 2 ** bits.indexOf(condition), 0),
            value ?? null,
            heldOf(index),
          ]),
        );
        const given = `SELECT one.1 AS who, one.2 AS ticks, one.3 AS met, one.4 AS step_value, one.5 AS held FROM (SELECT arrayJoin(JSONExtract('${JSON.stringify(rows)}', 'Array(Tuple(String, Int64, UInt64, Nullable(String), String))')) AS one)`;
        const wide = { ...rules, window: rules.window * (shape.times / 10) };
        const toBit = <T extends { readonly condition: number }>(one: T) => ({
          ...one,
          condition: bits.indexOf(one.condition),
        });
        const numbered = { ...wide, steps: wide.steps.map(toBit), exclusions: wide.exclusions.map(toBit) };
        const walked = walkExpression({
          events: trusted(given),
          rules: numbered,
          attribution,
          entriesBefore,
          tied,
          isHeld,
        });
        const { text } = printStatement(walked, clickHouse);
        const found = await connection.rows(
          `SELECT toUInt32(who), depth, toJSONString(chain), step_value, toUInt8(spoiled), toUInt8(hard) FROM (${text})`,
          [],
          undefined,
          { max_subquery_depth: 1000 },
        );
        const byUser = new Map(found.map(([who, ...rest]) => [Number(who), rest]));
        for (const [who, events] of users.entries()) {
          const [depth = 0, chain = '[]', value = null, spoiled = 0, isHard = 0] = byUser.get(who) ?? [];
          if (Number(isHard) === 1) {
            hard += 1;
            continue;
          }
          followed += 1;
          // The definition tries all attempts: for many steps they are too many.
          const ask = isHeld ? askHeld : shape.steps === few ? askOracle : askEmbedded;
          const oracle = ask(wide, events, attribution, entriesBefore);
          const figures = {
            depth: Number(depth),
            times: (JSON.parse(String(chain)) as (string | number)[]).map(Number),
            value: Number(depth) > 0 ? value : null,
            spoiled: Number(spoiled) === 1,
          };
          const { depth: steps, times, value: found, spoiled: isSpoiled } = oracle;
          const expected = { depth: steps, times, value: found, spoiled: isSpoiled };
          expect(figures, JSON.stringify({ rules: wide, events, attribution, entriesBefore })).toEqual(expected);
        }
      }
      // Whoever is looked at one by one is an exception, but where most events share their times.
      if (!tied) expect(hard / followed).toBeLessThan(shape.times > 10 ? 0.35 : 2.5);
      else if (shape.order === 'ordered') expect(hard / followed).toBeLessThan(0.1);
      // Combinations with the same times can have different values.
      else if (isHeld) expect(hard / followed).toBeLessThan(0.2);
      else expect(hard).toBe(0);
    },
    longest / 3,
  );

  it(
    'add up whole numbers beyond 2^53 to the same figures',
    async () => {
      for (const { number, one, asked } of worldsOf(4, () => linesOfLargeNumbers)) {
        const properties = fc.sample(property, { seed: seed + number, numRuns: one.events.length });
        await ask(one, `large_${number}`, asked, (sluice, line) => sluice.query(line), properties);
      }
    },
    longest,
  );

  it(
    'compute analyses, cohorts, touches and properties to the same figures',
    async () => {
      folder.write(
        'funnels/steps.yaml',
        'seconds_to_convert: 604800\nsteps:\n  - {name: a, action: pageview, target: /a}\n  - {name: b, action: pageview, target: /b}\n',
      );
      const within = inTime(budget);
      const found = fc.sample(world, { seed: seed + 2, numRuns: worlds });
      for (const [number, one] of within([...found.entries()])) {
        const [analyses] = fc.sample(askedAnalyses, { seed: seed + number, numRuns: 1 });
        for (const [name, file] of Object.entries(analyses!.files))
          for (const [key, value] of Object.entries(file))
            folder.write(`queries/${name}.yaml`, `${key}: ${JSON.stringify(value)}\n`);
        await ask(
          { ...one, now: Date.parse('2024-04-07T03:00:00.500Z') },
          `computed_${number}`,
          within(analyses!.asked),
          (sluice, { ask: answer }) => answer(sluice),
          analyses!.properties,
        );
      }
    },
    longest,
  );
});

/** The value that the steps of an attempt share, for every event of a user. */
const heldOf = (index: number) => String(index % 2);

function askHeld(
  rules: FunnelRules,
  events: readonly OracleEvent[],
  attribution: 'first' | 'last' | number,
  entriesBefore: number,
) {
  const held = events.map((event, index) => ({ ...event, held: [heldOf(index)] }));
  return askHeldOracle(rules, held, attribution, entriesBefore);
}

/** How far one user came, by the walks of the embedded engine. */
function askEmbedded(
  rules: FunnelRules,
  events: readonly OracleEvent[],
  attribution: 'first' | 'last' | number,
  entriesBefore: number,
) {
  const kinds = openEventKinds(4);
  const ofUser = {
    count: events.length,
    times: Float64Array.from(events, ({ time }) => time),
    kinds: Int32Array.from(events, ({ meets }) => kinds.kindOf(meets)),
    entriesBefore,
  };
  const attempt = { depth: 0, spoiled: false, times: new Float64Array(rules.steps.length) };
  openWalk(rules, kinds)(ofUser, attempt);
  const { depth, spoiled } = attempt;
  const valueOf = (index: number) => events[index]!.value ?? null;
  const value = depth > 0 ? openAttributedValue(rules, kinds, attribution)(ofUser, attempt, valueOf) : null;
  return { depth, spoiled, times: [...attempt.times.subarray(0, depth)], value };
}

/** Over NDJSON the embedded engine does not know the latest time. */
function withoutLatest(answer: unknown): unknown {
  const { told, ...rest } = answer as { readonly told?: { readonly notes: readonly string[] } };
  const notes = told?.notes.filter((note) => !note.startsWith('No events in the range: the newest'));
  return told ? { ...rest, told: { ...told, notes, freshness: null } } : answer;
}
