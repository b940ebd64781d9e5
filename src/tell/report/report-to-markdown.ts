import { writeInstantLocal } from '../../ask/time/local-time.ts';
import { formatTime } from '../../shape/format-time.ts';
import type { Result } from '../../shape/result.ts';
import { toNotes } from '../../show/notes.ts';
import { sanitize } from '../../show/sanitize.ts';
import { escapeMarkdown } from '../../show/text/markdown-cell.ts';
import { writeMarkdown } from '../../show/text/write-markdown.ts';
import { describeSource } from './describe-source.ts';
import type { Report, ReportBlock, ReportCell, ReportCheck, ReportFailure, ReportPart } from './report.ts';
import { startsWithHeading } from './starts-with-heading.ts';

const clean = (text: string) => escapeMarkdown(sanitize(text));

/** What a Markdown report shows for a chart; undefined: there is no picture, and its figures stand as a table. */
export type DrawPart = (part: ReportPart & { readonly kind: 'chart' }) => string | undefined;

/** A report as Markdown that reads as it is. Text from events is escaped throughout. The same report gives the same text. */
export function writeReportMarkdown(report: Report, draw: DrawPart = () => undefined): string {
  const { title, description, params, asOf, zone, blocks } = report;
  const head = startsWithHeading(report) ? [] : [`# ${clean(title)}`];
  if (head.length > 0 && description !== undefined) head.push(clean(description));
  const given = params.map((param) => `${clean(param.title)}: ${clean(param.text)}`);
  const foot = [...given, `As of ${formatTime(writeInstantLocal(Date.parse(asOf), zone), 'minute')}`, `days in ${zone}`].join(' · ');
  return [...head, ...blocks.map((block) => writeBlock(block, draw)), `---`, `*${foot}*`].map((text) => text.replace(/^(?:[ \t]*\r?\n)+|\s+$/g, '')).filter((text) => text !== '').join('\n\n') + '\n';
}

function writeBlock(block: ReportBlock, draw: DrawPart): string {
  switch (block.kind) {
    case 'prose':
      return block.markdown;
    case 'cell':
      return writeCell(block, draw);
    case 'checks':
      return [...titled(block.title), block.checks.map(writeCheck).join('\n')].join('\n\n');
    case 'failure':
      return writeFailure(block);
  }
}

function writeCell({ title, description, parts, footnotes, failures }: ReportCell, draw: DrawPart): string {
  const drawn = parts.map((part) => ({ part, text: part.kind === 'chart' ? draw(part) : writePart(part) }));
  // A chart without a picture must not vanish.
  const texts = drawn.map(({ part, text }) => text ?? (drawn.some((other) => other.part !== part && other.text !== undefined && other.part.result === part.result) ? '' : writeTable(part.result)));
  const asides = [...failures.map((text) => `- ⚠ ${clean(text)}`), ...footnotes.map((text) => `- ${clean(text)}`)];
  const sources = [...new Set(parts.map(({ result }) => `*${clean(describeSource(result))}*`))];
  const shown = parts.length === 0 && asides.length === 0 ? [] : [...titled(title), ...(description === undefined ? [] : [clean(description)])];
  return [...shown, ...texts, asides.join('\n'), ...sources].filter((text) => text.trim() !== '').join('\n\n');
}

function titled(title: string | undefined): readonly string[] {
  return title === undefined ? [] : [`**${clean(title)}**`];
}

function writePart(part: Exclude<ReportPart, { readonly kind: 'chart' }>): string {
  const text = part.kind === 'table' ? writeTable(part.result) : writeStats(part);
  return [...titled(part.title), text].join('\n\n');
}

function writeTable(result: Result): string {
  return [...writeMarkdown(result)].join('').trimEnd();
}

function writeStats({ result, stats }: ReportPart & { readonly kind: 'stats' }): string {
  const lines = stats.map(({ label, text, previous }) => {
    const beside = previous === undefined ? '' : ` (${clean(previous.label)}: ${clean(previous.text)}, ${clean(previous.changePercent)})`;
    return `- ${clean(label)}: **${clean(text)}**${beside}`;
  });
  // Another bullet begins a list of its own.
  const notes = toNotes(result.provenance).map(({ text }) => `* ${clean(text)}`);
  return [lines.join('\n'), ...(notes.length > 0 ? [notes.join('\n')] : [])].join('\n\n');
}

const signs = { passed: '✓', failed: '✗', unknown: '?' } as const;

function writeCheck({ state, expectation, finding, because }: ReportCheck): string {
  const why = because === undefined ? '' : ` ${clean(because)}`;
  return `- ${signs[state]} ${state === 'passed' ? '' : `**${state}** · `}${clean(expectation)}: ${clean(finding)}${state === 'passed' ? '' : why}`;
}

function writeFailure({ cell, name, title, message, hint }: ReportFailure): string {
  const what = title ?? name ?? `a ${cell} cell`;
  const body = [...message.split('\n'), ...(hint === undefined ? [] : [`hint: ${hint}`])].map((line) => sanitize(line));
  const fence = '`'.repeat(Math.max(3, ...body.join('\n').match(/`+/g)?.map((run) => run.length + 1) ?? []));
  return `**✗ failed: ${clean(what)}**\n\n${fence}text\n${body.join('\n')}\n${fence}`;
}
