import type { Value } from '../../plan/column.ts';
import type { Provenance } from '../../shape/result/provenance.ts';
import type { Result } from '../../shape/result/result.ts';
import { sumValues } from '../../shape/values/decimal.ts';
import type { UsageCell } from '../notebook/notebook.ts';
import type { UsageAnswer } from '../ports.ts';
import type { ReportPart } from '../report/report.ts';
import { findLateEvents, type FrozenMonth, tellLateEvents, tellOtherZones } from './frozen-month.ts';
import { nameMonth } from './month.ts';
import { toUsageFigures } from './usage-figures.ts';
import { tellAlerts, tellFailures, tellUsage } from './usage-notes.ts';
import { isStale } from './usage-days.ts';
import { toFiguresResult, toMonthsResult, toOpenResult, toSeriesResult } from './usage-results.ts';
import type { Usage } from './usage.ts';

/** How usage is drawn where nobody says otherwise. */
export const usageChart = { title: 'Events per month', preference: 'stacked' } as const;

/** What a usage cell, or the command, shows of it: the months as a table and a chart, and the month in progress. */
export function toUsageAnswer(
  usage: Usage,
  provenance: Provenance,
  frozen: readonly FrozenMonth[],
  preference: Pick<UsageCell, 'show' | 'chart' | 'forecast'> = {},
): UsageAnswer {
  return {
    parts: toParts(usage, provenance, preference),
    figures: toUsageFigures(usage, provenance),
    footnotes: [...tellLateEvents(usage, frozen), ...tellOtherZones(usage, frozen), ...tellUsage(usage)],
    failures: tellFailures(usage),
    alerts: tellAlerts(usage),
    stale: isStale(usage.plan, usage.reach),
  };
}

/** The figures of each project as one table, for programs. */
export function toUsageTable(usage: Usage, provenance: Provenance, frozen: readonly FrozenMonth[]): Result {
  return toFiguresResult(usage, provenance, findLateEvents(usage, frozen), issuedOf(usage, frozen));
}

function toParts(
  usage: Usage,
  provenance: Provenance,
  { show = 'both', chart, forecast = true }: Pick<UsageCell, 'show' | 'chart' | 'forecast'>,
): readonly ReportPart[] {
  if (show === 'none' || usage.groups.every(({ projects }) => projects.length === 0)) return [];
  const { open } = usage.plan;
  const progress = forecast ? toOpenResult(usage, provenance) : undefined;
  const tables: readonly ReportPart[] = [
    { kind: 'table', result: toMonthsResult(usage, provenance), title: 'Project by project' },
    ...(progress && open
      ? [{ kind: 'table' as const, result: progress, title: `${nameMonth(open.month)}, in progress` }]
      : []),
  ];
  const drawn: ReportPart = {
    kind: 'chart',
    result: toSeriesResult(usage, provenance),
    title: usageChart.title,
    preference: chart ?? usageChart.preference,
    annotations: [],
  };
  return [...(show === 'table' ? [] : [drawn]), ...(show === 'chart' ? [] : tables)];
}

/** What the reported month was issued with, by project. */
function issuedOf({ plan }: Usage, frozen: readonly FrozenMonth[]): ReadonlyMap<string, Value> {
  const found = frozen.find(({ month, zone }) => month === plan.reported.month && zone === plan.zone);
  return new Map((found?.projects ?? []).map(({ id, events }) => [id, sumValues([BigInt(events)])]));
}
