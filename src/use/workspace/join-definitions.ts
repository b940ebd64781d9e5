import { access, constants, stat } from 'node:fs/promises';
import type { ReadDefinition } from '../../ask/analysis/read-definitions.ts';
import { attachSpans } from '../../ask/document/located.ts';
import type { Cohort } from '../../ask/cohort/cohort.ts';
import { cohortMembers } from '../../ask/query/member-name.ts';
import type { AnalysisName } from '../../plan/analysis/analysis-names.ts';
import { analyses } from '../../plan/analysis/analyses.ts';
import { withCohortMembers } from '../../plan/analysis/cohort/cohort-members.ts';
import { checkReferences, knownDefinitions } from '../../plan/analysis/cohort/cohort-references.ts';
import { type ComputedPlace, withComputedCubes } from '../../plan/analysis/computed-cubes.ts';
import type { LeftOut, Model } from '../../plan/model/model.ts';
import { reachOf } from '../../run/backend.ts';
import type { Settings } from '../config/settings.ts';
import { showPath } from '../process/show-path.ts';
import { type DefinitionOf, openDefinitions } from './definition-files.ts';
import type { FoundDefinitions } from './analyses.ts';
import { pluralOf } from './find-defined.ts';

interface DefinitionSurroundings {
  readonly cwd: string;
  readonly warn: (text: string) => void;
}

type UsableDefinition<Definition> = ReadDefinition<Definition> & { readonly ok: true };
type ReadCohort = UsableDefinition<Cohort>;

type FaultyFile = Pick<ReadDefinition<unknown>, 'file' | 'slug' | 'issues'>;

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
  const faulty = new Map<AnalysisName, readonly FaultyFile[]>();
  let cohorts: readonly ReadCohort[] = [];
  for (const { analysis, files } of all) {
    const all = await readAll(analysis, files, taken, surroundings);
    const read = all.flatMap((one) => (one.ok ? [one] : []));
    faulty.set(
      analysis,
      all.filter(({ ok }) => !ok),
    );
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
  const usable = usableCohorts(cohorts, (known) => joinWith(builtInModel, 'here', known));
  const issuesOf = (one: ReadCohort, known: readonly Cohort[]) =>
    attachSpans(checkReferences(one.value, knownDefinitions(joinWith(builtInModel, 'here', known))), one.locate);
  faulty.set('cohort', [
    ...(faulty.get('cohort') ?? []),
    ...cohorts.flatMap((one): readonly FaultyFile[] => {
      if (usable.includes(one.value)) return [];
      const all = cohorts.map(({ value }) => value);
      // A cohort without a fault of its own refers to others that have one.
      return [{ ...one, issues: [...issuesOf(one, all), ...issuesOf(one, usable)] }];
    }),
  ]);
  for (const [analysis, files] of faulty) warnOf(analysis, files, surroundings.warn);
  const leftOut = [...faulty].flatMap(([analysis, files]) => files.flatMap((file) => toLeftOut(analysis, file)));
  const join = (model: Model) => {
    const place = isLocal ? 'here' : isOwn || model === builtInModelOfServers ? 'silent-server' : 'server';
    const joined = joinWith(model, place, usable);
    return leftOut.length === 0 ? joined : { ...joined, leftOut: [...(joined.leftOut ?? []), ...leftOut] };
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

/** Reads the files that can be read, and warns about the others. */
async function readAll<Name extends AnalysisName>(
  analysis: Name,
  found: readonly string[],
  taken: readonly string[],
  { cwd, warn }: DefinitionSurroundings,
): Promise<readonly ReadDefinition<DefinitionOf<Name>>[]> {
  const files: string[] = [];
  for (const file of found) {
    if (await isReadable(file)) files.push(file);
    else warn(`The ${analysis} ${showPath(file, cwd)} cannot be read.`);
  }
  return openDefinitions(analysis, files, cwd, { taken });
}

/** Returns the cohorts with valid references and without cycles, also in the cohorts that they depend on. */
function usableCohorts(
  cohorts: readonly ReadCohort[],
  toModel: (known: readonly Cohort[]) => Model,
): readonly Cohort[] {
  const all = cohorts.map(({ value }) => value);
  const known = knownDefinitions(toModel(all));
  const rest = cohorts.filter(({ value }) => checkReferences(value, known).length === 0);
  return rest.length === cohorts.length ? all : usableCohorts(rest, toModel);
}

/** One line for all files, because it precedes every answer. */
function warnOf(analysis: AnalysisName, files: readonly FaultyFile[], warn: (text: string) => void): void {
  const [one, ...others] = files;
  if (!one) return;
  const what = others.length === 0 ? `The ${analysis} ${one.file} has` : `${files.length} ${pluralOf(analysis)} have`;
  warn(`${what} errors. ${hintOn(analysis)}`);
}

/** The cube of a definition whose file has errors, and the dimension of a cohort. */
function toLeftOut(analysis: AnalysisName, { file, slug, issues }: FaultyFile): readonly LeftOut[] {
  const first = issues.find(({ severity }) => severity === 'error');
  const place = first?.span ? `:${first.span.line}:${first.span.column}` : '';
  const reason = `Its file has errors. ${file}${place}: ${first?.message ?? ''} ${hintOn(analysis)}`;
  const names = analysis === 'cohort' ? [slug, `${cohortMembers}.${slug}`] : [slug];
  return names.map((name) => ({ name, reason }));
}

function hintOn(analysis: AnalysisName): string {
  return `Run: sluice ${analysis} check`;
}

async function isReadable(file: string): Promise<boolean> {
  return stat(file)
    .then((found) => found.isFile() && access(file, constants.R_OK).then(() => true))
    .catch(() => false);
}
