/** A dated mark that stands beside figures: a release, a campaign, an incident. */
export interface Annotation {
  /**
   * A day, `2024-03-08`, or a time of the zone that is drawn in, `2024-03-08T14:30`; or an instant,
   * `2024-03-08T13:30:00Z`.
   */
  readonly date: string;
  readonly title: string;
  /** `release`, `campaign`, `incident` or whatever else. */
  readonly kind?: string | undefined;
}
