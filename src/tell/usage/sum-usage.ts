import type { Value } from '../../plan/column.ts';
import { percentOf } from '../../shape/share.ts';
import { compareValues } from '../../shape/values/compare-values.ts';
import { sumValues } from '../../shape/values/decimal.ts';
import { forecastMonth } from './forecast.ts';
import { addMonths } from './month.ts';
import { countedUntil, isStale, lacksEvents } from './usage-days.ts';
import type { UsagePlan } from './usage-plan.ts';
import {
  type CountedProject,
  type DataCoverage,
  type FailedProject,
  type GroupUsage,
  indexOfMonth,
  type ProjectAnswer,
  type Usage,
  type UsageFigures,
  type UsageGroup,
  type UsageProject,
} from './usage.ts';

/**
 * Sums days to months, and projects to groups. A project that has not been onboarded or has failed does not count as 0:
 * it is excluded from sums and forecast, and named. `lastDay`: as in `DataCoverage`.
 */
export function sumUsage(
  plan: UsagePlan,
  groups: readonly UsageGroup[],
  answers: ReadonlyMap<string, ProjectAnswer>,
  { lastDay, lost, earliest, ungrouped = 0, remarks = [], unread = [] }: SumOptions = {},
): Usage {
  const all = new Map(groups.flatMap(({ projects }) => projects).map((project) => [project.id, project]));
  const sum = (group: UsageGroup) => sumGroup(plan, group, answers, { lastDay, lost, earliest });
  return {
    plan,
    groups: groups.map(sum),
    overall: sum({ name: 'all', projects: [...all.values()] }),
    lastDay: findLastDay(answers),
    coverage: coverageOf(answers.values(), { lastDay, lost, earliest }),
    ungrouped,
    remarks,
    unread,
  };
}

export interface SumOptions {
  readonly lastDay?: DataCoverage['lastDay'];
  readonly lost?: DataCoverage['lost'];
  readonly earliest?: DataCoverage['earliest'];
  /** Events without a project, which no group has. */
  readonly ungrouped?: number | undefined;
  readonly remarks?: readonly string[] | undefined;
  /** Sentences about frozen months that cannot be read. */
  readonly unread?: readonly string[] | undefined;
}

function coverageOf(answers: Iterable<ProjectAnswer>, known: DataCoverage): DataCoverage {
  const times = [...answers].flatMap((answer) => (answer.state === 'counted' ? (answer.refreshed ?? []) : []));
  return { ...known, refreshed: times.sort()[0] };
}

function findLastDay(answers: ReadonlyMap<string, ProjectAnswer>): string | null {
  let last: string | null = null;
  for (const answer of answers.values()) {
    if (answer.state !== 'counted') continue;
    for (const [label, events] of answer.days) if (Number(events) > 0 && (last === null || label > last)) last = label;
  }
  return last;
}

function sumGroup(
  plan: UsagePlan,
  { name, projects, quota, excluded = [] }: UsageGroup,
  answers: ReadonlyMap<string, ProjectAnswer>,
  reach: DataCoverage,
): GroupUsage {
  const counted: Omit<CountedProject, 'share'>[] = [];
  const together = new Map<string, Value[]>();
  const left: { readonly notOnboarded: UsageProject[]; readonly failed: FailedProject[] } = {
    notOnboarded: [],
    failed: [],
  };
  const heard: ProjectAnswer[] = [];
  for (const project of projects) {
    const answer = answers.get(project.id) ?? { state: 'failed', code: 'not-asked', why: 'It was not queried.' };
    if (answer.state === 'not-onboarded') left.notOnboarded.push(project);
    else if (answer.state === 'failed') left.failed.push({ ...project, code: answer.code, why: answer.why });
    else {
      counted.push({
        project,
        ...sumDays(plan, answer.days, coverageOf([answer], reach)),
        ...(answer.billed && 'why' in answer.billed
          ? { whyNotBilled: answer.billed.why }
          : { billed: answer.billed?.events ?? null }),
      });
      heard.push(answer);
      for (const [label, events] of answer.days) together.set(label, [...(together.get(label) ?? []), events]);
    }
  }
  const sums = sumDays(
    plan,
    new Map([...together].map(([label, events]) => [label, sumValues(events)])),
    coverageOf(heard, reach),
  );
  const billed = counted.map((project) => project.billed);
  const known =
    counted.length > 0 ? { ...sums, billed: billed.includes(null) ? null : sumValues(billed) } : noFigures(plan);
  return {
    name,
    quota,
    ...known,
    projects: counted
      .map((project) => ({ ...project, share: percentOf(project.reported, known.reported) }))
      .sort(
        (a, b) =>
          compareValues(b.reported, a.reported, 'number') || compareValues(a.project.name, b.project.name, 'string'),
      ),
    ...left,
    excluded,
  };
}

function sumDays(plan: UsagePlan, days: ReadonlyMap<string, Value>, coverage: DataCoverage): UsageFigures {
  const { months, reported, open, zone } = plan;
  const stale = isStale(plan, coverage);
  const parts = months.map((): Value[] => []);
  for (const [label, events] of days) parts[indexOfMonth(plan, label.slice(0, 7))]?.push(events);
  // A month without days in the answer has 0 events, unless the store lost them. Projects that could not be counted do
  // not get here.
  const sums = parts.map((values, index) => sumValues(values) ?? (lacksEvents(coverage, months[index]) ? null : 0));
  const at = (month: string): Value => sums[indexOfMonth(plan, month)] ?? null;
  const before = addMonths(reported.month, -1);
  const isWhole = [reported, months[indexOfMonth(plan, before)]].every((month) => !lacksEvents(coverage, month));
  const toDate = open ? at(open.month) : null;
  return {
    events: sums,
    reported: at(reported.month),
    // Compare the forecast, not the partial month, with a full month.
    previous: reported === open || stale || !isWhole ? null : at(before),
    toDate,
    forecast:
      open &&
      forecastMonth({
        days: new Map([...days].map(([label, events]) => [label, Number(events)])),
        start: open.range.start,
        end: open.range.end,
        soFar: Number(toDate),
        now: countedUntil(plan, coverage),
        zone,
      }),
    stale,
    billed: null,
  };
}

/** Unknown figures for each month of the plan. */
export function noFigures({ months }: Pick<UsagePlan, 'months'>): UsageFigures {
  return {
    events: months.map(() => null),
    reported: null,
    previous: null,
    toDate: null,
    forecast: undefined,
    stale: false,
    billed: null,
  };
}
