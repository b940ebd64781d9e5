import { errorIssue } from '../../../ask/outcome.ts';
import { InvalidInputError } from '../../../ask/sluice-error.ts';
import { shellWord } from '../../../ask/text.ts';
import { compareFigures, type FigureComparison } from '../../../tell/report/compare-figures.ts';
import { type ReportFigures, toFigures } from '../../../tell/report/report-figures.ts';
import type { Voice } from '../../process/voice.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { listKept, readFigures } from '../due/kept-figures.ts';
import { openReportRuns } from '../due/report-runs.ts';
import { openReport, type ReportFile } from '../report-files.ts';
import { answerReport } from './answer-report.ts';

/** Time and parameters of a run. */
export interface ComparedRun {
  /** The `name` of each parameter, and its value (`text`). */
  readonly params: readonly { readonly name: string; readonly text: string }[];
  /** IANA name of the zone of the report's days. */
  readonly zone: string;
  /** Its reference time, an ISO instant. */
  readonly asOf: string;
}

/**
 * The current figures of a report compared with its last run that was written or delivered, with the same parameters if
 * possible.
 */
export interface ReportDifference extends FigureComparison {
  /** Name of the report. */
  readonly name: string;
  /** The earlier run. */
  readonly before: ComparedRun;
  /** The report as it is now. */
  readonly after: ComparedRun;
}

/**
 * Answers a report and compares it with its last run. Writes nothing. Error: `no-earlier-run`, and what answering
 * throws.
 */
export async function diffReport(
  workspace: Workspace,
  file: ReportFile,
  { given, state }: { readonly given: ReadonlyMap<string, string>; readonly state?: string | undefined },
  voice: Voice,
): Promise<ReportDifference> {
  const runs = openReportRuns(file, workspace, state);
  const kept = await listKept(runs.figures);
  if (kept.length === 0) {
    const message = `There is no earlier run of ${file.shown} to compare with.`;
    const hint =
      'Only runs that were written to a file or delivered are kept. ' +
      `Run the report first: sluice report run ${shellWord(file.shown)} -o FILE`;
    throw new InvalidInputError(message, [errorIssue('no-earlier-run', message, { hint })], {
      code: 'no-earlier-run',
      hint,
    });
  }
  const read = await openReport(file);
  await using answered = await answerReport(file, read, given, workspace, voice);
  const earlier = await readFigures(kept, answered.report);
  const later = toFigures(answered.report);
  return { name: file.name, before: toRun(earlier), after: toRun(later), ...compareFigures(earlier, later) };
}

function toRun({ asOf, zone, params }: ReportFigures): ComparedRun {
  return { asOf, zone, params };
}
