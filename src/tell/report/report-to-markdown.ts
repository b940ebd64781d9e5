import type { Result } from '../../shape/result/result.ts';
import { toShownText } from '../../show/chart/names.ts';
import { toNotes } from '../../show/labels/notes.ts';
import { sanitize } from '../../show/labels/sanitize.ts';
import { escapeMarkdown } from '../../show/text/markdown-cell.ts';
import { writeMarkdown } from '../../show/text/write-markdown.ts';
import { describeSource } from './describe-source.ts';
import { type ChartPart, isShownAsTable } from './draw-part.ts';
import type { ReportPictures } from './report-pictures.ts';
import type { Report, ReportBlock, ReportCell, ReportCheck, ReportFailure, ReportPart } from './report.ts';
import { describeReport, nameOf, startsWithHeading, describeProblems, toProblems, warningsOf } from './summary.ts';
import { fenceAround } from '../notebook/write-notebook.ts';

/**
 * Escapes an escaped text for the start of a line of Markdown: it starts no list, rule or heading, and is no quick
 * action (`/close`), which platforms would run.
 */
export function escapeStart(text: string): string {
  return text
    .replace(/^([-+=])(?=[-+=\s]|$)/, '\\$1')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
    .replace(/^\//, '\\/');
}

const clean = (text: string) => escapeMarkdown(sanitize(text));

/** The pictures of a report, and the folder that contains them. */
export interface PictureFiles {
  readonly pictures: ReportPictures;
  readonly folder: string;
}

/**
 * A report as Markdown. Without pictures, the figures of a chart become a table. Text from events is escaped. Equal
 * reports give equal text.
 */
export function writeReportMarkdown(report: Report, beside?: PictureFiles): string {
  const { title, description, blocks } = report;
  const head = startsWithHeading(report) ? [] : [`# ${clean(title)}`];
  if (head.length > 0 && description !== undefined) head.push(escapeStart(clean(description)));
  const written = [
    writeProblems(report),
    ...head,
    ...blocks.map((block) => writeBlock(block, beside)),
    `---`,
    `*${clean(describeReport(report))}*`,
  ];
  return (
    written
      .map((text) => text.trimEnd().replace(/^(?:[ \t]*\r?\n)+/, ''))
      .filter((text) => text !== '')
      .join('\n\n') + '\n'
  );
}

function writeProblems(report: Report): string {
  const problems = toProblems(report);
  return problems.length === 0
    ? ''
    : [`**${describeProblems(problems)}**`, '', ...problems.map(({ text }) => `- ${clean(text)}`)]
        .map((line) => `> ${line}`.trimEnd())
        .join('\n');
}

function writeBlock(block: ReportBlock, beside: PictureFiles | undefined): string {
  switch (block.kind) {
    case 'prose':
      return block.markdown;
    case 'cell':
      return writeCell(block, beside);
    case 'checks':
      return [...titled(block.title), block.checks.map(writeCheck).join('\n')].join('\n\n');
    case 'failure':
      return writeFailure(block);
  }
}

function writeCell(cell: ReportCell, beside: PictureFiles | undefined): string {
  const { title, description, parts, footnotes } = cell;
  const texts = parts.map((part) => (part.kind === 'chart' ? writeChart(part, parts, beside) : writePart(part)));
  const warnings = warningsOf(cell).map((text) => `- ⚠ ${clean(text)}`);
  const asides = footnotes.map((text) => `- ${clean(text)}`);
  const sources = [...new Set(parts.map(({ result }) => `*${clean(describeSource(result))}*`))];
  const shown =
    parts.length === 0 && asides.length === 0 && warnings.length === 0
      ? []
      : [...titled(title), ...(description === undefined ? [] : [escapeStart(clean(description))])];
  return [...shown, warnings.join('\n'), ...texts, asides.join('\n'), ...sources]
    .filter((text) => text.trim() !== '')
    .join('\n\n');
}

/** A chart without a picture becomes a table. */
function writeChart(part: ChartPart, parts: readonly ReportPart[], beside: PictureFiles | undefined): string {
  const picture = beside?.pictures.get(part);
  if (picture && 'name' in picture) {
    // A table has its own notes. Notes in a picture are not read aloud, and only alerts are large enough to be seen
    // there.
    const inPicture = (text: string) => picture.chart.notes.includes(toShownText(text));
    const notes = isShownAsTable(part, parts)
      ? []
      : toNotes(part.result.provenance).filter(({ text, alert }) => !alert || !inPicture(text));
    return [
      `![${clean(picture.words)}](${toAddress(beside?.folder ?? '')}/${picture.name})`,
      ...(notes.length === 0 ? [] : [notes.map(({ text }) => `- ${clean(text)}`).join('\n')]),
    ].join('\n\n');
  }
  const why = picture && 'why' in picture ? [`*${clean(picture.why)}*`] : [];
  return [...why, ...(isShownAsTable(part, parts) ? [] : [writeTable(part.result)])].join('\n\n');
}

/** The URL of a folder with any name. */
function toAddress(folder: string): string {
  return encodeURIComponent(folder).replace(/[()!'*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
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
  const lines = stats.map(({ label, text, previous, note }) => {
    const beside =
      previous === undefined
        ? note === undefined
          ? ''
          : ` (${clean(note)})`
        : ` (${[`${clean(previous.label)}: ${clean(previous.text)}`, clean(previous.changePercent)].filter(Boolean).join(', ')})`;
    return `- ${clean(label)}: **${clean(text)}**${beside}`;
  });
  // A different bullet starts a separate list.
  const notes = toNotes(result.provenance).map(({ text }) => `* ${clean(text)}`);
  return [lines.join('\n'), ...(notes.length > 0 ? [notes.join('\n')] : [])].join('\n\n');
}

const signs = { passed: '✓', failed: '✗', unknown: '?', 'not-judged': '–' } as const;

function writeCheck({ state, expectation, finding, because }: ReportCheck): string {
  const why = because === undefined ? '' : ` ${clean(because)}`;
  return `- ${signs[state]} ${state === 'passed' ? '' : `**${state.replace('-', ' ')}** · `}${clean(expectation)}: ${clean(finding)}${state === 'passed' ? '' : why}`;
}

function writeFailure({ cell, name, title, message, hint }: ReportFailure): string {
  const what = nameOf({ title, name, cell });
  const lines = [...message.split('\n'), ...(hint === undefined ? [] : [`hint: ${hint}`])];
  const body = lines.map(sanitize).join('\n');
  const fence = fenceAround(body);
  return `**✗ failed: ${clean(what)}**\n\n${fence}text\n${body}\n${fence}`;
}
