import { didYouMean } from '../../../ask/suggest.ts';
import { withoutBraces } from '../identifier.ts';
import type { CubeText, Unread, WrittenCube } from './read-file.ts';
import { below, type Findings, reportError, type Sited } from './site.ts';

/** A cube with everything that it inherits. Its own members replace inherited ones of the same kind and name. */
export interface WholeCube extends Omit<CubeText, 'value'> {
  readonly name: string;
  readonly written: WrittenCube;
  /** Cubes that it extends, directly or not. In inherited text, their names mean the cube itself. */
  readonly ancestors: readonly string[];
  /** The cube, itself or an ancestor, that defines the source of rows. */
  readonly source: Sited<WrittenCube>;
}

/**
 * Resolves `extends`. Titles, descriptions and visibility are not inherited. Cubes that extend unread cubes, or
 * themselves, become unread.
 */
export function extendCubes(cubes: readonly CubeText[], unread: Unread, findings: Findings): readonly WholeCube[] {
  const byName = new Map(cubes.map((cube) => [cube.value.name, cube]));
  const whole = new Map<CubeText, WholeCube>();
  for (const cube of cubes) {
    for (const member of familyOf(cube, byName, unread, findings).toReversed()) {
      const parent = parentOf(member, byName);
      if (!whole.has(member)) whole.set(member, withParent(member, parent && whole.get(parent)));
    }
  }
  return cubes.map((cube) => whole.get(cube)).filter((cube) => cube !== undefined);
}

/** A cube and the cubes that it extends, itself first. Stops at missing cubes and cycles. */
function familyOf(
  cube: CubeText,
  byName: ReadonlyMap<string, CubeText>,
  unread: Unread,
  findings: Findings,
): readonly CubeText[] {
  const family = new Set<CubeText>();
  for (let member: CubeText | undefined = cube; member; member = parentOf(member, byName)) {
    if (family.has(member)) {
      reportCircle([...family], member, findings);
      unread.cubes.add(cube.value.name);
      break;
    }
    family.add(member);
    checkParent(member, cube, byName, unread, findings);
  }
  return [...family];
}

function checkParent(
  member: CubeText,
  heir: CubeText,
  byName: ReadonlyMap<string, CubeText>,
  unread: Unread,
  findings: Findings,
): void {
  const name = parentName(member.value);
  if (name === undefined || byName.has(name)) return;
  unread.cubes.add(heir.value.name);
  if (unread.cubes.has(name)) return;
  reportError(
    findings,
    below(member.site, 'extends'),
    'unknown-cube',
    `There is no cube "${name}" to extend.`,
    didYouMean(name, byName.keys()),
  );
}

function reportCircle(family: readonly CubeText[], again: CubeText, findings: Findings): void {
  const circle = family.slice(family.indexOf(again));
  // A cycle is found from each of its cubes, so report it at the cube that comes first in the text.
  const first = circle.reduce((a, b) =>
    b.site.file < a.site.file || (b.site.file === a.site.file && indexOf(b) < indexOf(a)) ? b : a,
  );
  const start = circle.indexOf(first);
  const names = [...circle.slice(start), ...circle.slice(0, start), first].map((cube) => cube.value.name);
  reportError(
    findings,
    below(first.site, 'extends'),
    'circular-extends',
    `Cubes extend each other in a circle: ${names.join(' → ')}.`,
  );
}

function indexOf(cube: CubeText): number {
  return Number(cube.site.path.at(-1));
}

function parentName({ extends: name }: WrittenCube): string | undefined {
  return name == null ? undefined : withoutBraces(name);
}

function parentOf(cube: CubeText, byName: ReadonlyMap<string, CubeText>): CubeText | undefined {
  return byName.get(parentName(cube.value) ?? '');
}

function withParent({ value, site, ...own }: CubeText, parent: WholeCube | undefined): WholeCube {
  const hasSource = value.sql != null || value.sql_table != null || value.sqlTable != null;
  return {
    name: value.name,
    site,
    written: value,
    ancestors: parent ? [...parent.ancestors, parent.name] : [],
    source: hasSource || !parent ? { value, site } : parent.source,
    joins: merge(parent?.joins ?? [], own.joins),
    measures: merge(parent?.measures ?? [], own.measures),
    dimensions: merge(parent?.dimensions ?? [], own.dimensions),
    segments: merge(parent?.segments ?? [], own.segments),
  };
}

function merge<T extends { readonly name: string }>(
  inherited: readonly Sited<T>[],
  own: readonly Sited<T>[],
): readonly Sited<T>[] {
  const replaced = new Set(own.map((member) => member.value.name));
  return [...inherited.filter((member) => !replaced.has(member.value.name)), ...own];
}
