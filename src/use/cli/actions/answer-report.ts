import { evaluateReport } from '../../../tell/evaluate/evaluate-report.ts';
import type { ReadNotebook } from '../../../tell/notebook/read-notebook.ts';
import type { Report, ReportFailure } from '../../../tell/report/report.ts';
import { warningsOf } from '../../../tell/report/summary.ts';
import type { OpenedSettings } from '../../config/open-settings.ts';
import { type ExitCode, exitCodeOfKind, exitCodes } from '../../process/exit-code.ts';
import { atPresentOf } from '../../report/at-present.ts';
import { prepareFile } from '../../report/prepare-file.ts';
import type { ReportFile } from '../../report/report-files.ts';
import { toPorts } from '../../report/report-surroundings.ts';
import { toUsagePort } from '../../usage/usage-port.ts';
import { unwrap } from '../../workspace/refuse.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter, type Reporter } from '../command/narrate.ts';
import { openReportSession } from '../command/open-report-session.ts';
import { openCommandSettings, remoteSurroundings } from '../command/open-workspace.ts';

/** A report, answered. What it holds may be drawn until it is disposed of. */
export interface AnsweredReport extends AsyncDisposable {
  readonly report: Report;
}

/**
 * Answers a report that was read, under settings that are open. Throws `InvalidInputError` where it cannot be used, and what opening a workspace
 * does.
 */
export async function answerReport(
  file: ReportFile,
  read: ReadNotebook,
  given: ReadonlyMap<string, string>,
  known: OpenedSettings,
  { flags, effects }: Invocation<object>,
): Promise<AnsweredReport> {
  const { cwd, signal } = effects;
  const backend = flags.backend ?? (read.ok ? read.value.frontMatter.backend : undefined);
  const ownFlags = backend === undefined ? flags : { ...flags, backend };
  // A report may name a backend of its own, whose settings are others.
  const settings = backend === flags.backend ? known : await openCommandSettings(ownFlags, effects);
  const opened = await openReportSession(ownFlags, effects, read.ok ? read.value : undefined, settings);
  try {
    const session = atPresentOf(opened, read);
    const outcome = await prepareFile(read, file, session, { given, signal, absent: 'fails' });
    const prepared = unwrap(outcome, `The report ${file.shown}`, { source: read.source, file: file.shown });
    const voice = toReporter(flags, effects);
    for (const { message } of outcome.issues) await voice.note(message);
    const usage = toUsagePort(session, { remote: remoteSurroundings(flags, effects, settings.root), cwd });
    const report = await evaluateReport(prepared, toPorts(session, usage), { name: file.name, signal });
    return { report, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}

export async function tellFailures({ blocks }: Report, { shown }: ReportFile, voice: Reporter): Promise<void> {
  for (const block of blocks) {
    if (block.kind === 'failure')
      await voice.alert(
        `Failed: ${block.title ?? block.name ?? `a ${block.cell} cell`}${placeOf(block, shown)}: ${block.message}${block.hint === undefined ? '' : ` ${block.hint}`}`,
      );
    if (block.kind === 'cell') for (const text of warningsOf(block)) await voice.alert(text);
    if (block.kind === 'checks')
      for (const { state, expectation, finding } of block.checks)
        if (state !== 'passed') await voice.alert(`Check ${state}: ${expectation}. ${finding}`);
  }
}

/** Where a cell's own text is to be mended. */
function placeOf({ place }: ReportFailure, shown: string): string {
  return place ? ` (${shown}:${place.line}:${place.column})` : '';
}

/**
 * A failed check counts more than a failed cell. Where nothing at all could be answered, the first failure says why.
 */
export function exitCodeOfReport({ blocks, status }: Report): ExitCode {
  if (status === 'failed-check') return exitCodes.failed;
  const failures = blocks.filter((block) => block.kind === 'failure');
  const [first] = failures;
  if (first && !blocks.some(({ kind }) => kind === 'cell')) return exitCodeOfKind[first.errorKind];
  const rejected = blocks.some(
    (block) =>
      block.kind === 'cell' &&
      (block.stale === true || block.parts.some(({ result }) => result.provenance.rejected.count > 0)),
  );
  return status === 'failed-cell' || rejected ? exitCodes.partial : exitCodes.done;
}
