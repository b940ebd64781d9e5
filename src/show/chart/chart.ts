import type { ChartKind } from '../../ask/chart/chart-preference.ts';
import type { Granularity } from '../../ask/time/granularity.ts';
import type { Theme } from './palette.ts';

export type { ChartKind } from '../../ask/chart/chart-preference.ts';

/**
 * A chart of a result as plain data. Every picture is made from it. All texts are sanitized, and all numbers are
 * finite.
 */
export interface Chart {
  /** What kind of chart it is. */
  readonly kind: ChartKind;
  /** The title: the given one, or the measures and dimensions. */
  readonly title: string;
  /** The measure, the range and the time zone. */
  readonly subtitle: string;
  /** The axis that all panels share. */
  readonly x: ChartAxis;
  /** Panels from top to bottom, at least one. Measures with the same scale share a panel. */
  readonly panels: readonly ChartPanel[];
  /** The time that all figures cover, if it is only a part of the range. */
  readonly period?: string | undefined;
  /** Flows from step to step, only for paths. Each panel has one value per flow. */
  readonly flows?: ChartFlows | undefined;
  /** In order of time; empty unless the chart runs over time. */
  readonly annotations: readonly PlacedAnnotation[];
  /** Sentences below the picture: what its marks mean, and what it omits. */
  readonly notes: readonly string[];
  /** A Vega-Lite fragment to merge into the specification. */
  readonly fragment?: Readonly<Record<string, unknown>> | undefined;
}

/** The parts of a chart that its kind builds. */
export type ChartBody = Pick<Chart, 'x' | 'panels' | 'annotations' | 'notes' | 'flows' | 'period'>;

/** The places of values on an axis: times, categories or numbers. */
export interface ChartAxis {
  readonly title: string;
  readonly scale: 'time' | 'category' | 'number';
  /** The places have a natural order, and run from left to right. */
  readonly ordered: boolean;
  readonly granularity?: Granularity | undefined;
  /** Number format, as for `formatNumber`. */
  readonly format?: string | undefined;
  /** The label of each place. The labels of categories are unique. */
  readonly labels: readonly string[];
  /** Times in milliseconds, see `toTimeAxis`; numbers as they are; categories count from 0. */
  readonly positions: readonly number[];
  /** The end of each time bucket; empty if the places are not buckets. */
  readonly ends: readonly number[];
  /** The flags of each bucket, see `Marks`. */
  readonly flags: readonly number[];
  /** Positions to label instead of the default ones, in order, if these do not match the zone's clock. */
  readonly ticks?: readonly { readonly position: number; readonly label: string }[] | undefined;
  /** The place that stands for all others, if there is one. */
  readonly other?: number | undefined;
  /** A sentence about each place; only for funnels. */
  readonly asides?: readonly string[] | undefined;
}

/** Measures that are drawn on one scale. */
export interface ChartPanel {
  readonly title: string;
  /** Number format, as for `formatNumber`. */
  readonly format: string | undefined;
  /** Parts add up to a whole. */
  readonly additive: boolean;
  /** Lines start at 0, because the values are amounts, such as users. Lines of averages and rates may omit 0. */
  readonly fromZero?: boolean | undefined;
  /** Figures have no change, because a range is incomplete. */
  readonly incomparable?: boolean | undefined;
  readonly series: readonly ChartSeries[];
  /** Extra values that the scale of lines and areas includes, to compare several plots. */
  readonly extent?: readonly number[] | undefined;
}

export interface ChartSeries {
  /** Unique within the panel. */
  readonly label: string;
  /** `other`: all values without their own series. `previous`: an earlier range. */
  readonly role: 'plain' | 'other' | 'previous';
  /** One value per place; null if it is missing or cannot be drawn. */
  readonly values: readonly (number | null)[];
  /** The flags of each value, see `Marks`. */
  readonly flags: readonly number[];
}

export interface ChartFlows {
  readonly edges: readonly ChartFlow[];
  /** The total that shares refer to; null: the count at the fullest step. */
  readonly total: number | null;
}

/** A flow from one step to the next. */
export interface ChartFlow {
  /** Number of the step where the flow starts. */
  readonly step: number;
  readonly source: string;
  /** null if they end there. */
  readonly target: string | null;
}

export interface PlacedAnnotation {
  /** On the scale of the axis positions. */
  readonly position: number;
  /** The date as shown to people. */
  readonly date: string;
  readonly title: string;
  readonly kind: string | undefined;
}

/** Options that all layers share. */
export interface DrawOptions {
  /** Pixels, for the whole picture. */
  readonly width: number;
  /** Pixels, for the plot of one panel. */
  readonly height: number;
  readonly theme: Theme;
  readonly annotations: readonly PlacedAnnotation[];
  /** Explain shades even if cells show their numbers. A terminal may have no room for these. */
  readonly explainsShades: boolean;
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A Vega-Lite specification (version 6) as plain JSON. It includes its data and has no external references. */
export type VegaLiteSpec = { readonly [key: string]: Json };

/** True for an object: no list, and no plain value. */
export function isSpec(value: unknown): value is VegaLiteSpec {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
