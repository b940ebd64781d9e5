import type { ColourDepth } from '../../../show/terminal/chart/draw-chart-options.ts';
import type { Size, Theme } from '../state/state.ts';
import type { TextLook } from '../../../show/terminal/paint.ts';

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
