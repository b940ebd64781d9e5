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
  readonly where?: GivenConditions;
  readonly cohort?: CohortRule;
  /** `week` by default. */
  readonly period?: Period;
  /** 11 by default. */
  readonly periods?: number;
  readonly window?: RetentionWindow;
  readonly min_occurrences?: number;
  readonly cumulative?: boolean;
  readonly breakdown?: GivenBreakdown;
  /** `sum(props.amount)` or `avg(props.amount)`; not with `cumulative`. */
  readonly value?: string;
}

/** A lifecycle as its file has it below `lifecycle`. */
export interface GivenLifecycle<Period extends ActivityPeriod = ActivityPeriod> {
  readonly active?: GivenEvents;
  readonly where?: GivenConditions;
  /** `week` by default. */
  readonly period?: Period;
}

/** A stickiness as its file has it below `stickiness`. */
export interface GivenStickiness {
  readonly active?: GivenEvents;
  readonly where?: GivenConditions;
  /** `day` by default. */
  readonly period?: ActivityPeriod;
  readonly every?: number;
  readonly per_slot?: { readonly at_least: number } | { readonly at_most: number } | { readonly exactly: number };
  readonly cumulative?: boolean;
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
  readonly order?: FunnelOrder;
  readonly by?: 'user' | 'session';
  readonly where?: GivenConditions;
  /** Events that spoil an attempt between two steps. */
  readonly exclude?: readonly (
    | string
    | (Exclude<GivenEvents, string> & { readonly after?: string; readonly before?: string })
  )[];
  readonly breakdown?: { readonly dimension: string; readonly attribution?: string };
}

/** The name of the cube: that of a definition in the workspace, or of the analysis. */
type NameOf<Given, Analysis extends string> = Given extends string ? Given : Analysis;

/** The keys of a time by periods: the one of a given period, any of them of a definition in a file. */
type TimeKeys<Given, Time extends string, Usual extends ActivityPeriod> = Given extends string
  ? { readonly [K in `${Time}.${ActivityPeriod}`]?: string }
  : Given extends { readonly period: infer Period extends ActivityPeriod }
    ? { readonly [K in `${Time}.${Period}`]: string }
    : { readonly [K in `${Time}.${Usual}`]: string };

type Own<Name extends string, Values> = { readonly [K in keyof Values & string as `${Name}.${K}`]: Values[K] };

/** A row of a retention: one for each cohort and period, or for each value of its breakdown and period. */
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

/** A row of a lifecycle: one for each period and status. */
export type LifecycleRow<Given> = TimeKeys<Given, `${NameOf<Given, 'lifecycle'>}.time`, 'week'> &
  Own<NameOf<Given, 'lifecycle'>, { status: (typeof lifecycleStatuses)[number]; users: number }>;

/** A row of a stickiness: one for each number of periods. */
export type StickinessRow<Given> = Own<NameOf<Given, 'stickiness'>, { periods: number; users: number }>;
