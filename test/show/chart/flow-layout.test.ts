import fc from 'fast-check';
import { expect, it } from 'vitest';
import { layOutFlows } from '../../../src/show/chart/flow-layout.ts';

const flow = fc.record({
  step: fc.integer({ min: 1, max: 4 }),
  source: fc.constantFrom('a', 'b', 'c'),
  target: fc.constantFrom('a', 'b', 'c', null),
  value: fc.integer({ min: 1, max: 1000 }),
});

it('bands start and end inside their bars, and none is lost', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(flow, { selector: ({ step, source, target }) => `${step} ${source} ${target}` }),
      (flows) => {
        const { bands, leftOut, nodes, height } = layOutFlows(flows.map((each, row) => ({ ...each, row })));
        expect(bands.length + leftOut.length).toBe(flows.length);
        for (const { source, target, from, to, height: thick } of bands) {
          expect(from).toBeGreaterThanOrEqual(source.y - 1e-6);
          expect(from + thick).toBeLessThanOrEqual(source.y + source.height + 1e-6);
          if (target) expect(to + thick).toBeLessThanOrEqual(target.y + target.height + 1e-6);
        }
        for (const node of nodes) expect(node.y + node.height).toBeLessThanOrEqual(height + 1e-6);
        expect(Number.isFinite(height)).toBe(true);
      },
    ),
    { numRuns: 200, seed: 5 },
  );
});

it('reports steps without room', () => {
  const flows = Array.from({ length: 40 }, (_, row) => ({
    step: 1,
    source: `s${row}`,
    target: null,
    value: 40 - row,
    row,
  }));
  const { bands, leftOut } = layOutFlows(flows);
  expect([bands.length, leftOut.length, leftOut[0]?.source]).toEqual([12, 28, 's12']);
});
