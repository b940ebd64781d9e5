import { plural } from '../../ask/plural.ts';
import { writeInstantLocal } from '../../ask/time/local-time.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import { percentOf } from '../../shape/share.ts';
import { nameMonth } from './month.ts';
import { monthsToShow, type GroupUsage, type Usage, type UsageProject } from './usage.ts';

/** What is to be known beside the figures, in whole sentences: what was left out and why, quotas, and what is counted at all. */
export function tellUsage(usage: Usage): readonly string[] {
  const { plan, groups } = usage;
  const [first] = monthsToShow(usage);
  const left = distinct(groups.flatMap(({ notOnboarded }) => notOnboarded));
  const { open } = plan;
  const empty = groups.filter(({ projects, failed, notOnboarded }) => projects.length + failed.length + notOnboarded.length === 0);
  return [
    ...empty.map(({ name }) => `There is no project with events in these months${groups.length > 1 ? ` in ${name}` : ''}.`),
    ...(left.length === 0 ? [] : [`${left.length} ${plural(left.length, 'project is', 'projects are')} left out, as ${plural(left.length, 'it has', 'they have')} not been onboarded to product analytics: ${listNames(left)}.`]),
    ...tellReach(usage),
    ...(first === undefined || first.index === 0 || usage.overall.projects.length === 0 ? [] : [`There are no events from before ${nameMonth(first.month)}.`]),
    ...groups.filter(({ failed }) => failed.length > 0).map(({ name, failed }) => `The sums of ${name} are without ${listNames(failed)}, which could not be counted.`),
    ...groups.flatMap(tellQuota),
    ...(open === undefined ? [] : groups.filter(({ forecast, failed, projects }) => forecast === undefined && failed.length === 0 && projects.length > 0)
      .map(({ name }) => `There is no forecast for ${name}: fewer than two weeks lie behind its first event.`)),
    'Events are counted by the time at which they happened, in the zone of the report. The platform\'s own quota counts events as they are received.',
  ];
}

/** A reported month that is not over, or that the events at hand do not reach the end of: its sums will grow, or should have. */
function tellReach({ plan: { reported, open, zone }, lastDay }: Usage): readonly string[] {
  const name = nameMonth(reported.month);
  if (open === reported) return [`${name} is not over: it is not compared with the whole month before.`];
  if (lastDay === null || lastDay >= writeInstantLocal(reported.range.end - 1, zone).slice(0, 10)) return [];
  return [`The latest events at hand are of ${lastDay}: ${name} may lack its end.`];
}

/** Each project that failed, in a sentence. */
export function tellFailures({ groups }: Usage): readonly string[] {
  const failed = groups.flatMap((group) => group.failed);
  return [...new Map(failed.map(({ id, name, why }) => [id, `${name} could not be counted: ${why}`])).values()];
}

function tellQuota({ name, quota, reported, toDate, forecast }: GroupUsage): readonly string[] {
  if (quota === undefined) return [];
  const used = toDate ?? reported;
  if (used === null) return [];
  const percent = percentOf(used, quota);
  const share = `${name} has used ${formatNumber(Number(used))} of its ${formatNumber(quota)} events${percent === null ? '' : ` (${formatNumber(percent, 'percent')})`}`;
  if (Number(used) > quota) return [`${share}: ${formatNumber(Number(used) - quota)} more than its quota.`];
  if (forecast && forecast.expected > quota) return [`${share}, and is expected to pass its quota before the month ends.`];
  if (forecast && forecast.high > quota) return [`${share}, and may pass its quota before the month ends.`];
  return [`${share}.`];
}

/** As many as can be read; the rest is counted. */
const mostNames = 12;

function listNames(projects: readonly UsageProject[]): string {
  const names = projects.slice(0, mostNames).map(({ name }) => name).join(', ');
  return projects.length > mostNames ? `${names} and ${projects.length - mostNames} more` : names;
}

function distinct(projects: readonly UsageProject[]): readonly UsageProject[] {
  return [...new Map(projects.map((project) => [project.id, project])).values()];
}

/** What the month in progress is called in headings: `Nov 2026 to date`. */
export function nameOpen({ plan: { open } }: Usage): string {
  return open === undefined ? '' : `${nameMonth(open.month)} to date`;
}
