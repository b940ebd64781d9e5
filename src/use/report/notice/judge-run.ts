import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Delivery } from '../../../tell/delivery/delivery.ts';
import {
  aboutOf,
  type NoticeCommand,
  type ScheduleFacts,
  toAlertNotice,
  toScheduleNotice,
} from '../../../tell/report/notice.ts';
import type { Report, ReportAlert, ReportCell, ReportNotice } from '../../../tell/report/report.ts';
import type { ReportRuns } from '../due/report-runs.ts';
import type { FinishedRun, RunRecord } from '../due/record-file.ts';
import { type DueTimes, findMistimed } from '../due/run-due.ts';
import { type Notice, openNoticeBox } from './notice-box.ts';

type Runs = Pick<ReportRuns, 'records' | 'notices'>;

/** Common parts of a report's notices. */
interface NoticeFrame {
  /** Name of its files without extension. */
  readonly base: string;
}

/**
 * Records the states of alerts for a slot, with a notice for each alert that is newly raised or cleared. Judges a slot
 * once, and never after a later one. An alert that the report no longer has is cleared without a notice.
 */
export async function judgeAlerts(
  runs: Runs,
  report: Report,
  {
    slot,
    times,
    placesOf,
    ...frame
  }: NoticeFrame & {
    readonly slot: number;
    readonly times: DueTimes;
    /** Shell command that shows the report. */
    readonly command: string;
    readonly placesOf: (cell: ReportCell, alert: ReportAlert) => readonly Delivery[];
  },
): Promise<void> {
  const all = report.blocks.flatMap((block) =>
    block.kind === 'cell' ? (block.watched ?? []).map((alert) => ({ cell: block, alert })) : [],
  );
  const known = toStates((await runs.records.read()).records, times);
  const states: Record<string, 'raised' | 'clear'> = {};
  const notices: Notice[] = [];
  const present = new Set(all.map(({ cell, alert }) => aboutOf(cell, alert)));
  // A failed cell has its alerts again when it is mended.
  if (report.blocks.every(({ kind }) => kind !== 'failure'))
    for (const [about, before] of known)
      if (before.state === 'raised' && before.slot < slot && !present.has(about)) states[about] = 'clear';
  for (const { cell, alert } of all) {
    const { state } = alert;
    const about = aboutOf(cell, alert);
    const before = known.get(about);
    if (state === 'unknown' || (before && before.slot >= slot)) continue;
    states[about] = state;
    if (state === (before?.state ?? 'clear')) continue;
    const id = toId(path.basename(runs.notices), about, slot, state);
    notices.push({
      id,
      report: toAlertNotice(report, cell, { ...alert, state }, frame.command),
      base: `${frame.base}-alert-${id.slice(0, 8)}`,
      to: placesOf(cell, alert),
    });
  }
  if (Object.keys(states).length > 0) await keep(runs, slot, states, notices);
}

/** The latest state of each alert, ignoring future slots. Slots whose run is done again are judged again. */
export function toStates(records: readonly RunRecord[], { now, clock = now }: DueTimes) {
  const states = new Map<string, { readonly slot: number; readonly state: string }>();
  const mistimed = findMistimed(records, clock);
  for (const record of records) {
    if (record.slot === null) continue;
    const slot = Date.parse(record.slot);
    if (mistimed.has(record))
      for (const [about, judged] of states) if (judged.slot === slot) states.set(about, { ...judged, slot: -Infinity });
    if (record.kind !== 'judged') continue;
    for (const [about, state] of Object.entries(record.states))
      if (slot <= now && slot >= (states.get(about)?.slot ?? -Infinity)) states.set(about, { slot, state });
  }
  return states;
}

export interface ScheduleJudged extends NoticeFrame {
  readonly report: Pick<Report, 'name' | 'title' | 'asOf' | 'zone'>;
  /** The slots that ran now. */
  readonly finished: readonly Pick<FinishedRun, 'slot' | 'settled' | 'waiting'>[];
  /** Error messages, in sentences. */
  readonly heard: readonly string[];
  /** Where the report runs. */
  readonly facts: ScheduleFacts['facts'];
  /** What to type, for each kind of notice. */
  readonly commands: Readonly<Record<'failed' | 'other', NoticeCommand>>;
  /** True if the report is invalid, so that not even its slots are known. */
  readonly isBroken?: boolean;
  readonly now: number;
  /** Milliseconds after its slot when a report counts as late. */
  readonly late: number;
  /** Formats a slot for people. */
  readonly show: (slot: number) => string;
  readonly to: readonly Delivery[];
}

const schedule = 'schedule';
/** Maximum number of reasons in a notice. */
const mostReasons = 5;

/** Records the state of a report's schedule, with a notice if it fails, is late, or works again. */
export async function judgeSchedule(runs: Runs, judged: ScheduleJudged): Promise<void> {
  const { finished, heard, isBroken = false, now, late, show, report, base, facts, commands, to } = judged;
  if ((finished.length === 0 && !isBroken) || to.length === 0) return;
  const { records } = await runs.records.read();
  const before = records.reduce<string>(
    (last, record) => (record.kind === 'judged' && record.slot === null ? (record.states[schedule] ?? last) : last),
    'clear',
  );
  const slots = finished.map(({ slot, ...rest }) => ({
    ...rest,
    at: Date.parse(slot ?? ''),
  }));
  const failed = slots.filter(({ settled, waiting }) => !settled && waiting !== true);
  const behind = slots.filter((slot) => now - slot.at > late && !failed.includes(slot)).map(({ at }) => show(at));
  // While a slot that failed before the last notice is tried again, later ones may recover, and fail again.
  const told = records.slice(
    0,
    Math.max(
      0,
      records.findLastIndex(({ kind, slot }) => kind === 'judged' && slot === null),
    ),
  );
  const isTold = ({ at }: (typeof slots)[number]) =>
    told.some(
      (record) =>
        record.kind === 'run' && !record.settled && record.waiting !== true && Date.parse(record.slot ?? '') === at,
    );
  const hasFailed = isBroken || failed.some((slot) => !isTold(slot));
  const waits = slots.some(({ waiting }) => waiting === true);
  const write = async (state: Exclude<ReportNotice['state'], 'raised'>, after: string, why: readonly string[]) => {
    const id = toId(path.basename(runs.notices), schedule, now, state);
    const concerned = slots.filter(({ settled }) => settled !== (state === 'failed')).map(({ at }) => show(at));
    const notice = toScheduleNotice(report, state, {
      why,
      facts: [...facts, ...(concerned.length === 0 ? [] : [['Scheduled for', fewOf(concerned)] as const])],
      command: commands[state === 'failed' ? 'failed' : 'other'],
    });
    await keep(runs, null, { [schedule]: after as typeof state }, [
      {
        id,
        report: notice,
        base: `${base}-${state === 'clear' ? 'recovered' : state}-${id.slice(0, 8)}`,
        to,
      },
    ]);
  };
  const named = fewOf(behind);
  const reasons = [...new Set(heard)].slice(0, mostReasons);
  if (hasFailed) {
    if (before === 'failed') return;
    return write('failed', 'failed', [
      isBroken ? 'The report cannot be run.' : 'The scheduled run failed. It stays due and is run again.',
      ...reasons,
    ]);
  }
  if (waits) {
    if (before !== 'clear' || behind.length === 0) return;
    return write('late', 'late', [`The report of ${named} is not delivered yet.`, ...reasons]);
  }
  if (before !== 'clear') {
    const latest = slots.toSorted((a, b) => b.at - a.at)[0];
    if (!latest?.settled) return;
    const due = failed.length === 0 ? '' : ` Still due: ${fewOf(failed.map(({ at }) => show(at)))}.`;
    return write('clear', 'clear', [`The report is delivered again.${due}`]);
  }
  // A report without earlier runs cannot be late: nobody waited for it.
  const isNew = records.filter((record) => record.kind === 'run' && record.slot !== null).length <= finished.length;
  if (behind.length > 0 && !isNew) return write('late', 'clear', [`The report of ${named} was delivered late.`]);
}

function fewOf(times: readonly string[]): string {
  return times.slice(0, mostReasons).join(', ') + (times.length > mostReasons ? ', …' : '');
}

/** Write notices first: without the record that names them they have no effect. */
async function keep(
  { records, notices: folder }: Runs,
  slot: number | null,
  states: Readonly<Record<string, 'raised' | 'clear' | 'late' | 'failed'>>,
  notices: readonly Notice[],
): Promise<void> {
  const sent = notices.filter(({ to }) => to.length > 0);
  const box = openNoticeBox(folder);
  for (const notice of sent) await box.put(notice);
  await records.append({
    kind: 'judged',
    slot: slot === null ? null : new Date(slot).toISOString(),
    states: { ...states },
    notices: sent.map(({ id }) => id),
  });
}

function toId(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
