import type { MarkKind } from '../../labels/mark-legend.ts';
import type { ChartInput } from '../build-panels.ts';
import type { Chart, ChartBody, DrawOptions, VegaLiteSpec } from '../chart.ts';
import type { ResultShape } from '../result-shape.ts';
import type { ChartKind } from '../../../ask/chart/chart-preference.ts';

/**
 * All that sluice knows about one kind of chart. Each kind is a file that exports its type, listed in `chart-kinds.ts`.
 * No other code depends on the kind of a chart: a terminal draws the layout that Vega makes from `draw`.
 */
export interface ChartType {
  /** Begins the description, such as `Line chart`. */
  readonly name: string;
  /** Vega-Lite marks that select this kind in a fragment, as the name of the kind does. */
  readonly marks?: readonly string[];
  /** The sign before the meaning of each mark in the notes. */
  readonly signs: Readonly<Record<MarkKind, string>>;
  /** Whether a result of this shape can be drawn so. */
  readonly fits: (shape: ResultShape) => boolean;
  /** What a result needs to fit, for the message if it does not. */
  readonly needs: string;
  /** The kind that a fitting result is drawn as; this one by default. */
  readonly drawnAs?: (shape: ResultShape) => ChartKind;
  /** Which names are beside the plot, if any: those of series, or those of places if these have no order. */
  readonly namesAside?: 'places' | 'series';
  /** Puts the values in their places. */
  readonly build: (input: ChartInput) => ChartBody;
  /** The default title; by default the measures and dimensions. */
  readonly title?: (parts: TitleParts) => string;
  /** Whether the default title moves to the subtitle if the user sets a title; by default it does. */
  readonly keepsTitle?: (body: ChartBody) => boolean;
  /** Whether a chart without a single value is drawn and described like any other. */
  readonly showsNoValues?: boolean;
  /**
   * A view of Vega-Lite for each plot, from top to bottom. A tree in its `usermeta` is what a terminal draws instead.
   */
  readonly draw: (chart: Chart, options: DrawOptions) => readonly VegaLiteSpec[];
  /** What the chart shows, in sentences. */
  readonly describe: (chart: Chart) => readonly string[];
}

/** The parts of a default title, not yet sanitized. */
interface TitleParts {
  readonly input: ChartInput;
  /** The measures. */
  readonly measured: string;
  /** The dimensions that distinguish the values. */
  readonly by: readonly string[];
}

/** The measures, and the dimensions if any. */
export function toTitle({ measured, by }: Pick<TitleParts, 'measured' | 'by'>): string {
  return by.length === 0 ? measured : `${measured} by ${by.join(', ')}`;
}

/** How marked values are drawn. */
export const lineSigns = { filled: '○', filledOrZero: '◇', partial: 'Dashed:' };
export const barSigns = { filled: '○', filledOrZero: '◇', partial: 'Pale and dashed:' };
export const figureSigns = { filled: 'The figure is', filledOrZero: 'The figure is', partial: 'The figure is' };
