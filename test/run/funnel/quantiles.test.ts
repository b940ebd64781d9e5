import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { openTally } from '../../../src/run/analysis/funnel/quantiles.ts';

describe('mean, median and 90th percentile', () => {
  it("are those of the engine's own functions, however many numbers there are", async () => {
    await using engine = await openEngine({});
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 1e12 }), { minLength: 1, maxLength: 60 }), async (values) => {
        const tally = openTally();
        values.forEach(tally.add);
        const [row] = await engine.rows(
          `SELECT avg(v), quantile_cont(v, 0.5), quantile_cont(v, 0.9) FROM unnest([${values.join(', ')}]::DOUBLE[]) AS t(v)`,
        );
        const { mean, median, p90 } = tally.sumUp()!;
        [mean, median, p90].forEach((value, index) => expect(value).toBeCloseTo(Number(row![index]), 2));
      }),
      { numRuns: 50 },
    );
  });

  it('are nothing where there is nothing', () => {
    expect(openTally().sumUp()).toBeUndefined();
  });
});
