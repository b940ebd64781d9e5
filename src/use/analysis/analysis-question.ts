import { toDefinitionSlug } from '../../ask/analysis/definition-slug.ts';
import type { DefinitionReader } from '../../ask/analysis/read-definitions.ts';
import { attachSpans, type Locate } from '../../ask/document/located.ts';
import { readQueryFlags } from '../../ask/notation/read-flags.ts';
import { errorIssue } from '../../ask/outcome.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import type { AnalysisName } from '../../plan/analysis/analysis-names.ts';
import { toUsualQuestion } from '../../plan/analysis/computed-cubes.ts';
import { analyses } from '../../plan/analysis/analyses.ts';
import type { Analysis, NamedDefinition } from '../../plan/analysis.ts';
import { toCatalog } from '../../plan/model/catalog.ts';
import type { ComputedSource, Cube, Model } from '../../plan/model/model.ts';
import { reachOf } from '../../run/backend.ts';
import { type Asking, toQuestion } from '../answer/question.ts';
import { workspaceAnalysis } from '../workspace/analyses.ts';
import { refuse, unwrap } from '../workspace/refuse.ts';
import type { Session } from '../workspace/session.ts';

/** A definition of the workspace by its name or that of its file, or one that is given as its file would have it. */
export type Definition = string | object;

/** How a definition is asked. */
export interface AnalysisAsked {
  /** A phrase or dates, as `--range` takes them. */
  readonly range?: string | undefined;
  /** IANA name of the time zone of periods and days. Defaults to the configured time zone. */
  readonly timezone?: string | undefined;
  /** Only events for which all of them hold, beside what the definition says itself: `docHost = www.example.com`. */
  readonly where?: readonly string[] | undefined;
  /** The text that a given definition was read from. */
  readonly written?: WrittenText | undefined;
}

interface WrittenText {
  readonly source: string | undefined;
  readonly locate: Locate;
}

/** A session in which a definition can be asked by its name. */
export interface DefinedSession {
  readonly session: Session;
  readonly name: string;
}

/** The session with a definition, however it is named. Throws `InvalidInputError`. */
export async function withDefinition(
  session: Session,
  analysis: AnalysisName,
  definition: Definition,
  { where = [], written }: Pick<AnalysisAsked, 'where' | 'written'> = {},
): Promise<DefinedSession> {
  if (typeof definition === 'string' && where.length === 0) return { session, name: definition };
  const found = typeof definition === 'string' ? findDefined(session.model, analysis, definition) : undefined;
  if (found instanceof InvalidInputError) throw found;
  const given = found
    ? (found.source as ComputedSource<NamedDefinition>).definition
    : await readGiven(analysis, definition, written);
  const whole = where.length === 0 ? given : await narrowed(given, where);
  const { builtInModel } = await import('../../plan/model/built-in-model.ts');
  const computed = reachOf(session.settings.backend.value) === 'local' ? 'here' : 'nowhere';
  const extend = (model: Model): Model => {
    // Properties of events, once they are known, are in the model of the questions.
    const events = model.cubes.some(({ source }) => source.kind === 'events') ? model : builtInModel;
    const cube = (analyses[analysis] as Analysis).toCube(whole, { computed, events });
    return { ...model, cubes: [...model.cubes.filter(({ name }) => name !== cube.name), cube] };
  };
  return { session: session.extended(extend), name: whole.name };
}

/** A definition that was given as data. */
async function readGiven(
  analysis: AnalysisName,
  definition: Definition,
  { source, locate }: WrittenText = { source: undefined, locate: () => undefined },
): Promise<NamedDefinition> {
  const reader: DefinitionReader<NamedDefinition> = await analyses[analysis].loadReader();
  const read = reader.readGiven(definition, analysis);
  const issues = read.ok ? await workspaceAnalysis(analysis).check(read.value as never) : read.issues;
  if (!read.ok || issues.length > 0) throw refuse(attachSpans(issues, locate), `The ${analysis}`, { source });
  return read.value;
}

/** A definition that looks at fewer events. */
async function narrowed(definition: NamedDefinition, where: readonly string[]): Promise<NamedDefinition> {
  const { readConditionText } = await import('../../ask/analysis/event-text.ts');
  const more = where.map((text) => unwrap(readConditionText(text), 'The condition', { source: `--where "${text}"` }));
  const { where: own = [] } = definition as { readonly where?: readonly unknown[] };
  return { ...definition, where: [...own, ...more] } as NamedDefinition;
}

/** The whole of what a definition tells, in the range that is asked. */
export function askDefinition(analysis: AnalysisName, name: string, { range, timezone }: AnalysisAsked): Asking {
  return (model) => {
    const cube = findDefined(model, analysis, name);
    if (cube instanceof InvalidInputError) return { ok: false, error: cube };
    const { query, chart } = toUsualQuestion(cube);
    const read = readQueryFlags(
      { range, timezone },
      { over: query, members: toCatalog(model), defaultCube: cube.name },
    );
    const question = toQuestion(read, `The ${analysis} ${quote(cube.name)}`);
    if (!question.ok) return question;
    return { ok: true, value: { ...question.value, saved: { ...question.value.saved, chart } } };
  };
}

/** The cube of a definition, by its name or that of its file; the error if there is none. */
function findDefined(model: Model, analysis: AnalysisName, name: string): Cube | InvalidInputError {
  const cubes = definedCubes(model, analysis);
  const slug = toDefinitionSlug(name.slice(name.lastIndexOf('/') + 1));
  return (
    cubes.find((cube) => cube.name === name) ??
    cubes.find((cube) => cube.name === slug) ??
    noDefinition(
      analysis,
      name,
      cubes.map((cube) => cube.name),
    )
  );
}

/** The cubes of a model that an analysis computes. */
export function definedCubes({ cubes }: Model, analysis: AnalysisName): readonly Cube[] {
  return cubes.filter(({ source }) => source.kind === 'computed' && source.analysis.name === analysis);
}

function noDefinition(analysis: AnalysisName, name: string, known: readonly string[]): InvalidInputError {
  const message = `There ${analysis === 'paths' ? 'are' : 'is'} no ${analysis} ${quote(name)}.`;
  const all =
    known.length === 0
      ? `This workspace has no valid ${pluralOf(analysis)}. For the file format, run: sluice schema ${analysis}`
      : `Use one of ${known.join(', ')}.`;
  const hint = didYouMean(name, known) ?? all;
  return new InvalidInputError(message, [errorIssue(`unknown-${analysis}`, message, { hint })], { hint });
}

/** What several definitions of an analysis are called. */
export function pluralOf(analysis: AnalysisName): string {
  return analysis === 'funnel' ? 'funnels' : `${analysis} files`;
}
