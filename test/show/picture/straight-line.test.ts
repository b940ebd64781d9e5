import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadVega } from '../../../src/show/picture/load-vega.ts';
import { drawStraightLine } from '../../../src/show/picture/scene.ts';

describe('drawStraightLine', () => {
  const place = fc.integer({ min: -9999, max: 9999 }).map((hundredths) => hundredths / 100);
  const points = fc.array(fc.record({ x: place, y: place, defined: fc.constantFrom(true, true, false) }), {
    minLength: 1,
    maxLength: 12,
  });

  it('draws the same as Vega, including gaps and single points', async () => {
    const {
      vega: { Marks },
    } = await loadVega();
    fc.assert(
      fc.property(points, (items) => {
        const mark = { items };
        let path = '';
        Marks['line']!.attr(
          (name, value) => {
            if (name === 'd') path = String(value ?? '');
          },
          { ...items[0], mark },
        );
        expect(drawStraightLine(items)).toBe(path);
      }),
    );
  });

  it('leaves curves to Vega', () => {
    expect(drawStraightLine([{ x: 1, y: 1, interpolate: 'monotone' }])).toBeUndefined();
    expect(drawStraightLine([{ x: 1, y: 1, interpolate: 'linear' }])).toBe('M1,1Z');
  });
});
