import { showText } from '../../../ask/text.ts';
import { truncateToCells } from '../../../show/labels/cell-width.ts';
import type { Effects } from '../../process/effects.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';

/** A progress line on stderr of a terminal; nothing on a pipe, or with `--quiet`. */
export interface Progress {
  /** Sets the text; the elapsed time follows it. */
  update(text: string): void;
  /** Removes the line, so that other output can be written; the next update restores it. */
  wipe(): Promise<void>;
  /** Removes the line for good. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Shorter work needs no progress line. */
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
    // Leave the last cell empty: some terminals wrap after it.
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
      // Without updates, continue to show the elapsed time.
      ticking ??= setInterval(draw, redrawn).unref();
      draw();
    },
    wipe,
    [Symbol.asyncDispose]: wipe,
  };
}
