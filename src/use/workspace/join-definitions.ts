import { access, constants, stat } from 'node:fs/promises';
import type { ReadDefinition } from '../../ask/analysis/read-definitions.ts';
import type { Cohort } from '../../ask/cohort/cohort.ts';
import { attachSpans } from '../../ask/document/located.ts';
import type { AnalysisName } from '../../plan/analysis/analysis-names.ts';
import { analyses } from '../../plan/analysis/analyses.ts';
import { withCohortMembers } from '../../plan/analysis/cohort/cohort-members.ts';
import { checkReferences, knownDefinitions } from '../../plan/analysis/cohort/cohort-references.ts';
import { type ComputedPlace, withComputedCubes } from '../../plan/analysis/computed-cubes.ts';
import type { Model } from '../../plan/model/model.ts';
import { reachOf } from '../../run/backend.ts';
import type { Settings } from '../config/settings.ts';
import { showPath } from '../process/show-path.ts';
import { type DefinitionOf, openDefinitions } from './definition-files.ts';
import type { FoundDefinitions } from './analyses.ts';
import { drawIssues } from '../../ask/document/draw-issue.ts';

interface DefinitionSurroundings {
  readonly cwd: string;
  readonly warn: (text: string) => void;
}

type UsableDefinition<Definition> = ReadDefinition<Definition> & { readonly ok: true };
type ReadCohort = UsableDefinition<Cohort>;

/** The parts of an opened model that contain models. */
interface ModelToJoin {
  readonly model: Model;
  readonly again?: ((signal?: AbortSignal) => Promise<Model | undefined>) | undefined;
}

/**
 * Adds the cubes that definition files define to an opened model, whether or not a server knows them. Invalid files
 * cause a warning and do not affect the others.
 */
export async function joinDefinitions<Opened extends ModelToJoin>(
  opened: Opened,
  all: readonly FoundDefinitions[],
  settings: Settings,
  surroundings: DefinitionSurroundings,
): Promise<Opened> {
  const { builtInModel, builtInModelOfServers } = await import('../../plan/model/built-in-model.ts');
  const isLocal = reachOf(settings.backend.value) === 'local';
  // Cubes of the workspace's model have priority over definitions; cubes of a server do not.
  const isOwn = settings.model.value !== undefined;
  const own = new Set(isOwn ? opened.model.cubes.map(({ name }) => name.toLowerCase()) : []);
  const joins: ((model: Model, place: ComputedPlace, events: Model) => Model)[] = [];
  const taken: string[] = [];
  let cohorts: readonly ReadCohort[] = [];
  for (const { analysis, files } of all) {
    const read = await readUsable(analysis, files, taken, surroundings);
    const found = read.map(({ value }) => value);
    for (const { name } of found)
      if (own.has(name))
        surroundings.warn(`The ${analysis} "${name}" cannot be used: the model has a cube with this name.`);
    const definitions = found.filter(({ name }) => !own.has(name));
    taken.push(...definitions.map(({ name }) => name));
    if (analysis === 'cohort') cohorts = (read as readonly ReadCohort[]).filter(({ value }) => !own.has(value.name));
    else joins.push((model, place, events) => withComputedCubes(analyses[analysis], model, definitions, place, events));
  }
  const joinWith = (model: Model, place: ComputedPlace, known: readonly Cohort[]) => {
    const events = withCohortMembers(builtInModel, known);
    const joined = joins.reduce((joining, one) => one(joining, place, events), model);
    const withCubes = withComputedCubes(analyses.cohort, joined, known, place, events);
    const others = place === 'here' ? undefined : new Set(builtInModel.cubes.map(({ name }) => name));
    return withCohortMembers(withCubes, known, others);
  };
  // Cohorts refer to cohorts and funnels, so references are checked once all files are read.
  const usable = usableCohorts(cohorts, (known) => joinWith(builtInModel, 'here', known), surroundings.warn);
  const join = (model: Model) => {
    const place = isLocal ? 'here' : isOwn || model === builtInModelOfServers ? 'silent-server' : 'server';
    return joinWith(model, place, usable);
  };
  return {
    ...opened,
    model: join(opened.model),
    again:
      opened.again &&
      (async (signal) => {
        const model = await opened.again?.(signal);
        return model && join(model);
      }),
  };
}

async function readUsable<Name extends AnalysisName>(
  analysis: Name,
  found: readonly string[],
  taken: readonly string[],
  { cwd, warn }: DefinitionSurroundings,
): Promise<readonly UsableDefinition<DefinitionOf<Name>>[]> {
  const files: string[] = [];
  for (const file of found) {
    if (await isReadable(file)) files.push(file);
    else warn(`The ${analysis} ${showPath(file, cwd)} cannot be read.`);
  }
  const read = await openDefinitions(analysis, files, cwd, taken);
  for (const { ok, file, issues, source } of read) {
    const [first] = issues.filter(({ severity }) => severity === 'error');
    if (ok) continue;
    // `sluice funnel check` shows all errors of funnels.
    if (analysis === 'funnel')
      warn(`The ${analysis} ${file} has errors: ${first?.message ?? ''} For all errors, run: sluice ${analysis} check`);
    else warnOf(analysis, { file, issues, source }, warn);
  }
  return read.flatMap((one) => (one.ok ? [one] : []));
}

/**
 * Returns the cohorts with valid references and without cycles. Warns about the others, and about cohorts that depend
 * on them.
 */
function usableCohorts(
  cohorts: readonly ReadCohort[],
  toModel: (known: readonly Cohort[]) => Model,
  warn: (text: string) => void,
): readonly Cohort[] {
  const known = knownDefinitions(toModel(cohorts.map(({ value }) => value)));
  const faults = cohorts.map((one) => ({ one, issues: checkReferences(one.value, known) }));
  const faulty = faults.filter(({ issues }) => issues.length > 0);
  for (const { one, issues } of faulty) warnOf('cohort', { ...one, issues: attachSpans(issues, one.locate) }, warn);
  if (faulty.length === 0) return cohorts.map(({ value }) => value);
  const rest = cohorts.filter((one) => !faulty.some((fault) => fault.one === one));
  return usableCohorts(rest, toModel, warn);
}

function warnOf(
  analysis: AnalysisName,
  { file, issues, source }: Pick<ReadDefinition<unknown>, 'file' | 'issues' | 'source'>,
  warn: (text: string) => void,
): void {
  warn(`The ${analysis} ${file} has errors.\n${drawIssues(issues, { source, file })}`);
}

async function isReadable(file: string): Promise<boolean> {
  return stat(file)
    .then((found) => found.isFile() && access(file, constants.R_OK).then(() => true))
    .catch(() => false);
}
