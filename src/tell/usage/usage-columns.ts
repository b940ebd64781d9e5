import type { Column } from '../../plan/column.ts';

/** Columns of usage tables. None of them is a member that could be asked for: they are counted together from several projects. */
export function dimensionColumn(name: string, title: string): Column {
  return { ...base(name, title), kind: 'dimension', type: 'string', additive: false, whenAbsent: null };
}

export function monthColumn(): Column {
  return { ...base('month', 'Month'), kind: 'time', type: 'time', granularity: 'month', additive: false, whenAbsent: null };
}

export function eventsColumn(name: string, title: string): Column {
  return { ...base(name, title), kind: 'measure', type: 'number', additive: true, whenAbsent: 0 };
}

/** What cannot be added up: a forecast's bounds, a change. */
export function figureColumn(name: string, title: string, format?: 'percent'): Column {
  return { ...base(name, title), kind: 'measure', type: 'number', ...(format === undefined ? {} : { format }), additive: false, whenAbsent: null };
}

function base(name: string, title: string): Pick<Column, 'key' | 'member' | 'title' | 'shortTitle'> {
  return { key: `Usage.${name}`, member: `Usage.${name}`, title, shortTitle: title };
}
