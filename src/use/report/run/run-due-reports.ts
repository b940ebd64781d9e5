import type { Located } from '../../../ask/document/located.ts';
import { AbortedError, InvalidInputError, throwIfAborted, usageError } from '../../../ask/sluice-error.ts';
import { plural, shellWord } from '../../../ask/text.ts';
import { toSystemError } from '../../../run/file/system-error.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { toDelivery } from '../../../tell/delivery/delivery.ts';
import type { CellContent, FrontMatter, Notebook } from '../../../tell/notebook/notebook.ts';
import { writeCondition } from '../../../tell/notebook/read-alert.ts';
import type { Report } from '../../../tell/report/report.ts';
import { isDeliverable, warningsOf } from '../../../tell/report/summary.ts';
import { toFreshness } from '../../../tell/schedule/freshness.ts';
import { readSchedule } from '../../../tell/schedule/read-schedule.ts';
import { nextSlot } from '../../../tell/schedule/schedule-slots.ts';
import { planUsage } from '../../../tell/usage/usage-plan.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import type { Present } from '../../process/read-as-of.ts';
import { exitCodeOf, messageOf } from '../../process/report-error.ts';
import { showBytes, showPath } from '../../process/show-path.ts';
import type { Voice } from '../../process/voice.ts';
import { unwrap } from '../../workspace/refuse.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { zoneOfReport } from '../prepare-file.ts';
import { type DeliveredAll, deliverAll } from '../deliver/deliver-all.ts';
import type { DeliveryWorld } from '../deliver/outgoing.ts';
import { keepFigures, listKept } from '../due/kept-figures.ts';
import { openReportRuns, type ReportRuns, runAlone } from '../due/report-runs.ts';
import {
  type DueFound,
  findDue,
  mostSlots,
  runDue,
  type Scheduled,
  type SlotRun,
  type SlotTask,
} from '../due/run-due.ts';
import { type FinishedRun, tellStrange, toReasons } from '../due/record-file.ts';
import { judgeAlerts, judgeSchedule } from '../notice/judge-run.ts';
import { hasNotices } from '../notice/notice-box.ts';
import { sendNotices } from '../notice/send-notices.ts';
import { findReport, listReports, openReport, type ReportFile } from '../report-files.ts';
import { answerReport, exitCodeOfReport, reasonsOf, tellFailures } from './answer-report.ts';
import { datedName, deliveriesOf, deliveryWorld, notifiedOf, withNotified } from './report-deliveries.ts';
import { catchUpOf, inFolder, listen, scheduleOf, showInstant, tellBroken } from './tell-schedule.ts';

interface DueReport extends Scheduled {
  readonly file: ReportFile;
  readonly read: Located<Notebook> & { readonly ok: true };
  readonly runs: ReportRuns;
}

export interface RunDue {
  /** Names or files of reports (default: all with a schedule). */
  readonly names?: readonly string[] | undefined;
  /** Output place and formats, instead of those in the report. */
  readonly output?: string | undefined;
  readonly format?: readonly string[] | undefined;
  /** Also deliver reports with failures. */
  readonly force?: boolean | undefined;
  /** Folder of the run records (default: that of the settings). */
  readonly state?: string | undefined;
  readonly stdout: DeliveryWorld['stdout'];
  /** Called for errors of a report or slot; the others continue. */
  readonly onError: (error: unknown, name: string) => Promise<void>;
}

interface RunDueNow extends RunDue {
  /** Places that did not answer in this call. */
  readonly silent: Set<string>;
}

/** A run of a report's slot. */
export interface DueRun extends FinishedRun {
  readonly report: string;
}

export interface DueOutcome {
  /** The first exit code that is not 0. */
  readonly exit: ExitCode;
  /** One entry per slot that was run, in the order in which they ran. */
  readonly runs: readonly DueRun[];
  /**
   * The `report` and time of the earliest next `slot`, epoch milliseconds; undefined if something was due or nothing is
   * scheduled.
   */
  readonly next: { readonly report: string; readonly slot: number } | undefined;
}

/**
 * Runs and delivers all due slots, each with its own time as the reference time. An invalid report does not block
 * others, and neither does a name without a report. Throws `AbortedError`.
 */
export async function runDueReports(workspace: Workspace, asked: RunDue, voice: Voice): Promise<DueOutcome> {
  const { settings, cwd, clock, signal } = workspace;
  const present = workspace.asOf ?? clock;
  const { names = [] } = asked;
  const files: ReportFile[] = names.length > 0 ? [] : [...(await listReports(settings.reports.value, cwd))];
  const missing: { readonly named: string; readonly error: unknown }[] = [];
  for (const named of names)
    await findReport(named, settings.reports.value, cwd).then(
      (file) => files.push(file),
      (error: unknown) => missing.push({ named, error }),
    );
  const codes: ExitCode[] = [];
  const runs: DueRun[] = [];
  const waiting: DueReport[] = [];
  const silent = new Set<string>();
  for (const file of files) {
    throwIfAborted(signal);
    try {
      const due = await openDue(file, names.length > 0, workspace, asked);
      if (due === undefined) continue;
      waiting.push(due);
      const now = present(due.zone);
      const found = await findDue(due, { now, clock: clock() }, mostSlots);
      await warn(due, found, voice);
      if (found.slots.length === 0 && found.ahead === 0 && !(await hasNotices(due.runs))) continue;
      const { done, told } = await runOne(due, now, workspace, { ...asked, silent }, voice);
      if (found.slots.length === 0 && told === exitCodes.done) continue;
      const failed = done.find(({ exit }) => exit !== exitCodes.done)?.exit as ExitCode | undefined;
      codes.push(failed ?? told);
      runs.push(...done.map((run) => ({ ...run, report: file.name })));
    } catch (error) {
      if (error instanceof AbortedError) throw error;
      await asked.onError(error, file.name);
      codes.push(exitCodeOf(toSystemError(error) ?? error));
      await tellBroken(file, error, workspace, asked, voice).catch(async (other: unknown) => {
        if (other instanceof AbortedError) throw other;
        // Its records are often what broke the report.
        if (String(other) !== String(error)) await asked.onError(other, file.name);
      });
    }
  }
  for (const { named, error } of missing) {
    await asked.onError(error, named);
    codes.push(exitCodeOf(toSystemError(error) ?? error));
  }
  const exit = codes.find((code) => code !== exitCodes.done) ?? exitCodes.done;
  return { exit, runs, next: codes.length === 0 ? await tellNext(waiting, present, voice) : undefined };
}

/** Opens a report with its schedule; undefined if it has none and was not named. */
async function openDue(
  file: ReportFile,
  isNamed: boolean,
  workspace: Workspace,
  { state }: RunDue,
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
  const runs = openReportRuns(file, workspace, state);
  return {
    file,
    read,
    schedule: unwrap(readSchedule(schedule), 'The schedule'),
    zone: zoneOfReport(read.value.frontMatter, workspace.settings),
    catchUp: catchUpOf(read.value.frontMatter),
    records: runs.records,
    runs,
  };
}

async function runOne(
  due: DueReport,
  now: number,
  workspace: Workspace,
  asked: RunDueNow,
  voice: Voice,
): Promise<{ readonly done: readonly FinishedRun[]; readonly told: ExitCode }> {
  const outcome = await runAlone(due.runs.lock, async () => {
    const { records, strange } = await due.records.read();
    if (strange > 0) await voice.alert(tellStrange(due.records, strange));
    if (records.length === 0 && (await listKept(due.runs.figures)).length > 0)
      await voice.alert(
        `${due.records.path} has no runs, although ${due.file.name} ran before. ` +
          'Only its latest slot runs, perhaps again. Earlier slots that were missed or failed do not run.',
      );
    const { listening, heard, found } = listen(voice, asked.onError);
    const done: FinishedRun[] = [];
    for await (const finished of runDue(
      due,
      { now, clock: workspace.clock() },
      (task) => runSlot(due, task, now, workspace, { ...asked, onError: listening.onError }, listening.voice),
      { most: mostSlots, signal: workspace.signal },
    )) {
      done.push(finished);
      if (!finished.waiting) await voice.note(describeRun(due, finished));
    }
    await judgeSchedule(due.runs, {
      ...scheduleOf(due, now, workspace, found),
      finished: done,
      heard,
    });
    const told = await sendNotices(due.runs, deliveryWorld(workspace, { ...asked, force: false }), {
      cwd: workspace.cwd,
      voice,
    });
    return { done, told };
  });
  if ('done' in outcome) return outcome.done;
  await voice.alert(`${due.file.shown} is being run by ${outcome.holder}. Nothing was done.`);
  return { done: [], told: exitCodes.done };
}

/** Warns about the effects of a wrong clock before running. */
async function warn(
  { file, zone, records }: DueReport,
  { slots, more, skipped, ahead }: DueFound,
  voice: Voice,
): Promise<void> {
  const [first] = slots;
  const [from, to] = [skipped[0], skipped.at(-1)].map((slot) => slot !== undefined && showInstant(slot, zone));
  if (skipped.length > 0)
    await voice.alert(
      `${file.name} skips ${skipped.length} missed or failed ${plural(skipped.length, 'slot')}, ${from}` +
        `${from === to ? '' : ` to ${to}`} (catchUp in its front matter).`,
    );
  if (ahead > 0) {
    const they = plural(ahead, 'It does', 'They do');
    await voice.alert(
      `${records.path} has ${ahead} ${plural(ahead, 'run')} dated in the future: a clock was ahead. ` +
        `${they} not count as done.`,
    );
  }
  if (slots.length > 1) {
    const missed = `${slots.length - 1} ${plural(slots.length - 1, 'slot')}`;
    await voice.note(
      `${file.name} runs ${missed} late. ` +
        'Each run counts all events known now, including those that arrived after it was due.',
    );
  }
  if (more && first !== undefined) {
    await voice.alert(
      `More than ${mostSlots} slots of ${file.name} are due, from ${showInstant(first, zone)} on. ` +
        `This run does the first ${mostSlots}. Check the clock. If it is right, run the command again.`,
    );
  }
}

const noDelivery: DeliveredAll = { failures: [], bytes: 0, formats: [] };

/** Answers and delivers one slot of a report. Throws only to end the whole command. */
async function runSlot(
  { file, read, zone, schedule, runs }: DueReport,
  { slot, delivered, onDelivered }: SlotTask,
  now: number,
  workspace: Workspace,
  { output, format, force = false, stdout, onError, silent }: RunDueNow,
  voice: Voice,
): Promise<SlotRun> {
  const { settings, cwd, clock } = workspace;
  const { frontMatter } = read.value;
  const began = clock();
  // Several reports and slots share the output of a scheduler.
  const about = `${file.name} of ${showInstant(slot, zone)}`;
  const named: Voice = {
    note: (text) => voice.note(`${about}: ${text}`),
    alert: (text) => voice.alert(`${about}: ${text}`),
  };
  const end = (
    exit: ExitCode,
    settled: boolean,
    { bytes, formats, failures }: DeliveredAll = noDelivery,
    reasons: readonly string[] = [],
  ): SlotRun => ({
    started: new Date(began).toISOString(),
    elapsedMs: Math.round(clock() - began),
    bytes,
    exit,
    formats: [...formats],
    settled,
    ...toReasons([...failures, ...reasons]),
  });
  try {
    await using answered = await answerReport(
      file,
      read,
      new Map(),
      workspace.at(() => slot, workspace.signal),
      named,
    );
    const { report, alerts, cells } = answered;
    const deadline = force ? undefined : deadlineOf(report, frontMatter, slot);
    if (deadline !== undefined && now < deadline) {
      await voice.note(`${about} waits for fresh data until ${showInstant(deadline, zone)}: ${staleText(report)}`);
      return { ...end(exitCodes.done, false), waiting: true };
    }
    await tellFailures(report, file, named);
    await judgeAlerts(runs, report, {
      slot,
      times: { now, clock: clock() },
      base: datedName(file.name, slot, zone, schedule),
      command: inFolder(cwd, `sluice report run ${shellWord(file.shown)} --as-of ${new Date(slot).toISOString()}`),
      placesOf: (cell, { condition }) => {
        const own = alerts.find((one) => one.cell === cell.name && writeCondition(one.written) === condition);
        return own?.written.notify?.map(toDelivery) ?? notifiedOf(frontMatter, settings);
      },
    });
    const exit = exitCodeOfReport(report);
    const deliveries = deliveriesOf(frontMatter, settings, { output, format }, cwd);
    const mayGo = isDeliverable(report) || force;
    // A failed report may go into files, which can be replaced later. Messages cannot be taken back.
    const sent = await deliverAll(
      mayGo
        ? withNotified(deliveries, report, frontMatter, settings)
        : deliveries.filter(({ kind }) => kind === 'folder'),
      {
        report,
        base: datedName(file.name, slot, zone, schedule),
        subject: datedSubject(report.subject ?? report.title, datedName('', slot, zone, schedule).slice(1)),
        occasion: JSON.stringify([file.name, new Date(slot).toISOString()]),
      },
      deliveryWorld(workspace, { stdout, force }),
      { cwd, voice: { ...named, note: voice.note }, delivered, onDelivered: mayGo ? onDelivered : undefined, silent },
    );
    if (!mayGo) await named.alert('It is not delivered and stays due. To deliver it anyway, add --force.');
    else if (sent.failures.length === 0) {
      await keepFigures(runs.figures, report, named);
      await freezeMonths(cells, { slot, now, zone }, workspace, voice);
    }
    const isUndelivered = sent.failures.length > 0;
    const reasons = exit === exitCodes.done ? [] : reasonsOf(report, file);
    return end(mayGo && isUndelivered ? exitCodes.remote : exit, mayGo && !isUndelivered, sent, reasons);
  } catch (error) {
    if (error instanceof AbortedError) throw error;
    await onError(error, file.name);
    return end(exitCodeOf(toSystemError(error) ?? error), false, noDelivery, [messageOf(error)]);
  }
}

/**
 * Freezes the months of usage cells with `freeze: true`. Events between the slot and `now` show, too, that the data
 * reach the end of a month. Throws what `runUsage` throws.
 */
async function freezeMonths(
  cells: readonly CellContent[],
  { slot, now, zone }: { readonly slot: number; readonly now: number; readonly zone: string },
  workspace: Workspace,
  voice: Voice,
): Promise<void> {
  for (const cell of cells) {
    if (cell.cell !== 'usage' || !cell.freeze) continue;
    const { runUsage } = await import('../../usage/run-usage.ts');
    const { reported } = unwrap(planUsage({ month: cell.month, months: 1 }, { now: slot, zone }), 'The usage cell');
    const { froze } = await runUsage(
      workspace.at(() => (reported.range.end > slot ? slot : now), workspace.signal),
      { month: reported.month, months: 1, groups: cell.groups, timezone: zone, freeze: true },
    ).catch(async (error: unknown) => {
      // No later run could freeze it, so the slot is done.
      if (!(error instanceof InvalidInputError) || error.issues[0]?.code !== 'before-events') throw error;
      await voice.note(error.message);
      return { froze: undefined };
    });
    if (froze && froze.added.length > 0) await voice.note(`Froze ${showPath(froze.file, workspace.cwd)}.`);
  }
}

/** How long delivery waits for fresh data; undefined if the data is fresh, or freshness is not required. */
function deadlineOf({ blocks }: Report, { fresh }: FrontMatter, slot: number): number | undefined {
  const isLate = blocks.some((block) => block.kind === 'cell' && block.stale === true);
  return fresh === undefined || !isLate ? undefined : slot + toFreshness(fresh).wait;
}

function staleText({ blocks }: Report): string {
  return blocks.flatMap((block) => (block.kind === 'cell' && block.stale ? warningsOf(block) : []))[0] ?? '';
}

/** A subject that distinguishes the emails of several slots. */
function datedSubject(title: string, date: string): string {
  const clean = sanitize(title);
  return clean.includes(date) ? clean : `${clean} (${date})`;
}

function describeRun({ file, zone }: DueReport, { slot, elapsedMs, bytes, exit }: FinishedRun): string {
  return `${file.name} of ${showInstant(Date.parse(slot ?? ''), zone)}: ${(elapsedMs / 1000).toFixed(1)} s, ${showBytes(bytes)}, exit ${exit}.`;
}

async function tellNext(reports: readonly DueReport[], present: Present, voice: Voice): Promise<DueOutcome['next']> {
  const next = reports.flatMap(({ file, schedule, zone }) => {
    const slot = nextSlot(schedule, zone, present(zone));
    return slot === undefined
      ? []
      : [{ slot, report: file.name, text: `${file.name} at ${showInstant(slot, zone)} (${zone})` }];
  });
  const [first] = next.sort((a, b) => a.slot - b.slot);
  await voice.note(
    reports.length === 0
      ? 'No report has a schedule.'
      : `Nothing is due.${first === undefined ? '' : ` Next: ${first.text}.`}`,
  );
  return first && { report: first.report, slot: first.slot };
}
