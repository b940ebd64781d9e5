import { addsUpRows, type Cube, isAggregate, type Measure, type Template } from '../model/model.ts';
import type { Condition, Plan } from '../plan.ts';
import { findCube } from './member-expression.ts';

/** A measure that aggregates rows itself, needed for the answer or for a condition on its groups. */
export interface Leaf {
  readonly cube: Cube;
  readonly measure: Measure;
  readonly alias: string;
}

/** The aggregates that the plan's measures come down to, each once. */
export function leafMeasures(plan: Plan): readonly Leaf[] {
  const leaves = new Map<Measure, Leaf>();
  const visit = (cube: Cube, measure: Measure): void => {
    if (isAggregate(measure.type)) {
      if (!leaves.has(measure)) leaves.set(measure, { cube, measure, alias: `leaf: ${cube.name}.${measure.name}` });
      return;
    }
    for (const part of measure.sql ?? ([] as Template)) {
      if (part.kind !== 'member') continue;
      const owner = findCube(plan.model, part.cube);
      const referred = owner.measures.find((candidate) => candidate.name === part.member);
      if (referred) visit(owner, referred);
    }
  };
  for (const { cube, measure } of plan.measures) visit(cube, measure);
  for (const condition of plan.groupConditions) visitCondition(condition, visit);
  return [...leaves.values()];
}

/** A join repeats the rows that the leaf adds up. */
export function repeats(plan: Pick<Plan, 'multiplied'>, { cube, measure }: Leaf): boolean {
  return plan.multiplied.includes(cube.name) && addsUpRows(measure.type);
}

function visitCondition(condition: Condition, visit: (cube: Cube, measure: Measure) => void): void {
  if (condition.kind === 'test') {
    if (condition.operand.kind === 'measure') visit(condition.operand.cube, condition.operand.measure);
  } else {
    for (const part of condition.conditions) visitCondition(part, visit);
  }
}
