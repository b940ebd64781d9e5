import { tellingDimensions } from '../../ask/query/member-catalog.ts';
import { cubeOf, shortNameOf } from '../../ask/query/member-name.ts';
import type { Filter } from '../../ask/query/query.ts';
import type { Cube, Dimension } from './model.ts';

/** The lookups of a catalog that are needed here. */
interface Names {
  find(name: string): { readonly kind: string; readonly cube: Cube; readonly member: object } | undefined;
  names(kind: 'dimension'): readonly string[];
  timeMemberOf(cube: string): string | undefined;
}

/** The most columns for a model that has no telling dimensions. */
const mostColumns = 16;

/**
 * The default columns of a cube's rows: its time, the dimensions that conditions test, such as properties, then the
 * most useful others. The values of lists are no columns, because an event may have many.
 */
export function toRowColumns(
  cube: string,
  filters: readonly Filter[],
  { find, names, timeMemberOf }: Names,
): readonly string[] {
  const time = timeMemberOf(cube) ?? '';
  const own = names('dimension').filter((name) => cubeOf(name) === cube && !shortNameOf(name).includes('.'));
  const known = tellingDimensions.map((short) => `${cube}.${short}`).filter((name) => own.includes(name));
  const usual = known.length > 1 ? known : own.filter((name) => name !== time).slice(0, mostColumns);
  const tested = filters.flatMap(testedBy).filter((name) => {
    const found = find(name);
    return found?.kind === 'dimension' && found.cube.name === cube && (found.member as Dimension).of === undefined;
  });
  const others = tested.filter((name) => !usual.includes(name));
  return [...new Set([...(find(time) ? [time] : []), ...others, ...usual])];
}

function testedBy(filter: Filter): readonly string[] {
  const inner = filter as {
    readonly and?: readonly Filter[];
    readonly or?: readonly Filter[];
    readonly member?: string;
  };
  return inner.member === undefined ? [...(inner.and ?? []), ...(inner.or ?? [])].flatMap(testedBy) : [inner.member];
}
