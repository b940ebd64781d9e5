import { distance } from 'fastest-levenshtein';

/**
 * The candidate that a mistyped word most likely meant, or undefined where none is close:
 * at most a third of the word's letters may differ (at least one, at most four), and two neighbours that changed
 * places count as one. Letter case counts for nothing.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  const swapped = withNeighboursSwapped(wanted);
  const reach = Math.min(4, Math.max(1, Math.floor(wanted.length / 3)));
  let best: string | undefined;
  let bestDistance = reach + 1;
  for (const candidate of candidates) {
    const lower = candidate.toLowerCase();
    const away = swapped.has(lower) ? 1 : distance(wanted, lower);
    if (away < bestDistance) {
      best = candidate;
      bestDistance = away;
    }
  }
  return best;
}

function withNeighboursSwapped(word: string): ReadonlySet<string> {
  const swapped = new Set<string>();
  for (let index = 1; index < word.length; index += 1) {
    swapped.add(word.slice(0, index - 1) + word[index]! + word[index - 1]! + word.slice(index + 1));
  }
  return swapped;
}
