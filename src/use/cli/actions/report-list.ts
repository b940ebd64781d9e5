import { drawIssues } from '../../../ask/document/draw-issue.ts';
import { plural } from '../../../ask/text.ts';
import { writeInstantLocal } from '../../../ask/time/local-time.ts';
import { formatTime } from '../../../shape/format/format-time.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { showPath } from '../../process/show-path.ts';
import { type CheckedReport, checkReports } from '../../report/run/check-reports.ts';
import { type ListedReport, listStates, type ReportResult } from '../../report/run/list-states.ts';
import type { ReportListFlags, ReportCheckFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/reporter.ts';
import { openCommandWorkspace, openWorkspace } from '../command/open-workspace.ts';
import { alignColumns } from '../command/align-columns.ts';
import { sumUpIssues } from './analysis-files.ts';

/** `sluice report list`: the next runs, and the results of the last ones. */
export async function runReportList({ flags, effects }: Invocation<ReportListFlags>): Promise<ExitCode> {
  const workspace = await openCommandWorkspace(flags, effects);
  const reports = await listStates(workspace, flags.state);
  if (flags.format === 'json') await effects.stdout.write(`${JSON.stringify(reports, null, 2)}\n`);
  else await effects.stdout.write(alignColumns(reports.map(toCells)) + reports.map(drawRaised).join(''));
  const reporter = toReporter(flags, effects);
  if (reports.length === 0)
    await reporter.note(
      `There are no reports in ${showPath(workspace.settings.reports.value, effects.cwd)}. ` +
        'To write one, run: sluice report new',
    );
  const problems = reports.flatMap(({ problem }) => problem ?? []);
  for (const problem of problems) await reporter.alert(problem);
  return problems.length === 0 ? exitCodes.done : exitCodes.partial;
}

function toCells({ name, ok, next, zone, due, dueSince, last, problem }: ListedReport): readonly string[] {
  const slot = next === undefined ? 'no schedule' : `next ${show(next, zone)} (${zone})`;
  const open = dueSince === undefined ? '' : `, ${due} ${plural(due, 'slot')} due since ${show(dueSince, zone)}`;
  if (!ok) return [sanitize(name), 'cannot be read: run sluice report check', ''];
  return [
    sanitize(name),
    slot + open,
    last
      ? `last ${show(last.slot ?? last.started, zone)}: ${tell(last)}`
      : problem === undefined
        ? 'never ran'
        : 'its runs cannot be read',
  ];
}

const results: Readonly<Record<number, string>> = {
  [exitCodes.done]: 'done',
  [exitCodes.remote]: 'not delivered',
  [exitCodes.partial]: 'incomplete',
};

function tell({ exit, waiting, slot, settled, reasons: [reason] = [] }: ReportResult): string {
  if (waiting) return 'waits for fresh data';
  // A report with a failed check may be delivered. Otherwise its question or files may have failed as well.
  const failed = settled ? 'a check failed' : 'failed';
  const result = exit === exitCodes.failed ? failed : (results[exit] ?? `failed (exit ${exit})`);
  const again = slot !== null && !settled ? ', to be run again' : '';
  return `${result}${again}${reason === undefined ? '' : `: ${sanitize(reason.split('\n')[0] ?? '')}`}`;
}

function drawRaised({ name, raised }: ListedReport): string {
  return raised.map((about) => `Alert raised in ${sanitize(name)}: ${sanitize(about)}\n`).join('');
}

function show(instant: string, zone: string): string {
  return formatTime(writeInstantLocal(Date.parse(instant), zone), 'minute');
}

/** `sluice report check`: lists every problem of every file. */
export async function runReportCheck({ args, flags, effects }: Invocation<ReportCheckFlags>): Promise<ExitCode> {
  const workspace = await openWorkspace(flags, effects);
  const { session, settings, cwd } = workspace;
  await using _closed = session;
  const checked = await checkReports(session, args, workspace);
  await effects.stdout.write(flags.format === 'json' ? writeIssues(checked) : drawAll(checked));
  const { text, code } = sumUpIssues(checked, 'report', flags);
  await toReporter(flags, effects).note(
    checked.length === 0
      ? `There are no reports in ${showPath(settings.reports.value, cwd)}. ` +
          'For the file format, run: sluice schema report'
      : text,
  );
  return code;
}

function drawAll(checked: readonly CheckedReport[]): string {
  return checked
    .filter(({ issues }) => issues.length > 0)
    .map(({ file, source, issues }) => `${drawIssues(issues, { file, source })}\n`)
    .join('\n');
}

/** One object for each file: its name, and its issues with positions. */
function writeIssues(checked: readonly CheckedReport[]): string {
  return `${JSON.stringify(
    checked.map(({ file, ok, issues }) => ({ file, ok, issues })),
    null,
    2,
  )}\n`;
}
