import type { SourceText } from '../../ask/document/located.ts';
import { errorIssue, settle, type Issue, type Outcome } from '../../ask/outcome.ts';
import { toCatalog } from './catalog.ts';
import type { Model } from './model.ts';
import { checkCircles } from './read/check-circles.ts';
import { checkCubeNames } from './read/check-names.ts';
import { checkDrillMembers, checkReferences } from './read/check-references.ts';
import { extendCubes, type WholeCube } from './read/extend-cubes.ts';
import { isLeftOut, withoutUnsupported } from './read/leave-out.ts';
import { readCube } from './read/read-cube.ts';
import { readFile, type CubeText, type Unread } from './read/read-file.ts';
import type { Findings } from './read/site.ts';

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
