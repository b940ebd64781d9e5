import type { ActivityPeriod, CohortRule, RetentionWindow } from '../../ask/activity/retention.ts';
import type { lifecycleStatuses } from '../../ask/activity/lifecycle.ts';
import type { FunnelOrder } from '../../ask/funnel/funnel.ts';
import type { RowValue } from '../../ask/query/model-types.ts';
import type { Filter } from '../../ask/query/query.ts';

/** Conditions that must all hold: filters as in a query, or text as in a question, `docHost = www.example.com`. */
export type GivenConditions = readonly (Filter | string)[];

/**
 * The events to count: in one line (`signup`, `any`, `/cart`, `pageview where docPath ^= /docs`) or as an object.
 * Defaults to page views if no event is named.
 */
export type GivenEvents =
  | string
  | {
      /** A type of event, or `any` for all types. */
      readonly event?: string;
      /** The exact path of the page. */
      readonly target?: string;
      /** Paths of which one must match. `*` matches any text without a slash, `**` matches any text. */
      readonly any_of?: readonly string[];
      /** Conditions that the events must meet. */
      readonly where?: GivenConditions;
    };

/**
 * A dimension of events, such as `agentName`. As an object, it also sets how many of its values to keep (default: 25).
 */
export type GivenBreakdown = string | { readonly dimension: string; readonly limit?: number };

/** A retention, with the keys that its file has below `retention`. */
export interface GivenRetention<Period extends ActivityPeriod = ActivityPeriod> {
  /** The events that put a user into a cohort. Defaults to page views. */
  readonly start?: GivenEvents;
  /** The events that count as a return. Defaults to the events of `start`. */
  readonly return?: GivenEvents;
  /** Conditions that every event must meet. */
  readonly where?: GivenConditions;
  /**
   * A dimension of events, such as `props.company`, whose values are followed in place of users. Events without a value
   * do not count.
   */
  readonly follow?: string;
  /**
   * Which start events put a user into a cohort. `recurring` (default): a user is in the cohort of each period with a
   * start. `first_time`: only in the cohort of the first start of all time. `first_ever`: only in the cohort of the
   * first event of the start's type, if it meets the conditions. With the last two, users whose first one lies before
   * the range are in no cohort. A period (`week`) is short for `recurring` with this period.
   */
  readonly cohort?: CohortRule | Period;
  /** Defaults to `week`. */
  readonly period?: Period;
  /**
   * Number of periods to follow each cohort, including its own. Defaults to 11. Periods that have not begun for any
   * cohort in the range have no rows.
   */
  readonly periods?: number;
  /** `calendar` counts calendar periods (default). `24h` counts periods of 24 hours from each user's start. */
  readonly window?: RetentionWindow;
  /** Minimum number of return events in a period. Defaults to 1. */
  readonly min_occurrences?: number;
  /**
   * Counts a user in every period up to the one of the user's last return in the range, even if that one is not shown.
   */
  readonly cumulative?: boolean;
  /** Splits users by a dimension of their events. Starts and returns count under the value of their own event. */
  readonly breakdown?: GivenBreakdown;
  /** A value to aggregate, `sum(props.amount)` or `avg(props.amount)`. Cannot be combined with `cumulative`. */
  readonly value?: string;
}

/** A lifecycle, with the keys that its file has below `lifecycle`. */
export interface GivenLifecycle<Period extends ActivityPeriod = ActivityPeriod> {
  /** The events that make a user active. Defaults to page views. */
  readonly active?: GivenEvents;
  /** Conditions that every event must meet. */
  readonly where?: GivenConditions;
  /**
   * A dimension of events, such as `props.company`, whose values are followed in place of users. Events without a value
   * do not count.
   */
  readonly follow?: string;
  /** Defaults to `week`. */
  readonly period?: Period;
}

/** A stickiness, with the keys that its file has below `stickiness`. */
export interface GivenStickiness {
  /** The events that make a user active. Defaults to page views. */
  readonly active?: GivenEvents;
  /** Conditions that every event must meet. */
  readonly where?: GivenConditions;
  /**
   * A dimension of events, such as `props.company`, whose values are followed in place of users. Events without a value
   * do not count.
   */
  readonly follow?: string;
  /** Defaults to `day`. */
  readonly period?: ActivityPeriod;
  /** Number of periods in one slot. Defaults to 1. */
  readonly every?: number;
  /** How many active events make a slot active: `at_least`, `at_most` or `exactly` this many. */
  readonly per_slot?: { readonly at_least: number } | { readonly at_most: number } | { readonly exactly: number };
  /** Counts users with at least this many active slots, instead of exactly. */
  readonly cumulative?: boolean;
}

/** Paths, with the keys that their file has below `paths`. Steps are given by name, such as `/cart`. */
export interface GivenPaths {
  /** Types of events that are steps, or `any` for all types. Defaults to page views. */
  readonly events?: readonly string[];
  /** Conditions that every event must meet. */
  readonly where?: GivenConditions;
  /** How steps are named: by `page` (default), `event`, or a dimension such as `TrackedEvents.pageTitle`. */
  readonly step?: string;
  /** Steps whose name contains one of these patterns become one step; `*` stands for any text. */
  readonly groups?: readonly string[];
  /** Steps to leave out, after grouping. */
  readonly exclude?: readonly string[];
  /** A session ends after this many minutes without a step. Defaults to 30. */
  readonly session_gap_minutes?: number;
  /** The step that paths start with. */
  readonly from?: string;
  /** The step that paths end with. */
  readonly to?: string;
  /** A step that paths pass through. Cannot be combined with `from` or `to`. */
  readonly through?: string;
  /** With `through`: how many steps to show before it. */
  readonly steps_before?: number;
  /** How many steps of each session to show. Defaults to 5. */
  readonly max_steps?: number;
  /** With `to` alone: whether to keep the first or last steps of longer paths. Defaults to `first`. */
  readonly keep?: 'first' | 'last';
  /** Number of edges to keep, the ones with the most sessions. Defaults to 50, or to all with `from` and `to`. */
  readonly edge_limit?: number;
  /** Minimum number of sessions of an edge. Defaults to 1. */
  readonly min_sessions?: number;
}

/** A funnel. */
export interface GivenFunnel {
  /** Two or more steps. */
  readonly steps: readonly (
    | string
    | (Exclude<GivenEvents, string> & {
        /** Defaults to a name made from its events. */
        readonly name?: string;
        /** Maximum time since the previous step: seconds, or text such as `30 minutes`. */
        readonly within?: number | string;
      })
  )[];
  /** The conversion window: seconds, or text such as `2 hours`. Defaults to 14 days. */
  readonly within?: number | string;
  /** `ordered` (default) allows other events between steps, `strict` does not, `unordered` takes steps in any order. */
  readonly order?: FunnelOrder;
  /** Whether the events of a user (default) or of a session make one attempt. */
  readonly by?: 'user' | 'session';
  /** Conditions that every event must meet. */
  readonly where?: GivenConditions;
  /**
   * A dimension of events, such as `props.company`, whose values are followed in place of users. Events without a value
   * do not count.
   */
  readonly follow?: string;
  /** Events that disqualify an attempt: after the step `after`, before the step `before`, or anywhere. */
  readonly exclude?: readonly (
    | string
    | (Exclude<GivenEvents, string> & { readonly after?: string; readonly before?: string })
  )[];
  /**
   * Dimensions of events, such as `props.sku`, whose values are the same in all steps: the events of each combination
   * of values are followed separately. A user counts once, by the combination that came furthest, or the first of
   * these. Events without one of the values do not count.
   */
  readonly hold?: string | readonly string[];
  /**
   * Splits the funnel by the values of a `dimension`, which may stand alone. `attribution` is the step whose event has
   * the value: `first` (default), `last` or the name of a step.
   */
  readonly breakdown?: string | { readonly dimension: string; readonly attribution?: string };
}

/**
 * Refuses keys of a definition that its format does not have, at any depth: TypeScript does not check the keys of a
 * type that it infers.
 */
export type KnownKeys<Given, Format> = Given extends object
  ? Given extends readonly unknown[]
    ? unknown
    : { readonly [Key in keyof Given]: Key extends KeyOf<Format> ? KnownKeys<Given[Key], At<Format, Key>> : never }
  : unknown;

type KeyOf<Format> = Format extends object ? keyof Format : never;

type At<Format, Key> = Format extends object ? (Key extends keyof Format ? Format[Key] : never) : never;

/** The name of the cube: that of the definition in the workspace, or else that of the analysis. */
type NameOf<Given, Analysis extends string> = Given extends string ? Given : Analysis;

/**
 * The possible keys of a time column: that of the given period, or those of all periods if the definition is in a file.
 */
type TimeKeys<Given, Name extends string, Usual extends ActivityPeriod, Time> = Given extends string
  ? { readonly [K in `${Name}.${ActivityPeriod}`]?: Time }
  : Given extends
        | { readonly period: infer Period extends ActivityPeriod }
        | { readonly cohort: infer Period extends ActivityPeriod }
    ? { readonly [K in `${Name}.${Period}`]: Time }
    : { readonly [K in `${Name}.${Usual}`]: Time };

type Own<Name extends string, Values> = { readonly [K in keyof Values & string as `${Name}.${K}`]: Values[K] };

/**
 * A row of a retention: one for each cohort, or value of its `breakdown`, and each `period` (0 is the first). `size` is
 * the number of users in the cohort, `users` the number who came back, `rate` their percentage (null if the cohort is
 * empty, or if the range ends before the period begins), and `value` the requested sum or mean.
 * `result.marks.isPartial` tells the rows of periods that are not over. Keys start with the name of the cube
 * (`retention.breakdown`,
 * `retention.value`). `Time` is the type of times, as the option `times` sets it.
 */
export type RetentionRow<Given, Time = string> = (Given extends string
  ? TimeKeys<Given, `${Given}.cohort`, 'week', Time> & { readonly [K in `${Given}.breakdown`]?: string | null }
  : Given extends { readonly breakdown: GivenBreakdown }
    ? { readonly 'retention.breakdown': string | null }
    : TimeKeys<Given, 'retention.cohort', 'week', Time>) &
  Own<NameOf<Given, 'retention'>, { period: number; size: number; users: number; rate: number | null }> &
  (Given extends string
    ? { readonly [K in `${Given}.value`]?: RowValue }
    : Given extends { readonly value: string }
      ? { readonly 'retention.value': RowValue }
      : unknown);

/**
 * A row of a lifecycle: one for each period and `status`, with its number of `users`. `Time` is the type of times, as
 * the option `times` sets it.
 */
export type LifecycleRow<Given, Time = string> = TimeKeys<Given, `${NameOf<Given, 'lifecycle'>}.time`, 'week', Time> &
  Own<NameOf<Given, 'lifecycle'>, { status: (typeof lifecycleStatuses)[number]; users: number }>;

/** A row of a stickiness: one for each number of `periods`, with the number of `users` who were active in that many. */
export type StickinessRow<Given> = Own<NameOf<Given, 'stickiness'>, { periods: number; users: number }>;

/**
 * A row of paths: one for each edge from a `source` (`1_/cart`: number and name of the step) to a `target` (`2_/thanks`
 * or `(drop-off)`). `step` is the number of the source. `sessions` and `users` took the edge, in `average_seconds` on
 * average. `source_users` and `target_users` are the users at its ends. `total` is the number of all sessions with a
 * path. Drop-offs have no `average_seconds` and no `target_users`.
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
