import type { AnalysisName } from '../../../plan/analysis/analysis-names.ts';
import type { BoundComputation } from '../../../plan/plan.ts';
import type { EngineAnalysis } from '../session/engine-analysis.ts';

/** DuckDB's part of each analysis, loaded on first use. */
const engineAnalyses: Readonly<Record<AnalysisName, () => Promise<EngineAnalysis>>> = {
  funnel: async () => (await import('../funnel/funnel-engine.ts')).funnelEngine,
  retention: async () => (await import('../activity/activity-engine.ts')).retentionEngine,
  lifecycle: async () => (await import('../activity/activity-engine.ts')).lifecycleEngine,
  cohort: async () => (await import('./cohort-engine.ts')).cohortEngine,
  stickiness: async () => (await import('../activity/activity-engine.ts')).stickinessEngine,
  paths: async () => (await import('../paths/paths-engine.ts')).pathsEngine,
};

/** Loads the part of the engine that computes an analysis. */
export function loadEngineAnalysis({ analysis }: Pick<BoundComputation, 'analysis'>): Promise<EngineAnalysis> {
  return engineAnalyses[analysis as AnalysisName]();
}
