import { marks } from './find-rows.ts';
import type { LineForm } from './line-form.ts';
import { openLineGuard } from './line-guard.ts';
import type { LineTaker } from './row-sieve.ts';
import type { Spool } from './window.ts';

/** Keeps the lines of one answer in memory and sorts them by their bytes, which sorts by time first. */
interface SortedLines extends LineTaker {
  /** Call it after the last line. Returns how many lines equal the line before. Throws like `LineGuard`. */
  sort(form: LineForm): number;
  /** Restarts the spool and writes the lines to it. */
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
      for (let start = 0; start < held.length; start += linesAtOnce)
        await spool.write(Buffer.concat(held.slice(start, start + linesAtOnce)));
      held = [];
    },
  };
}

/**
 * Sorts lines in place by their bytes. Each line includes its line feed. Returns by how much the number of equal
 * neighbours grew.
 */
export function sortTies(bytes: Buffer): number {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(marks.lineFeed, start) + 1;
    lines.push(Buffer.from(bytes.subarray(start, end)));
    start = end;
  }
  const before = countRepeated(lines);
  lines.sort((a, b) => a.compare(b));
  let at = 0;
  for (const line of lines) at += line.copy(bytes, at);
  return countRepeated(lines) - before;
}

function countRepeated(lines: readonly Buffer[]): number {
  return lines.filter((line, index) => index > 0 && line.equals(lines[index - 1]!)).length;
}
