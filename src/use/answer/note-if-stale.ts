import { writeInstantLocal } from '../../ask/time/local-time.ts';
import { withNote, type Provenance } from '../../shape/provenance.ts';

/** The answer, with a note where its range begins after the newest event, so that there can be none in it. */
export function noteIfStale<Told extends { readonly provenance: Provenance }>(result: Told): Told {
  const { freshness, range, zone } = result.provenance;
  if (freshness === null || range === null || Date.parse(freshness) >= Date.parse(range.start)) return result;
  const newest = writeInstantLocal(Date.parse(freshness), zone).slice(0, 10);
  return { ...result, provenance: withNote(result.provenance, `No events in the range: the newest is of ${newest} (--as-of sets the present).`) };
}
