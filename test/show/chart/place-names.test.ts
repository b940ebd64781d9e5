import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeNames } from '../../../src/show/chart/place-names.ts';
import { textWidth } from '../../../src/show/fonts/text-width.ts';

const room = { width: 450, height: 200, fromZero: { x: false, y: false } };
// Two points span the scales, so the position of each other point follows from its numbers.
const corners = [
  { x: 0, y: 0, label: '' },
  { x: 400, y: 200, label: '' },
];
const point = fc.record({
  x: fc.integer({ min: 0, max: 400 }),
  y: fc.integer({ min: 0, max: 200 }),
  label: fc.constantFrom('/', '/docs', '/products/kettle', 'ein längerer Name', '价格'),
});

describe('names of points', () => {
  it('cover no other point and no other name, and stay within the plot', () => {
    fc.assert(
      fc.property(fc.array(point, { minLength: 1, maxLength: 25 }), (points) => {
        const all = [...corners, ...points];
        const sides = placeNames(all, room);
        const boxes = sides.flatMap((side, index) => {
          if (!side) return [];
          const { x, y, label } = all[index]!;
          const width = textWidth(label, { size: 11 });
          const left = side === 'right' ? x + 6 : x - 6 - width;
          return [{ index, left, right: left + width, top: y - 6, bottom: y + 6 }];
        });
        for (const one of boxes) {
          expect([one.left >= 0, one.right <= 400]).toEqual([true, true]);
          for (const other of boxes)
            if (other !== one)
              expect(
                one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom,
              ).toBe(false);
          all.forEach(({ x, y }, index) => {
            if (index !== one.index)
              expect(x + 3 > one.left && x - 3 < one.right && y + 3 > one.top && y - 3 < one.bottom).toBe(false);
          });
        }
      }),
    );
  });

  it('go to the right, to the left if there is no room, and are left out in a cloud', () => {
    expect(
      placeNames(
        [
          ...corners,
          { x: 100, y: 50, label: 'a' },
          { x: 395, y: 100, label: 'b' },
          { x: 20, y: 150, label: 'c' },
          { x: 28, y: 150, label: 'd'.repeat(90) },
        ],
        room,
      ),
    ).toEqual([undefined, undefined, 'right', 'left', 'left', undefined]);
    expect(
      new Set(
        placeNames(
          Array.from({ length: 31 }, (_, index) => ({ x: index * 10, y: index * 5, label: 'a' })),
          room,
        ),
      ),
    ).toEqual(new Set([undefined]));
  });
});
