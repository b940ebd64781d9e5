import type { PlacedAnnotation } from './chart.ts';
import type { Theme } from './palette.ts';

/** What the layers of a chart have in common. */
export interface DrawOptions {
  /** Pixels, for all of the picture. */
  readonly width: number;
  /** Pixels, for the plot of one panel. */
  readonly height: number;
  readonly theme: Theme;
  readonly annotations: readonly PlacedAnnotation[];
}
