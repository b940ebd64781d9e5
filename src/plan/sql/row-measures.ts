import type { Plan } from '../plan.ts';
import { isApart, type Leaf, leafMeasures } from './leaf-measures.ts';
import { innerPlan } from './stage-part.ts';

/** The aggregates of rows that the plan's measures come down to, through all of their stages. */
export function rowMeasures(plan: Plan): readonly Leaf[] {
  const found = leafMeasures(plan).flatMap((leaf) =>
    isApart(leaf.measure) ? rowMeasures(innerPlan(plan, leaf)) : leaf,
  );
  return found.filter((leaf, index) => found.findIndex(({ measure }) => measure === leaf.measure) === index);
}
