import type { Spool } from '../window.ts';
import type { LineForm } from './line-form.ts';
import { openLineGuard } from './line-guard.ts';
import type { LineTaker } from './row-sieve.ts';

/** Keeps the lines of one answer in memory, to put them in the order of their bytes, which is that of their times first. */
export interface SortedLines extends LineTaker {
  /** Once all are there: gives how many are the one before once more; throws what `LineGuard` throws. */
  sort(form: LineForm): number;
  /** Empties the spool and gives them on. */
  release(spool: Spool): Promise<void>;
}

const linesAtOnce = 1_000;
const lineFeed = Buffer.from('\n');

export function sortLines(): SortedLines {
  let held: Buffer[] = [];
  return {
    async restart() {
      held = [];
    },
    line(bytes, start, _countAt, end) {
      held.push(Buffer.concat([bytes.subarray(start, end), lineFeed]));
    },
    write: async () => undefined,
    sort(form) {
      held.sort((a, b) => a.compare(b));
      const guard = openLineGuard(form, { ordered: true });
      for (const line of held) guard.look(line, 0, line.length - 1);
      guard.finish();
      return guard.repeated;
    },
    async release(spool) {
      await spool.restart();
      for (let start = 0; start < held.length; start += linesAtOnce) await spool.write(Buffer.concat(held.slice(start, start + linesAtOnce)));
      held = [];
    },
  };
}
