import { day } from '../../../ask/time/granularity.ts';
import { makeOutputFolder } from '../../../run/file/make-folder.ts';
import type { Report } from '../../../tell/report/report.ts';
import { isDeliverable } from '../../../tell/report/summary.ts';
import { describeMissingGlyphs } from '../../chart/missing-glyphs.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { exitCodeOf, messageOf } from '../../process/report-error.ts';
import { showPath } from '../../process/show-path.ts';
import type { Voice } from '../../process/voice.ts';
import { storeToAsk } from '../../workspace/store-to-ask.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { deliverAll } from '../deliver/deliver-all.ts';
import type { DeliveryWorld } from '../deliver/outgoing.ts';
import { keepFigures } from '../due/kept-figures.ts';
import { toReasons } from '../due/record-file.ts';
import { openReportRuns, type ReportRuns, runAlone } from '../due/report-runs.ts';
import type { Envelope } from '../envelope.ts';
import { placeReport } from '../place-report.ts';
import { openReport, type ReportFile } from '../report-files.ts';
import { renderReport } from '../report-format.ts';
import { answerReport, exitCodeOfReport, reasonsOf, tellFailures } from './answer-report.ts';
import { datedName, deliveriesOf, deliveryWorld, printingOf, withNotified } from './report-deliveries.ts';
import { formatsOf, type ReportLocation } from './report-place.ts';

export interface RunReport {
  readonly place: ReportLocation;
  /** Values of parameters, as text. */
  readonly given: ReadonlyMap<string, string>;
  /** Headers of an email. */
  readonly envelope?: Envelope | undefined;
  /** Deliver as the front matter or the configuration specifies. */
  readonly deliver?: boolean | undefined;
  /** Replace and deliver even if the report has failures. */
  readonly force?: boolean | undefined;
  /** Folder of the run records (default: that of the settings). */
  readonly state?: string | undefined;
  readonly stdout: DeliveryWorld['stdout'];
}

export interface ReportRun {
  /** Exit code for a command. */
  readonly exit: ExitCode;
  /** Undefined if another process is running the report; then nothing was done. */
  readonly report: Report | undefined;
  readonly holder?: string | undefined;
  /** Total size of files and messages. */
  readonly bytes: number;
  readonly formats: readonly string[];
  /**
   * Absolute paths. `kept`: this report has failures, so the earlier file was kept and this one was written to `path`.
   */
  readonly files: readonly { readonly path: string; readonly kept: boolean }[];
}

/**
 * Answers a report, writes it to its place, and delivers it if asked. Runs of a report never overlap, and each is
 * recorded. Throws `InvalidInputError` if the report is invalid, and what questions and writing throw.
 */
export async function runReport(
  workspace: Workspace,
  file: ReportFile,
  asked: RunReport,
  voice: Voice,
): Promise<ReportRun> {
  const { clock } = workspace;
  const runs = openReportRuns(file, workspace, asked.state);
  const started = clock();
  const note = async (
    { exit, bytes, formats }: Pick<ReportRun, 'exit' | 'bytes' | 'formats'>,
    reasons: readonly string[],
  ) => {
    const record = {
      kind: 'run' as const,
      slot: null,
      started: new Date(started).toISOString(),
      elapsedMs: Math.round(clock() - started),
      settled: false,
      exit,
      bytes,
      formats: [...formats],
      ...toReasons(reasons),
    };
    // The report itself succeeded.
    await runs.records
      .append(record)
      .catch((error: unknown) => voice.note(`This run was not recorded: ${messageOf(error)}`));
  };
  const run = async () => {
    try {
      const ended = await answerAndWrite(workspace, file, runs, asked, voice);
      await note(ended, ended.reasons);
      return ended;
    } catch (error) {
      await note({ exit: exitCodeOf(error), bytes: 0, formats: [] }, [messageOf(error)]);
      throw error;
    }
  };
  if (asked.place.kind === 'stdout' && !asked.deliver) return run();
  const outcome = await runAlone(runs.lock, run);
  if ('done' in outcome) return outcome.done;
  const { holder } = outcome;
  await voice.alert(`${file.shown} is being run by ${holder}. Nothing was done.`);
  return { exit: exitCodes.done, report: undefined, holder, bytes: 0, formats: [], files: [] };
}

async function answerAndWrite(
  workspace: Workspace,
  file: ReportFile,
  { figures }: ReportRuns,
  asked: RunReport,
  voice: Voice,
): Promise<ReportRun & { readonly reasons: readonly string[] }> {
  const { place, given, envelope, deliver, force = false, stdout } = asked;
  const { settings, cwd } = workspace;
  const read = await openReport(file);
  // Fail before the questions are answered, which may take long.
  if (formatsOf(place).includes('pdf')) await (await import('../print-pdf.ts')).findBrowser(printingOf(workspace));
  await using answered = await answerReport(file, read, given, workspace, voice);
  const { report } = answered;
  const written = await writeReport(report, { ...place, envelope }, asked, workspace, voice);
  await tellFailures(report, file, voice);
  await noteLateEvents(report, workspace, voice);
  if (written.files.some(({ kept }) => !kept)) await keepFigures(figures, report, voice);
  const exit = exitCodeOfReport(report);
  const reasons = exit === exitCodes.done ? [] : reasonsOf(report, file);
  const ended = { exit, reasons, report, ...written };
  if (!deliver || !read.ok) return ended;
  if (!isDeliverable(report) && !force) {
    await voice.alert('The report has failures and is not delivered. To deliver it anyway, add --force.');
    return ended;
  }
  const { frontMatter } = read.value;
  const sent = await deliverAll(
    withNotified(deliveriesOf(frontMatter, settings, {}, cwd), report, frontMatter, settings),
    {
      report,
      base: datedName(file.name, Date.parse(report.asOf), report.zone),
      occasion: JSON.stringify([file.name, report.asOf, report.params.map(({ name, text }) => [name, text])]),
    },
    deliveryWorld(workspace, { stdout, force }),
    { cwd, voice },
  );
  if (sent.failures.length === 0) await keepFigures(figures, report, voice);
  return {
    ...ended,
    exit: sent.failures.length === 0 ? exit : exitCodes.remote,
    reasons: [...sent.failures, ...reasons],
    bytes: ended.bytes + sent.bytes,
    formats: [...new Set([...ended.formats, ...sent.formats])],
  };
}

async function writeReport(
  report: Report,
  place: ReportLocation & { readonly envelope: Envelope | undefined },
  { stdout }: RunReport,
  workspace: Workspace,
  voice: Voice,
): Promise<Pick<ReportRun, 'bytes' | 'formats' | 'files'>> {
  const { cwd } = workspace;
  const printing = printingOf(workspace);
  if (place.kind === 'none') return { bytes: 0, formats: [], files: [] };
  if (place.kind === 'stdout') {
    const { main, missing = [] } = await renderReport(report, place.format, {
      base: undefined,
      envelope: place.envelope,
      printing,
    });
    await stdout.write(main);
    if (missing.length > 0) await voice.alert(describeMissingGlyphs(missing));
    return { bytes: Buffer.byteLength(main), formats: [place.format], files: [] };
  }
  if (place.folder !== undefined) await makeOutputFolder(place.folder);
  const placed = await placeReport(report, place, printing);
  for (const { path: written, kept, missing = [] } of placed) {
    if (missing.length > 0) await voice.alert(describeMissingGlyphs(missing));
    if (kept)
      await voice.alert(
        `The report has failures. The previous report is kept. See ${showPath(written, cwd)}. To replace it: --force`,
      );
    else await voice.note(`Wrote ${showPath(written, cwd)}.`);
  }
  return {
    bytes: placed.reduce((sum, { bytes }) => sum + bytes, 0),
    formats: place.files.map(({ format }) => format),
    files: placed.map(({ path, kept }) => ({ path, kept })),
  };
}

/** Notes late events outside the report: the same events must always give the same bytes. */
async function noteLateEvents(report: Report, { settings, asOf, clock }: Workspace, voice: Voice): Promise<void> {
  if (asOf === undefined || settings.knownAt.value !== undefined || Date.parse(report.asOf) + day > clock()) return;
  const store = (await storeToAsk(settings)) === undefined ? '' : ' To count only what the store had then: --known-at.';
  await voice.note(
    `The report counts all events known now, including those that arrived after ${report.asOf.slice(0, 10)}.${store}`,
  );
}
