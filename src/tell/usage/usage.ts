import type { Value } from '../../plan/column.ts';
import type { SteadyProvenance } from '../../shape/result/provenance.ts';
import { subtractValues } from '../../shape/values/decimal.ts';
import type { Forecast } from './forecast.ts';
import type { Month } from './month.ts';
import type { UsagePlan } from './usage-plan.ts';

export interface UsageProject {
  /** As the platform numbers it, or as events bear it. */
  readonly id: string;
  /** For people: its full path where that is known, else its number. */
  readonly name: string;
  /** Its number on the platform, if that is not its `id`. */
  readonly number?: string | undefined;
  /** Figures without it are whole enough: if it fails, the usage does not. */
  readonly optional?: boolean | undefined;
}

export interface UsageGroup {
  readonly name: string;
  readonly projects: readonly UsageProject[];
  /** Events a month that are allowed, where somebody set it. */
  readonly quota?: number | undefined;
  /** Projects that the configuration leaves out. */
  readonly excluded?: readonly UsageProject[] | undefined;
}

/** What was learnt of a project. */
export type ProjectAnswer =
  /** Events by day, `2026-10-05`; days that are not there had none. */
  | {
      readonly state: 'counted';
      readonly days: ReadonlyMap<string, Value>;
      readonly provenance: SteadyProvenance;
      /** When the server computed them: ISO instant, where it tells. */
      readonly refreshed?: string | undefined;
      /** What the platform counts for its bill; undefined if no platform was asked. */
      readonly billed?: BilledEvents | undefined;
    }
  /** It collects no events: no part of usage. */
  | { readonly state: 'not-onboarded' }
  /** Nobody knows how many it has; `why` is a sentence. */
  | { readonly state: 'failed'; readonly code: string; readonly why: string };

/** The platform's own count of the events of the reported month, or why it is unknown: a sentence. */
export type BilledEvents = { readonly events: number } | { readonly why: string };

/** The figures of a project, or of a group's projects together. */
export interface UsageFigures {
  /** By month, in the plan's order. Whole numbers, exact. */
  readonly events: readonly Value[];
  /** Of the reported month. */
  readonly reported: Value;
  /**
   * Of the month before it. Null where that is not counted, and where the reported month is not over or the data end
   * before it does: a part is not compared with a whole month.
   */
  readonly previous: Value;
  /** Of the month in progress, where there is one. */
  readonly toDate: Value;
  readonly forecast: Forecast | undefined;
  /** The data end before the reported month does. */
  readonly stale: boolean;
  /** What the platform counted in the reported month; null if unknown for any of the projects. */
  readonly billed: Value;
}

export interface CountedProject extends UsageFigures {
  readonly project: UsageProject;
  /** Percent of the group's reported month; null where that is 0. */
  readonly share: number | null;
  /** Why `billed` is unknown, if a platform was asked: a sentence. */
  readonly whyNotBilled?: string | undefined;
}

export interface GroupUsage extends UsageFigures {
  readonly name: string;
  readonly quota: number | undefined;
  /** The most events first. */
  readonly projects: readonly CountedProject[];
  readonly notOnboarded: readonly UsageProject[];
  readonly excluded: readonly UsageProject[];
  readonly failed: readonly FailedProject[];
}

export type FailedProject = UsageProject & { readonly code: string; readonly why: string };

/** Events per month, for each group and project. */
export interface Usage {
  readonly plan: UsagePlan;
  readonly groups: readonly GroupUsage[];
  /** All projects together, each once. */
  readonly overall: GroupUsage;
  /** The latest day on which any of them had events: `2026-10-05`. */
  readonly lastDay: string | null;
  readonly reach: DataReach;
  /** Whole sentences about the list of projects itself: what was listed twice. */
  readonly remarks: readonly string[];
}

/** How far the data at hand go. */
export interface DataReach {
  /**
   * The latest day on which any project at hand had events, `2026-10-05`; null: none. Undefined where a server is
   * asked.
   */
  readonly lastDay?: string | null | undefined;
  /** The server that computed its figures longest ago: ISO instant. */
  readonly refreshed?: string | undefined;
}

/** Where a month stands in the plan. */
export function indexOfMonth({ months }: UsagePlan, month: Month): number {
  return months.findIndex((each) => each.month === month);
}

/**
 * The months that are worth a column: those from the first one with events on, and always the reported one and the one
 * before it.
 */
export function monthsToShow({ plan, overall }: Usage): readonly { readonly month: Month; readonly index: number }[] {
  const first = overall.events.findIndex((events) => events !== null && events !== 0);
  const reported = indexOfMonth(plan, plan.reported.month);
  const from = Math.max(0, Math.min(first === -1 ? reported : first, reported - 1));
  return plan.months.slice(from).map(({ month }, index) => ({ month, index: from + index }));
}

/**
 * By how many events the platform's count exceeds the one here. Null if it is unknown, or if the month is not over or
 * the data end before it does: the two counts are then of different spans.
 */
export function beyondCounted({ billed, reported, stale }: UsageFigures, { plan }: Pick<Usage, 'plan'>): Value {
  return stale || plan.reported === plan.open ? null : subtractValues(billed, reported);
}
