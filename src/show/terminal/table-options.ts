export interface TableOptions {
  /** Cells of a line. Infinity on a pipe: no column is left out, no text is cut. */
  readonly width: number;
  /** Rows to show at most; undefined: all. */
  readonly maxRows?: number | undefined;
  /** How to see the other rows: `--all prints all`. */
  readonly howToSeeAll?: string | undefined;
  /** Draw with ASCII signs where false. The values stay as they are. */
  readonly unicode?: boolean | undefined;
}

/** Cells between two columns. */
export const gap = 2;
