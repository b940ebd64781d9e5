import { invariant } from '../../ask/invariant.ts';
import type { Analysis, NamedDefinition, UsualQuestion } from '../analysis.ts';
import type { ComputedSource, Cube } from '../model/model.ts';
import { cohortAnalysis } from './cohort/cohort-analysis.ts';
import { funnelAnalysis } from './funnel/funnel-analysis.ts';
import { lifecycleAnalysis } from './lifecycle/lifecycle-analysis.ts';
import { pathsAnalysis } from './paths/paths-analysis.ts';
import { retentionAnalysis } from './retention/retention-analysis.ts';
import { stickinessAnalysis } from './stickiness/stickiness-analysis.ts';

/** All analyses by their names. An engine computes them by `run/duckdb/analysis/engine-analyses.ts`. */
export const analyses = {
  funnel: funnelAnalysis,
  retention: retentionAnalysis,
  lifecycle: lifecycleAnalysis,
  stickiness: stickinessAnalysis,
  cohort: cohortAnalysis,
  paths: pathsAnalysis,
} as const satisfies Readonly<Record<string, Analysis>>;

/** The name of an analysis: `funnel`, `retention`, `lifecycle`, `stickiness`, `paths` or `cohort`. */
export type AnalysisName = keyof typeof analyses;

export const analysisNames = Object.keys(analyses) as readonly AnalysisName[];

export function isAnalysisName(text: string): text is AnalysisName {
  return Object.hasOwn(analyses, text);
}

/** The analysis that computes a cube. */
export function analysisOf({ analysis }: Pick<ComputedSource, 'analysis'>): Analysis {
  invariant(isAnalysisName(analysis), `there is an analysis ${analysis}`);
  return analyses[analysis];
}

/** The usual question about the cube of an analysis. */
export function toUsualQuestion({ name, source, measures, dimensions, timeMember }: Cube): UsualQuestion {
  invariant(source.kind === 'computed', `an analysis computes ${name}`);
  const nameOf = (member: { readonly name: string }) => `${name}.${member.name}`;
  return (
    analysisOf(source).toUsualQuestion?.(source.definition as NamedDefinition) ?? {
      query: {
        measures: measures.map(nameOf),
        // Cohorts filter a computed cube, and are nothing to group it by.
        dimensions: dimensions
          .filter(({ name: own, cohort }) => own !== timeMember && cohort === undefined)
          .map(nameOf),
      },
    }
  );
}
