import { allGroups } from '../groups.ts';
import { errorIssue } from '../../ask/outcome.ts';
import { invariant } from '../../ask/invariant.ts';
import type { Column } from '../column.ts';
import { type Cube, type Dimension, isPerUser, type Measure } from '../model/model.ts';
import type { BoundDimension, BoundTime, Condition, Plan, SubQuery } from '../plan.ts';
import { subQueryKey, subQueryValue } from '../sql/statement.ts';
import type { Binding } from './bind-context.ts';
import { bindJoins, cubesOf, type FoundSubQueries, type FoundSwitches, toBoundSwitches } from './bind-joins.ts';
import { userDimension } from './user-dimension.ts';

/**
 * For each dimension computed from measures, the plan of its rows: a value for each primary key of its own cube, or for
 * each user and group of the other dimensions and buckets. Adds `circular-sub-query` if an inherited filter is about
 * the dimension itself, and the issues of joins.
 */
export function bindSubQueries(
  found: FoundSubQueries,
  outer: Plan,
  binding: Binding,
  check: (plan: Plan) => void,
): readonly SubQuery[] {
  return [...found].flatMap(([dimension, cube]): readonly SubQuery[] => {
    const plan = bindOne(cube, dimension, outer, binding, check);
    return plan ? [{ cube, dimension, plan }] : [];
  });
}

/** What the plan of a dimension's values is made of. */
interface Parts extends Pick<Plan, 'times' | 'segments' | 'rowConditions'> {
  readonly keys: readonly Pick<BoundDimension, 'cube' | 'dimension'>[];
  readonly measure: Measure;
}

function toParts(cube: Cube, dimension: Dimension, outer: Plan): Parts {
  const { expression } = dimension;
  if (expression.kind === 'per-user') {
    const groups = outer.ungrouped ? [] : outer.dimensions.filter((each) => !isPerUser(each.dimension));
    return {
      ...outer,
      times: outer.ungrouped ? outer.times.map(withoutBuckets) : outer.times,
      keys: [{ cube, dimension: userDimension }, ...groups],
      rowConditions: outer.rowConditions.filter((condition) => !testsUsers(condition)),
      measure: expression.of,
    };
  }
  invariant(expression.kind === 'sub-query', `${cube.name}.${dimension.name} is made of measures`);
  const { name, title, shortTitle, public: listed } = dimension;
  const { sql, propagate } = expression;
  return {
    keys: cube.dimensions.filter(({ primaryKey }) => primaryKey).map((key) => ({ cube, dimension: key })),
    times: propagate ? outer.times.map(withoutBuckets) : [],
    segments: propagate ? outer.segments : [],
    rowConditions: propagate ? outer.rowConditions : [],
    measure: { name, title, shortTitle, type: 'number', sql, filters: [], drillMembers: [], public: listed },
  };
}

function withoutBuckets(time: BoundTime): BoundTime {
  return { ...time, granularity: undefined, column: undefined };
}

function bindOne(
  cube: Cube,
  dimension: Dimension,
  outer: Plan,
  binding: Binding,
  check: (plan: Plan) => void,
): Plan | undefined {
  const { keys, measure, times, segments, rowConditions } = toParts(cube, dimension, outer);
  const columns: Column[] = [];
  const column = (
    key: string,
    kind: 'dimension' | 'measure',
    { type, title, shortTitle }: Pick<Dimension, 'type' | 'title' | 'shortTitle'>,
  ) => columns.push({ key, member: key, kind, type, title, shortTitle, additive: false, whenAbsent: null }) - 1;
  const keyColumn = (key: Pick<BoundDimension, 'dimension'>) =>
    column(subQueryKey(columns.length), 'dimension', key.dimension);
  const dimensions = keys.map((key) => ({ ...key, column: keyColumn(key) }));
  const taken = {
    times: times.map((time) => (time.column === undefined ? time : { ...time, column: keyColumn(time) })),
    segments,
    rowConditions,
  };
  const measures = [{ cube, measure, column: column(subQueryValue, 'measure', dimension) }];
  const nested: FoundSubQueries = new Map();
  const switches: FoundSwitches = new Map();
  const cubes = cubesOf(
    outer.model,
    { columns, dimensions, measures, ...taken, conditions: taken.rowConditions },
    nested,
    switches,
  );
  if (nested.has(dimension)) {
    binding.issues.push(
      errorIssue(
        'circular-sub-query',
        `"${cube.name}.${dimension.name}" applies the filters of the query, ` +
          'and one of them filters by this dimension itself.',
        {
          path: ['filters'],
          hint: 'Remove that filter, or `propagate_filters_to_sub_query` from the model.',
        },
      ),
    );
    return undefined;
  }
  const tree = bindJoins([cube, ...cubes], outer.model, { ...binding, paths: [[cube.name]] });
  if (!tree) return undefined;
  if (tree.root !== cube) {
    const message = `No joins lead from "${cube.name}" to the members that "${cube.name}.${dimension.name}" uses.`;
    binding.issues.push(errorIssue('no-join', message, { hint: `Declare a join on "${cube.name}".` }));
    return undefined;
  }
  const plan: Plan = {
    ...outer,
    ...tree,
    ...taken,
    columns,
    dimensions,
    measures,
    ...allGroups,
    subQueries: [],
    switches: toBoundSwitches(switches),
  };
  check(plan);
  return { ...plan, subQueries: bindSubQueries(nested, plan, binding, check) };
}

/** Whether a condition compares the figures of users. */
export function testsUsers(condition: Condition): boolean {
  if (condition.kind !== 'test') return condition.conditions.some(testsUsers);
  return condition.operand.kind === 'dimension' && isPerUser(condition.operand.dimension);
}
