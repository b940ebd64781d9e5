import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellWidth } from '../../../src/show/labels/cell-width.ts';
import { layOutFunnelBars, writeFunnelBars } from '../../../src/show/terminal/funnel-bars.ts';
import { toPlainText } from '../../../src/show/terminal/table-line.ts';

const spread = (median: number) => ({ median, mean: median, p90: median });

describe('the bars of a funnel', () => {
  it('show conversion, drop-off and time between the steps', async () => {
    const text = await writeFunnelBars(
      {
        names: ['cart', 'pay', 'thanks'],
        reached: [1000, 250, 1],
        toConvert: [spread(0), spread(65_000), spread(90_000)],
      },
      { width: 40, colour: false },
    );
    expect(text).toBe(
      [
        '1 cart    ███████████████  1,000  100.0%',
        '    25.0% continued, 750 dropped off',
        '2 pay     ███▊               250   25.0%',
        '    0.4% continued, 249 dropped off',
        '3 thanks  ▏                    1    0.1%',
        '',
      ].join('\n'),
    );
    const wide = await writeFunnelBars(
      { names: ['cart', 'pay'], reached: [4, 2], toConvert: [spread(0), spread(65_000)] },
      { width: 80, colour: false },
    );
    expect(wide).toContain('50.0% continued, 2 dropped off, median 1 min 05 s since step 1');
  });

  it('show nobody as nobody, and what a server did not tell as nothing', async () => {
    const draw = (reached: readonly (number | null)[]) =>
      writeFunnelBars({ names: ['a', 'b', 'c'], reached, toConvert: undefined }, { width: 60, colour: false });
    expect(await draw([4, 0, 0])).toContain('\n    nobody was left to continue\n3 c');
    expect(await draw([0, 0, null])).toMatch(/1 a +0 +–\n\n2 b +0 +–\n\n3 c +– +–\n/);
  });

  it('fit every width, with safe names and bars that never grow', () => {
    const name = fc.oneof(
      fc.constantFrom('cart', '\u001B[31mred', 'カート', '👩‍👩‍👧‍👦 family', 'long '.repeat(40), 'a\nb'),
      fc.string(),
    );
    const steps = fc.array(fc.tuple(name, fc.nat(2_000_000_000)), { minLength: 2, maxLength: 12 });
    fc.assert(
      fc.property(
        steps,
        fc.oneof(fc.integer({ min: 40, max: 200 }), fc.constant(Infinity)),
        fc.boolean(),
        (made, width, unicode) => {
          const reached = made.map(([, count]) => count).sort((a, b) => b - a);
          const lines = layOutFunnelBars(
            { names: made.map(([text]) => text), reached, toConvert: undefined },
            { width, unicode },
          ).map(toPlainText);
          expect(lines).toHaveLength(2 * reached.length - 1);
          for (const line of lines) {
            expect(cellWidth(line)).toBeLessThanOrEqual(Number.isFinite(width) ? width : 80);
            expect(line).not.toMatch(/[\p{Cc}]/u);
          }
          const bars = lines
            .filter((_, index) => index % 2 === 0)
            .map((line) => /[█▏▎▍▌▋▊▉]+/u.exec(line)?.[0].length ?? 0);
          if (unicode)
            reached.forEach((count, index) =>
              expect([bars[index]! > 0, bars[index]! <= (bars[index - 1] ?? Infinity)]).toEqual([count > 0, true]),
            );
        },
      ),
    );
  });

  it('use colour only on request', async () => {
    const bars = { names: ['a', 'b'], reached: [2, 1], toConvert: undefined };
    expect(await writeFunnelBars(bars, { width: 60, colour: true })).toContain('\u001B[');
    expect(await writeFunnelBars(bars, { width: 60, colour: false })).not.toContain('\u001B');
  });
});
