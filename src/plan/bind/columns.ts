import type { Granularity } from '../../ask/time/granularity.ts';
import type { Column } from '../column.ts';
import type { Cube, Dimension, Measure, MeasureType } from '../model/model.ts';

export function dimensionColumn(cube: Cube, dimension: Dimension): Column {
  const member = `${cube.name}.${dimension.name}`;
  return {
    key: member, member, kind: 'dimension', type: dimension.type, title: dimension.title, shortTitle: dimension.shortTitle,
    format: dimension.format, additive: false, whenAbsent: null,
  };
}

export function timeColumn(cube: Cube, dimension: Dimension, granularity: Granularity): Column {
  const member = `${cube.name}.${dimension.name}`;
  return {
    key: `${member}.${granularity}`, member, kind: 'time', type: 'time', granularity, title: dimension.title, shortTitle: dimension.shortTitle,
    additive: false, whenAbsent: null,
  };
}

export function measureColumn(cube: Cube, measure: Measure): Column {
  const member = `${cube.name}.${measure.name}`;
  const rolls = measure.rollingWindow !== undefined;
  return {
    key: member, member, kind: 'measure', type: valueTypes[measure.type], title: measure.title, shortTitle: measure.shortTitle,
    format: measure.format,
    additive: !rolls && (measure.type === 'count' || measure.type === 'sum'),
    // A window reaches beyond its bucket, so that nothing is proven by an empty bucket.
    whenAbsent: rolls ? null : absences[measure.type], drillMembers: measure.drillMembers,
  };
}

const valueTypes: Readonly<Record<MeasureType, Column['type']>> = {
  count: 'number', count_distinct: 'number', count_distinct_approx: 'number', sum: 'number', avg: 'number', min: 'number', max: 'number',
  number: 'number', string: 'string', boolean: 'boolean', time: 'time',
};

/** Counts and sums of nothing are 0; an average, a ratio or an extreme of nothing is not a number. */
const absences: Readonly<Record<MeasureType, 0 | null>> = {
  count: 0, count_distinct: 0, count_distinct_approx: 0, sum: 0, avg: null, min: null, max: null,
  number: null, string: null, boolean: null, time: null,
};
