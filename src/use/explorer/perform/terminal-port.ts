import { SluiceError } from '../../../ask/sluice-error.ts';
import type { ColourDepth } from '../../../show/terminal/chart/draw-chart-options.ts';
import type { TextLook } from '../../../show/terminal/paint.ts';
import type { Size, Theme } from '../state/state.ts';

/** What effects need of the terminal. */
export interface TerminalPort {
  readonly size: () => Size;
  readonly look: TextLook;
  /** How charts are drawn. */
  readonly chart: { readonly colours: ColourDepth; readonly dark: boolean; readonly ascii: boolean };
  /** Sends something that is not seen, such as what goes to the clipboard; undefined where all that is sent is seen. */
  readonly send: ((text: string) => void) | undefined;
  setMouse(on: boolean): void;
  /** From then on the look, and how charts are drawn, are those of the theme. */
  setTheme(theme: Theme): void;
  /** Gives the terminal away while a task runs. */
  lend<T>(task: () => Promise<T>): Promise<T>;
  /** To the shell, and back. */
  suspend(): Promise<void>;
}

/** A clipboard takes no more, or the terminal would be busy with it for long. */
const mostCopied = 500_000;

/**
 * What makes a terminal copy a text (OSC 52). Within tmux it is sent a second time, wrapped so that tmux hands it on to
 * the terminal around it: by itself tmux takes it only where `set-clipboard` is on. Error: `too-long-to-copy`.
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
