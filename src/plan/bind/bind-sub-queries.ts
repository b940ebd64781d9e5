import { allGroups } from '../groups.ts';
import { errorIssue } from '../../ask/outcome.ts';
import { invariant } from '../../ask/invariant.ts';
import type { Column } from '../column.ts';
import type { Cube, Dimension, Measure } from '../model/model.ts';
import type { Condition, Plan, SubQuery } from '../plan.ts';
import { subQueryKey, subQueryValue } from '../sql/statement.ts';
import type { Binding } from './bind-context.ts';
import { bindJoins, cubesOf, type FoundSubQueries, type FoundSwitches, toBoundSwitches } from './bind-joins.ts';

/**
 * For each dimension computed from another cube's measures, the plan of its rows: a value for each primary key of its
 * own cube. Adds `circular-sub-query` if an inherited filter is about the dimension itself, and the issues of joins.
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

function bindOne(
  cube: Cube,
  dimension: Dimension,
  outer: Plan,
  binding: Binding,
  check: (plan: Plan) => void,
): Plan | undefined {
  const { expression } = dimension;
  invariant(expression.kind === 'sub-query', `${cube.name}.${dimension.name} is made of measures`);
  const columns: Column[] = [];
  const column = (
    key: string,
    kind: 'dimension' | 'measure',
    { type, title, shortTitle }: Pick<Dimension, 'type' | 'title' | 'shortTitle'>,
  ) => columns.push({ key, member: key, kind, type, title, shortTitle, additive: false, whenAbsent: null }) - 1;
  const dimensions = cube.dimensions
    .filter(({ primaryKey }) => primaryKey)
    .map((key, index) => ({ cube, dimension: key, column: column(subQueryKey(index), 'dimension', key) }));
  const { title, shortTitle, public: listed } = dimension;
  const measure: Measure = {
    name: dimension.name,
    title,
    shortTitle,
    type: 'number',
    sql: expression.sql,
    filters: [],
    drillMembers: [],
    public: listed,
  };
  const measures = [{ cube, measure, column: column(subQueryValue, 'measure', dimension) }];
  const taken = expression.propagate
    ? {
        times: outer.times.map((time) => ({ ...time, granularity: undefined, column: undefined })),
        segments: outer.segments,
        rowConditions: outer.rowConditions,
      }
    : { times: [], segments: [], rowConditions: [] as readonly Condition[] };
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
        `"${cube.name}.${dimension.name}" applies the filters of the query, and one of them filters by this dimension itself.`,
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
