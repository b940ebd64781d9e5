import type { SourceText } from '../../../ask/document/located.ts';
import { errorIssue, type Issue, type Outcome, settle } from '../../../ask/outcome.ts';
import { toCatalog } from '../catalog.ts';
import type { Cube, LeftOut, Model } from '../model.ts';
import {
  checkCircles,
  checkCubeNames,
  checkDrillMembers,
  checkReferences,
  checkStages,
  keyOf,
  leaveText,
  reachableCubes,
} from './check-model.ts';
import { extendCubes, type WholeCube } from './extend-cubes.ts';
import type { SqlText } from './read-context.ts';
import { readCube, type ReadCube } from './read-cube.ts';
import { type CubeText, type FileText, readFile, type Unread } from './read-file.ts';
import { readEventsCube } from './read-events.ts';
import { readViews } from './read-view.ts';
import { type Findings, partKey } from './site.ts';
import type { TemplateValues } from '../context-call.ts';

export interface ModelFile {
  /** Name for messages. */
  readonly file: string;
  readonly text: string;
}

/** The model, and the issues of each file. */
export type ReadModel = Outcome<Model> & {
  readonly files: readonly (SourceText & { readonly issues: readonly Issue[] })[];
};

/**
 * Reads a Cube data model in YAML from one or more files. Supports cubes with `sql` or `sql_table`, joins, measures
 * with filters and rolling windows, dimensions with `case`, segments, and `extends`, with keys in snake_case or
 * camelCase. Ignores settings that only make Cube faster (pre-aggregations, refresh keys). A cube, member or join with
 * unsupported parts is left out with a warning, together with everything that uses it. A bare date range filters the
 * first time dimension of a cube. Reports all issues at once and never throws. Source of the format: Cube's data model
 * reference.
 */
export function readModel(files: readonly ModelFile[], values: TemplateValues = {}): ReadModel {
  const findings: Findings = { all: [], leftOut: new Map(), values };
  const unread: Unread = { cubes: new Set(), members: new Set() };
  const read = files.map(({ file, text }, index) => readFile(text, file, index, unread, findings));
  // References to cubes of an unreadable file cannot be checked.
  const model = read.every((each) => each !== undefined) ? readAll(read, files, unread, findings) : { cubes: [] };
  const sources = files.map(({ file, text }, index) => ({ file, source: text, issues: inOrder(findings, index) }));
  const issues = sources.flatMap((source) => source.issues);
  if (model.cubes.length === 0 && !issues.some(({ severity }) => severity === 'error')) {
    issues.push(
      errorIssue('empty-model', 'The model has no cubes.', { hint: 'A model starts with `cubes:`, a list of cubes.' }),
    );
  }
  return { ...settle(model, issues), files: sources };
}

function inOrder(findings: Findings, file: number): readonly Issue[] {
  return findings.all
    .filter((finding) => finding.file === file)
    .map(({ issue }) => issue)
    .toSorted((a, b) => (a.span?.start ?? 0) - (b.span?.start ?? 0));
}

function readAll(texts: readonly FileText[], files: readonly ModelFile[], unread: Unread, findings: Findings): Model {
  const written = texts.flatMap(({ cubes }) => cubes);
  const views = texts.flatMap(({ views }) => views);
  checkCubeNames([...written, ...views], files, findings);
  const model = readCubes(written, unread, findings);
  const shown = readViews(views, toCatalog(model), unread, findings);
  const cubes = [...model.cubes, ...shown.filter(({ name }) => !model.cubes.some((cube) => cube.name === name))];
  const leftOut = [...findings.leftOut].map(([name, reason]): LeftOut => ({ name, reason }));
  const whole: Model = leftOut.length > 0 ? { cubes, leftOut } : { cubes };
  const events = readEventsCube(written, toCatalog(whole), findings);
  return events ? { ...whole, events } : whole;
}

function readCubes(written: readonly CubeText[], unread: Unread, findings: Findings): Model {
  const whole = extendCubes(written, unread, findings);
  const names = new Set([...whole.map(({ name }) => name), ...unread.cubes]);
  const read = whole.map((cube) => readCube(cube, names, unread, findings));
  const members = new Set([...whole.flatMap(memberNames), ...unread.members]);
  const isHere = (text: SqlText) => !isLeftOut(text, findings.leftOut);
  const all: Model = { cubes: read.map(({ cube }) => cube) };
  checkReferences(
    read.flatMap((each) => each.texts).filter(isHere),
    { catalog: toCatalog(all), members, unread },
    findings,
  );
  checkStages(whole, all, members, findings);
  const model = withoutUnsupported(read, findings);
  const known = { catalog: toCatalog(model), members, unread };
  const texts = read.flatMap((each) => each.texts).filter(isHere);
  checkDrillMembers(whole, model, known, findings);
  checkCircles(texts, findings);
  return model;
}

function memberNames({ name, measures, dimensions, segments }: WholeCube): readonly string[] {
  return [...measures, ...dimensions, ...segments].map(({ value }) => `${name}.${value.name}`);
}

/**
 * Removes unsupported parts and everything that depends on them: members whose SQL names them, and members that reach
 * their cube only over a join that is left out. Reports each once.
 */
function withoutUnsupported(read: readonly ReadCube[], findings: Findings): Model {
  const { leftOut } = findings;
  const cubes = read.map(({ cube }) => cube);
  if (leftOut.size === 0) return { cubes };
  const texts = read.flatMap((each) => each.texts);
  const written = reachableCubes({ cubes });
  for (let before = -1; before !== leftOut.size; ) {
    before = leftOut.size;
    const reachable = reachableCubes({ cubes: supported(cubes, leftOut) });
    for (const text of texts) {
      if (isLeftOut(text, leftOut)) continue;
      const missing = missingPart(
        text,
        (cube) => {
          const isLost = written.get(text.cube)?.has(cube) === true && reachable.get(text.cube)?.has(cube) !== true;
          return leftOut.has(cube) || isLost;
        },
        leftOut,
      );
      if (missing === undefined) continue;
      leaveText(text, `It uses "${missing}", which is left out.`, undefined, findings);
    }
  }
  return {
    cubes: supported(cubes, leftOut),
    leftOut: [...leftOut].map(([name, reason]): LeftOut => ({ name, reason })),
  };
}

/** True if the part that a text belongs to is left out. */
function isLeftOut(text: SqlText, leftOut: Findings['leftOut']): boolean {
  return leftOut.has(keyOf(text)) || leftOut.has(text.cube);
}

function missingPart(
  text: SqlText,
  isCubeMissing: (cube: string) => boolean,
  leftOut: Findings['leftOut'],
): string | undefined {
  if (text.join !== undefined && leftOut.has(text.join)) return text.join;
  for (const part of text.template) {
    if (part.kind === 'joined-cube' && isCubeMissing(part.cube)) return part.cube;
    if (part.kind !== 'member') continue;
    if (leftOut.has(partKey(part.cube, part.member)))
      return part.cube === text.cube ? part.member : `${part.cube}.${part.member}`;
    if (part.cube !== text.cube && isCubeMissing(part.cube)) return part.cube;
  }
  return undefined;
}

function supported(cubes: readonly Cube[], leftOut: Findings['leftOut']): readonly Cube[] {
  return cubes
    .filter(({ name }) => !leftOut.has(name))
    .map((cube) => {
      const has = ({ name }: { readonly name: string }) => !leftOut.has(partKey(cube.name, name));
      const dimensions = cube.dimensions.filter(has);
      return {
        ...cube,
        dimensions,
        joins: cube.joins.filter(
          ({ cube: other }) => !leftOut.has(partKey(cube.name, undefined, other)) && !leftOut.has(other),
        ),
        measures: cube.measures
          .filter(has)
          .map((measure) => ({ ...measure, drillMembers: measure.drillMembers.filter((name) => !leftOut.has(name)) })),
        segments: cube.segments.filter(has),
        timeMember: dimensions.find(({ type }) => type === 'time')?.name,
      };
    });
}
