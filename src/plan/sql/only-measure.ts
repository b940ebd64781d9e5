import { withParts } from '../../ask/cloneable.ts';
import type { Column } from '../column.ts';
import { allGroups } from '../groups.ts';
import { type Dimension, isOfModel, type Measure } from '../model/model.ts';
import type { Plan } from '../plan.ts';

/** The plan with only these measures over the same rows, as `value_0`, `value_1` … */
export function onlyMeasures(plan: Plan, measures: readonly Omit<Plan['measures'][number], 'column'>[]): Plan {
  const columns = measures.map(
    (_, index): Column => ({
      key: `value_${index}`,
      member: `value_${index}`,
      kind: 'measure',
      type: 'number',
      title: '',
      shortTitle: '',
      additive: false,
      whenAbsent: null,
    }),
  );
  return withParts(plan, {
    columns,
    dimensions: [],
    measures: measures.map((measure, column) => ({ ...measure, column })),
    times: plan.times.map((time) => ({ ...time, granularity: undefined, column: undefined })),
    ...allGroups,
  });
}

/** A member, and a measure whose values have its type. */
export interface TypedMember extends Pick<Plan['measures'][number], 'cube' | 'measure'> {
  readonly of: Measure | Dimension;
}

/** Its values have the type of its `sql`. */
const latest: Measure & { readonly type: 'max' } = {
  name: 'latest',
  title: '',
  shortTitle: '',
  type: 'max',
  filters: [],
  drillMembers: [],
  public: false,
};

/** The times that a model reads from the tables of a plan. */
export function ownTimes({ root, joins }: Plan): readonly (TypedMember & { readonly of: Dimension })[] {
  return [root, ...joins.map(({ to }) => to)]
    .filter(isOfModel)
    .flatMap((cube) =>
      cube.dimensions.flatMap((dimension) =>
        dimension.type === 'time' && dimension.expression.kind === 'sql'
          ? [{ cube, measure: { ...latest, sql: dimension.expression.sql }, of: dimension }]
          : [],
      ),
    );
}
