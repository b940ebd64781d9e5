import { withParts } from '../../ask/cloneable.ts';
import type { Column } from '../column.ts';
import { allGroups } from '../groups.ts';
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
