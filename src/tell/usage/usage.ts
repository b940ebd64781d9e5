import type { Value } from '../../plan/column.ts';
import type { LostRange, SteadyProvenance } from '../../shape/result/provenance.ts';
import { subtractValues } from '../../shape/values/decimal.ts';
import type { Forecast } from './forecast.ts';
import type { Month } from './month.ts';
import type { UsagePlan } from './usage-plan.ts';

export interface UsageProject {
  /** Its number on the platform, or the project ID in its events. */
  readonly id: string;
  /** Display name: the full path if known, else the number. */
  readonly name: string;
  /** Its number on the platform, if that is not `id`. */
  readonly number?: string | undefined;
  /** If it fails, the usage does not fail. */
  readonly optional?: boolean | undefined;
}

export interface UsageGroup {
  readonly name: string;
  readonly projects: readonly UsageProject[];
  /** Allowed events per month, if configured. */
  readonly quota?: number | undefined;
  /** Projects excluded by the configuration. */
  readonly excluded?: readonly UsageProject[] | undefined;
}

/** The result of asking about a project. */
export type ProjectAnswer =
  /** Events by day, `2026-10-05`. Missing days had none. */
  | {
      readonly state: 'counted';
      readonly days: ReadonlyMap<string, Value>;
      readonly provenance: SteadyProvenance;
      /** When the server computed them: ISO instant, if known. */
      readonly refreshed?: string | undefined;
      /** The platform's count for billing; undefined if no platform was asked. */
      readonly billed?: BilledEvents | undefined;
    }
  /** It collects no events, and is not part of usage. */
  | { readonly state: 'not-onboarded' }
  /** Its count is unknown; `why` is a sentence. */
  | { readonly state: 'failed'; readonly code: string; readonly why: string };

/** The platform's count of events in the reported month, or a sentence why it is unknown. */
export type BilledEvents = { readonly events: number } | { readonly why: string };

/** The figures of a project, or the sums of a group. */
export interface UsageFigures {
  /** By month, in the plan's order. Exact integers; null if a store lacks the events. */
  readonly events: readonly Value[];
  /** For the reported month. */
  readonly reported: Value;
  /**
   * For the month before it. Null if it is not counted, if the reported month is not over, if the data ends before it
   * does, or if a store lacks events of either: partial months are not compared with full ones.
   */
  readonly previous: Value;
  /** For the month in progress, if there is one. */
  readonly toDate: Value;
  readonly forecast: Forecast | undefined;
  /** The data ends before the reported month. */
  readonly stale: boolean;
  /** The platform's count for the reported month; null if it is unknown for any of the projects. */
  readonly billed: Value;
}

export interface CountedProject extends UsageFigures {
  readonly project: UsageProject;
  /** Percent of the group's reported month; null if that is 0. */
  readonly share: number | null;
  /** A sentence why `billed` is unknown, if a platform was asked. */
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
  /** All projects together, each counted once. */
  readonly overall: GroupUsage;
  /** The latest day with events in any project: `2026-10-05`. */
  readonly lastDay: string | null;
  readonly coverage: DataCoverage;
  /** Events without a project, which no group has. */
  readonly ungrouped: number;
  /** Sentences about the list of projects itself, such as duplicates. */
  readonly remarks: readonly string[];
  /** Sentences about frozen months that cannot be read. */
  readonly unread: readonly string[];
}

/** How far the available data reaches. */
export interface DataCoverage {
  /**
   * The latest day with events in any local project, `2026-10-05`; null if there is none. Undefined if a server is
   * asked.
   */
  readonly lastDay?: string | null | undefined;
  /** The first event of the local source: ISO instant, if known. */
  readonly earliest?: string | undefined;
  /** The earliest computation time of the servers' figures: ISO instant. */
  readonly refreshed?: string | undefined;
  /** Ranges of which the store lacks events. */
  readonly lost?: readonly LostRange[] | undefined;
}

/** The index of a month in the plan. */
export function indexOfMonth({ months }: UsagePlan, month: Month): number {
  return months.findIndex((each) => each.month === month);
}

/** The months to show: from the first one with events, and always the reported one and the one before it. */
export function monthsToShow({ plan, overall }: Usage): readonly { readonly month: Month; readonly index: number }[] {
  const first = overall.events.findIndex((events) => events !== null && events !== 0);
  const reported = indexOfMonth(plan, plan.reported.month);
  const from = Math.max(0, Math.min(first === -1 ? reported : first, reported - 1));
  return plan.months.slice(from).map(({ month }, index) => ({ month, index: from + index }));
}

/**
 * By how many events the platform's count exceeds the one here. Null if it is unknown, or if the month is partial: then
 * the counts cover different spans.
 */
export function beyondCounted({ billed, reported, stale }: UsageFigures, { plan }: Pick<Usage, 'plan'>): Value {
  return stale || plan.reported === plan.open ? null : subtractValues(billed, reported);
}
