import { wrapWords } from '../../show/labels/wrap-words.ts';
import { sanitize } from '../../show/labels/sanitize.ts';
import type { WriteTableOptions } from '../../show/terminal/write-table.ts';
import { escapeMarkdown } from '../../show/text/markdown-cell.ts';
import { writeResult } from '../../show/write-result.ts';
import type { UsageAnswer } from '../../tell/ports.ts';

/**
 * The tables of usage with their titles; above them what is missing, below them what is to be known beside the figures.
 */
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
