import { readZone } from '../../ask/time/zone.ts';
import type { Mapping, SimpleSource } from './mapping.ts';
import type { MappingProposal } from './propose-mapping.ts';

/** The proposed columns. Dates without a time or a zone are days of the zone that the user reports in. */
export function columnsIn(proposal: MappingProposal, zone: string | undefined): Mapping['columns'] {
  const { mapping, isDated, isLocal } = proposal;
  const read = readZone(zone ?? 'UTC');
  const isUtc = !read.ok || read.value === 'UTC';
  return isDated && isLocal && !isUtc ? withTimesIn(mapping.columns, read.value) : mapping.columns;
}

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
