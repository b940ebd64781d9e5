import type { Queryable, QueryBuilder, RowOf } from '../../ask/query/builder.ts';
import type { LooseRow, MeasureName, ModelTypes, RowValue, TimeKey } from '../../ask/query/model-types.ts';
import type { AnswerOptions } from '../answer/answer-question.ts';
import type { NoteListener } from '../answer/tell-notes.ts';
import type { SettingFlags } from '../config/read-flags.ts';
import type { AsOf } from '../process/as-of.ts';
import type { BindOptions } from '../workspace/session.ts';

/** A token, or a function that is asked for it whenever a request needs one. */
export type Token = string | (() => string | Promise<string>);

/** An event as a plain object, under the names that files of events have: `{utcTime, userId, eventType, docPath}`. */
export type EventRow = Readonly<Record<string, unknown>>;

/** Settings for `open`. Defaults come from the environment and the workspace's configuration. */
export interface OpenOptions extends Omit<SettingFlags, 'events' | 'platform' | 'cube'> {
  /**
   * The folder to work in: sluice looks for the configuration here and in the folders above, and relative paths start
   * here. The current folder by default.
   */
  readonly workspace?: string | undefined;
  /** A configuration file other than the one that is found. */
  readonly config?: string | undefined;
  /** `process.env` by default. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Event files: a path, pattern or address, or several. Or the events themselves, as plain objects: an array, or
   * anything that can be iterated over, also asynchronously. They are kept in a temporary file until `close`.
   */
  readonly events?: string | readonly string[] | Iterable<EventRow> | AsyncIterable<EventRow> | undefined;
  /**
   * A platform to ask: the `url` of its instance, the ID or path of a `project`, and a `token`. Its address makes it
   * the backend, unless `backend` or event files say otherwise.
   */
  readonly platform?:
    | {
        readonly url?: string | undefined;
        readonly project?: string | number | undefined;
        readonly token?: Token | undefined;
      }
    | undefined;
  /**
   * A Cube deployment to ask: the `url` of its API (`…/cubejs-api/v1`), and a `token`. Its address makes it the
   * backend, too.
   */
  readonly cube?: { readonly url?: string | undefined; readonly token?: Token | undefined } | undefined;
  /** The reference time of all questions. The clock's by default, or that of the sample events if they are used. */
  readonly asOf?: AsOf | undefined;
  /** A clock that gives milliseconds since 1970, asked for each question. `Date.now` by default. */
  readonly now?: (() => number) | undefined;
  /** Told of oddities in the configuration and the model, a text each. */
  readonly onWarning?: ((text: string) => void) | undefined;
  /**
   * Told of each note of each answer: a limit that was reached, lines that could not be read, filled and partial
   * values. Without it, each different note becomes a warning of the process (`process.on('warning')`), once.
   */
  readonly onNote?: NoteListener | undefined;
  /** Refuse answers that reached a limit, lack lines, or are about a time that is not over: `incomplete-answer`. */
  readonly strict?: boolean | undefined;
}

/** Options of a question. */
export interface AskOptions extends AnswerOptions, Omit<BindOptions, 'asOf'> {
  /** The reference time of this question. */
  readonly asOf?: AsOf | undefined;
  /** IANA name of the zone of days and buckets, instead of the question's own. */
  readonly timezone?: string | undefined;
  /** As `strict` of `open`, for this question alone. */
  readonly strict?: boolean | undefined;
}

/** How rows are read. */
export interface RowOptions {
  /**
   * `date`: `rows()` has a `Date` for each time, the start of a bucket in the zone of the question. `temporal`: a
   * `Temporal.ZonedDateTime` in that zone; throws `InvalidInputError` if the runtime has no `Temporal`. By default
   * times are text, see `Value`. `values(key)` and files have text in either case.
   */
  readonly times?: 'text' | 'date' | 'temporal' | undefined;
}

/** What `query` asks: a query or builder, a question in one line, or the name of a saved query. */
export type Asked = Queryable | string;

/** The rows of an answer: typed by the builder's model if it has one. */
export type AnswerRow<A> = A extends string ? LooseRow : RowOf<A>;

/** The same with a `Date`, or another `Time`, for each time. Without a model, any value may be one. */
export type DatedRow<A, Time = Date> =
  A extends QueryBuilder<infer Model, infer Row>
    ? string extends MeasureName<Model>
      ? LooseDatedRow<Time>
      : { readonly [Key in keyof Row]: Key extends TimeKey<Model> ? Time | Extract<Row[Key], null> : Row[Key] }
    : LooseDatedRow<Time>;

/** A row without a model, read with `times: 'date'`: any value may be a `Date`. */
export type LooseDatedRow<Time = Date> = Readonly<Record<string, RowValue | Time>>;

/** `Temporal.ZonedDateTime` if the compiler's libraries have it, else `object`. */
export type ZonedTime =
  typeof globalThis extends Readonly<Record<'Temporal', Record<'ZonedDateTime', Record<'prototype', infer Zoned>>>>
    ? Zoned
    : object;

/**
 * The rows of a comparison whose ranges stand beside each other (`ranges: 'beside'`): each measure with its value in an
 * earlier range (`.previous`), the difference (`.change`) and that in percent (`.changePercent`); a third range has
 * `.previous.2` and so on. The times of the earlier range are `.previous`, too. There is no `compareDateRange`.
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
  // Texts, such as the latest of some names, have no difference.
  readonly [Key in MeasureIn<Model, Row> as number extends Row[Key]
    ? `${Key}.change` | `${Key}.change.${number}`
    : never]: Extract<Row[Key], number | bigint | string> | null;
} & {
  readonly [Key in MeasureIn<Model, Row> as number extends Row[Key]
    ? `${Key}.changePercent` | `${Key}.changePercent.${number}`
    : never]: number | null;
};

/** Measures that are known to be some: with a loose model, any key might be one. */
type MeasureIn<Model extends ModelTypes, Row> = keyof Row &
  keyof { [Name in keyof Model['measures'] as string extends Name ? never : Name]: true } &
  string;

/** How the values of times are read. */
export type Times = NonNullable<RowOptions['times']>;

/** Options of a question whose rows they type. */
export interface RowsAsked<As extends Times, Ranges extends 'stacked' | 'beside'> extends Omit<AskOptions, 'ranges'> {
  /** As in `RowOptions`. */
  readonly times?: As | undefined;
  /** As in `AnswerOptions`. */
  readonly ranges?: Ranges | undefined;
}

/** The rows of an answer, as the options `times` and `ranges` of the question make them. */
export type RowAs<
  A,
  As extends Times = 'text',
  Ranges extends 'stacked' | 'beside' = 'stacked',
> = Ranges extends 'beside' ? ComparedRow<A, TimeAs<As>> : As extends 'text' ? AnswerRow<A> : DatedRow<A, TimeAs<As>>;

type TimeAs<As extends Times> = As extends 'date' ? Date : As extends 'temporal' ? ZonedTime : string;

/** A question in one line, whose rows have a given type. */
export type LineOf<Row> = [Row] extends [never] ? never : string;
