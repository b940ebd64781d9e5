import { describe, expect, it } from 'vitest';
import { nearest } from '../../src/ask/nearest.ts';

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

  it('offers nothing where nothing is close', () => {
    expect(nearest('revenue', ['count', 'docPath'])).toBeUndefined();
    expect(nearest('', [])).toBeUndefined();
  });
});
