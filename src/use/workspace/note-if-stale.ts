import { tellNone, withDataEnd } from '../../shape/mark-stale.ts';
import { type Provenance, withNote } from '../../shape/result/provenance.ts';
import { withParts } from '../../shape/result/cloneable.ts';

/** The answer with what is to be said where its data end before its range does, or where there can be none in it. */
export function noteIfStale<Told extends { readonly provenance: Provenance }>(result: Told): Told {
  const provenance = withDataEnd(result.provenance);
  const note = tellNone(provenance);
  return withParts(result, {
    provenance: note === undefined ? provenance : withNote(provenance, note),
  } as Partial<Told>);
}
