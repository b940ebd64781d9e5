/** When to run a report, in the wall time of a zone. */
export interface Schedule {
  /** As written: `monthly on day 1 at 06:00`. */
  readonly text: string;
  /** Five cron fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  readonly fields: CronFields;
}

/** The values of each field, ascending; undefined means all. */
export interface CronFields {
  readonly minutes: readonly number[] | undefined;
  readonly hours: readonly number[] | undefined;
  readonly days: readonly number[] | undefined;
  /** The last day of a month, instead of `days`. */
  readonly onLastDay?: boolean | undefined;
  readonly months: readonly number[] | undefined;
  /** 0 is Sunday. */
  readonly weekdays: readonly number[] | undefined;
}

/** A text for a comment: characters that would end the line become spaces. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

/** A report for an external scheduler. */
export interface ScheduledReport {
  /** Name of its file, without folder and extension. */
  readonly name: string;
  readonly title: string;
  readonly schedule: Schedule;
  /** Canonical IANA name of the time zone. */
  readonly zone: string;
  /** Absolute path of the workspace. */
  readonly folder: string;
  /** The command that runs the report if it is due, with its arguments. */
  readonly argv: readonly string[];
  /** The folder that records runs, and the output folders of reports; within the workspace. */
  readonly state: string;
  /** Names of environment variables that the run needs and the scheduler must be given. */
  readonly secrets: readonly string[];
  readonly outputs: readonly string[];
}
