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
  readonly months: readonly number[] | undefined;
  /** From 0, Sunday. */
  readonly weekdays: readonly number[] | undefined;
}
