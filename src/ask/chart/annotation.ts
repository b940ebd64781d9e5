/** A dated mark on a chart: a release, a campaign, an incident. */
export interface Annotation {
  /**
   * A day (`2024-03-08`), a time in the time zone of the chart (`2024-03-08T14:30`), or an instant
   * (`2024-03-08T13:30:00Z`).
   */
  readonly date: string;
  /** The text beside the mark. */
  readonly title: string;
  /** `release`, `campaign`, `incident` or any other word. */
  readonly kind?: string | undefined;
}
