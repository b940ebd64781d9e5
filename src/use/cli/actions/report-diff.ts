import { plural } from '../../../ask/text.ts';
import { writeInstantLocal } from '../../../ask/time/local-time.ts';
import { formatTime } from '../../../shape/format/format-time.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { toSafeJson } from '../../../show/text/json-value.ts';
import type { FigureChange } from '../../../tell/report/compare-figures.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { readGiven } from '../../report/run/report-place.ts';
import { findReport } from '../../report/report-files.ts';
import { type ComparedRun, diffReport, type ReportDifference } from '../../report/run/diff-report.ts';
import type { ReportDiffFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/reporter.ts';
import { openCommandWorkspace } from '../command/open-workspace.ts';

/** `sluice report diff`: the figures that changed since the last run that was written or delivered. */
export async function runReportDiff({ args, flags, effects }: Invocation<ReportDiffFlags>): Promise<ExitCode> {
  const given = readGiven(flags.param);
  const workspace = await openCommandWorkspace(flags, effects);
  const file = await findReport(args[0] ?? '', workspace.settings.reports.value, effects.cwd);
  const found = await diffReport(workspace, file, { given, state: flags.state }, toReporter(flags, effects));
  await effects.stdout.write(flags.format === 'json' ? `${toSafeJson(found)}\n` : drawDifference(found));
  if (found.notCompared.length > 0) return exitCodes.partial;
  return found.changes.length > 0 ? exitCodes.failed : exitCodes.done;
}

function drawDifference({ name, before, after, changes, notCompared }: ReportDifference): string {
  const lines = [`${sanitize(name)} ${show(after)}, compared with ${show(before)}`];
  let cell: string | undefined;
  for (const change of changes) {
    if (change.cell !== cell) lines.push('', sanitize(change.cell));
    cell = change.cell;
    lines.push(drawChange(change));
  }
  for (const failed of notCompared) lines.push('', `${sanitize(failed)}: failed in one of the runs, not compared.`);
  const count = changes.length;
  lines.push('', count === 0 ? 'No figure changed.' : `${count} ${plural(count, 'figure')} changed.`);
  return `${lines.join('\n')}\n`;
}

const signs = { added: '+', removed: '-', changed: '~' } as const;

function drawChange({ change, row, label, difference, texts }: FigureChange): string {
  const where = row.map((one) => `${sanitize(one.label)} ${sanitize(one.text)}`).join(', ');
  const [before, after, less] = [texts.before, texts.after, texts.difference].map(sanitize);
  const grew = difference !== null && !String(difference).startsWith('-');
  const told =
    change === 'added'
      ? after
      : change === 'removed'
        ? before
        : `${before} → ${after}${difference === null ? '' : ` (${grew ? '+' : ''}${less})`}`;
  return `  ${signs[change]} ${where === '' ? '' : `${where}: `}${sanitize(label)} ${told}`;
}

function show({ asOf, zone, params }: ComparedRun): string {
  const given = params.map(({ name, text }) => `${name} ${text}`).join(', ');
  const time = formatTime(writeInstantLocal(Date.parse(asOf), zone), 'minute');
  return sanitize(`as of ${time} (${zone}${given === '' ? '' : `, ${given}`})`);
}
