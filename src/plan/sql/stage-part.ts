import { withParts } from '../../ask/cloneable.ts';
import { invariant } from '../../ask/invariant.ts';
import { isAggregating, type Measure } from '../model/model.ts';
import { percentileCall } from '../model/property-members.ts';
import type { BoundDimension, BoundTime, Plan } from '../plan.ts';
import { type Expression, joined, name, sql, trusted } from './expression.ts';
import { isApart, type Leaf, leafMeasures, overGroups } from './leaf-measures.ts';
import { expandTemplate, findCube, type MemberScope } from './member-expression.ts';
import type { KeyColumn } from './rows-source.ts';
import { subQueriesAt } from './sub-queries-at.ts';

/** The column of the inner statement with the measure's value. */
const stageValue = 'value';

/**
 * The plan from which a stage is computed: the same rows, grouped also by the dimensions that the stage adds, or at
 * other times.
 */
export function innerPlan(plan: Plan, { cube, measure }: Pick<Leaf, 'cube' | 'measure'>): Plan {
  const stage = measure.stage;
  invariant(stage && isApart(measure), 'the stage has groups or times of its own');
  const added = (stage.addGroupBy ?? [])
    .filter((full) => !plan.dimensions.some((each) => fullName(each) === full))
    .map((full) => {
      const [owner = '', member] = full.split('.');
      const from = findCube(plan.model, owner);
      const dimension = from.dimensions.find((candidate) => candidate.name === member);
      invariant(dimension, `${full} was resolved when the model was read`);
      return { cube: from, dimension };
    });
  const columns = [...plan.columns.filter(({ kind }) => kind !== 'measure')];
  const dimensions = added.map(({ cube: from, dimension }): BoundDimension => {
    const key = addedKey(fullName({ cube: from, dimension }));
    const { title, shortTitle, type } = dimension;
    const column = columns.push({
      key,
      member: key,
      kind: 'dimension',
      type,
      title,
      shortTitle,
      additive: false,
      whenAbsent: null,
    });
    return { cube: from, dimension, column: column - 1 };
  });
  const { title, shortTitle } = measure;
  const column = columns.push({
    key: stageValue,
    member: stageValue,
    kind: 'measure',
    type: 'number',
    title,
    shortTitle,
    additive: false,
    whenAbsent: null,
  });
  const inner: Measure = { ...measure, type: 'number', stage: undefined, filters: [] };
  // Columns of measures may come between the others.
  const moved = (index: number) => columns.indexOf(plan.columns[index]!);
  const times = plan.times.map(
    (time): BoundTime => ({
      ...time,
      column: time.column === undefined ? undefined : moved(time.column),
      shift: stage.shifts?.find((shift) => shift.time === undefined || shift.time === fullName(time)),
    }),
  );
  return withParts(plan, {
    columns,
    dimensions: [...plan.dimensions.map((each) => ({ ...each, column: moved(each.column) })), ...dimensions],
    times,
    subQueries: subQueriesAt(plan.subQueries, times),
    measures: [{ cube, measure: inner, column: column - 1 }],
    groupConditions: [],
    order: [],
    limit: undefined,
    offset: 0,
    total: false,
    series: undefined,
  });
}

export function fullName({ cube, dimension }: Pick<BoundDimension, 'cube' | 'dimension'>): string {
  return `${cube.name}.${dimension.name}`;
}

const addedKey = (full: string) => `added: ${full}`;

/** Aggregates the values of a stage's finer groups. */
export function stageAggregate({ measure }: Leaf, scope: MemberScope): Expression {
  const { addGroupBy = [], skipsNull, percentile } = measure.stage ?? {};
  const present = addGroupBy.map((full) => sql`${name('stage', addedKey(full))} IS NOT NULL`);
  const own = name('stage', stageValue);
  const value = skipsNull ? sql`CASE WHEN ${joined(present, ' AND ')} THEN ${own} END` : own;
  if (percentile) {
    const [before, after] = percentileCall(percentile);
    return sql`${trusted(before)}${value}${trusted(after)}`;
  }
  return measure.stage?.shifts || !isAggregating(measure)
    ? sql`any_value(${value})`
    : scope.dialect.aggregate(measure, value, []);
}

/** A measure over several groups of the answer: those that agree in the keys that the stage keeps. */
export function windowExpression(
  { cube, measure }: Pick<Leaf, 'cube' | 'measure'>,
  plan: Plan,
  keys: readonly KeyColumn[],
  keyOf: (alias: string) => Expression,
  scope: MemberScope,
): Expression {
  const { groupBy, reduceBy = [], rank } = measure.stage ?? {};
  const named = [...plan.dimensions, ...plan.times].map((each) => ({ full: fullName(each), column: each.column }));
  const kept = keys.filter(({ column }) => {
    const full = named.find((each) => each.column === column)?.full ?? '';
    return !reduceBy.includes(full) && (groupBy?.includes(full) ?? true);
  });
  const partition =
    kept.length === 0
      ? trusted('')
      : sql`PARTITION BY ${joined(
          kept.map(({ alias }) => keyOf(alias)),
          ', ',
        )}`;
  if (rank) {
    const order = rank.map(
      (by) => sql`${expandTemplate(by.sql, cube, scope)} ${trusted(by.descending ? 'DESC' : 'ASC')} NULLS LAST`,
    );
    return sql`rank() OVER (${partition} ORDER BY ${joined(order, ', ')})`;
  }
  invariant(isAggregating(measure) && measure.sql, 'a stage over groups aggregates');
  return sql`${scope.dialect.aggregate(measure, sql`(${expandTemplate(measure.sql, cube, scope)})`, [])} OVER (${partition})`;
}

/** The aggregates of rows that the plan's measures are computed from, through all stages. */
export function rowMeasures(plan: Plan): readonly Leaf[] {
  const found = leafMeasures(plan).flatMap((leaf) =>
    isApart(leaf.measure) ? rowMeasures(innerPlan(plan, leaf)) : leaf,
  );
  return found.filter((leaf, index) => found.findIndex(({ measure }) => measure === leaf.measure) === index);
}

/** True if a measure of a group, at any stage, is computed from other groups of the answer: without them it changes. */
export function comparesGroups(plan: Plan): boolean {
  return (
    overGroups(plan).length > 0 ||
    leafMeasures(plan).some((leaf) => isApart(leaf.measure) && comparesGroups(innerPlan(plan, leaf)))
  );
}
