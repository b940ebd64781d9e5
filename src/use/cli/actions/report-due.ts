import type { Located } from '../../../ask/document/located.ts';
import { AbortedError, throwIfAborted } from '../../../ask/sluice-error.ts';
import { plural } from '../../../ask/text.ts';
import { writeInstantLocal } from '../../../ask/time/local-time.ts';
import { formatTime } from '../../../shape/format/format-time.ts';
import type { Notebook } from '../../../tell/notebook/notebook.ts';
import { isDeliverable } from '../../../tell/report/summary.ts';
import { readSchedule } from '../../../tell/schedule/read-schedule.ts';
import { nextSlot } from '../../../tell/schedule/schedule-slots.ts';
import type { OpenedSettings } from '../../config/open-settings.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import type { Present } from '../../process/read-as-of.ts';
import { reportError } from '../../process/report-error.ts';
import { showBytes } from '../../process/show-path.ts';
import { zoneOfReport } from '../../report/at-present.ts';
import { openReportRuns } from '../../report/due/report-runs.ts';
import { runAlone } from '../../report/due/run-alone.ts';
import {
  type DueFound,
  findDue,
  mostSlots,
  runDue,
  type Scheduled,
  type SlotRun,
  type SlotTask,
} from '../../report/due/run-due.ts';
import type { FinishedRun } from '../../report/due/run-record.ts';
import { findReport, listReports, openReport, type ReportFile } from '../../report/report-files.ts';
import { unwrap } from '../../workspace/refuse.ts';
import type { ReportRunFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter, type Reporter } from '../command/narrate.ts';
import { openCommandSettings, presentOf } from '../command/open-workspace.ts';
import { answerReport, exitCodeOfReport, tellFailures } from './answer-report.ts';
import { deliverAll } from './deliver-all.ts';
import { datedName, deliveriesOf, deliveryWorld, withNotified } from './report-delivery.ts';
import { usageError } from './report-place.ts';
import { stateFolder } from './state-folder.ts';

interface DueReport extends Scheduled {
  readonly file: ReportFile;
  readonly read: Located<Notebook> & { readonly ok: true };
  readonly lock: string;
}

/**
 * `sluice report run --due`: all that is due since it last was done, each slot with itself as the present. A report
 * that cannot be used holds up no other one. The exit code is the first that is not 0.
 */
export async function runReportDue(invocation: Invocation<ReportRunFlags>): Promise<ExitCode> {
  const { args, flags, effects } = invocation;
  if (flags.param !== undefined)
    throw usageError(
      '--due does not accept --param. Scheduled reports use the default parameters as of the time they are due.',
      'Remove --param or --due.',
    );
  if ([flags.to, flags.from, flags.subject].some((given) => given !== undefined))
    throw usageError(
      'Scheduled reports are delivered as the report specifies, including emails.',
      'Write `deliver: [{email: team@example.org}]` in its front matter.',
    );
  const opened = await openCommandSettings(flags, effects);
  const { settings } = opened;
  const present = presentOf(flags, effects) ?? effects.now;
  const files =
    args.length > 0
      ? await Promise.all(args.map((named) => findReport(named, settings.reports.value, effects.cwd)))
      : await listReports(settings.reports.value, effects.cwd);
  const codes: ExitCode[] = [];
  const waiting: DueReport[] = [];
  for (const file of files) {
    throwIfAborted(effects.signal);
    try {
      const due = await openDue(file, args.length > 0, opened, invocation);
      if (due === undefined) continue;
      waiting.push(due);
      const now = present(due.zone);
      const found = await findDue(due, { now, clock: effects.now() }, mostSlots);
      await warn(due, found, toReporter(flags, effects));
      if (found.slots.length > 0) codes.push(await runOne(due, now, opened, invocation));
    } catch (error) {
      if (error instanceof AbortedError) throw error;
      codes.push(await reportError(error, effects));
    }
  }
  if (codes.length === 0) await tellNext(waiting, present, toReporter(flags, effects));
  return codes.find((code) => code !== exitCodes.done) ?? exitCodes.done;
}

/** A report with its schedule; undefined where it has none and was not named. */
async function openDue(
  file: ReportFile,
  isNamed: boolean,
  { settings, root }: OpenedSettings,
  { flags, effects }: Invocation<ReportRunFlags>,
): Promise<DueReport | undefined> {
  const read = await openReport(file);
  if (!read.ok) throw unwrap(read, `The report ${file.shown}`, { source: read.source, file: file.shown });
  const { schedule } = read.value.frontMatter;
  if (schedule === undefined && !isNamed) return undefined;
  if (schedule === undefined)
    throw usageError(
      `${file.shown} has no schedule.`,
      'Add a schedule to its front matter: `schedule: monthly on day 1 at 06:00`.',
    );
  const { records, lock } = openReportRuns(file, stateFolder(flags, settings, effects.cwd), {
    reports: settings.reports.value,
    root,
  });
  return {
    file,
    read,
    schedule: unwrap(readSchedule(schedule), 'The schedule'),
    zone: zoneOfReport(read.value.frontMatter, settings),
    records,
    lock,
  };
}

async function runOne(
  due: DueReport,
  now: number,
  opened: OpenedSettings,
  invocation: Invocation<ReportRunFlags>,
): Promise<ExitCode> {
  const { flags, effects } = invocation;
  const voice = toReporter(flags, effects);
  const outcome = await runAlone(due.lock, async () => {
    const { strange } = await due.records.read();
    if (strange > 0)
      await voice.alert(
        `${due.records.path} has ${strange} ${plural(strange, 'line')} that cannot be read. They are ignored.`,
      );
    let code: ExitCode = exitCodes.done;
    for await (const finished of runDue(
      due,
      { now, clock: effects.now() },
      (task) => runSlot(due, task, opened, invocation),
      { most: mostSlots, signal: effects.signal },
    )) {
      if (code === exitCodes.done) code = finished.exit as ExitCode;
      await voice.note(describeRun(due, finished));
    }
    return code;
  });
  if ('done' in outcome) return outcome.done;
  await voice.alert(`${due.file.shown} is being run by ${outcome.holder}. Nothing was done.`);
  return exitCodes.done;
}

/** What a clock that goes wrong does, before it is done. */
async function warn(
  { file, zone, records }: DueReport,
  { slots, more, ahead }: DueFound,
  voice: Reporter,
): Promise<void> {
  const [first] = slots;
  if (ahead > 0) {
    const they = plural(ahead, 'It does', 'They do');
    await voice.alert(
      `${records.path} has ${ahead} ${plural(ahead, 'run')} dated in the future: a clock was ahead. ${they} not count as done.`,
    );
  }
  if (slots.length > 1) {
    const missed = `${slots.length - 1} ${plural(slots.length - 1, 'slot')}`;
    await voice.note(
      `${file.name} runs ${missed} late. Each run counts all events known now, including those that arrived after it was due.`,
    );
  }
  if (more && first !== undefined) {
    await voice.alert(
      `More than ${mostSlots} slots of ${file.name} are due, from ${showInstant(first, zone)} on. This run does the first ${mostSlots}. Check the clock. If it is right, run the command again.`,
    );
  }
}

/** One report of one slot, answered and delivered. Only the end of the whole command is thrown. */
async function runSlot(
  { file, read, zone, schedule }: DueReport,
  { slot, delivered, onDelivered }: SlotTask,
  opened: OpenedSettings,
  { flags, effects }: Invocation<ReportRunFlags>,
): Promise<SlotRun> {
  const began = effects.now();
  const end = (exit: ExitCode, settled: boolean, bytes = 0, formats: readonly string[] = []): SlotRun => ({
    started: new Date(began).toISOString(),
    elapsedMs: Math.round(effects.now() - began),
    bytes,
    exit,
    formats: [...formats],
    settled,
  });
  try {
    const voice = toReporter(flags, effects);
    const atSlot: GlobalFlags = { ...flags, asOf: new Date(slot).toISOString() };
    await using answered = await answerReport(file, read, new Map(), opened, {
      args: [],
      flags: atSlot,
      effects,
    });
    const { report } = answered;
    await tellFailures(report, file, voice);
    const exit = exitCodeOfReport(report);
    const deliveries = deliveriesOf(read.value.frontMatter, opened.settings, flags, effects.cwd);
    const mayGo = isDeliverable(report) || flags.force === true;
    // Files can be replaced by better ones. What is sent is gone.
    const sent = await deliverAll(
      mayGo
        ? withNotified(deliveries, report, read.value.frontMatter, opened.settings)
        : deliveries.filter(({ kind }) => kind === 'folder'),
      {
        report,
        base: datedName(file.name, slot, zone, schedule),
        occasion: JSON.stringify([file.name, new Date(slot).toISOString()]),
      },
      deliveryWorld(opened, flags, effects),
      { cwd: effects.cwd, voice, delivered, onDelivered: mayGo ? onDelivered : undefined },
    );
    if (!mayGo) await voice.alert('It is not delivered and stays due. To deliver it anyway, add --force.');
    return end(
      mayGo && sent.failed > 0 ? exitCodes.remote : exit,
      mayGo && sent.failed === 0,
      sent.bytes,
      sent.formats,
    );
  } catch (error) {
    if (error instanceof AbortedError) throw error;
    return end(await reportError(error, effects), false);
  }
}

function describeRun({ file, zone }: DueReport, { slot, elapsedMs, bytes, exit }: FinishedRun): string {
  return `${file.name} of ${showInstant(Date.parse(slot ?? ''), zone)}: ${(elapsedMs / 1000).toFixed(1)} s, ${showBytes(bytes)}, exit ${exit}.`;
}

async function tellNext(reports: readonly DueReport[], present: Present, voice: Reporter): Promise<void> {
  const next = reports.flatMap(({ file, schedule, zone }) => {
    const slot = nextSlot(schedule, zone, present(zone));
    return slot === undefined ? [] : [{ slot, text: `${file.name} at ${showInstant(slot, zone)} (${zone})` }];
  });
  const [first] = next.sort((a, b) => a.slot - b.slot);
  await voice.note(
    reports.length === 0
      ? 'No report has a schedule.'
      : `Nothing is due.${first === undefined ? '' : ` Next: ${first.text}.`}`,
  );
}

function showInstant(instant: number, zone: string): string {
  return formatTime(writeInstantLocal(instant, zone), 'minute');
}
