import type { ChartKind } from '../../ask/chart/chart-preference.ts';
import type { Granularity } from '../../ask/time/granularity.ts';

export type { ChartKind } from '../../ask/chart/chart-preference.ts';

/**
 * What is drawn of a result, decided once: plain data from which every picture is made. All texts are harmless to look
 * at (`sanitize`), all numbers finite.
 */
export interface Chart {
  readonly kind: ChartKind;
  readonly title: string;
  /** What is measured, of when, and in which zone. */
  readonly subtitle: string;
  readonly x: ChartAxis;
  /** One below the other, each with a scale of its own: measures that share one stand in one panel. At least one. */
  readonly panels: readonly ChartPanel[];
  /** From step to step; only of paths. Each panel has a value for each. */
  readonly flows?: ChartFlows | undefined;
  /** Only over time, in order of time. */
  readonly annotations: readonly PlacedAnnotation[];
  /** Sentences that belong below the picture: what its signs mean, what is left out of it. */
  readonly notes: readonly string[];
  /** A fragment of Vega-Lite that is merged over the drawing. */
  readonly fragment?: Readonly<Record<string, unknown>> | undefined;
}

/** What a kind of chart makes of a result. */
export type ChartBody = Pick<Chart, 'x' | 'panels' | 'annotations' | 'notes' | 'flows'>;

/** The places at which there are values: times, categories or numbers. */
export interface ChartAxis {
  readonly title: string;
  readonly scale: 'time' | 'category' | 'number';
  /** The places have an order of their own, and run from left to right. */
  readonly ordered: boolean;
  readonly granularity?: Granularity | undefined;
  /** Of numbers, as `formatNumber` takes it. */
  readonly format?: string | undefined;
  /** How people read each place. Of categories no two are the same. */
  readonly labels: readonly string[];
  /** Times in milliseconds, see `toTimeAxis`; numbers as they are; categories count from 0. */
  readonly positions: readonly number[];
  /** Where each bucket of time ends; empty where the places are no buckets. */
  readonly ends: readonly number[];
  /** The flags of each bucket, see `Marks`. */
  readonly flags: readonly number[];
  /** Where the positions of times do not read as the zone's clock does: places to label instead, in order. */
  readonly ticks?: readonly { readonly position: number; readonly label: string }[] | undefined;
  /** The place that stands for all others, if there is one. */
  readonly other?: number | undefined;
  /** A sentence about each place; only of funnels. */
  readonly asides?: readonly string[] | undefined;
}

/** Measures that are drawn on one scale. */
export interface ChartPanel {
  readonly title: string;
  /** As `formatNumber` takes it. */
  readonly format: string | undefined;
  /** Parts add up to a whole. */
  readonly additive: boolean;
  readonly series: readonly ChartSeries[];
}

export interface ChartSeries {
  /** No two of a panel are the same. */
  readonly label: string;
  /** `other` stands for all that are not drawn by themselves, `previous` for an earlier range. */
  readonly role: 'plain' | 'other' | 'previous';
  /** One a place; null where there is no value, or none that can be drawn. */
  readonly values: readonly (number | null)[];
  /** The flags of each value, see `Marks`. */
  readonly flags: readonly number[];
}

export interface ChartFlows {
  readonly edges: readonly ChartFlow[];
  /** Of how many shares are; null: of those who are at the fullest step. */
  readonly total: number | null;
}

/** How many go from one step to the next. */
export interface ChartFlow {
  /** The number of the step that it begins with. */
  readonly step: number;
  readonly source: string;
  /** null: they end there. */
  readonly target: string | null;
}

export interface PlacedAnnotation {
  /** As the axis' positions. */
  readonly position: number;
  /** How people read the date. */
  readonly date: string;
  readonly title: string;
  readonly kind: string | undefined;
}
