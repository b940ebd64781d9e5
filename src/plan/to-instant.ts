/** Converts a time from an answer (see `Value`) to milliseconds since 1970; wall times are read as UTC. */
export function toInstant(label: string): number | undefined {
  if (!/T\d\d:\d\d:\d\d/.test(label)) return undefined;
  const instant = Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(label) ? label : `${label}Z`);
  return Number.isNaN(instant) ? undefined : instant;
}
