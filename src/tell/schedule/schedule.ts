/** When a report is to run, on the wall clock of a zone. */
export interface Schedule {
  /** As a person wrote it: `monthly on day 1 at 06:00`. */
  readonly text: string;
  /** Five fields as cron has them: minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  readonly fields: CronFields;
}

/** The values of each field, ascending; undefined: all of them. */
export interface CronFields {
  readonly minutes: readonly number[] | undefined;
  readonly hours: readonly number[] | undefined;
  readonly days: readonly number[] | undefined;
  /** The last day of a month, instead of `days`. */
  readonly onLastDay?: boolean | undefined;
  readonly months: readonly number[] | undefined;
  /** From 0, Sunday. */
  readonly weekdays: readonly number[] | undefined;
}

/** A text as part of a comment: whatever would end the line is a space. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

/** A report on its way into somebody's scheduler. */
export interface ScheduledReport {
  /** Name of its file, without folder and ending. */
  readonly name: string;
  readonly title: string;
  readonly schedule: Schedule;
  /** Canonical IANA name. */
  readonly zone: string;
  /** Absolute path of the workspace. */
  readonly folder: string;
  /** The command and its arguments, which runs what is due of the report. */
  readonly argv: readonly string[];
  /** The folder that keeps what ran, and those that reports are put into; within the workspace. */
  readonly state: string;
  /** Variables of the environment that the run reads and that a scheduler does not know by itself: their names. */
  readonly secrets: readonly string[];
  readonly outputs: readonly string[];
}
