/** Names of cells and parameters, which paths join with dots. */
export const namePattern = /^[a-z][a-z0-9_]*$/i;

export const cellKinds = ['query', 'compare', 'funnel', 'usage', 'annotations', 'check'] as const;

export type CellKind = (typeof cellKinds)[number];

export const shownParts = ['table', 'chart', 'both', 'stats', 'none'] as const;

/**
 * By default: both if a chart is requested, stats if the answer is one row of measures, a chart if it is a series of more
 * than 100 rows, else a table.
 */
export type ShownPart = (typeof shownParts)[number];

/**
 * The effect of a failed check. `stop`: the report is not delivered. `warn`: it is delivered with a warning at the top.
 * `alert`: it also notifies people.
 */
export const severities = ['stop', 'warn', 'alert'] as const;

export type Severity = (typeof severities)[number];
