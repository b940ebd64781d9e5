import type { Look } from '../paint.ts';

const unicodeBars = '▁▂▃▄▅▆▇█';
const asciiBars = '_.-=+*#@';

/** Counts as bars of one cell each, the tallest for the greatest; where there is nothing, a blank. */
export function drawSparkline(counts: readonly number[], { unicode }: Pick<Look, 'unicode'>): string {
  const bars = unicode ? unicodeBars : asciiBars;
  const most = counts.reduce((greatest, count) => Math.max(greatest, count), 0);
  return counts.map((count) => (count <= 0 ? ' ' : bars[Math.min(bars.length - 1, Math.floor((count / most) * bars.length))])).join('');
}
