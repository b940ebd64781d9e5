import { go } from 'fuzzysort';
import type { Candidate } from './completion.ts';

/** Below this a match is chance. */
const leastScore = 0.3;

/** The candidates that what is typed may mean, the best first; all of them, in their order, where nothing is typed. */
export function rankCandidates(candidates: readonly Candidate[], typed: string): readonly Candidate[] {
  const wanted = typed.trim().toLowerCase();
  if (wanted === '') return candidates;
  const places = new Map(candidates.map((candidate, place) => [candidate, place]));
  const found = go(wanted, candidates, { keys: ['label', 'title'], limit: 0, threshold: leastScore });
  return found.map(({ obj, score }) => ({ obj, score: likelihood(obj, wanted) ?? score }))
    .sort((a, b) => b.score - a.score || (places.get(a.obj) ?? 0) - (places.get(b.obj) ?? 0))
    .map(({ obj }) => obj);
}

/** Who begins to type a name means one that begins so; these stand in their own order. */
function likelihood({ label }: Candidate, wanted: string): number | undefined {
  const lower = label.toLowerCase();
  return lower === wanted ? 3 : lower.startsWith(wanted) ? 2 : undefined;
}
