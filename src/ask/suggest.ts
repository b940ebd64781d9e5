import { distance } from 'fastest-levenshtein';
import { quote } from './text.ts';

/** A hint that suggests a name: `Did you mean "week"?` */
export function offer(name: string): string {
  return `Did you mean ${quote(name)}?`;
}

/** A hint that suggests the candidate nearest to a misspelled word; undefined if none is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const near = nearest(word, candidates);
  return near === undefined ? undefined : offer(near);
}

/** A hint that suggests the nearest word, or else lists all words. */
export function oneOfHint(word: string, words: readonly string[]): string {
  return didYouMean(word, words) ?? `Use one of ${words.join(', ')}.`;
}

/** The most values to name. */
const mostNamed = 8;

/** The first values, and whether there are more: `"a", "b" and others`. */
export function quoteSome(values: readonly string[]): string {
  const named = values.slice(0, mostNamed).map(quote).join(', ');
  return values.length > mostNamed ? `${named} and others` : named;
}

/** Longer words are no typos, and comparing two of them takes time proportional to the product of their lengths. */
const mostLetters = 200;

/**
 * The candidate that a misspelled word most likely means, or undefined if none is close. At most a third of the word's
 * letters may differ (at least one, at most `most`); two swapped neighbours count as one. Case is ignored. Words of
 * more than 200 letters have no near candidate.
 */
export function nearest(word: string, candidates: Iterable<string>, most = 4): string | undefined {
  if (word.length > mostLetters) return undefined;
  const wanted = word.toLowerCase();
  const reach = Math.min(most, Math.max(1, Math.floor(wanted.length / 3)));
  let best: string | undefined;
  let bestDistance = reach + 1;
  for (const candidate of candidates) {
    const lower = candidate.toLowerCase();
    // A difference in length is at least as many edits.
    if (Math.abs(lower.length - wanted.length) > reach) continue;
    const away = haveNeighboursSwapped(wanted, lower) ? 1 : distance(wanted, lower);
    if (away < bestDistance) {
      best = candidate;
      bestDistance = away;
    }
  }
  return best;
}

/** Whether two swapped neighbours are the only difference. */
function haveNeighboursSwapped(word: string, other: string): boolean {
  if (word.length !== other.length) return false;
  let first = 0;
  while (first < word.length && word[first] === other[first]) first += 1;
  return (
    first + 1 < word.length &&
    word[first] === other[first + 1] &&
    word[first + 1] === other[first] &&
    word.slice(first + 2) === other.slice(first + 2)
  );
}
