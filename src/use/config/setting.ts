/** A setting, and where it came from, for people: `flag --events`, `SLUICE_EVENTS`, `sluice.yaml:3`, `default`. */
export interface Setting<T> {
  readonly value: T;
  readonly origin: string;
}
