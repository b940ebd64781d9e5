import type { Dimension, Model, Template } from '../model/model.ts';

/**
 * Full names of the dimensions of the model's events cube that are properties of the events: those that are visible,
 * no event field, and computed from its own rows without joins.
 */
export function ownProperties({ cubes, events }: Model): readonly string[] {
  const cube = events && cubes.find(({ name }) => name === events.cube);
  if (!cube) return [];
  const isOwn = (sql: Template): boolean =>
    sql.every((part) => {
      if (part.kind !== 'member') return part.kind !== 'joined-cube';
      const meant = part.cube === cube.name ? cube.dimensions.find((each) => each.name === part.member) : undefined;
      return meant !== undefined && isOfRow(meant);
    });
  const isOfRow = ({ expression }: Dimension) => expression.kind === 'sql' && isOwn(expression.sql);
  const mapped = new Set(events.members.map(({ member }) => member));
  return cube.dimensions
    .filter((dimension) => dimension.public && isOfRow(dimension))
    .map((dimension) => `${cube.name}.${dimension.name}`)
    .filter((member) => !mapped.has(member));
}
