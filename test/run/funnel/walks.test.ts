import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { funnelOrders } from '../../../src/ask/funnel/funnel.ts';
import { openAttributedValue } from '../../../src/run/analysis/funnel/attributed-value.ts';
import { type EventKinds, openEventKinds, type UserEvents } from '../../../src/run/analysis/funnel/user-events.ts';
import { openWalk } from '../../../src/run/analysis/funnel/walk-users.ts';
import { askOracle } from './funnel-oracle.ts';
import { arbitraryCase, type Case } from './random-funnels.ts';
import { runs } from '../../runs.ts';

const conditions = 4;

function toUserEvents({ events, entriesBefore }: Case, kinds: EventKinds): UserEvents {
  return {
    count: events.length,
    times: Float64Array.from(events, (event) => event.time),
    kinds: Int32Array.from(events, (event) => kinds.kindOf(event.meets)),
    entriesBefore,
  };
}

function walk(one: Case) {
  const { rules } = one;
  const kinds = openEventKinds(conditions);
  const ofUser = toUserEvents(one, kinds);
  const attempt = { depth: 0, spoiled: false, times: new Float64Array(rules.steps.length) };
  const walkUser = openWalk(rules, kinds);
  walkUser(ofUser, attempt);
  // State left by another user changes nothing.
  walkUser(
    { ...ofUser, count: Math.floor(ofUser.count / 2) },
    { ...attempt, times: new Float64Array(rules.steps.length) },
  );
  walkUser(ofUser, attempt);
  return { depth: attempt.depth, spoiled: attempt.spoiled, times: [...attempt.times.subarray(0, attempt.depth)] };
}

function expectOracle(one: Case) {
  const { depth, spoiled, times } = askOracle(one.rules, one.events, 'first', one.entriesBefore);
  expect(walk(one)).toEqual({ depth, spoiled, times });
}

describe.each(funnelOrders)('how far one user came, %s', (order) => {
  it('is what the definition says, whatever steps and events overlap', () => {
    fc.assert(fc.property(arbitraryCase({ order }), expectOracle), { numRuns: runs(4000) });
  });

  it('is what the definition says where an event meets one condition at most', () => {
    fc.assert(fc.property(arbitraryCase({ order, apart: true }), expectOracle), { numRuns: runs(4000) });
  });
});

describe.each(funnelOrders)('the value that a breakdown reads, %s', (order) => {
  const attributions = fc.oneof(
    fc.constantFrom('first' as const, 'last' as const),
    ...(order === 'unordered' ? [] : [fc.nat(3)]),
  );

  it('is the smallest that an event of the first furthest attempt can have, at one time with others', () => {
    fc.assert(
      fc.property(arbitraryCase({ order, times: 3 }), attributions, (one, attribution) => {
        const { rules, events, entriesBefore } = one;
        const kinds = openEventKinds(conditions);
        const ofUser = toUserEvents(one, kinds);
        const attempt = { depth: 0, spoiled: false, times: new Float64Array(rules.steps.length) };
        openWalk(rules, kinds)(ofUser, attempt);
        fc.pre(attempt.depth > 0);
        const value = openAttributedValue(rules, kinds, attribution)(
          ofUser,
          attempt,
          (index) => events[index]!.value ?? null,
        );
        expect(value).toBe(askOracle(rules, events, attribution, entriesBefore).value);
      }),
      { numRuns: runs(3000) },
    );
  });
});

describe('the first furthest attempt', () => {
  it.each(['ordered', 'unordered'] as const)('has at every step the earliest event that any has, %s', (order) => {
    fc.assert(
      fc.property(arbitraryCase({ order }), ({ rules, events, entriesBefore }) => {
        expect(askOracle(rules, events, 'first', entriesBefore).earliestThroughout).toBe(true);
      }),
      { numRuns: runs(1000) },
    );
  });
});
