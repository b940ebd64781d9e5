import { showText } from '../../../ask/text.ts';
import { truncateToCells } from '../../../show/labels/cell-width.ts';
import type { Effects } from '../../process/effects.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';

/** One line on a terminal's stderr that tells how far the work is; nothing on a pipe, or with `--quiet`. */
export interface Progress {
  /** What the line is to say from now on; `elapsed` goes behind it. */
  update(text: string): void;
  /** Wipes the line, so that something else can be said; it comes back with the next update. */
  wipe(): Promise<void>;
  /** Wipes it for good. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What takes no longer is not worth a line. */
const patience = 1000;
const redrawn = 200;

export function openProgress(flags: GlobalFlags, effects: Effects): Progress {
  const { stderr, now } = effects;
  if (!stderr.isTerminal || flags.quiet) {
    return { update: () => undefined, wipe: () => Promise.resolve(), [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const start = now();
  let last = start + patience - redrawn;
  let text = '';
  let drawn = false;
  let ticking: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const write = (said: string) => (writing = writing.then(() => stderr.write(said)).catch(() => undefined));
  const draw = () => {
    const time = now();
    if (time - last < redrawn) return;
    last = time;
    drawn = true;
    const line = `${showText(text)}  ${Math.floor((time - start) / 1000)} s`;
    // The last cell stays free: some terminals begin a new line behind it.
    void write(`\r${truncateToCells(line, (stderr.columns ?? 80) - 1, '…')}\u001b[K`);
  };
  const wipe = () => {
    clearInterval(ticking);
    ticking = undefined;
    if (drawn) void write('\r\u001b[K');
    drawn = false;
    return writing;
  };
  return {
    update(said) {
      text = said;
      // What takes long without a word goes on to tell the time.
      ticking ??= setInterval(draw, redrawn).unref();
      draw();
    },
    wipe,
    [Symbol.asyncDispose]: wipe,
  };
}
