import * as z from 'zod';
import { plural } from '../../ask/text.ts';
import type { Value } from '../../plan/column.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import { compareValues } from '../../shape/values/compare-values.ts';
import { subtractValues, sumValues } from '../../shape/values/decimal.ts';
import { type Month, nameMonth } from './month.ts';
import { indexOfMonth, type Usage, type UsageProject } from './usage.ts';

/** A closed month as it was issued, to compare later counts with. Numbers are decimal text, so they stay exact. */
export const frozenMonthSchema = z.strictObject({
  sluice: z.literal('usage-month'),
  version: z.literal(1),
  month: z.string().regex(/^\d{4}-\d\d$/),
  /** The time zone of its days. */
  zone: z.string(),
  /** Reference time when it was issued: ISO instant. */
  asOf: z.iso.datetime(),
  source: z.string(),
  projects: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      events: z.string().regex(/^\d+$/),
      /** When it was added, if later than the rest. */
      asOf: z.iso.datetime().optional(),
    }),
  ),
  /** Projects that could not be counted. */
  missing: z.array(z.string()),
});

export type FrozenMonth = z.infer<typeof frozenMonthSchema>;

/** Freezes the reported month. A project in several groups appears once. */
export function freezeMonth(
  { plan, groups }: Usage,
  { asOf, source }: { readonly asOf: string; readonly source: string },
): FrozenMonth {
  const counted = new Map(
    groups
      .flatMap(({ projects }) => projects)
      .map(({ project, reported }) => [project.id, { id: project.id, name: project.name, events: String(reported) }]),
  );
  const missing = new Set(groups.flatMap(({ failed }) => failed).map(({ id }) => id));
  return {
    sluice: 'usage-month',
    version: 1,
    month: plan.reported.month,
    zone: plan.zone,
    asOf,
    source,
    projects: [...counted.values()].sort((a, b) => compareValues(a.id, b.id, 'string')),
    missing: [...missing].sort(),
  };
}

/**
 * Adds missing projects to a frozen month. Issued figures stay unchanged, and an added project is no longer missing.
 */
export function completeMonth(
  before: FrozenMonth,
  fresh: FrozenMonth,
): { readonly month: FrozenMonth; readonly added: FrozenMonth['projects'] } {
  const known = new Set(before.projects.map(({ id }) => id));
  const added = fresh.projects.filter(({ id }) => !known.has(id)).map((project) => ({ ...project, asOf: fresh.asOf }));
  const projects = [...before.projects, ...added].sort((a, b) => compareValues(a.id, b.id, 'string'));
  const counted = new Set(projects.map(({ id }) => id));
  const missing = [...new Set([...before.missing, ...fresh.missing])].filter((id) => !counted.has(id)).sort();
  return { month: { ...before, projects, missing }, added };
}

/** A project whose closed month has changed since it was issued. */
export interface LateEvents {
  readonly month: Month;
  readonly project: UsageProject;
  readonly issued: Value;
  readonly now: Value;
  /** Negative if events disappeared. */
  readonly change: Value;
}

/**
 * The changes in frozen months since they were issued. Months in another time zone have other days and are not
 * compared.
 */
export function findLateEvents(usage: Usage, frozen: readonly FrozenMonth[]): readonly LateEvents[] {
  const counted = new Map(
    usage.groups.flatMap(({ projects }) => projects).map((project) => [project.project.id, project]),
  );
  return frozen
    .filter(({ zone }) => zone === usage.plan.zone)
    .flatMap(({ month, projects }) => {
      const index = indexOfMonth(usage.plan, month);
      return projects.flatMap(({ id, events }): LateEvents[] => {
        const project = counted.get(id);
        const now = index === -1 ? undefined : project?.events[index];
        if (!project || now === undefined || now === null) return [];
        const issued = sumValues([BigInt(events)]);
        const change = subtractValues(now, BigInt(events));
        return change === 0 ? [] : [{ month, project: project.project, issued, now, change }];
      });
    });
}

/** One sentence per month: the issued total, and the changes since. */
export function describeLateEvents(usage: Usage, frozen: readonly FrozenMonth[]): readonly string[] {
  const late = findLateEvents(usage, frozen);
  const asked = new Set(
    usage.groups
      .flatMap(({ projects, failed }) => [...projects.map(({ project }) => project), ...failed])
      .map(({ id }) => id),
  );
  return frozen.flatMap(({ month, asOf, projects }) => {
    const changed = late.filter((each) => each.month === month);
    if (changed.length === 0) return [];
    const issued = sumValues(projects.filter(({ id }) => asked.has(id)).map(({ events }) => BigInt(events)));
    const parts = changed.map(({ project, change }) => `${signed(change)} in ${project.name}`);
    return [
      `${nameMonth(month)} was issued on ${asOf.slice(0, 10)} with ${formatNumber(issued as number)} events; ` +
        `since then ${plural(changed.length, 'one project has', `${changed.length} projects have`)} changed: ` +
        `${parts.join(', ')}.`,
    ];
  });
}

/** Says which frozen months are not compared, because their days are in another time zone. */
export function describeOtherZones({ plan }: Usage, frozen: readonly FrozenMonth[]): readonly string[] {
  const others = frozen.filter(({ zone }) => zone !== plan.zone);
  return [...new Set(others.map(({ zone }) => zone))].map((zone) => {
    const months = others
      .filter((each) => each.zone === zone)
      .map(({ month }) => nameMonth(month))
      .join(', ');
    return (
      `${months} ${others.length === 1 ? 'is' : 'are'}` +
      ` frozen with days in ${zone}, so not compared with days in ${plan.zone}.`
    );
  });
}

function signed(change: Value): string {
  const text = formatNumber(change as number | bigint);
  return typeof change === 'number' || typeof change === 'bigint' ? (change > 0 ? `+${text}` : text) : text;
}
