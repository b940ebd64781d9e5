import { Cron } from 'croner';
import { day, minute } from '../../ask/time/granularity.ts';
import { offsetAt, toInstant, toLocal, transitions } from '../../ask/time/zone.ts';
import type { CronFields, Schedule } from './schedule.ts';

/**
 * The first `most` slots of a schedule after one instant and up to another (inclusive), in order. If a schedule names
 * hours, wall times that the clock skips are one slot at the jump, and one that occurs twice counts once.
 */
function firstSlots(schedule: Schedule, zone: string, after: number, until: number, most: number): readonly number[] {
  const slots: number[] = [];
  for (const slot of runsAfter(schedule, zone, after)) {
    if (slot > until || slots.length >= most) break;
    slots.push(slot);
  }
  const end = slots.length < most ? until : slots.at(-1)!;
  return inOrder([...slots, ...slotsAtJumps(schedule, zone, after, end)]).slice(0, most);
}

/** The runs after an instant, in order, each wall time once. */
function* runsAfter(schedule: Schedule, zone: string, after: number): Generator<number> {
  const job = toJob(schedule, zone);
  for (let run = job.nextRun(new Date(after)); run; run = job.nextRun(run))
    if (!isRepeated(schedule, zone, run.getTime())) yield run.getTime();
}

/** Whether the schedule names hours, and the clock shows the wall time of a run for the second time. */
function isRepeated({ fields }: Schedule, zone: string, run: number): boolean {
  return fields.hours !== undefined && toInstant(toLocal(run, zone), zone, 'first') !== run;
}

/** The next slot after an instant; undefined if there is none (30 February). */
export function nextSlot(schedule: Schedule, zone: string, after: number): number | undefined {
  const [next] = runsAfter(schedule, zone, after);
  return next === undefined ? undefined : (slotsAtJumps(schedule, zone, after, next)[0] ?? next);
}

/** The last slot up to an instant (inclusive); undefined if there is none. */
export function lastSlot(schedule: Schedule, zone: string, until: number): number | undefined {
  return earliestOf(schedule, zone, until, 1);
}

/** More runs than a repeated hour has, of a schedule for every minute of it. */
const mostRepeated = 61;

/** The first of the latest `count` slots up to an instant (inclusive). */
function earliestOf(schedule: Schedule, zone: string, until: number, count: number): number | undefined {
  const latest = (runs: number) =>
    toJob(schedule, zone)
      .previousRuns(runs, new Date(until + 1))
      .map((run) => run.getTime())
      .filter((run) => !isRepeated(schedule, zone, run))
      .slice(0, count);
  const found = latest(count);
  const slots = found.length < count ? latest(count + mostRepeated) : found;
  const from = slots.at(-1);
  if (from === undefined) return undefined;
  return inOrder([...slots, ...slotsAtJumps(schedule, zone, from, until)]).at(-count) ?? from;
}

function inOrder(slots: readonly number[]): readonly number[] {
  return [...new Set(slots)].sort((a, b) => a - b);
}

/** The jumps of the clock in (after, until] over wall times of the schedule. croner passes over some of them. */
function slotsAtJumps({ fields }: Schedule, zone: string, after: number, until: number): readonly number[] {
  if (fields.hours === undefined) return [];
  return transitions(zone, after, until).flatMap(({ instant }) => {
    const from = Math.ceil((instant + offsetAt(zone, instant - 1)) / minute) * minute;
    for (let local = from; local < toLocal(instant, zone); local += minute) if (isSlot(local, fields)) return [instant];
    return [];
  });
}

/** Whether a wall time, in epoch milliseconds as if UTC, fits the fields. */
function isSlot(local: number, { minutes, hours, days, onLastDay, months, weekdays }: CronFields): boolean {
  const at = new Date(local);
  const has = (values: readonly number[] | undefined, value: number) => values?.includes(value) ?? true;
  if (!has(minutes, at.getUTCMinutes()) || !has(hours, at.getUTCHours()) || !has(months, at.getUTCMonth() + 1))
    return false;
  const onDay = onLastDay ? new Date(local + day).getUTCDate() === 1 : has(days, at.getUTCDate());
  const onWeekday = has(weekdays, at.getUTCDay());
  // As in cron, either is enough if both are named.
  return (days !== undefined || onLastDay) && weekdays !== undefined ? onDay || onWeekday : onDay && onWeekday;
}

/** Uses the values of the fields, because croner reads some notations differently. */
function toJob({ fields: { minutes, hours, days, onLastDay, months, weekdays } }: Schedule, zone: string): Cron {
  const cron = [minutes, hours, onLastDay ? ['L'] : days, months, weekdays]
    .map((values) => values?.join(',') ?? '*')
    .join(' ');
  return new Cron(cron, { timezone: zone, paused: true });
}

/** The past slots of a report. Epoch milliseconds. */
export interface SlotHistory {
  /** The latest slot that was run, successfully or not. */
  readonly latest?: number | undefined;
  /** The earliest slot that was ever started. */
  readonly first?: number | undefined;
  /** Slots that were tried and are not done, in order. */
  readonly open: readonly number[];
}

/**
 * The slots due at an instant, at most `most`, in order: first the earliest ones after the latest run, then the latest
 * ones that were run and are not done. For a report that never ran, only the last slot is due: earlier ones are from
 * before the report existed. `catchUp` limits the due slots to the latest ones.
 */
export function dueSlots(
  schedule: Schedule,
  zone: string,
  { latest, first, open }: SlotHistory,
  now: number,
  most = Infinity,
  catchUp = Infinity,
): readonly number[] {
  const earliest = catchUp === Infinity ? undefined : earliestOf(schedule, zone, now, catchUp);
  const from = earliest ?? -Infinity;
  const after = latest ?? (first === undefined ? undefined : first - 1);
  if (after === undefined) {
    const last = lastSlot(schedule, zone, now);
    return last === undefined ? [] : [last];
  }
  const fresh = firstSlots(schedule, zone, Math.max(after, from - 1), now, most);
  const again = open.filter((slot) => slot >= from);
  return [...fresh, ...again.slice(Math.max(0, again.length - (most - fresh.length)))];
}
