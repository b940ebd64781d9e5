import { cubeOf, shortNameOf } from '../../ask/query/member-name.ts';
import { readPropertyMember, spellPath } from '../../ask/query/property-name.ts';
import { titleize } from './identifier.ts';
import { type Dimension, isCount, type Measure, type Model } from './model.ts';

/** Words in capitals. */
const initials = new Set(['api', 'id', 'ip', 'os', 'url', 'utc']);

/**
 * The label of a member whose title was made from its name: its own label, or the name in sentence case. Counts drop
 * the word "count": `signups_count` becomes `Signups`. undefined if the model sets a title, which then serves as the
 * label.
 */
export function memberLabel(member: Pick<Dimension | Measure, 'name' | 'shortTitle' | 'label' | 'type'>) {
  if (member.label !== undefined) return member.label;
  const title = titleize(member.name);
  if (member.shortTitle !== title) return undefined;
  return toSentenceCase(isCount(member.type) ? title.replace(/ Count$/, '') : title);
}

function toSentenceCase(title: string): string {
  return title
    .split(' ')
    .map((word, index) => {
      const lower = word.toLowerCase();
      if (initials.has(lower)) return lower.toUpperCase();
      return index === 0 ? word : lower;
    })
    .join(' ');
}

/** Servers return titles but no labels, so members get the labels of built-in members with the same full names. */
export function withLabelsOf(builtIn: Model, model: Model): Model {
  const labels = new Map(
    builtIn.cubes.flatMap(({ name, measures, dimensions }) =>
      [...measures, ...dimensions].map((member) => [`${name}.${member.name}`, member.label]),
    ),
  );
  const label = <T extends Dimension | Measure>(cube: string, member: T): T => {
    const found = labels.get(`${cube}.${member.name}`);
    return found === undefined || memberLabel(member) === undefined ? member : { ...member, label: found };
  };
  return {
    ...model,
    cubes: model.cubes.map((cube) => ({
      ...cube,
      measures: cube.measures.map((member) => label(cube.name, member)),
      dimensions: cube.dimensions.map((member) => label(cube.name, member)),
    })),
  };
}

/** What people call a dimension of events. */
export function eventLabel(name: string, { cubes, columns }: Model): string {
  const cube = cubes.find((each) => each.name === cubeOf(name));
  // A name that begins with no cube is that of a column or of a field within another one.
  if (!cube) return name;
  const { dimensions = [] } = cube;
  const short = shortNameOf(name);
  const property = readPropertyMember(short);
  const column = property ? spellPath(property.path) : short;
  const found = [short, columns?.get(column.toLowerCase())]
    .map((one) => dimensions.find((dimension) => dimension.name === one))
    .find((one) => one !== undefined);
  return found ? (memberLabel(found) ?? found.shortTitle) : column;
}
