import type { DrawnPlot } from '../../../show/terminal/chart/draw-chart.ts';

/** The values of a drawn chart at each of its places. Texts are sanitized. */
export interface ChartReading {
  readonly places: readonly ReadPlace[];
  /** At least one. */
  readonly series: readonly ReadSeries[];
  /** Positions of the plots in the chart's lines. */
  readonly plots: readonly DrawnPlot[];
  /** Key of the bucket column if the places are buckets; a range of them can be asked. */
  readonly time: string | undefined;
}

interface ReadPlace {
  readonly label: string;
  /** The bucket as the rows name it; undefined if the places are not buckets. */
  readonly bucket: string | undefined;
}

export interface ReadSeries {
  readonly label: string;
  readonly hidden: boolean;
  /** By place; null if there is no value. */
  readonly values: readonly (number | null)[];
  readonly texts: readonly string[];
  /** Row of the answer by place; −1 if no single row belongs to it. */
  readonly rows: readonly number[];
}

/** The position of the cursor in a chart. */
export interface ChartCursor {
  readonly place: number;
  readonly series: number;
  /** The place where the marked range begins. */
  readonly mark: number | undefined;
}

/** The marked places in order; the place of the cursor if no range is marked. */
export function markedPlaces({ place, mark = place }: ChartCursor): readonly [first: number, last: number] {
  return [Math.min(place, mark), Math.max(place, mark)];
}

/** Moves the cursor into the chart if it is outside. */
export function clampCursor(cursor: ChartCursor, { places, series }: ChartReading): ChartCursor {
  const within = (at: number, count: number) => Math.max(0, Math.min(at, count - 1));
  return {
    place: within(cursor.place, places.length),
    series: within(cursor.series, series.length),
    mark: cursor.mark === undefined ? undefined : within(cursor.mark, places.length),
  };
}
