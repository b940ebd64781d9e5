import type { Cube, LeftOut, Model } from '../model.ts';
import type { ReadCube } from './read-cube.ts';
import { reachableCubes } from './reachable-cubes.ts';
import { partName, type SqlText } from './read-context.ts';
import { leaveOut, partKey, type Findings } from './site.ts';

/**
 * The model without the parts that are not supported, and without everything that is made of them: members whose SQL
 * names such a part, and members that reach their cube only over a join that is left out. Each is told once.
 */
export function withoutUnsupported(read: readonly ReadCube[], findings: Findings): Model {
  const { leftOut } = findings;
  const cubes = read.map(({ cube }) => cube);
  if (leftOut.size === 0) return { cubes };
  const texts = read.flatMap((each) => each.texts);
  const written = reachableCubes({ cubes });
  for (let before = -1; before !== leftOut.size;) {
    before = leftOut.size;
    const reachable = reachableCubes({ cubes: supported(cubes, leftOut) });
    for (const text of texts) {
      if (isLeftOut(text, leftOut)) continue;
      const missing = missingPart(text, (cube) => {
        const isLost = written.get(text.cube)?.has(cube) === true && reachable.get(text.cube)?.has(cube) !== true;
        return leftOut.has(cube) || isLost;
      }, leftOut);
      if (missing === undefined) continue;
      leaveOut(findings, text.site, keyOf(text), partName(text), `It uses "${missing}", which is left out.`);
    }
  }
  return { cubes: supported(cubes, leftOut), leftOut: [...leftOut].map(([name, reason]): LeftOut => ({ name, reason })) };
}

/** Whether the part that a text belongs to is left out. */
export function isLeftOut(text: SqlText, leftOut: Findings['leftOut']): boolean {
  return leftOut.has(keyOf(text)) || leftOut.has(text.cube);
}

function missingPart(text: SqlText, isCubeMissing: (cube: string) => boolean, leftOut: Findings['leftOut']): string | undefined {
  if (text.join !== undefined && leftOut.has(text.join)) return text.join;
  for (const part of text.template) {
    if (part.kind === 'joined-cube' && isCubeMissing(part.cube)) return part.cube;
    if (part.kind !== 'member') continue;
    if (leftOut.has(partKey(part.cube, part.member))) return part.cube === text.cube ? part.member : `${part.cube}.${part.member}`;
    if (part.cube !== text.cube && isCubeMissing(part.cube)) return part.cube;
  }
  return undefined;
}

function supported(cubes: readonly Cube[], leftOut: Findings['leftOut']): readonly Cube[] {
  return cubes.filter(({ name }) => !leftOut.has(name)).map((cube) => {
    const has = ({ name }: { readonly name: string }) => !leftOut.has(partKey(cube.name, name));
    const dimensions = cube.dimensions.filter(has);
    return {
      ...cube,
      dimensions,
      joins: cube.joins.filter(({ cube: other }) => !leftOut.has(partKey(cube.name, undefined, other)) && !leftOut.has(other)),
      measures: cube.measures.filter(has).map((measure) => ({ ...measure, drillMembers: measure.drillMembers.filter((name) => !leftOut.has(name)) })),
      segments: cube.segments.filter(has),
      timeMember: dimensions.find(({ type }) => type === 'time')?.name,
    };
  });
}

function keyOf({ cube, member, join }: SqlText): string {
  return partKey(cube, member, join);
}
