import type { Dimension, Model, Template } from './model.ts';

/**
 * The dimensions that are properties of a model's events, by their names as properties: those that the mapping names,
 * and those of the events cube that are visible, no event field, and computed from its own rows without joins.
 */
export function ownProperties({ cubes, events }: Model): ReadonlyMap<string, string> {
  const cube = events && cubes.find(({ name }) => name === events.cube);
  if (!cube) return new Map();
  const isOwn = (sql: Template): boolean =>
    sql.every((part) => {
      if (part.kind !== 'member') return part.kind !== 'joined-cube';
      const meant = part.cube === cube.name ? cube.dimensions.find((each) => each.name === part.member) : undefined;
      return meant !== undefined && isOfRow(meant);
    });
  const isOfRow = ({ expression }: Dimension) => expression.kind === 'sql' && isOwn(expression.sql);
  const mapped = new Set(events.members.map(({ member }) => member));
  const own = cube.dimensions
    .filter((dimension) => dimension.public && isOfRow(dimension))
    .map(({ name }) => [name, `${cube.name}.${name}`] as const)
    .filter(([, member]) => !mapped.has(member));
  return new Map([...own, ...events.properties]);
}
