import { nameMonth } from '../../tell/usage/month.ts';
import type { Report } from '../../tell/report/report.ts';
import { toUsageAnswer } from '../../tell/usage/usage-answer.ts';
import type { AnsweredUsage, UsageWishes } from './answer-usage.ts';

/** Usage as a page: a report of one cell, with a chart. */
export async function writeUsagePage({ usage, provenance, frozen }: AnsweredUsage, wishes: Pick<UsageWishes, 'forecast'>): Promise<readonly string[]> {
  const { parts, footnotes, failures } = toUsageAnswer(usage, provenance, frozen, { show: 'both', forecast: wishes.forecast });
  const report: Report = {
    name: 'usage', title: `Usage in ${nameMonth(usage.plan.reported.month)}`, params: [], asOf: provenance.asOf, zone: provenance.zone,
    status: failures.length === 0 ? 'good' : 'failed-cell',
    blocks: [{ kind: 'cell', cell: 'usage', name: 'usage', parts, footnotes, failures }],
  };
  const { writeReportHtml } = await import('../../tell/report/report-to-html.ts');
  return [await writeReportHtml(report)];
}
