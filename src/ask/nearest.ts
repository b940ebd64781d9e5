import { distance } from 'fastest-levenshtein';

/**
 * The candidate that a mistyped word most likely meant, or undefined where none is close:
 * at most a third of the word's letters may differ (at least one, at most four). Letter case counts for nothing.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  const reach = Math.min(4, Math.max(1, Math.floor(wanted.length / 3)));
  let best: string | undefined;
  let bestDistance = reach + 1;
  for (const candidate of candidates) {
    const away = distance(wanted, candidate.toLowerCase());
    if (away < bestDistance) {
      best = candidate;
      bestDistance = away;
    }
  }
  return best;
}
