import type { Catalog } from '../catalog.ts';
import { didYouMean } from '../../../ask/did-you-mean.ts';
import type { Model } from '../model.ts';
import { membersOf } from '../template.ts';
import type { WholeCube } from './extend-cubes.ts';
import { reachableCubes } from './reachable-cubes.ts';
import type { SqlText } from './read-context.ts';
import type { Unread } from './read-file.ts';
import { below, reportError, type Findings } from './site.ts';
import { cubeOf } from '../../../ask/query/member-name.ts';

/** What references are checked against. */
export interface Known {
  readonly catalog: Catalog;
  /** Full names of all members that are written, whether they read or not. */
  readonly members: ReadonlySet<string>;
  readonly unread: Unread;
}

/** That every `{reference}` leads to a member that may stand there. */
export function checkReferences(texts: readonly SqlText[], known: Known, findings: Findings): void {
  const isAllRead = known.unread.cubes.size === 0 && known.unread.members.size === 0;
  const reachable = reachableCubes(known.catalog.model);
  const isJoined = (from: string, to: string) => !isAllRead || (reachable.get(from)?.has(to) ?? false);
  for (const text of texts) {
    for (const { cube, member } of membersOf(text.template)) {
      const name = `${cube}.${member}`;
      const shown = cube === text.cube ? member : name;
      if (!known.members.has(name)) {
        reportUnknown(text, cube, member, known, findings);
      } else if (!isJoined(text.cube, cube)) {
        reportNotJoined(text, cube, shown, findings);
      } else if (known.catalog.find(name)?.kind === 'measure' && !text.mayHoldMeasures) {
        const hint = 'Measures of type `number`, `string`, `boolean` and `time` can be made of measures.';
        reportError(findings, text.site, 'misplaced-measure', `${capitalize(text.role)} holds the measure "${shown}".`, hint);
      }
    }
    for (const part of text.template) {
      if (part.kind === 'joined-cube' && !isJoined(text.cube, part.cube)) reportNotJoined(text, part.cube, part.cube, findings);
    }
  }
}

/** That drill members lead to members, too. */
export function checkDrillMembers(cubes: readonly WholeCube[], model: Model, known: Known, findings: Findings): void {
  for (const cube of cubes) {
    const measures = new Map(model.cubes.find(({ name }) => name === cube.name)?.measures.map((measure) => [measure.name, measure]));
    for (const { value, site } of cube.measures) {
      const key = value.drill_members == null ? 'drillMembers' : 'drill_members';
      measures.get(value.name)?.drillMembers.forEach((name, index) => {
        if (known.members.has(name) || known.unread.cubes.has(cubeOf(name))) return;
        const hint = didYouMean(name, known.members);
        reportError(findings, below(site, key, index), 'unknown-member', `There is no member "${name}" to drill into.`, hint);
      });
    }
  }
}

function reportUnknown(text: SqlText, cube: string, member: string, { catalog, members, unread }: Known, findings: Findings): void {
  if (unread.cubes.has(cube)) return;
  const cubes = catalog.model.cubes.map(({ name }) => name);
  if (!catalog.cube(cube)) {
    const message = `${capitalize(text.role)} names the cube "${cube}", which does not exist.`;
    reportError(findings, text.site, 'unknown-cube', message, didYouMean(cube, cubes));
    return;
  }
  const own = [...members].filter((name) => name.startsWith(`${cube}.`)).map((name) => name.slice(cube.length + 1));
  const isOwn = cube === text.cube;
  const near = didYouMean(member, isOwn ? [...own, ...cubes] : own);
  const column = `For a column write \`{${isOwn ? 'CUBE' : cube}}.${member}\`.`;
  const message = `${capitalize(text.role)} names "${member}", which the cube "${cube}" does not have.`;
  reportError(findings, text.site, 'unknown-member', message, near === undefined ? column : `${near} ${column}`);
}

function reportNotJoined(text: SqlText, cube: string, shown: string, findings: Findings): void {
  const message = `${capitalize(text.role)} names \`{${shown}}\`, but no join leads from "${text.cube}" to "${cube}".`;
  reportError(findings, text.site, 'not-joined', message, `Add a join to "${cube}".`);
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
