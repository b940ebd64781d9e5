import { sanitize } from '../../show/labels/sanitize.ts';
import { wrapWords } from '../../show/labels/wrap-words.ts';
import type { WriteTableOptions } from '../../show/terminal/write-table.ts';
import { escapeMarkdown } from '../../show/text/markdown-cell.ts';
import { writeResult } from '../../show/write-result.ts';
import type { UsageAnswer } from '../../tell/ports.ts';
import type { Report } from '../../tell/report/report.ts';
import { nameMonth } from '../../tell/usage/month.ts';
import { toUsageAnswer } from '../../tell/usage/usage-answer.ts';
import type { AnsweredUsage, UsageOptions } from './answer-usage.ts';

/** Converts usage to a report with one cell and a chart. */
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

/** Writes the usage tables with their titles, failures and alerts above them, and footnotes below. */
export async function* writeUsage(
  { parts, footnotes, failures, alerts }: UsageAnswer,
  format: 'table' | 'markdown',
  table: WriteTableOptions,
): AsyncGenerator<string> {
  const toText = (text: string) => (format === 'markdown' ? escapeMarkdown(sanitize(text)) : sanitize(text));
  const toLines = (texts: readonly string[]) =>
    texts
      .map((text) =>
        format === 'markdown'
          ? `- ${toText(text)}\n`
          : `${wrapWords(toText(text), table.width, { longWords: 'break' }).join('\n')}\n`,
      )
      .join('');
  const warnings = [...failures, ...alerts];
  if (warnings.length > 0) yield `${toLines(warnings)}\n`;
  for (const { result, title } of parts) {
    if (title !== undefined) yield format === 'markdown' ? `### ${toText(title)}\n\n` : `${toText(title)}\n\n`;
    yield* writeResult(result, format, { table });
    yield '\n';
  }
  yield toLines(footnotes);
}
