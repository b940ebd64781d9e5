import { invariant } from '../../ask/invariant.ts';
import { type Analysis, analysisOf, type NamedDefinition, type UsualQuestion } from '../analysis.ts';
import type { Cube, Model } from '../model/model.ts';

/** `server`: a server described the model. `silent-server`: a server answers but does not describe its model. */
export type ComputedPlace = 'here' | 'server' | 'silent-server';

/**
 * Adds a cube for each definition of an analysis; its filters name members of `events`. If servers may compute the
 * analysis, a server's own cube with a definition's name answers for the definition.
 */
export function withComputedCubes<Definition extends NamedDefinition>(
  analysis: Analysis<Definition>,
  model: Model,
  definitions: readonly Definition[],
  place: ComputedPlace,
  events: Model,
): Model {
  if (definitions.length === 0) return model;
  const known = new Set(model.cubes.map(({ name }) => name));
  const computedAt = (name: string) => {
    if (place === 'here') return 'here';
    return analysis.onServers && (place === 'silent-server' || known.has(name)) ? 'by-server' : 'nowhere';
  };
  const names = new Set(definitions.map(({ name }) => name));
  return {
    ...model,
    cubes: [
      ...model.cubes.filter(({ name }) => !names.has(name)),
      ...definitions.map((definition) =>
        analysis.toCube(definition, { computed: computedAt(definition.name), events }),
      ),
    ],
  };
}

/** The default question about the cube of an analysis. */
export function toUsualQuestion({ name, source, measures, dimensions, timeMember }: Cube): UsualQuestion {
  invariant(source.kind === 'computed', `an analysis computes ${name}`);
  const nameOf = (member: { readonly name: string }) => `${name}.${member.name}`;
  return (
    analysisOf(source).toUsualQuestion?.(source.definition as NamedDefinition) ?? {
      query: {
        measures: measures.map(nameOf),
        // Cohorts filter a computed cube but cannot group it.
        dimensions: dimensions
          .filter(({ name: own, cohort }) => own !== timeMember && cohort === undefined)
          .map(nameOf),
      },
    }
  );
}
