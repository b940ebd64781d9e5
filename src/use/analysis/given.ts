import type { ActivityPeriod, CohortRule, RetentionWindow } from '../../ask/activity/retention.ts';
import type { lifecycleStatuses } from '../../ask/activity/lifecycle.ts';
import type { FunnelOrder } from '../../ask/funnel/funnel.ts';
import type { RowValue } from '../../ask/query/model-types.ts';
import type { Filter } from '../../ask/query/query.ts';

/** Conditions that all hold: filters as in a query, or conditions as in a question, `docHost = www.example.com`. */
export type GivenConditions = readonly (Filter | string)[];

/**
 * Which events count: in one line (`signup`, `any`, `/cart`, `pageview where docPath ^= /docs`), or part by part. Page
 * views if it names no event.
 */
export type GivenEvents =
  | string
  | {
      /** A type of event; `any`: every type. */
      readonly event?: string;
      /** The path of the page, to the letter. */
      readonly target?: string;
      /** Any of these paths; `*` stands for any text without a slash, `**` for any text. */
      readonly any_of?: readonly string[];
      /** Conditions that the events must meet. */
      readonly where?: GivenConditions;
    };

/** A dimension of events, with its cube or without; or with how many of its values are kept, 25 by default. */
export type GivenBreakdown = string | { readonly dimension: string; readonly limit?: number };

/** A retention as its file has it below `retention`. */
export interface GivenRetention<Period extends ActivityPeriod = ActivityPeriod> {
  /** Puts a user into a cohort; page views by default. */
  readonly start?: GivenEvents;
  /** Brings a user back; the events of `start` by default. */
  readonly return?: GivenEvents;
  /** Conditions that every event must meet. */
  readonly where?: GivenConditions;
  /**
   * Which starts put a user into a cohort: each period with one (`recurring`, the default); only the first start of all
   * time (`first_time`); or only the first event of the start's type, if it meets the conditions (`first_ever`). Users
   * whose first one lies before the range are in no cohort. A period (`week`) is short for recurring cohorts by it.
   */
  readonly cohort?: CohortRule | Period;
  /** `week` by default. */
  readonly period?: Period;
  /** 11 by default. Those that have begun for no cohort in the range have no rows. */
  readonly periods?: number;
  /** `calendar` counts calendar periods (default). `24h` counts periods of 24 hours from each user's start. */
  readonly window?: RetentionWindow;
  /** How many return events a user needs in a period to count. 1 by default. */
  readonly min_occurrences?: number;
  /** Counts a user in every period up to that of the last return in the range, shown or not. */
  readonly cumulative?: boolean;
  /** Tells users apart by a dimension of their events: starts and returns count under the value of their own event. */
  readonly breakdown?: GivenBreakdown;
  /** `sum(props.amount)` or `avg(props.amount)`; not with `cumulative`. */
  readonly value?: string;
}

/** A lifecycle as its file has it below `lifecycle`. */
export interface GivenLifecycle<Period extends ActivityPeriod = ActivityPeriod> {
  /** The events that make a user active. Page views by default. */
  readonly active?: GivenEvents;
  /** Conditions that every event must meet. */
  readonly where?: GivenConditions;
  /** `week` by default. */
  readonly period?: Period;
}

/** A stickiness as its file has it below `stickiness`. */
export interface GivenStickiness {
  /** The events that make a user active. Page views by default. */
  readonly active?: GivenEvents;
  /** Conditions that every event must meet. */
  readonly where?: GivenConditions;
  /** `day` by default. */
  readonly period?: ActivityPeriod;
  /** How many periods make one slot. 1 by default. */
  readonly every?: number;
  /** How many active events a slot needs: `at_least`, `at_most` or `exactly` this many. */
  readonly per_slot?: { readonly at_least: number } | { readonly at_most: number } | { readonly exactly: number };
  /** Counts users with at least this many active slots, instead of exactly. */
  readonly cumulative?: boolean;
}

/** Paths as their file has them below `paths`. Steps are given by name, such as `/cart`. */
export interface GivenPaths {
  /** Types of events that are steps; `any`: every type. Page views by default. */
  readonly events?: readonly string[];
  /** Conditions that every event must meet. */
  readonly where?: GivenConditions;
  /** What steps are called: `page` (default), `event`, or a dimension such as `TrackedEvents.pageTitle`. */
  readonly step?: string;
  /** Steps whose name contains one of these patterns become one step; `*` stands for any text. */
  readonly groups?: readonly string[];
  /** Steps to leave out, after grouping. */
  readonly exclude?: readonly string[];
  /** A session ends after so many minutes without a step. 30 by default. */
  readonly session_gap_minutes?: number;
  /** Where paths begin. */
  readonly from?: string;
  /** Where paths end. */
  readonly to?: string;
  /** A step that paths lead through; not with `from` or `to`. */
  readonly through?: string;
  /** With `through`: how many steps before it are shown. */
  readonly steps_before?: number;
  /** How many steps of each session are shown. 5 by default. */
  readonly max_steps?: number;
  /** With `to` alone: which steps of longer paths are kept. `first` by default. */
  readonly keep?: 'first' | 'last';
  /** How many edges are kept, those of most sessions. 50 by default; with `from` and `to`, all. */
  readonly edge_limit?: number;
  /** Leaves out edges of fewer sessions. 1 by default. */
  readonly min_sessions?: number;
}

/** A funnel in short. */
export interface GivenFunnel {
  /** Two or more. */
  readonly steps: readonly (
    | string
    | (Exclude<GivenEvents, string> & {
        /** Made of its events by default. */
        readonly name?: string;
        /** At most so long since the step before: seconds, or `30 minutes`. */
        readonly within?: number | string;
      })
  )[];
  /** The conversion window: seconds, or `2 hours`; 14 days by default. */
  readonly within?: number | string;
  /** `ordered` (default) allows other events between steps, `strict` does not, `unordered` takes steps in any order. */
  readonly order?: FunnelOrder;
  /** Whose events make one attempt: those of a user (default) or of a session. */
  readonly by?: 'user' | 'session';
  /** Conditions that every event must meet. */
  readonly where?: GivenConditions;
  /** Events that spoil an attempt between two steps: after the step `after`, before the step `before`, or anywhere. */
  readonly exclude?: readonly (
    | string
    | (Exclude<GivenEvents, string> & { readonly after?: string; readonly before?: string })
  )[];
  /**
   * Counts each value of a `dimension` separately. `attribution`: the step whose event has the value, `first` by
   * default, `last` or its name.
   */
  readonly breakdown?: { readonly dimension: string; readonly attribution?: string };
}

/** The name of the cube: that of a definition in the workspace, or of the analysis. */
type NameOf<Given, Analysis extends string> = Given extends string ? Given : Analysis;

/** The keys of a time by periods: the one of a given period, any of them of a definition in a file. */
type TimeKeys<Given, Time extends string, Usual extends ActivityPeriod> = Given extends string
  ? { readonly [K in `${Time}.${ActivityPeriod}`]?: string }
  : Given extends
        | { readonly period: infer Period extends ActivityPeriod }
        | { readonly cohort: infer Period extends ActivityPeriod }
    ? { readonly [K in `${Time}.${Period}`]: string }
    : { readonly [K in `${Time}.${Usual}`]: string };

type Own<Name extends string, Values> = { readonly [K in keyof Values & string as `${Name}.${K}`]: Values[K] };

/**
 * A row of a retention: one for each cohort and `period` (0 is the first), or for each value of its `breakdown` and
 * period. `size`: users of the cohort; `users`: those who came back; `rate`: their percentage, null without
 * users; `value`: the sum or mean that was asked for. Keys have the name of the cube before them
 * (`retention.breakdown`, `retention.value`).
 */
export type RetentionRow<Given> = (Given extends string
  ? TimeKeys<Given, `${Given}.cohort`, 'week'> & { readonly [K in `${Given}.breakdown`]?: string | null }
  : Given extends { readonly breakdown: GivenBreakdown }
    ? { readonly 'retention.breakdown': string | null }
    : TimeKeys<Given, 'retention.cohort', 'week'>) &
  Own<NameOf<Given, 'retention'>, { period: number; size: number; users: number; rate: number | null }> &
  (Given extends string
    ? { readonly [K in `${Given}.value`]?: RowValue }
    : Given extends { readonly value: string }
      ? { readonly 'retention.value': RowValue }
      : unknown);

/** A row of a lifecycle: one for each period and `status`, with its number of `users`. */
export type LifecycleRow<Given> = TimeKeys<Given, `${NameOf<Given, 'lifecycle'>}.time`, 'week'> &
  Own<NameOf<Given, 'lifecycle'>, { status: (typeof lifecycleStatuses)[number]; users: number }>;

/** A row of a stickiness: one for each number of `periods`, with the number of `users` who were active in so many. */
export type StickinessRow<Given> = Own<NameOf<Given, 'stickiness'>, { periods: number; users: number }>;

/**
 * A row of paths: one for each edge from a `source` (`1_/cart`: the number and the name of the step) to a `target`
 * (`2_/thanks`, or `(drop-off)`); `step`: the number of its source. `sessions` and `users` went over it, in
 * `average_seconds` on average. `source_users` and `target_users` were at its ends. `total`: all sessions that have a
 * path. Drop-offs have no time and no users at the target.
 */
export type PathsRow<Given> = Own<
  NameOf<Given, 'paths'>,
  {
    step: number;
    source: string;
    target: string;
    sessions: number;
    users: number;
    average_seconds: number | null;
    source_users: number;
    target_users: number | null;
    total: number;
  }
>;
