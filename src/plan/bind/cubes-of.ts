import type { Cube, DimensionExpression, Measure, Model, Template } from '../model/model.ts';
import type { Condition } from '../plan.ts';
import type { BoundMembers } from './bind-members.ts';

/** Every cube whose rows the members and conditions need, also through references of their SQL, each once. */
export function cubesOf(model: Model, needs: BoundMembers & { readonly conditions: readonly Condition[] }): readonly Cube[] {
  const cubes = new Set<Cube>();
  const byName = (name: string) => model.cubes.find((cube) => cube.name === name);
  const seen = new Set<object>();
  const visitTemplate = (template: Template): void => {
    if (seen.has(template)) return;
    seen.add(template);
    for (const part of template) {
      if (part.kind === 'joined-cube' || part.kind === 'member') {
        const cube = byName(part.cube);
        if (!cube) continue;
        cubes.add(cube);
        if (part.kind === 'member') visitMember(cube, part.member);
      }
    }
  };
  const visitMember = (cube: Cube, name: string): void => {
    const dimension = cube.dimensions.find((candidate) => candidate.name === name);
    if (dimension) for (const template of templatesOf(dimension.expression)) visitTemplate(template);
    const measure = cube.measures.find((candidate) => candidate.name === name);
    if (measure) visitMeasure(measure);
    const segment = cube.segments.find((candidate) => candidate.name === name);
    if (segment) visitTemplate(segment.sql);
  };
  const visitMeasure = (measure: Measure): void => {
    if (measure.sql) visitTemplate(measure.sql);
    measure.filters.forEach(visitTemplate);
  };
  const visitCondition = (condition: Condition): void => {
    if (condition.kind !== 'test') return condition.conditions.forEach(visitCondition);
    const { operand } = condition;
    cubes.add(operand.cube);
    visitMember(operand.cube, operand.kind === 'measure' ? operand.measure.name : operand.dimension.name);
  };
  for (const { cube, measure } of needs.measures) {
    cubes.add(cube);
    visitMeasure(measure);
  }
  for (const { cube, dimension } of [...needs.dimensions, ...needs.times]) {
    cubes.add(cube);
    visitMember(cube, dimension.name);
  }
  for (const { cube, segment } of needs.segments) {
    cubes.add(cube);
    visitTemplate(segment.sql);
  }
  needs.conditions.forEach(visitCondition);
  return [...cubes];
}

function templatesOf(expression: DimensionExpression): readonly Template[] {
  if (expression.kind === 'sql') return [expression.sql];
  const labels = [...expression.when.map((branch) => branch.label), ...(expression.otherwise ? [expression.otherwise] : [])];
  return [...expression.when.map((branch) => branch.sql), ...labels.flatMap((label) => (label.kind === 'sql' ? [label.sql] : []))];
}
