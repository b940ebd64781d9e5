/** Bits of colour that a terminal can show: none, 16 names, 256 colours, or any colour. */
export type ColourDepth = 0 | 4 | 8 | 24;

export interface DrawChartOptions {
  /** Cells per line; no line is wider. At least `narrowestChart`. */
  readonly width: number;
  /** Target height in lines. Categories below each other take one line each, even if that is more. */
  readonly height?: number | undefined;
  readonly colours: ColourDepth;
  /** The terminal has a dark background (default: true). */
  readonly dark?: boolean | undefined;
  /** Draw with ASCII signs only. Texts stay as they are. */
  readonly ascii?: boolean | undefined;
}

/** The least width of a readable chart, in cells. */
export const narrowestChart = 40;
