import type { Queryable, QueryBuilder, RowOf } from '../../ask/query/builder.ts';
import type { LooseRow, MeasureName, ModelTypes, RowValue, TimeKey } from '../../ask/query/model-types.ts';
import type { AnswerOptions } from '../answer/answer-question.ts';
import type { NoteListener } from '../answer/tell-notes.ts';
import type { SettingFlags } from '../config/read-flags.ts';
import type { AnyRow } from '../../shape/result/result.ts';
import type { AsOf } from '../process/as-of.ts';
import type { BindOptions } from '../workspace/session.ts';

/** An access token, or a function that returns it. The function is called whenever a request needs the token. */
export type Token = string | (() => string | Promise<string>);

/** An event as a plain object with the field names of event files: `{utcTime, userId, eventType, docPath}`. */
export type EventRow = Readonly<Record<string, unknown>>;

/** An event whose type is an interface or a class, which are no records. Lists and dates are no events. */
export type EventObject = object & {
  /** Only lists, maps and sets have it. */
  readonly [Symbol.iterator]?: never;
  /** Only dates have it. */
  readonly getTime?: never;
};

/** Settings for `open`. Defaults come from the environment and the workspace's configuration. */
export interface OpenOptions extends Omit<SettingFlags, 'events' | 'platform' | 'cube' | 'knownAt'> {
  /**
   * The workspace folder. sluice looks for a configuration here and in the parent folders. Relative paths start here.
   * Defaults to the current folder.
   */
  readonly workspace?: string | undefined;
  /** A configuration file to use instead of the one that sluice finds. */
  readonly config?: string | undefined;
  /** Environment variables. Defaults to `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Event files: paths, glob patterns or URLs. Or events as plain objects: an array, an iterable or an async iterable.
   * These are kept in a temporary file until `close`. An empty array means no events.
   */
  readonly events?:
    | string
    | readonly string[]
    | Iterable<EventRow | EventObject>
    | AsyncIterable<EventRow | EventObject>
    | undefined;
  /**
   * The platform to query: the `url` of its instance, the ID or path of a `project`, and a `token`. A URL selects the
   * platform backend unless `backend` is set.
   */
  readonly platform?:
    | {
        readonly url?: string | undefined;
        readonly project?: string | number | undefined;
        readonly token?: Token | undefined;
      }
    | undefined;
  /**
   * The Cube deployment to query: the `url` of its API (`…/cubejs-api/v1`), and a `token`. A URL selects the Cube
   * backend unless `backend`, `events` or a platform URL is set.
   */
  readonly cube?: { readonly url?: string | undefined; readonly token?: Token | undefined } | undefined;
  /** Reference time of all questions. Defaults to the clock, or to the time of the sample events if they are used. */
  readonly asOf?: AsOf | undefined;
  /**
   * Only uses events that the store had at this time. Text without an offset is in the configured time zone. To ask for
   * several times, open the workspace for each.
   */
  readonly knownAt?: AsOf | undefined;
  /** Returns the current time in milliseconds since 1970; called for each question. Defaults to `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Called with each warning about the configuration and the model. */
  readonly onWarning?: ((text: string) => void) | undefined;
  /**
   * Called with each note of each answer: a reached limit, unreadable lines, filled and partial values. By default,
   * each distinct note is emitted once as a process warning (`process.on('warning')`).
   */
  readonly onNote?: NoteListener | undefined;
  /**
   * Throws `incomplete-answer` if an answer reached a limit, if lines could not be read, or if the time range is not
   * over.
   */
  readonly strict?: boolean | undefined;
}

/** Options of a question. */
export interface AskOptions extends AnswerOptions, Omit<BindOptions, 'asOf' | 'ignoresUnknownOrder'> {
  /** Reference time of this question. */
  readonly asOf?: AsOf | undefined;
  /** Time zone (IANA name) of days and buckets. Overrides the question's own. */
  readonly timezone?: string | undefined;
  /** Overrides `strict` of `open` for this question. */
  readonly strict?: boolean | undefined;
}

/** Options for the values of rows. */
export interface RowOptions {
  /**
   * Type of times in `rows()`. `text` (default): see `Value`. `date`: a `Date`; that of a bucket is its start in the
   * time zone of the question. `temporal`: a `Temporal.ZonedDateTime` in that zone; throws `InvalidInputError` if the
   * runtime has no `Temporal`. `values(key)` and files always have text.
   */
  readonly times?: 'text' | 'date' | 'temporal' | undefined;
}

/** A question: a query or builder, a question in one line, or the name of a saved query. */
export type Asked = Queryable | string;

/** A row of an answer, typed by the builder's model if it has one. */
export type AnswerRow<A> = A extends string ? LooseRow : RowOf<A>;

/** A row with a `Date`, or another `Time` type, for each time. Without a model, any value may be one. */
export type DatedRow<A, Time = Date> =
  A extends QueryBuilder<infer Model, infer Row>
    ? string extends MeasureName<Model>
      ? LooseDatedRow<Time>
      : { readonly [Key in keyof Row]: Key extends TimeKey<Model> ? Time | Extract<Row[Key], null> : Row[Key] }
    : LooseDatedRow<Time>;

/** A row without a model, read with `times: 'date'`. Any value may be a `Date`. */
export type LooseDatedRow<Time = Date> = Readonly<Record<string, RowValue | Time>>;

/** `Temporal.ZonedDateTime` if TypeScript's libraries declare it, else `object`. */
export type ZonedTime =
  typeof globalThis extends Readonly<Record<'Temporal', Record<'ZonedDateTime', Record<'prototype', infer Zoned>>>>
    ? Zoned
    : object;

/**
 * A row of a comparison with `ranges: 'beside'`. Each measure has its value in the earlier range (`.previous`), the
 * difference (`.change`) and the difference in percent (`.changePercent`). A third range adds `.previous.2` and so on.
 * Times of the earlier range are also `.previous`. There is no `compareDateRange`.
 */
export type ComparedRow<A, Time = string> =
  A extends QueryBuilder<infer Model, infer Row>
    ? Row extends { readonly compareDateRange: string }
      ? string extends MeasureName<Model>
        ? Time extends string
          ? Changes<Model, Row> & Omit<Row, 'compareDateRange'> & LooseRow
          : LooseDatedRow<Time>
        : Changes<Model, Row> & BesideTimes<Model, Omit<Row, 'compareDateRange'>, Time>
      : Time extends string
        ? AnswerRow<A>
        : DatedRow<A, Time>
    : LooseDatedRow<Time>;

type BesideTimes<Model extends ModelTypes, Row, Time> = {
  readonly [Key in keyof Row]: Key extends TimeKey<Model> ? Time | null : Row[Key];
} & {
  readonly [Key in keyof Row & TimeKey<Model> as `${Key}.previous` | `${Key}.previous.${number}`]?: Time | null;
};

type Changes<Model extends ModelTypes, Row> = {
  readonly [Key in MeasureIn<Model, Row> as `${Key}.previous` | `${Key}.previous.${number}`]: Row[Key];
} & {
  // Text measures, such as the latest of some names, have no difference.
  readonly [Key in MeasureIn<Model, Row> as number extends Row[Key]
    ? `${Key}.change` | `${Key}.change.${number}`
    : never]: Extract<Row[Key], number | bigint | string> | null;
} & {
  readonly [Key in MeasureIn<Model, Row> as number extends Row[Key]
    ? `${Key}.changePercent` | `${Key}.changePercent.${number}`
    : never]: number | null;
};

/** Known measures. In a loosely typed model any key might be a measure, so it has none. */
type MeasureIn<Model extends ModelTypes, Row> = keyof Row &
  keyof { [Name in keyof Model['measures'] as string extends Name ? never : Name]: true } &
  string;

/** The types of times in rows. */
export type Times = NonNullable<RowOptions['times']>;

/** The type of times in the rows of an answer. */
export interface TimesAsked<As extends Times> {
  /** See `RowOptions`. */
  readonly times?: As | undefined;
}

/** Options of a question that also set the type of its rows. */
export interface RowsAsked<As extends Times, Ranges extends 'stacked' | 'beside'>
  extends Omit<AskOptions, 'ranges'>,
    TimesAsked<As> {
  /** See `AnswerOptions`. */
  readonly ranges?: Ranges | undefined;
}

/** A row of an answer, as the options `times` and `ranges` type it. */
export type RowAs<
  A,
  As extends Times = 'text',
  Ranges extends 'stacked' | 'beside' = 'stacked',
> = Ranges extends 'beside' ? ComparedRow<A, TimeAs<As>> : As extends 'text' ? AnswerRow<A> : DatedRow<A, TimeAs<As>>;

/** The type of a time, as the option `times` sets it. */
export type TimeAs<As extends Times> = As extends 'date' ? Date : As extends 'temporal' ? ZonedTime : string;

/** A loosely typed row of an analysis, as the option `times` types it. */
export type LooseRowAs<As extends Times> = As extends 'text' ? AnyRow : LooseDatedRow<TimeAs<As>>;

/** A question in one line with a given row type. */
export type LineOf<Row> = [Row] extends [never] ? never : string;
