import { plural } from '../../ask/text.ts';
import { writeInstantLocal } from '../../ask/time/local-time.ts';
import { formatTime } from '../../shape/format/format-time.ts';
import type { Report, ReportBlock, ReportCell, ReportCheck } from './report.ts';

/** A failure or warning that comes first in a report, in one line. Not sanitized. */
interface Problem {
  readonly text: string;
  /** Index of the block, without counting prose. */
  readonly block: number;
}

export function toProblems({ blocks }: Pick<Report, 'blocks'>): readonly Problem[] {
  return blocks
    .filter((block) => block.kind !== 'prose')
    .flatMap((block, index) => problemsOf(block).map((text) => ({ text, block: index })));
}

function problemsOf(block: Exclude<ReportBlock, { readonly kind: 'prose' }>): readonly string[] {
  switch (block.kind) {
    case 'failure':
      return [`${nameOf(block)}: ${block.message.split('\n', 1)[0] ?? ''}`];
    case 'cell':
      return warningsOf(block).map((text) => `${nameOf(block)}: ${text}`);
    case 'checks':
      return block.checks.flatMap(({ state, expectation, finding }) =>
        state === 'passed' || state === 'not-judged'
          ? []
          : [`${state === 'failed' ? 'Expected' : 'Unknown'}: ${expectation}. ${finding}`],
      );
  }
}

/** The warnings of a cell: missing data and other alerts. */
export function warningsOf({ failures, alerts = [] }: Pick<ReportCell, 'failures' | 'alerts'>): readonly string[] {
  return [...failures, ...alerts];
}

/**
 * True if the report may be delivered with its problems listed first: every cell was answered, and no check with `stop`
 * failed. Usage without some projects, or with data that ends early, is reported in its cell.
 */
export function isDeliverable({ blocks }: Pick<Report, 'blocks'>): boolean {
  return blocks.every((block) => {
    if (block.kind === 'failure') return false;
    if (block.kind === 'cell') return block.cell === 'usage' || block.failures.length === 0;
    if (block.kind === 'checks')
      return block.checks.every(
        ({ state, severity }) => state !== 'unknown' && (state !== 'failed' || severity !== 'stop'),
      );
    return true;
  });
}

/** True if a failed check requires a notification. */
export function hasAlert({ blocks }: Pick<Report, 'blocks'>): boolean {
  return blocks.some(
    (block) =>
      block.kind === 'checks' && block.checks.some(({ state, severity }) => state === 'failed' && severity === 'alert'),
  );
}

/** The display name of a cell. */
export function nameOf({
  title,
  name,
  cell,
}: {
  readonly title?: string | undefined;
  readonly name?: string | undefined;
  readonly cell: string;
}): string {
  return title ?? name ?? `a ${cell} cell`;
}

/** `2 things in this report need attention`. */
export function describeProblems(problems: readonly Problem[]): string {
  return (
    `${problems.length} ${plural(problems.length, 'thing')}` +
    ` in this report ${plural(problems.length, 'needs', 'need')} attention`
  );
}

/** The parameters, reference time and zone of a report. Not sanitized. */
export function describeReport({ params, asOf, zone }: Pick<Report, 'params' | 'asOf' | 'zone'>): string {
  const given = params.map(({ title, text }) => `${title}: ${text}`);
  return [...given, `As of ${formatTime(writeInstantLocal(Date.parse(asOf), zone), 'minute')}`, `days in ${zone}`].join(
    ' · ',
  );
}

/** True if the prose starts with a heading, so no other title is needed. */
export function startsWithHeading({ blocks: [first] }: Pick<Report, 'blocks'>): boolean {
  return first?.kind === 'prose' && /^(?:#[ \t]|[^\n]+\n=+[ \t]*(?:\n|$))/.test(first.markdown.trimStart());
}

/** The expectation and finding of a check, and the reason if it did not pass. Not sanitized. */
export function describeCheck({ state, expectation, finding, because }: ReportCheck): string {
  return `${expectation}: ${finding}${state === 'passed' || because === undefined ? '' : ` ${because}`}`;
}
