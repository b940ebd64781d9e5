import type { Report } from '../../../tell/report/report.ts';
import { isDeliverable } from '../../../tell/report/summary.ts';
import { describeBoxes } from '../../chart/describe-boxes.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { exitCodeOf } from '../../process/report-error.ts';
import { showPath } from '../../process/show-path.ts';
import { openReportRuns } from '../../report/due/report-runs.ts';
import { runAlone } from '../../report/due/run-alone.ts';
import type { Envelope } from '../../report/envelope.ts';
import { placeReport } from '../../report/place-report.ts';
import { readGiven } from '../../report/read-given.ts';
import { findReport, openReport, type ReportFile } from '../../report/report-files.ts';
import { renderReport } from '../../report/report-format.ts';
import type { ReportRunFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toVoice, type Voice } from '../command/narrate.ts';
import { openCommandSettings } from '../command/open-workspace.ts';
import { makeOutputFolder } from '../command/output.ts';
import { answerReport, exitCodeOfReport, tellFailures } from './answer-report.ts';
import { deliverAll } from './deliver-all.ts';
import { datedName, deliveriesOf, deliveryWorld, withNotified } from './report-delivery.ts';
import { type Place, toEnvelope, toPlace, usageError } from './report-place.ts';
import { stateFolder } from './state-folder.ts';

/** `sluice report run`: a report, answered and written; with `--due`, what is due of all. */
export async function runReportRun(invocation: Invocation<ReportRunFlags>): Promise<ExitCode> {
  const { args, flags, effects } = invocation;
  if (flags.due) return (await import('./report-due.ts')).runReportDue(invocation);
  const [named, another] = args;
  if (named === undefined || another !== undefined) throw usageError(named === undefined ? 'It is not said which report to run.' : 'By hand, reports run one at a time.', 'Name one, such as `sluice report run overview`; several run with --due.');
  const given = readGiven(flags.param);
  const { settings, root } = await openCommandSettings(flags, effects);
  const file = await findReport(named, settings.reports.value, effects.cwd);
  const place = await toPlace(flags, file, effects);
  const runs = openReportRuns(file, stateFolder(flags, settings, effects.cwd), { reports: settings.reports.value, root });
  const voice = toVoice(flags, effects);
  const started = effects.now();
  const note = async (ended: Ended) => {
    const record = { kind: 'run' as const, slot: null, started: new Date(started).toISOString(), elapsedMs: Math.round(effects.now() - started), settled: false, ...ended };
    // The report is there all the same.
    await runs.records.append(record).catch((error: unknown) => voice.note(`This run is not written down: ${error instanceof Error ? error.message : String(error)}`));
    return ended.exit;
  };
  const run = async () => {
    try {
      return await note(await runByHand(place, { file, given }, invocation));
    } catch (error) {
      await note({ exit: exitCodeOf(error), bytes: 0, formats: [] });
      throw error;
    }
  };
  if (place.kind === 'stdout' && !flags.deliver) return run();
  const outcome = await runAlone(runs.lock, run);
  if ('done' in outcome) return outcome.done;
  await voice.alert(`${file.shown} is being run by ${outcome.holder}: nothing was done.`);
  return exitCodes.done;
}

interface Ended {
  readonly exit: ExitCode;
  readonly bytes: number;
  readonly formats: string[];
}

interface ByHand {
  readonly file: ReportFile;
  readonly given: ReadonlyMap<string, string>;
}

async function runByHand(place: Place, { file, given }: ByHand, invocation: Invocation<ReportRunFlags>): Promise<Ended> {
  const { flags, effects } = invocation;
  const read = await openReport(file);
  const envelope = await toEnvelope(flags, formatsOf(place));
  await using answered = await answerReport(file, read, given, flags, effects);
  const { report } = answered;
  const voice = toVoice(flags, effects);
  const written = await writeReport(report, { ...place, envelope }, invocation, voice);
  await tellFailures(report, file, voice);
  const ended: Ended = { exit: exitCodeOfReport(report), ...written };
  if (!flags.deliver || !read.ok) return ended;
  if (!isDeliverable(report) && !flags.force) {
    await voice.alert('The report has failures, and is not delivered. To deliver it as it is: --force');
    return ended;
  }
  const opened = await openCommandSettings(flags, effects);
  const sent = await deliverAll(withNotified(deliveriesOf(read.value.frontMatter, opened.settings, {}, effects.cwd), report, read.value.frontMatter, opened.settings), {
    report, base: datedName(file.name, Date.parse(report.asOf), report.zone), occasion: JSON.stringify([file.name, report.asOf, report.params.map(({ name, text }) => [name, text])]),
  }, deliveryWorld(opened, flags, effects), { cwd: effects.cwd, voice });
  return { exit: sent.failed === 0 ? ended.exit : exitCodes.remote, bytes: ended.bytes + sent.bytes, formats: [...new Set([...ended.formats, ...sent.formats])] };
}

function formatsOf(place: Place): readonly string[] {
  return place.kind === 'none' ? [] : place.kind === 'stdout' ? [place.format] : place.files.map(({ format }) => format);
}

async function writeReport(report: Report, place: Place & { readonly envelope: Envelope | undefined }, { effects }: Invocation<ReportRunFlags>, voice: Voice): Promise<Omit<Ended, 'exit'>> {
  if (place.kind === 'none') return { bytes: 0, formats: [] };
  if (place.kind === 'stdout') {
    const { main, missing = [] } = await renderReport(report, place.format, { base: undefined, envelope: place.envelope });
    await effects.stdout.write(main);
    if (missing.length > 0) await voice.alert(describeBoxes(missing));
    return { bytes: Buffer.byteLength(main), formats: [place.format] };
  }
  if (place.folder !== undefined) await makeOutputFolder(place.folder);
  const placed = await placeReport(report, place, effects.signal);
  for (const { path: written, kept, missing = [] } of placed) {
    if (missing.length > 0) await voice.alert(describeBoxes(missing));
    if (kept) await voice.alert(`The report has failures, and the older one stays: see ${showPath(written, effects.cwd)}. To replace it: --force`);
    else await voice.note(`Wrote ${showPath(written, effects.cwd)}.`);
  }
  return { bytes: placed.reduce((sum, { bytes }) => sum + bytes, 0), formats: place.files.map(({ format }) => format) };
}
