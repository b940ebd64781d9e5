import type { Measure, MeasureType } from './model.ts';

/** The types that aggregate rows. The others are expressions over measures. */
export type AggregateType = Exclude<MeasureType, 'number' | 'string' | 'boolean' | 'time'>;

export function isAggregate(type: MeasureType): type is AggregateType {
  return type !== 'number' && type !== 'string' && type !== 'boolean' && type !== 'time';
}

/** A measure that aggregates rows itself. */
export type AggregateMeasure = Measure & { readonly type: AggregateType };

export function isAggregating(measure: Measure): measure is AggregateMeasure {
  return isAggregate(measure.type);
}

/** A row that a join repeats would be counted or added once too often. Distinct counts and extremes do not mind. */
export function addsUpRows(type: MeasureType): type is 'count' | 'sum' | 'avg' {
  return type === 'count' || type === 'sum' || type === 'avg';
}

/** Of nothing there are 0. */
export function isCount(type: MeasureType): boolean {
  return type === 'count' || type === 'count_distinct' || type === 'count_distinct_approx';
}
