import { SluiceError } from '../../../ask/sluice-error.ts';
import { evaluateReport } from '../../../tell/evaluate/evaluate-report.ts';
import type { ReadNotebook } from '../../../tell/notebook/read-notebook.ts';
import type { Report, ReportFailure } from '../../../tell/report/report.ts';
import { warningsOf } from '../../../tell/report/summary.ts';
import type { Effects } from '../../process/effects.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import { exitCodeOf } from '../../process/report-error.ts';
import { atPresentOf } from '../../report/at-present.ts';
import { prepareFile } from '../../report/prepare-file.ts';
import type { ReportFile } from '../../report/report-files.ts';
import { toPorts } from '../../report/report-surroundings.ts';
import { toUsagePort } from '../../usage/usage-port.ts';
import { valueOf } from '../../workspace/refuse.ts';
import { toVoice, type Voice } from '../command/narrate.ts';
import { openReportSession } from '../command/open-report-session.ts';
import { openCommandSettings, remoteSurroundings } from '../command/open-workspace.ts';

/** A report, answered. What it holds may be drawn until it is disposed of. */
export interface AnsweredReport extends AsyncDisposable {
  readonly report: Report;
}

/** Answers a report that was read. Throws `InvalidInputError` where it cannot be used, and what opening a workspace does. */
export async function answerReport(file: ReportFile, read: ReadNotebook, given: ReadonlyMap<string, string>, flags: GlobalFlags, effects: Effects): Promise<AnsweredReport> {
  const { cwd, signal } = effects;
  const { root } = await openCommandSettings(flags, effects);
  const backend = flags.backend ?? (read.ok ? read.value.frontMatter.backend : undefined);
  const opened = await openReportSession(backend === undefined ? flags : { ...flags, backend }, effects, read.ok ? read.value : undefined);
  try {
    const session = atPresentOf(opened, read);
    const outcome = await prepareFile(read, file, session, { given, signal, absent: 'fails' });
    const prepared = valueOf(outcome, `The report ${file.shown}`, { source: read.source, file: file.shown });
    const voice = toVoice(flags, effects);
    for (const { message } of outcome.issues) await voice.note(message);
    const usage = toUsagePort(session, { remote: remoteSurroundings(flags, effects, root), cwd });
    const report = await evaluateReport(prepared, toPorts(session, usage), { name: file.name, signal });
    return { report, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}

export async function tellFailures({ blocks }: Report, { shown }: ReportFile, voice: Voice): Promise<void> {
  for (const block of blocks) {
    if (block.kind === 'failure') await voice.alert(`Failed: ${block.title ?? block.name ?? `a ${block.cell} cell`}${placeOf(block, shown)}: ${block.message}${block.hint === undefined ? '' : ` ${block.hint}`}`);
    if (block.kind === 'cell') for (const text of warningsOf(block)) await voice.alert(text);
    if (block.kind === 'checks') for (const { state, expectation, finding } of block.checks) if (state !== 'passed') await voice.alert(`Check ${state}: ${expectation}. ${finding}`);
  }
}

/** Where a cell's own text is to be mended. */
function placeOf({ place }: ReportFailure, shown: string): string {
  return place ? ` (${shown}:${place.line}:${place.column})` : '';
}

/** A failed check counts more than a failed cell. Where nothing at all could be answered, the first failure says why. */
export function exitCodeOfReport({ blocks, status }: Report): ExitCode {
  if (status === 'failed-check') return exitCodes.failed;
  const failures = blocks.filter((block) => block.kind === 'failure');
  const [first] = failures;
  if (first && !blocks.some(({ kind }) => kind === 'cell')) return exitCodeOf(new SluiceError(first.message, { code: first.code }));
  const rejected = blocks.some((block) => block.kind === 'cell' && (block.stale === true || block.parts.some(({ result }) => result.provenance.rejected.count > 0)));
  return status === 'failed-cell' || rejected ? exitCodes.partial : exitCodes.done;
}
