import { toInstant } from '../../plan/to-instant.ts';
import { openLineGuard } from './rows/line-guard.ts';
import { toLineForm } from './rows/line-form.ts';
import {
  countedUnits,
  type ExportSource,
  type FetchedRows,
  mostBuckets,
  unitSizes as sizes,
} from './rows/export-source.ts';
import type { FetchedWindow, Spool, Window } from './rows/window.ts';
import { eventsIn } from './tally.ts';

/** A window, and what receives its rows. */
export interface SpooledWindow {
  readonly window: Window;
  readonly spool: Spool;
}

/**
 * Fetches neighbouring windows with one request, because a source that reads all of its data for each request would
 * read them for each window. A window whose rows and counts do not agree is undefined: fetch it alone. Rejects like
 * `ExportSource`.
 */
export async function fetchTogether(
  source: ExportSource,
  parts: readonly SpooledWindow[],
  signal: AbortSignal | undefined,
): Promise<readonly (FetchedWindow | undefined)[]> {
  const range = { start: parts[0]!.window.start, end: parts.at(-1)!.window.end };
  const split = splitAtEdges(source, parts);
  await source.fetchRows({ range, limit: source.together, offset: 0 }, split, signal);
  const found = split.finish();
  const counts = await countEach(
    source,
    parts.map(({ window }) => window),
    signal,
  );
  return parts.map(({ window: { events: before } }, index): FetchedWindow | undefined => {
    const { rows, events, repeated } = found[index] ?? { rows: 0, events: -1, repeated: 0 };
    const after = counts[index]!;
    if (events !== before || after !== before || (repeated > 0 && !source.habits.alike)) return undefined;
    return { rows, events, counted: { before, after }, settled: true, why: undefined, attempts: 1 };
  });
}

interface Split extends Spool {
  /** The rows of each window; undefined for those whose rows are not as expected. */
  finish(): readonly (FetchedRows | undefined)[];
}

/** Gives each line, which come in the order of their times, to its window. */
function splitAtEdges({ query }: ExportSource, parts: readonly SpooledWindow[]): Split {
  const { opening } = toLineForm(query, parts[0]!.window);
  const openGuards = () => parts.map(({ window }) => openLineGuard(toLineForm(query, window), { ordered: true }));
  let guards = openGuards();
  let current = 0;

  const isPast = (bytes: Buffer, start: number): boolean => {
    const from = start + opening.length + 1;
    const instant = toInstant(bytes.toString('latin1', from, bytes.indexOf(quoteMark, from)));
    return instant !== undefined && instant >= parts[current]!.window.end;
  };
  /** The start of the first line that is past the current window, from a line on. */
  const edgeFrom = (bytes: Buffer, from: number): number => {
    const last = bytes.lastIndexOf(lineFeed, bytes.length - 2) + 1;
    if (current === parts.length - 1 || !isPast(bytes, last)) return bytes.length;
    let at = from;
    while (!isPast(bytes, at)) at = bytes.indexOf(lineFeed, at) + 1;
    return at;
  };

  return {
    async restart() {
      guards = openGuards();
      current = 0;
      for (const { spool } of parts) await spool.restart();
    },
    async write(piece) {
      const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
      for (let start = 0; start < bytes.length; ) {
        const edge = edgeFrom(bytes, start);
        const guard = guards[current]!;
        for (let at = start; at < edge; at = bytes.indexOf(lineFeed, at) + 1)
          guard.look(bytes, at, bytes.indexOf(lineFeed, at));
        guard.release();
        if (edge > start) await parts[current]!.spool.write(bytes.subarray(start, edge));
        if (edge < bytes.length) current += 1;
        start = edge;
      }
    },
    finish: () =>
      guards.map((guard) => {
        guard.finish();
        return { rows: guard.rows, events: guard.events, repeated: guard.repeated };
      }),
  };
}

const [lineFeed, quoteMark] = [0x0a, 0x22] as const;

/** The events in each of neighbouring windows, with one request if their edges allow it. */
async function countEach(
  source: ExportSource,
  windows: readonly Window[],
  signal: AbortSignal | undefined,
): Promise<readonly number[]> {
  const range = { start: windows[0]!.start, end: windows.at(-1)!.end };
  const unit = countedUnits.find(
    (each) =>
      windows.every(({ end }) => end % sizes[each] === 0 || end === range.end) &&
      (range.end - range.start) / sizes[each] < mostBuckets,
  );
  if (unit === undefined) {
    const counts: number[] = [];
    for (const window of windows) counts.push(await source.count(window, signal));
    return counts;
  }
  const buckets = await source.countBy(range, unit, signal);
  return windows.map((window) => eventsIn(buckets, window, unit));
}
