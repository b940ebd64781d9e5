import { tellNone } from '../../shape/mark-stale.ts';
import { withNote, type Provenance } from '../../shape/provenance.ts';

/** The answer, with a note where its range begins after the newest event, so that there can be none in it. */
export function noteIfStale<Told extends { readonly provenance: Provenance }>(result: Told): Told {
  const note = tellNone(result.provenance);
  return note === undefined ? result : { ...result, provenance: withNote(result.provenance, note) };
}
