import type { DrawnPlot } from '../../../show/terminal/chart/draw-chart.ts';

/** What a drawn chart says at each of its places, for whoever reads it place by place. Texts are harmless. */
export interface ChartReading {
  readonly places: readonly ReadPlace[];
  /** At least one. */
  readonly series: readonly ReadSeries[];
  /** Where they stand among the chart's lines. */
  readonly plots: readonly DrawnPlot[];
  /** Key of the column of buckets, where these are the places: a range of them can be asked for. */
  readonly time: string | undefined;
}

export interface ReadPlace {
  readonly label: string;
  /** The bucket as the rows name it; undefined where the places are no buckets. */
  readonly bucket: string | undefined;
}

export interface ReadSeries {
  readonly label: string;
  readonly hidden: boolean;
  /** By place; null: there is none. */
  readonly values: readonly (number | null)[];
  readonly texts: readonly string[];
  /** The row of the answer by place, −1 where there is none of its own. */
  readonly rows: readonly number[];
}

/** Where somebody reads a chart. */
export interface ChartCursor {
  readonly place: number;
  readonly series: number;
  /** The place from which on a range is marked. */
  readonly mark: number | undefined;
}

/** The places that are marked, in order; the one of the cursor where none are. */
export function markedPlaces({ place, mark = place }: ChartCursor): readonly [first: number, last: number] {
  return [Math.min(place, mark), Math.max(place, mark)];
}

/** The cursor where there is something to read. */
export function clampCursor(cursor: ChartCursor, { places, series }: ChartReading): ChartCursor {
  const within = (at: number, count: number) => Math.max(0, Math.min(at, count - 1));
  return {
    place: within(cursor.place, places.length),
    series: within(cursor.series, series.length),
    mark: cursor.mark === undefined ? undefined : within(cursor.mark, places.length),
  };
}
