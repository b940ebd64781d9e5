import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { world, zones } from '../../contract/arbitrary-world.ts';
import { writeNdjson } from '../../contract/exported-events.ts';
import { runs } from '../../runs.ts';
import { readStore } from '../../../src/run/store/store-contents.ts';
import { manifestPath } from '../../../src/run/store/store-manifest.ts';
import { lines, scratchStore } from './scratch-store.ts';
import {
  expectSamePlan,
  marchNoon,
  openPair,
  openStore,
  plansOf,
  tell,
  used,
  withoutProjections,
} from './with-and-without.ts';

const members = (...names: readonly string[]) => names.map((name) => `TrackedEvents.${name}`);
const filter = (member: string, operator: 'equals' | 'notEquals' | 'notSet', ...values: readonly string[]) => ({
  member: `TrackedEvents.${member}`,
  operator,
  ...(operator === 'notSet' ? {} : { values }),
});

const day = fc.constantFrom('2024-03-08', '2024-03-09', '2024-03-10', '2024-03-31', '2024-04-01', '2024-04-07');

const question = fc
  .record({
    measures: fc.constantFrom(
      members('uniqueUsersCount'),
      members('uniqueUsersCount'),
      members('count', 'uniqueUsersCount'),
    ),
    dimensions: fc.constantFrom(
      [],
      [],
      members('agentName'),
      members('projectId'),
      members('agentName', 'projectId'),
      members('eventType'),
    ),
    granularity: fc.constantFrom(
      undefined,
      undefined,
      undefined,
      'day',
      'day',
      'week',
      'week',
      'month',
      'quarter',
      'year',
      'hour',
    ),
    dateRange: fc.oneof(
      fc.constant(undefined),
      {
        weight: 3,
        arbitrary: fc
          .tuple(day, day)
          .map(([one, other]): [string, string] => (one < other ? [one, other] : [other, one])),
      },
      fc.constantFrom<[string, string]>(
        ['2024-03-09T06:00:00', '2024-04-03T17:59:59.999'],
        ['2024-03-09', '2024-03-31T11:59:59.999'],
      ),
    ),
    filters: fc.constantFrom(
      [],
      [],
      [filter('agentName', 'equals', 'Firefox')],
      [filter('agentName', 'notSet')],
      [filter('projectId', 'equals', '42')],
      [filter('agentName', 'equals', 'Firefox', 'Chrome')],
      [filter('agentName', 'notEquals', 'Firefox')],
    ),
  })
  .map(({ granularity, dateRange, ...query }) => ({
    ...query,
    timeDimensions:
      granularity === undefined && dateRange === undefined
        ? []
        : [
            {
              dimension: 'TrackedEvents.utcTime',
              ...(granularity && { granularity }),
              ...(dateRange && { dateRange }),
            },
          ],
  }));

/** The parts of the events, each ingested in a step, and other operations on a store. */
const steps = ['file', 'late', 'window', 'revision', 'forget', 'prune', 'many'] as const;

describe('the days of users in a store', () => {
  const count = Number(process.env['TEST_MODEL_RUNS'] ?? runs(2, 24));

  it('count users as the events do, whatever was done to the store', { timeout: 60_000 + count * 60_000 }, async () => {
    const names: (string | undefined)[] = [];
    await fc.assert(
      fc.asyncProperty(
        world,
        fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, fc.constantFrom(...zones)),
        fc.array(question, { minLength: 96, maxLength: 96 }),
        fc.shuffledSubarray([...steps], { minLength: steps.length }),
        async ({ events, ...clock }, otherZone, questions, taken) => {
          const store = scratchStore({ zone: otherZone ?? clock.zone });
          const parts = Array.from({ length: 8 }, (_, index) => events.filter((_event, at) => at % 8 === index));
          const ingest = async (name: string, part: (typeof parts)[number] = []) => {
            if (part.length > 0) await store.ingest([store.write(`${name}.ndjson`, writeNdjson(part))]);
          };
          await ingest('first', parts[0]);
          await using pair = await openPair(store);
          for (const [index, step] of taken.entries()) {
            if (step === 'file' || step === 'late') await ingest(step, parts[step === 'file' ? 1 : 2]);
            else if (step === 'window' || step === 'revision') {
              const part = step === 'window' ? parts[3]! : [...parts[3]!, ...parts[4]!].slice(1);
              const revision = step === 'window' ? 1 : 2;
              await store.ingest([store.writeWindow(`w${index}.ndjson`, writeNdjson(part), { revision })]);
            } else if (step === 'many') for (let one = 5; one < 8; one += 1) await ingest(`many-${one}`, parts[one]);
            else if (step === 'forget') await store.forget('u2');
            else await store.prune(Date.parse('2024-03-10T00:07:00Z'));
            withoutProjections(store.folder);
            for (const query of questions.slice(index * 12, index * 12 + 12))
              names.push(await expectSamePlan(pair, plansOf(query, clock)[0]!, { query, clock }));
          }
        },
      ),
      { numRuns: count },
    );
    expect(names.filter((name) => name === 'days').length / names.length).toBeGreaterThan(0.15);
  });

  it('are written anew only for the months in which they change', async () => {
    const store = scratchStore({ zone: 'Europe/Berlin' });
    const at = (hours: number, user: string) => ({
      minute: hours * 60,
      userAnonymousId: user,
      eventId: `${hours} ${user}`,
    });
    const month = 31 * 24;
    const filesOf = async () => {
      const { projections } = (await readStore(store.folder))!;
      return new Map(
        projections!.days!.flatMap(({ zone, files }) => files.map(({ month: of, name }) => [`${zone} ${of}`, name])),
      );
    };
    const ingest = async (...events: readonly { readonly eventId: string }[]) => {
      const before = await filesOf().catch(() => new Map<string, string>());
      await store.ingest([store.write(`${events[0]!.eventId}.ndjson`, lines(...events))]);
      const after = await filesOf();
      return [...after].flatMap(([which, name]) => (before.get(which) === name ? [] : [which]));
    };
    const all = ['UTC 2024-03', 'UTC 2024-04', 'Europe/Berlin 2024-03', 'Europe/Berlin 2024-04'];
    expect(await ingest(at(0, 'ann'), at(month, 'ann'), at(month, 'bob'))).toEqual(all);
    // A day later, which does not change earlier days.
    expect(await ingest(at(month + 24, 'ann'))).toEqual([all[1], all[3]]);
    // The day before one of a later month.
    expect(await ingest(at(24, 'ann'))).toEqual(all);
    expect(await ingest(at(24, 'cid'))).toEqual([all[0], all[2]]);
    // Half an hour before midnight in UTC is the next day in Berlin.
    await ingest({ ...at(25 * 24 + 23.5, 'dee') });
    const [plan] = plansOf(
      {
        measures: members('uniqueUsersCount'),
        timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'month' }],
      },
      { ...marchNoon, zone: 'Europe/Berlin' },
    );
    await using backend = await openStore(store.folder);
    expect((await used(backend, plan!))?.name).toBe('days');
    expect(await tell(backend, plan!)).toMatchObject({
      rows: [
        [expect.stringContaining('2024-03'), 2],
        [expect.stringContaining('2024-04'), 3],
      ],
    });
  });

  it('are not computed from counts that are damaged without a trace', async () => {
    const store = scratchStore();
    const events = Array.from({ length: 40 }, (_, index) => ({ minute: index * 60, userAnonymousId: `u${index}` }));
    await store.ingest([store.write('a.ndjson', lines(...events))]);
    const { folder } = store;
    const [counts] = readdirSync(join(folder, 'projections')).filter((name) => name.includes('-counts.'));
    const path = join(folder, 'projections', counts!);
    const size = statSync(path).size;
    // A whole file with fewer users, of the same length.
    const other = join(folder, '..', 'other.parquet');
    for (let padding = 1; padding < size && (!existsSync(other) || statSync(other).size !== size); padding += 1) {
      rmSync(other, { force: true });
      await store.ask(
        `COPY (FROM read_parquet('${path}') WHERE user_key < 3) TO '${other}' (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, KV_METADATA {padding: '${'x'.repeat(padding)}'})`,
      );
    }
    expect(statSync(other).size).toBe(size);
    writeFileSync(path, readFileSync(other));
    // Without the days, all of them are computed anew.
    for (const name of readdirSync(join(folder, 'projections')))
      if (name.includes('-days.')) rmSync(join(folder, 'projections', name));
    await setTimeout(20);
    utimesSync(manifestPath(folder), new Date(), new Date());
    await store.ingest([store.write('b.ndjson', lines({ minute: 5, userAnonymousId: 'u1' }))]);
    await using backend = await openStore(folder);
    const [plan] = plansOf({ measures: members('uniqueUsersCount') }, marchNoon);
    expect(await tell(backend, plan!)).toMatchObject({ rows: [[40]] });
  });
});
