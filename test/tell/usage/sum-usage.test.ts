import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Value } from '../../../src/plan/column.ts';
import { sumValues } from '../../../src/shape/values/decimal.ts';
import { sumUsage } from '../../../src/tell/usage/sum-usage.ts';
import { planUsage } from '../../../src/tell/usage/usage-plan.ts';
import { toUsageProvenance } from '../../../src/tell/usage/usage-provenance.ts';
import { toMonthsResult } from '../../../src/tell/usage/usage-results.ts';
import { beyondCounted, indexOfMonth, type ProjectAnswer, type UsageGroup } from '../../../src/tell/usage/usage.ts';
import { unwrap } from '../../../src/use/workspace/refuse.ts';

const now = Date.parse('2026-11-10T15:00:00Z');
const plan = unwrap(planUsage({ months: 3 }, { now, zone: 'UTC' }), 'The month');
const labels = Array.from({ length: 130 }, (_, index) => new Date(now - index * 86_400_000).toISOString().slice(0, 10));

const state = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.dictionary(
      fc.constantFrom(...labels),
      fc.oneof(fc.nat(1000), fc.bigInt({ min: 0n, max: 2n ** 60n })),
      { maxKeys: 130 },
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('failed' as const, 'not-onboarded' as const) },
);
const world = fc.record({
  states: fc.array(state, { minLength: 1, maxLength: 6 }),
  groups: fc.array(fc.uniqueArray(fc.nat(5), { maxLength: 6 }), { minLength: 1, maxLength: 3 }),
  /** The platform's own count of each; undefined if unknown. */
  billed: fc.array(fc.option(fc.nat(1000), { nil: undefined, freq: 6 }), { minLength: 6, maxLength: 6 }),
});

function toAnswers(
  states: readonly (Record<string, number | bigint> | 'failed' | 'not-onboarded')[],
  billed: readonly (number | undefined)[] = [],
): ReadonlyMap<string, ProjectAnswer> {
  return new Map(
    states.map((one, index) => [
      String(index),
      one === 'failed'
        ? { state: 'failed', code: 'x', why: 'Why.' }
        : one === 'not-onboarded'
          ? { state: 'not-onboarded' }
          : {
              state: 'counted',
              days: new Map<string, Value>(Object.entries(one)),
              provenance: undefined as never,
              billed: billed[index] === undefined ? { why: 'Why.' } : { events: billed[index] },
            },
    ]),
  );
}

const total = (values: readonly Value[]) => values.reduce<bigint>((sum, value) => sum + BigInt(String(value ?? 0)), 0n);

describe('sums of usage', () => {
  it('equal the sums of days for every project, group and month', () => {
    fc.assert(
      fc.property(world, ({ states, groups: picks, billed }) => {
        const answers = toAnswers(states, billed);
        const groups: UsageGroup[] = picks.map((ids, index) => ({
          name: `group ${index}`,
          projects: ids.filter((id) => id < states.length).map((id) => ({ id: String(id), name: `p${id}` })),
        }));
        const usage = sumUsage(plan, groups, answers);
        for (const [index, group] of usage.groups.entries()) {
          const ids = picks[index]!.filter((id) => id < states.length);
          expect(group.projects.length + group.failed.length + group.notOnboarded.length).toBe(ids.length);
          for (const { month } of plan.months) {
            const at = indexOfMonth(plan, month);
            let expected = 0n;
            for (const id of ids) {
              const days = states[id];
              if (typeof days !== 'object') continue;
              for (const [label, events] of Object.entries(days))
                if (label.startsWith(month)) expected += BigInt(events);
            }
            if (group.projects.length === 0) expect(group.events[at]).toBeNull();
            else expect(total([group.events[at]!])).toBe(expected);
            expect(total(group.projects.map(({ events }) => events[at]!))).toBe(expected);
          }
          const counts = ids.filter((id) => typeof states[id] === 'object').map((id) => billed[id]);
          const known = counts.length > 0 && !counts.includes(undefined);
          const sum = known ? counts.reduce<number>((all, count) => all + (count ?? 0), 0) : null;
          expect(group.billed).toBe(sum);
          expect(beyondCounted(group, usage)).toEqual(
            sum === null ? null : sumValues([BigInt(sum) - total([group.reported])]),
          );
          const shares = group.projects.flatMap(({ share }) => share ?? []);
          if (shares.length > 0) expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(100, 6);
          // A failure does not change the others.
          const counted = sumUsage(
            plan,
            [{ name: 'counted', projects: group.projects.map(({ project }) => project) }],
            answers,
          ).groups[0];
          expect(group.forecast).toEqual(counted?.forecast);
        }
        const everyone = new Set(picks.flat().filter((id) => typeof states[id] === 'object'));
        expect(usage.overall.projects.length).toBe(everyone.size);
      }),
    );
  });

  it('are unchanged in the table, one column per month', () => {
    const answers = toAnswers([
      { '2026-09-01': 1, '2026-09-30': 2, '2026-10-01': 5, '2026-11-10': 7 },
      { '2026-10-31': 2n ** 60n },
    ]);
    const usage = sumUsage(
      plan,
      [
        {
          name: 'g',
          projects: [
            { id: '0', name: 'a' },
            { id: '1', name: 'b' },
          ],
        },
      ],
      answers,
    );
    const provenance = toUsageProvenance(plan, new Map(), { backend: 'embedded', source: 'x', elapsedMs: 0 });
    const rows = toMonthsResult(usage, provenance).rows();
    expect(
      rows.map((row) => [row['Usage.project'], row['Usage.2026-09'], row['Usage.2026-10'], row['Usage.2026-11']]),
    ).toEqual([
      ['b', 0, 2n ** 60n, 0],
      ['a', 3, 5, 7],
      ['Sum', 3, 2n ** 60n + 5n, 7],
    ]);
  });
});
