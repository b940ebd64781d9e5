import { toDefinitionSlug } from '../../ask/analysis/definition-slug.ts';
import { inputError, type InvalidInputError } from '../../ask/sluice-error.ts';
import { oneOfHint } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import type { AnalysisName } from '../../plan/analysis/analysis-names.ts';
import type { Cube, Model } from '../../plan/model/model.ts';

/** Finds the cube of a definition by its name or file name. Returns an error if there is none. */
export function findDefined(model: Model, analysis: AnalysisName, name: string): Cube | InvalidInputError {
  const cubes = definedCubes(model, analysis);
  const slug = toDefinitionSlug(name.slice(name.lastIndexOf('/') + 1));
  return (
    cubes.find((cube) => cube.name === name) ??
    cubes.find((cube) => cube.name === slug) ??
    noDefinition(
      analysis,
      name,
      cubes.map((cube) => cube.name),
      model.leftOut?.find((part) => part.name === slug)?.reason,
    )
  );
}

/** Lists the cubes of a model that an analysis computes. */
function definedCubes({ cubes }: Model, analysis: AnalysisName): readonly Cube[] {
  return cubes.filter(({ source }) => source.kind === 'computed' && source.analysis.name === analysis);
}

function noDefinition(
  analysis: AnalysisName,
  name: string,
  known: readonly string[],
  leftOut: string | undefined,
): InvalidInputError {
  if (leftOut !== undefined)
    return inputError(`unknown-${analysis}`, `The ${analysis} ${quote(name)} cannot be used.`, leftOut);
  const message = `There ${analysis === 'paths' ? 'are' : 'is'} no ${analysis} ${quote(name)}.`;
  const hint =
    known.length === 0
      ? `This workspace has no valid ${pluralOf(analysis)}. For the file format, run: sluice schema ${analysis}`
      : oneOfHint(name, known);
  return inputError(`unknown-${analysis}`, message, hint);
}

/** Plural of the definitions of an analysis in messages. */
export function pluralOf(analysis: AnalysisName): string {
  return analysis === 'funnel' ? 'funnels' : `${analysis} files`;
}
