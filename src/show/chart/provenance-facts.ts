import { formatTime } from '../../shape/format/format-time.ts';
import type { SteadyProvenance } from '../../shape/result/provenance.ts';
import { describeRange } from './chart-texts.ts';

/** Where an answer comes from, as names and texts for people. The texts may be hostile. */
export function provenanceFacts(provenance: SteadyProvenance): readonly (readonly [name: string, text: string])[] {
  const { source, zone, asOf, freshness, queryHash } = provenance;
  return [
    ['Source', source],
    ['Range', `${describeRange(provenance) ?? 'all time'}, ${zone}`],
    ['As of', formatTime(asOf)],
    ...(freshness === null ? [] : [['Latest event', formatTime(freshness)] as const]),
    ['Query', queryHash],
  ];
}
