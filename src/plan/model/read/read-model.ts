import type { SourceText } from '../../../ask/document/located.ts';
import { errorIssue, type Issue, type Outcome, settle } from '../../../ask/outcome.ts';
import { toCatalog } from '../catalog.ts';
import type { Cube, LeftOut, Model } from '../model.ts';
import { checkCircles, checkCubeNames, checkDrillMembers, checkReferences, reachableCubes } from './check-model.ts';
import { extendCubes, type WholeCube } from './extend-cubes.ts';
import { partName, type SqlText } from './read-context.ts';
import { readCube, type ReadCube } from './read-cube.ts';
import { type CubeText, readFile, type Unread } from './read-file.ts';
import { type Findings, leaveOut, partKey } from './site.ts';

export interface ModelFile {
  /** Name for people. */
  readonly file: string;
  readonly text: string;
}

/** The model, and the issues file by file, as they are drawn. */
export type ReadModel = Outcome<Model> & { readonly files: readonly (SourceText & { readonly issues: readonly Issue[] })[] };

/**
 * Reads a Cube data model in YAML, which may be spread over several files. Cubes with `sql` or `sql_table`, joins,
 * measures with filters and rolling windows, dimensions with `case`, segments, `extends`; keys in snake_case or
 * camelCase. What only makes Cube faster (pre-aggregations, refresh keys) is ignored. A cube, member or join that needs
 * more than sluice supports is left out with a warning, and so is what uses it; the rest of the model works. The first time dimension of a cube is the one that a bare date range filters.
 * All issues at once; never throws. Source of the format: Cube's data model reference.
 */
export function readModel(files: readonly ModelFile[]): ReadModel {
  const findings: Findings = { all: [], leftOut: new Map() };
  const unread: Unread = { cubes: new Set(), members: new Set() };
  const cubes = files.map(({ file, text }, index) => readFile(text, file, index, unread, findings));
  // What refers to the cubes of an unreadable file cannot be judged.
  const model = cubes.every((read) => read !== undefined) ? readCubes(cubes.flat(), files, unread, findings) : { cubes: [] };
  const sources = files.map(({ file, text }, index) => ({ file, source: text, issues: inOrder(findings, index) }));
  const issues = sources.flatMap((source) => source.issues);
  if (model.cubes.length === 0 && !issues.some(({ severity }) => severity === 'error')) {
    issues.push(errorIssue('empty-model', 'The model has no cubes.', { hint: 'A model starts with `cubes:`, a list of cubes.' }));
  }
  return { ...settle(model, issues), files: sources };
}

function inOrder(findings: Findings, file: number): readonly Issue[] {
  return findings.all.filter((finding) => finding.file === file).map(({ issue }) => issue)
    .toSorted((a, b) => (a.span?.start ?? 0) - (b.span?.start ?? 0));
}

function readCubes(written: readonly CubeText[], files: readonly ModelFile[], unread: Unread, findings: Findings): Model {
  checkCubeNames(written, files, findings);
  const whole = extendCubes(written, unread, findings);
  const names = new Set([...whole.map(({ name }) => name), ...unread.cubes]);
  const read = whole.map((cube) => readCube(cube, names, unread, findings));
  const model = withoutUnsupported(read, findings);
  const members = new Set([...whole.flatMap(memberNames), ...unread.members]);
  const known = { catalog: toCatalog(model), members, unread };
  const texts = read.flatMap((each) => each.texts).filter((text) => !isLeftOut(text, findings.leftOut));
  checkReferences(texts, known, findings);
  checkDrillMembers(whole, model, known, findings);
  checkCircles(texts, findings);
  return model;
}

function memberNames({ name, measures, dimensions, segments }: WholeCube): readonly string[] {
  return [...measures, ...dimensions, ...segments].map(({ value }) => `${name}.${value.name}`);
}

/**
 * The model without the parts that are not supported, and without everything that is made of them: members whose SQL
 * names such a part, and members that reach their cube only over a join that is left out. Each is told once.
 */
function withoutUnsupported(read: readonly ReadCube[], findings: Findings): Model {
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
function isLeftOut(text: SqlText, leftOut: Findings['leftOut']): boolean {
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
