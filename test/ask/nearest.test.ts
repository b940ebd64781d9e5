import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearest } from '../../src/ask/suggest.ts';

describe('nearest', () => {
  it.each([
    ['pagview', ['pageview', 'link_click'], 'pageview'],
    ['cuont', ['count', 'mount'], 'count'],
    ['dya', ['day', 'week', 'month'], 'day'],
    ['DOCPATH', ['docHost', 'docPath'], 'docPath'],
    ['titel', ['title', 'tile'], 'title'],
  ])('finds for %s among %j: %s', (word, candidates, meant) => {
    expect(nearest(word, candidates)).toBe(meant);
  });

  it('suggests nothing if nothing is close', () => {
    expect(nearest('revenue', ['count', 'docPath'])).toBeUndefined();
    expect(nearest('', [])).toBeUndefined();
  });

  it('agrees with the textbook edit distance in which a swap of neighbours counts once', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'D', 'İ'), maxLength: 9 });
    fc.assert(
      fc.property(letters, fc.array(letters, { maxLength: 6 }), (word, candidates) => {
        const reach = Math.min(4, Math.max(1, Math.floor(word.toLowerCase().length / 3)));
        const away = candidates.map((candidate) => slips(word.toLowerCase(), candidate.toLowerCase()));
        const least = Math.min(...away);
        expect(nearest(word, candidates)).toBe(least <= reach ? candidates[away.indexOf(least)] : undefined);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([300, 20_000, 2 ** 20])('suggests nothing for %i letters, however long the candidates are', (length) => {
    const word = Array.from({ length }, (_, index) => String.fromCharCode(97 + ((index * 7919) % 26))).join('');
    expect(nearest(word, ['count', 'docPath', `${word}x`, word.slice(1)])).toBeUndefined();
  });
});

/** The Wagner–Fischer table. */
function slips(word: string, other: string): number {
  const swapped = Array.from(
    word,
    (_, index) => word.slice(0, index) + (word[index + 1] ?? '') + (word[index] ?? '') + word.slice(index + 2),
  );
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= word.length; at += 1) {
    const next = [at];
    for (let to = 1; to <= other.length; to += 1) {
      next.push(Math.min(next[to - 1]! + 1, row[to]! + 1, row[to - 1]! + (word[at - 1] === other[to - 1] ? 0 : 1)));
    }
    row = next;
  }
  return word !== other && swapped.includes(other) ? 1 : row.at(-1)!;
}
