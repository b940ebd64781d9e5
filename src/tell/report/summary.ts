import { plural } from '../../ask/text.ts';
import { writeInstantLocal } from '../../ask/time/local-time.ts';
import { formatTime } from '../../shape/format/format-time.ts';
import type { Report, ReportBlock, ReportCell, ReportCheck } from './report.ts';

/** What a reader must know before all else: what failed, each in a line. Texts are not sanitized. */
interface Alarm {
  readonly text: string;
  /** Number of the block among those that are no prose. */
  readonly block: number;
}

export function toAlarms({ blocks }: Pick<Report, 'blocks'>): readonly Alarm[] {
  return blocks
    .filter((block) => block.kind !== 'prose')
    .flatMap((block, index) => alarmsOf(block).map((text) => ({ text, block: index })));
}

function alarmsOf(block: Exclude<ReportBlock, { readonly kind: 'prose' }>): readonly string[] {
  switch (block.kind) {
    case 'failure':
      return [`${nameOf(block)}: ${block.message.split('\n', 1)[0] ?? ''}`];
    case 'cell':
      return warningsOf(block).map((text) => `${nameOf(block)}: ${text}`);
    case 'checks':
      return block.checks.flatMap(({ state, expectation, finding }) =>
        state === 'passed' ? [] : [`${state === 'failed' ? 'Expected' : 'Unknown'}: ${expectation}. ${finding}`],
      );
  }
}

/** What a reader of a cell must know first: what is missing, and what else is to be said before the figures. */
export function warningsOf({ failures, alerts = [] }: Pick<ReportCell, 'failures' | 'alerts'>): readonly string[] {
  return [...failures, ...alerts];
}

/**
 * The report may go to its readers, with what is wrong with it said first: every cell was answered, and no check failed
 * that stops it. Usage without some projects, or of data that end too early, says so in its place.
 */
export function isDeliverable({ blocks }: Pick<Report, 'blocks'>): boolean {
  return blocks.every((block) => {
    if (block.kind === 'failure') return false;
    if (block.kind === 'cell') return block.cell === 'usage' || block.failures.length === 0;
    if (block.kind === 'checks')
      return block.checks.every(
        ({ state, severity }) => state === 'passed' || (state === 'failed' && severity !== 'stop'),
      );
    return true;
  });
}

/** A check failed that somebody is to be notified of. */
export function hasAlert({ blocks }: Pick<Report, 'blocks'>): boolean {
  return blocks.some(
    (block) =>
      block.kind === 'checks' && block.checks.some(({ state, severity }) => state === 'failed' && severity === 'alert'),
  );
}

/** What people call a cell. */
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

/** `2 things need attention in this report`. */
export function tellAlarms(alarms: readonly Alarm[]): string {
  return `${alarms.length} ${plural(alarms.length, 'thing')} in this report ${plural(alarms.length, 'needs', 'need')} attention`;
}

/** What holds for the whole of a report: its parameters, its present, its zone. Not sanitized. */
export function describeReport({ params, asOf, zone }: Pick<Report, 'params' | 'asOf' | 'zone'>): string {
  const given = params.map(({ title, text }) => `${title}: ${text}`);
  return [...given, `As of ${formatTime(writeInstantLocal(Date.parse(asOf), zone), 'minute')}`, `days in ${zone}`].join(
    ' · ',
  );
}

/** Whether a report's own prose begins with its heading, so that no other one needs to stand above it. */
export function startsWithHeading({ blocks: [first] }: Pick<Report, 'blocks'>): boolean {
  return first?.kind === 'prose' && /^(?:#[ \t]|[^\n]+\n=+[ \t]*(?:\n|$))/.test(first.markdown.trimStart());
}

/** What a check expected and found; of one that did not pass, also why it matters. Not sanitized. */
export function tellCheck({ state, expectation, finding, because }: ReportCheck): string {
  return `${expectation}: ${finding}${state === 'passed' || because === undefined ? '' : ` ${because}`}`;
}
