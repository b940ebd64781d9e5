import type { Analysis } from '../analysis.ts';
import type { AnalysisName } from './analysis-names.ts';
import { cohortAnalysis } from './cohort/cohort-analysis.ts';
import { funnelAnalysis } from './funnel/funnel-analysis.ts';
import { lifecycleAnalysis } from './lifecycle/lifecycle-analysis.ts';
import { pathsAnalysis } from './paths/paths-analysis.ts';
import { retentionAnalysis } from './retention/retention-analysis.ts';
import { stickinessAnalysis } from './stickiness/stickiness-analysis.ts';

/** All analyses by name. `run/duckdb/analysis/engine-analyses.ts` computes them. */
export const analyses = {
  funnel: funnelAnalysis,
  retention: retentionAnalysis,
  lifecycle: lifecycleAnalysis,
  stickiness: stickinessAnalysis,
  cohort: cohortAnalysis,
  paths: pathsAnalysis,
} as const satisfies Readonly<Record<AnalysisName, Analysis>>;
