import type { Report } from '../../tell/report/report.ts';
import { nameMonth } from '../../tell/usage/month.ts';
import { toUsageAnswer } from '../../tell/usage/usage-answer.ts';
import type { AnsweredUsage, UsageOptions } from './answer-usage.ts';

/** Usage as a report of one cell, with a chart. */
export function toUsageReport(
  { usage, provenance, frozen }: AnsweredUsage,
  options: Pick<UsageOptions, 'forecast'>,
): Report {
  const { parts, footnotes, failures, alerts } = toUsageAnswer(usage, provenance, frozen, {
    show: 'both',
    forecast: options.forecast,
  });
  return {
    name: 'usage',
    title: `Usage in ${nameMonth(usage.plan.reported.month)}`,
    params: [],
    asOf: provenance.asOf,
    zone: provenance.zone,
    status: failures.length === 0 ? 'good' : 'failed-cell',
    blocks: [
      {
        kind: 'cell',
        cell: 'usage',
        name: 'usage',
        parts,
        footnotes,
        failures,
        ...(alerts.length > 0 ? { alerts } : {}),
      },
    ],
  };
}
