/** Bits of colour that a terminal can show: none, the sixteen names, the cube of 256, or any. */
export type ColourDepth = 0 | 4 | 8 | 24;

export interface DrawChartOptions {
  /** Cells of a line; no line is wider. At least `narrowestChart`. */
  readonly width: number;
  /**
   * Lines that the drawing should take. Categories below each other take a line each, however many lines that makes.
   */
  readonly height?: number | undefined;
  readonly colours: ColourDepth;
  /** The terminal's background is dark, which is what it is taken for unless said otherwise. */
  readonly dark?: boolean | undefined;
  /** Draw with ASCII signs only. Texts stay as they are. */
  readonly ascii?: boolean | undefined;
}

/** Fewer cells than these hold no chart that can be read. */
export const narrowestChart = 40;
