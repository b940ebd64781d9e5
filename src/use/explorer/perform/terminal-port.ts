import { SluiceError } from '../../../ask/sluice-error.ts';
import type { ColourDepth } from '../../../show/terminal/chart/draw-chart-options.ts';
import type { TextLook } from '../../../show/terminal/paint.ts';
import type { Size, Theme } from '../state/state.ts';

/** The terminal, as effects use it. */
export interface TerminalPort {
  readonly size: () => Size;
  readonly look: TextLook;
  /** How charts are drawn. */
  readonly chart: { readonly colours: ColourDepth; readonly dark: boolean; readonly ascii: boolean };
  /** Sends an invisible sequence, such as a copy to the clipboard; undefined if the terminal would show it. */
  readonly send: ((text: string) => void) | undefined;
  setMouse(on: boolean): void;
  /** Switches the look of the screen and of charts to a theme. */
  setTheme(theme: Theme): void;
  /** Releases the terminal while a task runs. */
  lend<T>(task: () => Promise<T>): Promise<T>;
  /** Suspends the process, and resolves when it is resumed. */
  suspend(): Promise<void>;
}

/** Clipboards reject longer texts, or the terminal would be busy for long. */
const mostCopied = 500_000;

/**
 * The sequence that makes a terminal copy a text (OSC 52). Inside tmux it is sent twice: once plain, which tmux accepts
 * only with `set-clipboard`, and once wrapped for the outer terminal. Error: `too-long-to-copy`.
 */
export function toClipboard(text: string, { inTmux }: { readonly inTmux: boolean }): string {
  if (text.length > mostCopied)
    throw new SluiceError('The text is too long for the clipboard.', {
      code: 'too-long-to-copy',
      hint: 'Write it to a file with `sluice query -o`.',
    });
  const sequence = `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`;
  return inTmux ? `${sequence}\u001bPtmux;${sequence.replaceAll('\u001b', '\u001b\u001b')}\u001b\\` : sequence;
}
