/** Names of analyses in files, plans and commands. */
export const analysisNames = ['funnel', 'retention', 'lifecycle', 'stickiness', 'cohort', 'paths'] as const;

/** The name of an analysis: `funnel`, `retention`, `lifecycle`, `stickiness`, `paths` or `cohort`. */
export type AnalysisName = (typeof analysisNames)[number];

export function isAnalysisName(text: string): text is AnalysisName {
  return (analysisNames as readonly string[]).includes(text);
}
