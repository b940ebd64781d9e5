import { sanitize, sanitizeLines } from '../../show/labels/sanitize.ts';
import { escapeMarkdown } from '../../show/text/markdown-cell.ts';
import type { Report, ReportAlert, ReportCell, ReportFigure, ReportNotice, ReportPart } from './report.ts';
import { nameOf } from './summary.ts';
import { fenceAround } from '../notebook/write-notebook.ts';

interface NoticeText {
  readonly title: string;
  /** Paragraphs of plain text. */
  readonly text: readonly string[];
  readonly figures?: readonly ReportFigure[];
  readonly command: NoticeCommand;
  readonly notice: ReportNotice;
}

/** A shell command to type. */
export interface NoticeCommand {
  readonly command: string;
  /** What it does, as in `To see it`. */
  readonly purpose: string;
}

/** Identifies an alert within its report. */
export function aboutOf({ name = '' }: Pick<ReportCell, 'name'>, { condition }: ReportAlert): string {
  return `${name}: ${condition}`;
}

/** The notice that an alert was raised or cleared: its figure, the parts of its cell, and the command that shows it. */
export function toAlertNotice(
  report: Report,
  cell: ReportCell,
  alert: ReportAlert & { readonly state: 'raised' | 'clear' },
  command: string,
): Report {
  const { condition, finding, because, text, value, state } = alert;
  const what = nameOf(cell);
  const isRaised = state === 'raised';
  const told = toNotice(report, {
    title: `${isRaised ? 'Alert' : 'Recovered'}: ${what} (${condition}): ${text}`,
    text: [
      `${
        isRaised ? `${what} meets the condition ${condition}.` : `${what} no longer meets the condition ${condition}.`
      } ${finding}`,
      ...(isRaised && because !== undefined ? [because] : []),
    ],
    figures: [
      {
        path: `${cell.name ?? what}: ${condition}`,
        text,
        value,
        provenance: cell.parts[0]?.result.provenance,
      },
    ],
    command: { command, purpose: 'To see it' },
    notice: { about: aboutOf(cell, alert), state, value },
  });
  const parts = toShownParts(cell.parts);
  if (parts.length === 0) return told;
  const { alerts: _alerts, watched: _watched, ...shown } = cell;
  return {
    ...told,
    blocks: [...told.blocks.slice(0, 1), { ...shown, parts, footnotes: [] }, ...told.blocks.slice(1)],
  };
}

/** Prefers a picture: the chart of the cell, or one of its rows over time. */
function toShownParts(parts: readonly ReportPart[]): readonly ReportPart[] {
  const drawn = parts.filter(({ kind }) => kind !== 'table');
  if (drawn.length > 0) return drawn;
  return parts.slice(0, 1).map((part) =>
    part.result.columns.some(({ kind }) => kind === 'time')
      ? {
          kind: 'chart',
          result: part.result,
          preference: undefined,
          annotations: [],
        }
      : part,
  );
}

export interface ScheduleFacts {
  /** Paragraphs: what happened, and the messages of errors. */
  readonly why: readonly string[];
  /** Where and when: names of facts, and what they are. */
  readonly facts: readonly (readonly [name: string, fact: string])[];
  readonly command: NoticeCommand;
}

/** The notice that a schedule failed, is late, or recovered. */
export function toScheduleNotice(
  report: Pick<Report, 'name' | 'title' | 'asOf' | 'zone'>,
  state: Exclude<ReportNotice['state'], 'raised'>,
  { why, facts, command }: ScheduleFacts,
): Report {
  const word = state === 'failed' ? 'Failed' : state === 'late' ? 'Late' : 'Recovered';
  return toNotice(
    { ...report, params: [] },
    {
      title: `${word}: ${report.title}`,
      text: [...why, facts.map(([name, fact]) => `${name}: ${sanitize(fact)}`).join('\n')],
      command,
      notice: { about: 'schedule', state, value: null },
    },
  );
}

function toNotice(
  { name, asOf, zone, params }: Pick<Report, 'name' | 'asOf' | 'zone' | 'params'>,
  { title, text, figures = [], command, notice }: NoticeText,
): Report {
  const paragraphs = text.map((one) => sanitizeLines(one.trimEnd()));
  const toType = { what: `${command.purpose}:`, command: sanitize(command.command) };
  return {
    name,
    title: sanitize(title),
    params,
    asOf,
    zone,
    blocks: [
      { kind: 'prose', markdown: `${paragraphs.map(toMarkdown).join('\n\n')}\n`, figures },
      {
        kind: 'prose',
        markdown: `\n${toType.what}\n\n${fenced(toType.command, 'sh')}\n`,
        figures: [],
      },
    ],
    status: 'good',
    notice: { ...notice, text: [...paragraphs, `${toType.what}\n${toType.command}`] },
  };
}

/** Keeps the lines of a message as they are: an error points to a place below the line. */
function toMarkdown(paragraph: string): string {
  return paragraph.includes('\n') ? fenced(paragraph) : escapeMarkdown(paragraph);
}

function fenced(text: string, language = ''): string {
  const fence = fenceAround(text);
  return `${fence}${language}\n${text}\n${fence}`;
}
