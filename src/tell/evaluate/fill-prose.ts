import { sanitize } from '../../show/sanitize.ts';
import { escapeMarkdown } from '../../show/text/markdown-cell.ts';
import type { PreparedProse } from '../prepare/prepared.ts';
import { escapeStart } from '../report/escape-start.ts';
import type { ReportFigure, ReportProse } from '../report/report.ts';
import type { AnswersByName } from './answers.ts';
import { findFigure } from './find-figure.ts';
import { writeFigure } from './write-figure.ts';

/** What stands where a figure's cell failed. */
export const notAvailable = '(not available)';

/** Prose with what it quotes in its place. Text from events is escaped: it can become neither markup nor a line of its own. */
export function fillProse({ source, quotes }: PreparedProse, answers: AnswersByName): ReportProse {
  const figures: ReportFigure[] = [];
  let markdown = '';
  let end = 0;
  for (const quote of quotes) {
    const found = findFigure(quote.figure, answers);
    const text = found.ok ? writeFigure(found.figure.value, found.column, quote.filter) : notAvailable;
    figures.push(found.ok ? { ...found.figure, text } : { path: quote.path.text, text, value: null });
    markdown += source.slice(end, quote.start);
    markdown += atLineStart(markdown) ? escapeStart(escapeQuoted(text)) : escapeQuoted(text);
    end = quote.end;
  }
  return { kind: 'prose', markdown: markdown + source.slice(end), figures };
}

function escapeQuoted(text: string): string {
  const clean = sanitize(text).trim();
  return clean === '' ? '""' : escapeMarkdown(clean);
}

function atLineStart(before: string): boolean {
  return /(?:^|\n)(?:[ \t>*+\-#]|\d{1,9}[.)])*$/.test(before);
}
