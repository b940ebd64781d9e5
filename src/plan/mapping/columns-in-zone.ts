import type { Mapping, SimpleSource } from './mapping.ts';

/** A mapping that declares the zone of times without one. */
export function withTimesIn(columns: Mapping['columns'], zone: string): Mapping['columns'] {
  const declare = (source: SimpleSource): SimpleSource => {
    if (typeof source !== 'string') return 'value' in source ? source : { ...source, timezone: zone };
    return source.startsWith('$.') ? { path: source, timezone: zone } : { column: source, timezone: zone };
  };
  const { utcTime } = columns;
  if (utcTime === undefined) return columns;
  const declared = Array.isArray(utcTime) ? utcTime.map(declare) : declare(utcTime as SimpleSource);
  return { ...columns, utcTime: declared };
}
