import { cubeOf } from '../../../ask/query/member-name.ts';
import { didYouMean } from '../../../ask/suggest.ts';
import { type Catalog, toCatalog } from '../catalog.ts';
import { identifier } from '../identifier.ts';
import type { Model } from '../model.ts';
import { membersOf } from '../template.ts';
import { capitalize } from '../../../ask/text.ts';
import type { WholeCube } from './extend-cubes.ts';
import { partName, type SqlText } from './read-context.ts';
import type { Unread } from './read-file.ts';
import { below, type Findings, leaveOut, partKey, reportError, reportWarning, type Site, type Sited } from './site.ts';

/** Cube names must be unique across all files. */
export function checkCubeNames(
  cubes: readonly Sited<{ readonly name: string }>[],
  files: readonly { readonly file: string }[],
  findings: Findings,
): void {
  const owners = new Map<string, number>();
  for (const {
    value: { name },
    site,
  } of cubes) {
    checkName(name, 'cube', below(site, 'name'), findings);
    const owner = owners.get(name);
    if (owner !== undefined) {
      const where = owner === site.file ? '' : `, here and in ${files[owner]?.file}`;
      reportError(findings, below(site, 'name'), 'duplicate-name', `Two cubes are named "${name}"${where}.`);
    }
    owners.set(name, owner ?? site.file);
  }
}

/** Measures, dimensions and segments of a cube share one namespace. */
export function checkMemberNames(cube: WholeCube, findings: Findings): void {
  const kinds = new Map<string, string>();
  const check = (kind: string, members: readonly Sited<{ readonly name: string }>[]) => {
    for (const {
      value: { name },
      site,
    } of members) {
      checkName(name, kind, below(site, 'name'), findings);
      const other = kinds.get(name);
      if (other !== undefined) {
        if (other === kind) {
          const reason = `The cube "${cube.name}" has two ${kind}s of this name.`;
          leaveOut(findings, below(site, 'name'), partKey(cube.name, name), `The ${kind} "${name}"`, reason);
        } else
          reportError(
            findings,
            below(site, 'name'),
            'duplicate-name',
            `The cube "${cube.name}" has a ${other} and a ${kind} named "${name}".`,
          );
      }
      kinds.set(name, kind);
    }
  };
  check('measure', cube.measures);
  check('dimension', cube.dimensions);
  check('segment', cube.segments);
  checkJoinNames(cube, findings);
}

function checkJoinNames(cube: WholeCube, findings: Findings): void {
  const seen = new Set<string>();
  for (const {
    value: { name },
    site,
  } of cube.joins) {
    if (seen.has(name))
      reportError(findings, below(site, 'name'), 'duplicate-name', `The cube "${cube.name}" joins "${name}" twice.`);
    seen.add(name);
  }
}

function checkName(name: string, what: string, site: Site, findings: Findings): void {
  if (!identifier.test(name)) {
    const hint = 'Names are made of letters, digits and underscores, and do not start with a digit.';
    reportError(findings, site, 'bad-name', `"${name}" cannot be the name of a ${what}.`, hint);
  } else if (name === 'CUBE' || name === 'TABLE') {
    reportError(findings, site, 'bad-name', `"${name}" cannot be the name of a ${what}: it means the cube itself.`);
  }
}

/** The names that references are checked against. */
interface Known {
  readonly catalog: Catalog;
  /** Full names of all members in the text, even of invalid ones. */
  readonly members: ReadonlySet<string>;
  readonly unread: Unread;
}

/** Checks that every `{reference}` leads to a member that is allowed there. */
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
        leaveNotJoined(text, cube, shown, findings);
      } else if (known.catalog.find(name)?.kind === 'measure' && !text.mayHoldMeasures) {
        const hint = 'Measures of type `number`, `string`, `boolean` and `time` can be made of measures.';
        leaveText(text, `It uses the measure "${shown}", but is computed from rows.`, hint, findings);
      }
    }
    if (text.mustHoldMeasure && !membersOf(text.template).some((part) => isMeasureElsewhere(part, text, known))) {
      const hint =
        'Define what to compute as a measure of the other cube, and write its name: `sql: "{orders.count}"`.';
      leaveText(text, 'A `sub_query` must use a measure of another cube.', hint, findings);
    }
    for (const part of text.template) {
      if (part.kind === 'joined-cube' && !isJoined(text.cube, part.cube))
        leaveNotJoined(text, part.cube, part.cube, findings);
    }
  }
}

/** Names that lead to no member are reported as such. */
function isMeasureElsewhere({ cube, member }: ReturnType<typeof membersOf>[number], text: SqlText, { catalog }: Known) {
  return cube !== text.cube && (catalog.find(`${cube}.${member}`)?.kind ?? 'measure') === 'measure';
}

/** Checks that the dimensions exist by which multi-stage measures group. */
export function checkStages(
  cubes: readonly WholeCube[],
  model: Model,
  members: ReadonlySet<string>,
  findings: Findings,
): void {
  const catalog = toCatalog(model);
  for (const cube of cubes) {
    const sites = new Map(cube.measures.map(({ value, site }) => [value.name, site]));
    for (const { name, stage } of catalog.cube(cube.name)?.measures ?? []) {
      const { groupBy = [], reduceBy = [], addGroupBy = [], shifts = [] } = stage ?? {};
      const site = sites.get(name);
      for (const full of [...groupBy, ...reduceBy, ...addGroupBy, ...shifts.flatMap(({ time }) => time ?? [])]) {
        if (!site || catalog.find(full)?.kind === 'dimension') continue;
        const reason = members.has(full)
          ? `It groups by "${full}", which is not a dimension here.`
          : `There is no dimension "${full}".`;
        leaveOut(findings, site, partKey(cube.name, name), `The measure "${name}"`, reason, didYouMean(full, members));
      }
    }
  }
}

/** Checks that drill members exist; a missing one affects no figure. */
export function checkDrillMembers(cubes: readonly WholeCube[], model: Model, known: Known, findings: Findings): void {
  for (const cube of cubes) {
    const measures = new Map(
      model.cubes.find(({ name }) => name === cube.name)?.measures.map((measure) => [measure.name, measure]),
    );
    for (const { value, site } of cube.measures) {
      const key = value.drill_members == null ? 'drillMembers' : 'drill_members';
      measures.get(value.name)?.drillMembers.forEach((name, index) => {
        if (known.members.has(name) || known.unread.cubes.has(cubeOf(name))) return;
        const hint = didYouMean(name, known.members);
        reportWarning(
          findings,
          below(site, key, index),
          'unknown-member',
          `There is no member "${name}" to drill into.`,
          hint,
        );
      });
    }
  }
}

function reportUnknown(
  text: SqlText,
  cube: string,
  member: string,
  { catalog, members, unread }: Known,
  findings: Findings,
): void {
  if (unread.cubes.has(cube)) return;
  const cubes = catalog.model.cubes.map(({ name }) => name);
  if (!catalog.cube(cube)) {
    const message = `${capitalize(text.role)} names the cube "${cube}", which does not exist.`;
    const near = didYouMean(cube, cubes);
    if (near !== undefined) reportError(findings, text.site, 'unknown-cube', message, near);
    else
      leaveText(
        text,
        `It names the cube "${cube}", which does not exist.`,
        'Cubes written in JavaScript are not supported.',
        findings,
      );
    return;
  }
  const own = [...members].filter((name) => name.startsWith(`${cube}.`)).map((name) => name.slice(cube.length + 1));
  const isOwn = cube === text.cube;
  const near = didYouMean(member, isOwn ? [...own, ...cubes] : own);
  const column = `For a column write \`{${isOwn ? 'CUBE' : cube}}.${member}\`.`;
  const message = `${capitalize(text.role)} names "${member}", which the cube "${cube}" does not have.`;
  reportError(findings, text.site, 'unknown-member', message, near === undefined ? column : `${near} ${column}`);
}

function leaveNotJoined(text: SqlText, cube: string, shown: string, findings: Findings): void {
  const reason = `It names \`{${shown}}\`, but no join leads from "${text.cube}" to "${cube}".`;
  leaveText(text, reason, `Add a join to "${cube}".`, findings);
}

/** Leaves out the part that contains a text. */
export function leaveText(text: SqlText, reason: string, hint: string | undefined, findings: Findings): void {
  leaveOut(findings, text.site, keyOf(text), partName(text), reason, hint);
}

export function keyOf({ cube, member, join }: SqlText): string {
  return partKey(cube, member, join);
}

/** Checks that no member refers to itself, directly or not. Reports each cycle once, at its first member. */
export function checkCircles(texts: readonly SqlText[], findings: Findings): void {
  const byMember = new Map<string, SqlText[]>();
  for (const text of texts) {
    if (text.member === undefined) continue;
    const name = `${text.cube}.${text.member}`;
    byMember.set(name, [...(byMember.get(name) ?? []), text]);
  }
  const done = new Set<string>();
  for (const start of byMember.keys()) {
    // Depth first with an explicit stack, because references may be nested to any depth.
    const stack: { readonly name: string; readonly next: string[] }[] = [];
    const enter = (name: string) => stack.push({ name, next: (byMember.get(name) ?? []).flatMap(namesIn) });
    if (!done.has(start)) enter(start);
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const name = top.next.shift();
      if (name === undefined) {
        done.add(top.name);
        stack.pop();
      } else if (!done.has(name)) {
        const from = stack.findIndex((entry) => entry.name === name);
        if (from < 0) enter(name);
        else
          reportCircle(
            stack.slice(from).map((entry) => entry.name),
            byMember,
            findings,
          );
      }
    }
  }
}

function namesIn({ template }: SqlText): string[] {
  return membersOf(template).map(({ cube, member }) => `${cube}.${member}`);
}

function reportCircle(
  names: readonly string[],
  byMember: ReadonlyMap<string, readonly SqlText[]>,
  findings: Findings,
): void {
  const first = names[0] as string;
  const second = names[1] ?? first;
  const text = byMember.get(first)?.find((candidate) => namesIn(candidate).includes(second));
  if (!text) return;
  const isOneCube = names.every((name) => name.startsWith(`${text.cube}.`));
  const shown = [...names, first].map((name) => (isOneCube ? name.slice(text.cube.length + 1) : name)).join(' → ');
  const hint = names.length === 1 ? `For the column write \`{CUBE}.${text.member}\`.` : undefined;
  reportError(findings, text.site, 'circular-reference', `Members refer to each other in a circle: ${shown}.`, hint);
}

/** For each cube, itself and the cubes that joins connect to it, in either direction and over any number of steps. */
export function reachableCubes(model: Model): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = new Map(model.cubes.map((cube) => [cube.name, new Set([cube.name])]));
  for (const cube of model.cubes) {
    for (const join of cube.joins) {
      const here = groups.get(cube.name);
      const there = groups.get(join.cube);
      if (!here || !there || here === there) continue;
      for (const name of there) {
        here.add(name);
        groups.set(name, here);
      }
    }
  }
  return groups;
}
