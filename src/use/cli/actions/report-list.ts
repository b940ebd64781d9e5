import { plural } from '../../../ask/text.ts';
import { writeInstantLocal } from '../../../ask/time/local-time.ts';
import { formatTime } from '../../../shape/format/format-time.ts';
import { cellWidth, padToCells } from '../../../show/labels/cell-width.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { showPath } from '../../process/show-path.ts';
import { type ListedReport, listStates, type ReportResult } from '../../report/run/list-states.ts';
import type { ReportListFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/narrate.ts';
import { openCommandWorkspace } from '../command/open-workspace.ts';

/** `sluice report list`: what runs next, and how the last runs went. */
export async function runReportList({ flags, effects }: Invocation<ReportListFlags>): Promise<ExitCode> {
  const workspace = await openCommandWorkspace(flags, effects);
  const reports = await listStates(workspace, flags.state);
  if (flags.format === 'json') await effects.stdout.write(`${JSON.stringify(reports, null, 2)}\n`);
  else await effects.stdout.write(drawLines(reports.map(toCells)) + reports.map(drawRaised).join(''));
  if (reports.length === 0)
    await toReporter(flags, effects).note(
      `There are no reports in ${showPath(workspace.settings.reports.value, effects.cwd)}. To write one, run: sluice report new`,
    );
  return exitCodes.done;
}

function toCells({ name, ok, next, zone, due, last }: ListedReport): readonly string[] {
  const slot = next === undefined ? 'no schedule' : `next ${show(next, zone)} (${zone})`;
  const open = due === 0 ? '' : `, ${due} ${plural(due, 'slot')} due`;
  if (!ok) return [sanitize(name), 'cannot be read: run sluice report check', ''];
  return [
    sanitize(name),
    slot + open,
    last ? `last ${show(last.slot ?? last.started, zone)}: ${tell(last)}` : 'never ran',
  ];
}

const results: Readonly<Record<number, string>> = {
  [exitCodes.done]: 'done',
  [exitCodes.failed]: 'a check failed',
  [exitCodes.remote]: 'not delivered',
  [exitCodes.partial]: 'incomplete',
};

function tell({ exit, waiting, slot, settled }: ReportResult): string {
  if (waiting) return 'waits for fresh data';
  const result = results[exit] ?? `failed (exit ${exit})`;
  return slot !== null && !settled ? `${result}, to be run again` : result;
}

function drawRaised({ name, raised }: ListedReport): string {
  return raised.map((about) => `Alert raised in ${sanitize(name)}: ${sanitize(about)}\n`).join('');
}

function drawLines(rows: readonly (readonly string[])[]): string {
  const widths = [0, 1].map((column) => Math.max(0, ...rows.map((row) => cellWidth(row[column] ?? ''))));
  const pad = (text: string, column: number) => padToCells(text, widths[column] ?? cellWidth(text), 'left');
  return rows.map((row) => `${row.map(pad).join('  ').trimEnd()}\n`).join('');
}

function show(instant: string, zone: string): string {
  return formatTime(writeInstantLocal(Date.parse(instant), zone), 'minute');
}
