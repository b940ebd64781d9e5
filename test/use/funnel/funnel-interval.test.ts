import { expect, it } from 'vitest';
import { open } from '../../../src/use/index.ts';

/**
 * The interval by its meaning, found by halving: all shares from which the observed one is at most 1.96 standard errors
 * away, in percent.
 */
function intervalSlowly(count: number, of: number): readonly [number, number] {
  const observed = count / of;
  const isFar = (share: number) =>
    Math.abs(observed - share) > 1.959963984540054 * Math.sqrt((share * (1 - share)) / of);
  const edge = (outside: number) => {
    let [far, near] = [outside, observed];
    if (!isFar(far)) return far;
    for (let round = 0; round < 200; round += 1) {
      const middle = (far + near) / 2;
      if (isFar(middle)) far = middle;
      else near = middle;
    }
    return near;
  };
  // An end at 0 or 1 has no standard error, so it is far unless it is the observed share.
  return [100 * edge(0), 100 * edge(1)];
}

/** For each group, how many of its users convert. */
const groups = { none: [0, 10], few: [2, 10], half: [10, 20], most: [299, 300], all: [10, 10], one: [1, 1] } as const;

const events = Object.entries(groups).flatMap(([variant, [converted, count]]) =>
  Array.from({ length: count }, (_, index) => index).flatMap((index) => {
    const event = { userId: `${variant}${index}`, variant };
    return [
      { ...event, utcTime: '2026-03-01T10:00:00Z', eventType: 'view' },
      ...(index < converted ? [{ ...event, utcTime: '2026-03-01T10:05:00Z', eventType: 'buy' }] : []),
    ];
  }),
);

it('the interval of a conversion is Wilson’s', async () => {
  await using sluice = await open({ events, onNote: () => undefined });
  const funnel = { steps: ['view', 'buy'], breakdown: { dimension: 'variant' } };
  const result = await sluice.funnel(funnel, { interval: true });
  const [low, high] = ['funnel.conversionLow', 'funnel.conversionHigh'].map((key) => [...result.values(key)]);
  const variants = [...result.values('TrackedEvents.props.variant')];
  expect(variants).toHaveLength(2 * Object.keys(groups).length);
  for (const [row, variant] of variants.entries()) {
    const [converted, count] = groups[variant as keyof typeof groups];
    // All users reached the first step.
    if (row % 2 === 0) expect([low![row], high![row]]).toEqual([null, null]);
    else {
      const [expectedLow, expectedHigh] = intervalSlowly(converted, count);
      expect(low![row]).toBeCloseTo(expectedLow, 8);
      expect(high![row]).toBeCloseTo(expectedHigh, 8);
    }
  }
  // Published values of 2 of 10.
  const few = variants.lastIndexOf('few');
  expect([low![few], high![few]].map((share) => Number(share).toFixed(2))).toEqual(['5.67', '50.98']);
  const plain = await sluice.funnel({ ...funnel, breakdown: 'variant' });
  expect([...plain.values('funnel.count')]).toEqual([...result.values('funnel.count')]);
  expect(plain.columns.map(({ key }) => key)).not.toContain('funnel.conversionLow');
});
