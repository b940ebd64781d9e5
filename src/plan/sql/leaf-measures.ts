import { addsUpRows, type Cube, isAggregate, type Measure, type Template } from '../model/model.ts';
import type { Condition, Plan } from '../plan.ts';
import { findCube } from './member-expression.ts';

/** A measure that aggregates rows and is needed for the answer or for a condition on groups. */
export interface Leaf {
  readonly cube: Cube;
  readonly measure: Measure;
  readonly alias: string;
}

/** True if a measure needs other groups or times than the rest of the answer. */
export function isApart({ stage }: Measure): boolean {
  return stage?.addGroupBy !== undefined || stage?.shifts !== undefined;
}

/** Names of aggregate functions, as most engines have them. */
const aggregates = new RegExp(
  String.raw`\b(count|sum|avg|mean|min|max|median|mode|first|last|any_value|group_concat|corr|` +
    String.raw`(?:arg|bit|bool|string|array|list|json|approx|covar)_\w+|(?:quantile|percentile|stddev)\w*|` +
    String.raw`var(?:iance|_\w+))\s*\(`,
  'i',
);

/** True if SQL calls an aggregate function. */
export function callsAggregate(text: string): boolean {
  return aggregates.test(text);
}

/** True if the SQL of a measure aggregates rows and refers to no other member: `quantile_cont({CUBE}.amount, 0.5)`. */
export function aggregatesItself({ type, sql = [], stage }: Measure): boolean {
  return (
    !isAggregate(type) &&
    !stage &&
    sql.every(
      (part) =>
        ['text', 'cube', 'time-of-text'].includes(part.kind) || (part.kind === 'member' && part.asInstant === true),
    ) &&
    sql.some((part) => part.kind === 'text' && callsAggregate(part.text))
  );
}

/** The aggregates that the plan's measures are computed from, each once. Includes measures with groups of their own. */
export function leafMeasures(plan: Plan): readonly Leaf[] {
  const leaves = new Map<Measure, Leaf>();
  const visit = (cube: Cube, measure: Measure): void => {
    for (const { sql } of measure.stage?.rank ?? []) visitTemplate(sql);
    if (isApart(measure) || (isAggregate(measure.type) && !measure.stage) || aggregatesItself(measure)) {
      if (!leaves.has(measure)) leaves.set(measure, { cube, measure, alias: `leaf: ${cube.name}.${measure.name}` });
      return;
    }
    visitTemplate(measure.sql ?? []);
  };
  const visitTemplate = (template: Template): void => {
    for (const part of template) {
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

/** True if a join repeats rows that the leaf adds up. */
export function repeats(plan: Pick<Plan, 'multiplied'>, { cube, measure }: Leaf): boolean {
  return plan.multiplied.includes(cube.name) && addsUpRows(measure.type) && !measure.stage;
}

/** True if the rows that the leaf adds up must be made distinct first. Counts count distinct keys instead. */
export function isAddedOnce(plan: Pick<Plan, 'multiplied'>, leaf: Leaf): boolean {
  return repeats(plan, leaf) && leaf.measure.type !== 'count';
}

function visitCondition(condition: Condition, visit: (cube: Cube, measure: Measure) => void): void {
  if (condition.kind === 'test') {
    if (condition.operand.kind === 'measure') visit(condition.operand.cube, condition.operand.measure);
  } else {
    for (const part of condition.conditions) visitCondition(part, visit);
  }
}

/** Measures over several groups of the answer, such as shares and ranks. */
export function overGroups(plan: Plan): readonly Measure[] {
  const found = new Set<Measure>();
  const visit = (measure: Measure): void => {
    if (isApart(measure)) return;
    if (measure.stage) found.add(measure);
    const templates = [measure.sql ?? [], ...(measure.stage?.rank ?? []).map(({ sql }) => sql)];
    for (const part of templates.flat()) {
      if (part.kind !== 'member') continue;
      const referred = findCube(plan.model, part.cube).measures.find(({ name }) => name === part.member);
      if (referred) visit(referred);
    }
  };
  for (const { measure } of plan.measures) visit(measure);
  for (const condition of plan.groupConditions) visitCondition(condition, (_, measure) => visit(measure));
  return [...found];
}
