import type { Schedule } from './schedule.ts';

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
