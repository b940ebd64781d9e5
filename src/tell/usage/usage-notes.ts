import { plural } from '../../ask/text.ts';
import { startOf } from '../../ask/time/calendar.ts';
import { writeInstantLocal } from '../../ask/time/local-time.ts';
import { toInstant, toLocal } from '../../ask/time/zone.ts';
import type { Value } from '../../plan/column.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import { percentOf } from '../../shape/share.ts';
import { addMonths, nameMonth } from './month.ts';
import { countedUntil, coversReported, isStale, lacksEvents, describeDataEnd, describeStale } from './usage-days.ts';
import type { UsageMonth } from './usage-plan.ts';
import {
  beyondCounted,
  type FailedProject,
  type GroupUsage,
  monthsToShow,
  type Usage,
  type UsageFigures,
  type UsageProject,
} from './usage.ts';

/** Notes about the figures, in sentences: omitted projects and why, quotas, and what is counted. */
export function describeUsage(usage: Usage): readonly string[] {
  const { plan, groups } = usage;
  const [first] = monthsToShow(usage);
  const earlier = first && plan.months[first.index - 1];
  const left = distinct(groups.flatMap(({ notOnboarded }) => notOnboarded));
  const { open } = plan;
  const empty = groups.filter(
    ({ projects, failed, notOnboarded }) => projects.length + failed.length + notOnboarded.length === 0,
  );
  return [
    ...empty.map(({ name }) => `No project has events in these months${groups.length > 1 ? ` in ${name}` : ''}.`),
    ...groups.flatMap((group) => describeQuota(group, usage)),
    ...usage.remarks,
    ...describeUnknown(usage),
    ...describeExcluded(groups),
    ...(left.length === 0
      ? []
      : [
          `${left.length} ${plural(left.length, 'project is', 'projects are')} left out, ` +
            `because ${plural(left.length, 'it has', 'they have')}` +
            ` not been onboarded to product analytics: ${listNames(left)}.`,
        ]),
    ...describeCoverage(usage),
    ...(earlier === undefined || lacksEvents(usage.coverage, earlier) || usage.overall.projects.length === 0
      ? []
      : [`There are no events from before ${nameMonth(addMonths(earlier.month, 1))}.`]),
    ...groups
      .filter(({ failed }) => failed.length > 0)
      .map(({ name, failed }) => `The sums of ${name} exclude ${listNames(failed)}, which could not be counted.`),
    ...(open === undefined
      ? []
      : groups
          .filter(({ forecast, projects }) => forecast === undefined && projects.length > 0)
          .map(
            ({ name }) => `There is no forecast for ${name}: fewer than two weeks have passed since its first event.`,
          )),
    ...describeBilled(usage),
    'Events are counted by the time at which they happened, in the time zone of the report. ' +
      "The platform's own quota counts events when it receives them.",
  ];
}

/** Projects of the configuration that no event names, and events that name no project. */
function describeUnknown({ coverage, overall, ungrouped }: Usage): readonly string[] {
  // A server knows its projects. Without any events, the alert says so.
  const unknown = typeof coverage.lastDay !== 'string' ? [] : overall.projects.filter(hasNoEvents);
  return [
    ...(unknown.length === 0
      ? []
      : [
          `No event of these months has the project ${plural(unknown.length, 'ID')}` +
            ` ${listNames(unknown.map(({ project }) => project))}.`,
        ]),
    ...(ungrouped === 0
      ? []
      : [
          `${formatNumber(ungrouped)}` +
            ` ${plural(ungrouped, 'event')} of these months ${plural(ungrouped, 'has', 'have')} no project ID: ` +
            `${plural(ungrouped, 'it is', 'they are')} in no group.`,
        ]),
  ];
}

function hasNoEvents({ events }: UsageFigures): boolean {
  return events.every((count) => count !== null && Number(count) === 0);
}

/** Compares the platform's count with the one here, or tells for which projects it is unknown and why. */
function describeBilled(usage: Usage): readonly string[] {
  const { plan, overall } = usage;
  const month = nameMonth(plan.reported.month);
  const reasons = new Map<string, UsageProject[]>();
  for (const { project, whyNotBilled } of overall.projects)
    if (whyNotBilled !== undefined) reasons.set(whyNotBilled, [...(reasons.get(whyNotBilled) ?? []), project]);
  const unknown = [...reasons].map(
    ([why, projects]) =>
      `The platform's own count of ${month} is unknown` +
      `${projects.length === overall.projects.length ? '' : ` for ${listNames(projects)}`}: ${why}`,
  );
  const beyond = beyondCounted(overall, usage);
  if (beyond === null || overall.billed === null) return unknown;
  const percent = percentOf(beyond, overall.reported);
  return [
    `The platform's own count of ${month} is ${formatNumber(Number(overall.billed))} events, ` +
      `${describePlatformDifference(beyond)}` +
      (percent === null || percent === 0 ? '' : ` (${percent > 0 ? '+' : ''}${formatNumber(percent, 'percent')})`) +
      (Number(beyond) === 0
        ? '.'
        : ': it has the events that arrived in the month, this report those that happened in it' +
          `${plan.zone === 'UTC' ? '' : `, by days in ${plan.zone}`}.`),
    ...unknown,
  ];
}

/** The difference to the platform's count: `26 more than here`. */
export function describePlatformDifference(beyond: Value): string {
  const events = Number(beyond);
  if (events === 0) return 'the same as here';
  return `${formatNumber(Math.abs(events))} ${events > 0 ? 'more' : 'fewer'} than here`;
}

/** Notes that the reported month is not over, or that the available events do not reach its end, or yesterday's. */
function describeCoverage(usage: Usage): readonly string[] {
  const { plan, coverage, lastDay } = usage;
  const { reported, open, zone } = plan;
  const name = nameMonth(reported.month);
  if (open === reported) return [`${name} is not over: it is not compared with the whole previous month.`];
  const ofOpen = isStale(plan, coverage) ? [] : describeOpenEnd(usage);
  if (ofOpen.length > 0) return ofOpen;
  // An alert above the figures already says that the data ends early.
  if (
    isStale(plan, coverage) ||
    coverage.lastDay !== undefined ||
    lastDay === null ||
    lastDay >= writeInstantLocal(reported.range.end - 1, zone).slice(0, 10)
  )
    return [];
  return [`The latest available events are from ${lastDay}: ${name} may be incomplete.`];
}

/** The data of the month in progress ends before today. */
function describeOpenEnd({ plan, coverage }: Usage): readonly string[] {
  const { open, now, zone } = plan;
  const until = countedUntil(plan, coverage);
  if (open === undefined || until >= toInstant(startOf(toLocal(now, zone), 'day'), zone, 'first')) return [];
  const end = describeDataEnd({ ...plan, reported: open }, coverage);
  const name = nameMonth(open.month);
  const what =
    until > open.range.start ? `${name} to date ends there, and its forecast begins there` : `none of ${name}`;
  return [`${end}: ${what}.`];
}

/** Failures of the figures as a whole: data that ends early, each failed project, and frozen months that are unread. */
export function describeFailures(usage: Usage): readonly string[] {
  return [
    ...describeStale(usage),
    ...failedOf(usage)
      .filter(({ optional }) => !optional)
      .map(({ name, why }) => `${name} could not be counted: ${why}`),
    ...usage.unread,
  ];
}

/** Alerts that are not failures: the reported month counts fewer days than have passed, optional projects failed. */
export function describeAlerts(usage: Usage): readonly string[] {
  return [
    ...(usage.plan.open === usage.plan.reported ? describeOpenEnd(usage) : []),
    ...failedOf(usage)
      .filter(({ optional }) => optional)
      .map(({ name, why }) => `${name} is optional and could not be counted: ${why}`),
  ];
}

/** Why the reported month cannot be frozen: it may be incomplete. Undefined if it is complete. */
export function describeMissingDays({ plan, coverage }: Usage): string | undefined {
  if (lacksEvents(coverage, plan.reported))
    return `The store lacks events of ${nameMonth(plan.reported.month)}: it is incomplete.`;
  if (coversReported(plan, coverage)) return undefined;
  return `${describeDataEnd(plan, coverage)}: ${nameMonth(plan.reported.month)} may be incomplete.`;
}

function failedOf({ groups }: Usage): readonly FailedProject[] {
  return [...new Map(groups.flatMap(({ failed }) => failed).map((project) => [project.id, project])).values()];
}

function describeExcluded(groups: readonly GroupUsage[]): readonly string[] {
  const excluded = distinct(groups.flatMap((group) => group.excluded));
  if (excluded.length === 0) return [];
  return [
    `The configuration excludes ${excluded.length} ${plural(excluded.length, 'project')}: ${listNames(excluded)}.`,
  ];
}

/** The reported month and the month in progress, compared with the quota. */
function describeQuota(
  { name, quota, reported, billed, toDate, forecast, failed, stale }: GroupUsage,
  { plan, coverage }: Usage,
): readonly string[] {
  const isLeast = (month: UsageMonth | undefined) => failed.length > 0 || stale || lacksEvents(coverage, month);
  if (quota === undefined) return [];
  const without = failed.length === 0 ? '' : `, without ${listNames(failed)}`;
  const share = (used: Value, least: boolean) => {
    const percent = percentOf(used, quota);
    return (
      `${least ? 'at least ' : ''}${formatNumber(Number(used))} of its ${formatNumber(quota)} events` +
      (percent === null ? '' : ` (${formatNumber(percent, 'percent')})`)
    );
  };
  const over = (used: Value) =>
    Number(used) > quota ? `: ${formatNumber(Number(used) - quota)} more than its quota` : '';
  const closed =
    plan.open === plan.reported || reported === null
      ? []
      : [
          `In ${nameMonth(plan.reported.month)}, ${name} used ${share(reported, isLeast(plan.reported))}${without}${over(reported)}.`,
          ...(billed === null
            ? []
            : [
                "By the platform's own count, " +
                  `${name} used ${share(billed, failed.length > 0)}${without}${over(billed)}.`,
              ]),
        ];
  if (toDate === null) return closed;
  const present = `${name} has used ${share(toDate, isLeast(plan.open))}${without}`;
  const ahead =
    over(toDate) !== '' || forecast === undefined
      ? ''
      : forecast.expected > quota
        ? ', and is expected to pass its quota before the month ends'
        : forecast.high > quota
          ? ', and may pass its quota before the month ends'
          : '';
  return [...closed, `${present}${over(toDate)}${ahead}.`];
}

/** The most names that are listed; the others are counted. */
const mostNames = 12;

function listNames(projects: readonly UsageProject[]): string {
  const names = projects
    .slice(0, mostNames)
    .map(({ name }) => name)
    .join(', ');
  return projects.length > mostNames ? `${names} and ${projects.length - mostNames} more` : names;
}

function distinct(projects: readonly UsageProject[]): readonly UsageProject[] {
  return [...new Map(projects.map((project) => [project.id, project])).values()];
}

/** The heading of the month in progress: `Nov 2026 to date`. */
export function nameOpen({ plan: { open } }: Usage): string {
  return open === undefined ? '' : `${nameMonth(open.month, 'short')} to date`;
}
