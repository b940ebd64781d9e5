import type { DefinitionReader } from '../../ask/analysis/read-definitions.ts';
import { noteGiven } from '../../ask/analysis/written-place.ts';
import { attachSpans, type Locate } from '../../ask/document/located.ts';
import type { InlineDefinition } from '../../ask/query/saved-query.ts';
import { analyses } from '../../plan/analysis/analyses.ts';
import { type AnalysisName, isAnalysisName } from '../../plan/analysis/analysis-names.ts';
import type { Analysis, NamedDefinition } from '../../plan/analysis.ts';
import type { Model } from '../../plan/model/model.ts';
import { reachOf } from '../../run/backend.ts';
import { workspaceAnalysis } from './analyses.ts';
import { type DrawnText, refuse } from './refuse.ts';
import type { Session } from './session.ts';
import type { Attempt } from './with-fresh-model.ts';

/** The text that a definition was read from. */
export interface DefinitionText {
  readonly source: string | undefined;
  readonly file?: string | undefined;
  /** Finds the span of a part, by a path into the definition. */
  readonly locate: Locate;
}

/** Reads a definition given as an object with the keys of its file below the name of the analysis. */
export async function readInline(
  analysis: AnalysisName,
  definition: object,
  { source, file, locate }: DefinitionText = { source: undefined, locate: () => undefined },
  what = `The ${analysis}`,
): Promise<Attempt<NamedDefinition>> {
  const reader: DefinitionReader<NamedDefinition> = await analyses[analysis].loadReader();
  const read = reader.readGiven(definition, analysis);
  const issues = read.ok ? await workspaceAnalysis(analysis).check(read.value as never) : read.issues;
  if (!read.ok || issues.length > 0) return { ok: false, error: refuse(attachSpans(issues, locate), what, { source }) };
  noteGiven(read.value, definition, { source, file }, locate);
  return { ok: true, value: read.value };
}

/** Adds the cube of a definition to a model, replacing a cube of the same name. */
type PutCube = (model: Model, computed: 'here' | 'nowhere') => Model;

export async function putDefinition(analysis: AnalysisName, definition: NamedDefinition): Promise<PutCube> {
  const { builtInModel } = await import('../../plan/model/built-in-model.ts');
  return (model, computed) => {
    // If the model has an events cube, it also has the known properties.
    const events = model.cubes.some(({ source }) => source.kind === 'events') ? model : builtInModel;
    const cube = (analyses[analysis] as Analysis).toCube(definition, { computed, events, inline: true });
    return { ...model, cubes: [...model.cubes.filter(({ name }) => name !== cube.name), cube] };
  };
}

/** Like `putDefinition`, for the definition inside a saved query. Undefined if the query has none. */
export async function putInline(
  define: InlineDefinition | undefined,
  { text, locate }: { readonly text: DrawnText; readonly locate: Locate } = { text: {}, locate: () => undefined },
): Promise<Attempt<PutCube | undefined>> {
  const [[analysis, definition] = []] = Object.entries(define ?? {});
  if (analysis === undefined || definition === undefined || !isAnalysisName(analysis))
    return { ok: true, value: undefined };
  const locateIn: Locate = (path, part) => locate(['define', analysis, ...path], part);
  const read = await readInline(analysis, definition, { source: text.source, file: text.file, locate: locateIn });
  return read.ok ? { ok: true, value: await putDefinition(analysis, read.value) } : read;
}

/** Adds a cube to the session's model. */
export function defineIn(session: Session, put: PutCube | undefined): Session {
  const computed = reachOf(session.settings.backend.value) === 'local' ? 'here' : 'nowhere';
  return put ? session.extended((model) => put(model, computed)) : session;
}
