/** Names of cells and parameters: they stand in paths between dots. */
export const namePattern = /^[a-z][a-z0-9_]*$/i;

export const cellKinds = ['query', 'compare', 'funnel', 'usage', 'annotations', 'check'] as const;

export type CellKind = (typeof cellKinds)[number];

export const shownParts = ['table', 'chart', 'both', 'stats', 'none'] as const;

/**
 * Where nothing is said: both where a chart is asked for, stats where the answer is one row of measures, else a table.
 */
export type ShownPart = (typeof shownParts)[number];

/**
 * What a failed check means. `stop`: the report is not delivered. `warn`: it is, and says so first. `alert`: somebody
 * is notified, too.
 */
export const severities = ['stop', 'warn', 'alert'] as const;

export type Severity = (typeof severities)[number];
