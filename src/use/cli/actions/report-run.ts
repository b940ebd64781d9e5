import type { Report } from '../../../tell/report/report.ts';
import { isDeliverable } from '../../../tell/report/summary.ts';
import { describeMissingGlyphs } from '../../chart/missing-glyphs.ts';
import type { OpenedSettings } from '../../config/open-settings.ts';
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
import { toReporter, type Reporter } from '../command/narrate.ts';
import { openCommandSettings } from '../command/open-workspace.ts';
import { makeOutputFolder } from '../../../run/file/make-folder.ts';
import { answerReport, exitCodeOfReport, tellFailures } from './answer-report.ts';
import { deliverAll } from './deliver-all.ts';
import { datedName, deliveriesOf, deliveryWorld, withNotified } from './report-delivery.ts';
import { type ReportLocation, toEnvelope, toPlace, usageError } from './report-place.ts';
import { stateFolder } from './state-folder.ts';

/** `sluice report run`: a report, answered and written; with `--due`, what is due of all. */
export async function runReportRun(invocation: Invocation<ReportRunFlags>): Promise<ExitCode> {
  const { args, flags, effects } = invocation;
  if (flags.due) return (await import('./report-due.ts')).runReportDue(invocation);
  const [named, another] = args;
  if (named === undefined || another !== undefined)
    throw usageError(
      named === undefined ? 'Specify a report.' : 'Only one report can be run at a time.',
      'Specify one report, such as `sluice report run overview`, or run scheduled reports with --due.',
    );
  const given = readGiven(flags.param);
  const opened = await openCommandSettings(flags, effects);
  const { settings, root } = opened;
  const file = await findReport(named, settings.reports.value, effects.cwd);
  const place = await toPlace(flags, file, effects);
  const runs = openReportRuns(file, stateFolder(flags, settings, effects.cwd), {
    reports: settings.reports.value,
    root,
  });
  const voice = toReporter(flags, effects);
  const started = effects.now();
  const note = async (ended: Ended) => {
    const record = {
      kind: 'run' as const,
      slot: null,
      started: new Date(started).toISOString(),
      elapsedMs: Math.round(effects.now() - started),
      settled: false,
      ...ended,
    };
    // The report is there all the same.
    await runs.records
      .append(record)
      .catch((error: unknown) =>
        voice.note(`This run was not recorded: ${error instanceof Error ? error.message : String(error)}`),
      );
    return ended.exit;
  };
  const run = async () => {
    try {
      return await note(await runByHand(place, { file, given, opened }, invocation));
    } catch (error) {
      await note({ exit: exitCodeOf(error), bytes: 0, formats: [] });
      throw error;
    }
  };
  if (place.kind === 'stdout' && !flags.deliver) return run();
  const outcome = await runAlone(runs.lock, run);
  if ('done' in outcome) return outcome.done;
  await voice.alert(`${file.shown} is being run by ${outcome.holder}. Nothing was done.`);
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
  readonly opened: OpenedSettings;
}

async function runByHand(
  place: ReportLocation,
  { file, given, opened }: ByHand,
  invocation: Invocation<ReportRunFlags>,
): Promise<Ended> {
  const { flags, effects } = invocation;
  const read = await openReport(file);
  const envelope = await toEnvelope(flags, formatsOf(place));
  await using answered = await answerReport(file, read, given, opened, invocation);
  const { report } = answered;
  const voice = toReporter(flags, effects);
  const written = await writeReport(report, { ...place, envelope }, invocation, voice);
  await tellFailures(report, file, voice);
  const ended: Ended = { exit: exitCodeOfReport(report), ...written };
  if (!flags.deliver || !read.ok) return ended;
  if (!isDeliverable(report) && !flags.force) {
    await voice.alert('The report has failures and is not delivered. To deliver it anyway, add --force.');
    return ended;
  }
  const sent = await deliverAll(
    withNotified(
      deliveriesOf(read.value.frontMatter, opened.settings, {}, effects.cwd),
      report,
      read.value.frontMatter,
      opened.settings,
    ),
    {
      report,
      base: datedName(file.name, Date.parse(report.asOf), report.zone),
      occasion: JSON.stringify([file.name, report.asOf, report.params.map(({ name, text }) => [name, text])]),
    },
    deliveryWorld(opened, flags, effects),
    { cwd: effects.cwd, voice },
  );
  return {
    exit: sent.failed === 0 ? ended.exit : exitCodes.remote,
    bytes: ended.bytes + sent.bytes,
    formats: [...new Set([...ended.formats, ...sent.formats])],
  };
}

function formatsOf(place: ReportLocation): readonly string[] {
  return place.kind === 'none'
    ? []
    : place.kind === 'stdout'
      ? [place.format]
      : place.files.map(({ format }) => format);
}

async function writeReport(
  report: Report,
  place: ReportLocation & { readonly envelope: Envelope | undefined },
  { effects }: Invocation<ReportRunFlags>,
  voice: Reporter,
): Promise<Omit<Ended, 'exit'>> {
  if (place.kind === 'none') return { bytes: 0, formats: [] };
  if (place.kind === 'stdout') {
    const { main, missing = [] } = await renderReport(report, place.format, {
      base: undefined,
      envelope: place.envelope,
    });
    await effects.stdout.write(main);
    if (missing.length > 0) await voice.alert(describeMissingGlyphs(missing));
    return { bytes: Buffer.byteLength(main), formats: [place.format] };
  }
  if (place.folder !== undefined) await makeOutputFolder(place.folder);
  const placed = await placeReport(report, place, effects.signal);
  for (const { path: written, kept, missing = [] } of placed) {
    if (missing.length > 0) await voice.alert(describeMissingGlyphs(missing));
    if (kept)
      await voice.alert(
        `The report has failures. The previous report is kept. See ${showPath(written, effects.cwd)}. To replace it: --force`,
      );
    else await voice.note(`Wrote ${showPath(written, effects.cwd)}.`);
  }
  return { bytes: placed.reduce((sum, { bytes }) => sum + bytes, 0), formats: place.files.map(({ format }) => format) };
}
