import type { Issue, Span } from '../outcome.ts';
import { drawLine } from './draw-line.ts';
import { showText } from './show-text.ts';
import { writePath } from './write-path.ts';

export interface DrawOptions {
  /** The text that the spans point into. */
  readonly source?: string | undefined;
  readonly file?: string | undefined;
  /** Cells for the line of source; 100 where not set. */
  readonly width?: number | undefined;
}

/**
 * An issue for people, without colour and without a last line break:
 *
 * ```
 * queries/top.yaml:4:7  error  Unknown key "mesures".
 *   mesures: [TrackedEvents.count]
 *   ^^^^^^^
 *   hint: Did you mean "measures"?
 * ```
 *
 * Without a span or source the path stands instead: `error  query.filters[0].operator: …`.
 * Nothing in it is obeyed by a terminal, wherever the text came from.
 */
export function drawIssue(issue: Issue, options: DrawOptions = {}): string {
  const { source, file } = options;
  const lines = [];
  if (issue.span && source !== undefined) {
    lines.push(`${toPlace(file, issue.span)}  ${issue.severity}  ${showText(issue.message)}`);
    lines.push(...pointAt(source, issue.span, options.width ?? 100));
  } else {
    const place = file === undefined ? '' : `${toPlace(file, issue.span)}  `;
    const path = issue.path.length === 0 ? '' : `${showText(writePath(issue.path))}: `;
    lines.push(`${place}${issue.severity}  ${path}${showText(issue.message)}`);
  }
  if (issue.hint !== undefined) lines.push(`  hint: ${showText(issue.hint)}`);
  return lines.join('\n');
}

/** More than anybody reads: the count of the others says enough. */
const maxDrawn = 100;

/** The issues, one below the other; of more than a hundred, the first hundred and how many more there are. */
export function drawIssues(issues: readonly Issue[], options: DrawOptions = {}): string {
  const drawn = issues.slice(0, maxDrawn).map((issue) => drawIssue(issue, options));
  const others = issues.length - drawn.length;
  return [...drawn, ...(others > 0 ? [`… and ${others.toLocaleString('en-US')} more.`] : [])].join('\n');
}

function toPlace(file: string | undefined, span: Span | undefined): string {
  const name = file === undefined ? '' : showText(file);
  if (!span) return name;
  return `${name === '' ? '' : `${name}:`}${span.line}:${span.column}`;
}

function pointAt(source: string, span: Span, width: number): readonly string[] {
  const lineStart = span.start - (span.column - 1);
  const lineBreak = source.indexOf('\n', span.start);
  const line = source.slice(lineStart, lineBreak === -1 ? source.length : lineBreak).replace(/\r$/, '');
  const drawn = drawLine(line, span.start - lineStart, Math.min(span.end - lineStart, line.length), width);
  return [`  ${drawn.line}`, `  ${drawn.pointer}`];
}
