import { shellWord } from '../../../ask/text.ts';
import { writeInstantLocal, writeWithOffset } from '../../../ask/time/local-time.ts';
import { toInstant, toLocal } from '../../../ask/time/zone.ts';
import { formatTime } from '../../../shape/format/format-time.ts';
import type { FrontMatter, Notebook } from '../../../tell/notebook/notebook.ts';
import type { NoticeCommand } from '../../../tell/report/notice.ts';
import { readSpan } from '../../../tell/schedule/freshness.ts';
import { exitCodes } from '../../process/exit-code.ts';
import { exitCodeOf, messageOf } from '../../process/report-error.ts';
import { thisMachine } from '../../process/this-process.ts';
import type { Voice } from '../../process/voice.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { DeliveryWorld } from '../deliver/outgoing.ts';
import { openReportRuns, runAlone } from '../due/report-runs.ts';
import { judgeSchedule } from '../notice/judge-run.ts';
import { sendNotices } from '../notice/send-notices.ts';
import { openReport, type ReportFile } from '../report-files.ts';
import { datedName, deliveryWorld, notifiedOf } from './report-deliveries.ts';
import { titleOf } from './schedule-report.ts';
import { zoneOf } from '../../config/settings.ts';

/** Default delay after which an undelivered report counts as late. */
const usualLate = '2h';

interface TimedReport {
  readonly file: ReportFile;
  readonly read: { readonly value: Notebook };
  readonly zone: string;
}

type OnError = (error: unknown, name: string) => Promise<void>;

/** A voice that also records alerts, as reasons for notices. */
export function listen(voice: Voice, onError: OnError) {
  const heard: string[] = [];
  const found = { isInvalid: false };
  const listening = {
    voice: {
      note: voice.note,
      alert: async (text: string) => {
        heard.push(text);
        await voice.alert(text);
      },
    },
    onError: async (error: unknown, name: string) => {
      heard.push(messageOf(error));
      found.isInvalid ||= exitCodeOf(error) === exitCodes.wrongInput;
      await onError(error, name);
    },
  };
  return { listening, heard, found };
}

/** How many missed or failed slots run later; undefined means all. */
export function catchUpOf({ catchUp }: Pick<FrontMatter, 'catchUp'>): number | undefined {
  return catchUp === 'latest' ? 1 : catchUp === 'all' ? undefined : catchUp;
}

/** The facts about a report that `judgeSchedule` needs. */
export function scheduleOf(
  { file, read, zone }: TimedReport,
  now: number,
  { settings, root, cwd }: Workspace,
  { isInvalid }: { readonly isInvalid: boolean },
) {
  const { title, late, notify } = read.value.frontMatter;
  return {
    report: {
      name: file.name,
      title: titleOf(title, file.name),
      asOf: new Date(now).toISOString(),
      zone,
    },
    now,
    late: readSpan(late ?? usualLate) ?? 0,
    show: (slot: number) => showInstant(slot, zone),
    to: notifiedOf({ notify }, settings),
    base: datedName(file.name, now, zone),
    facts: factsOf(file, root),
    commands: {
      failed: isInvalid
        ? checkOf(file, cwd)
        : {
            purpose: 'To run it again now',
            command: inFolder(cwd, `sluice report run --due ${shellWord(file.shown)}`),
          },
      other: { purpose: 'To see its runs', command: inFolder(cwd, 'sluice report list') },
    },
  };
}

/** Where a report runs: a team has many machines, and copies of a workspace. */
function factsOf({ shown }: ReportFile, root: string) {
  return [
    ['Report', shown],
    ['Machine', thisMachine],
    ['Workspace', root],
  ] as const;
}

function checkOf({ shown }: ReportFile, cwd: string): NoticeCommand {
  return { purpose: 'To see what is wrong', command: inFolder(cwd, `sluice report check ${shellWord(shown)}`) };
}

/** A command with its folder, for people who read it elsewhere. */
export function inFolder(folder: string, command: string): string {
  return `cd ${shellWord(folder)} && ${command}`;
}

/** Notifies the configured receivers that a report is invalid. */
export async function tellBroken(
  file: ReportFile,
  error: unknown,
  workspace: Workspace,
  asked: {
    readonly state?: string | undefined;
    readonly stdout: DeliveryWorld['stdout'];
  },
  voice: Voice,
): Promise<void> {
  const { settings, cwd, root } = workspace;
  const runs = openReportRuns(file, workspace, asked.state);
  const read = await openReport(file);
  const to = notifiedOf((read.ok ? read.value : read.whatIsThere)?.frontMatter ?? {}, settings);
  if (to.length === 0) return;
  const zone = zoneOf(settings);
  const now = (workspace.asOf ?? workspace.clock)(zone);
  await runAlone(runs.lock, async () => {
    await judgeSchedule(runs, {
      report: {
        name: file.name,
        title: file.name,
        asOf: new Date(now).toISOString(),
        zone,
      },
      finished: [],
      heard: [messageOf(error)],
      isBroken: true,
      now,
      late: 0,
      show: (slot) => showInstant(slot, zone),
      to,
      base: datedName(file.name, now, zone),
      facts: factsOf(file, root),
      commands: { failed: checkOf(file, cwd), other: checkOf(file, cwd) },
    });
    await sendNotices(runs, deliveryWorld(workspace, { ...asked, force: false }), { cwd, voice });
  });
}

/** An instant for people, with the offset from UTC if the wall time occurs twice. */
export function showInstant(instant: number, zone: string): string {
  const shown = formatTime(writeInstantLocal(instant, zone), 'minute');
  const local = toLocal(instant, zone);
  return toInstant(local, zone, 'first') === toInstant(local, zone, 'last')
    ? shown
    : `${shown} ${writeWithOffset(instant, zone).slice(-6)}`;
}
