/** True in `npm run fuzz`. */
export const thorough = process.env['TEST_THOROUGH'] === '1';

/**
 * How many cases a costly property tries: an eighth in `npm test`, always the same ones, and all in `npm run fuzz --
 * MINUTES SEED properties`, with new ones each time; or `most` there, if given.
 */
export const runs = (all: number, most = all): number => (thorough ? most : Math.ceil(all / 8));

/**
 * Every `places`-th of a list in `npm test`, beginning with the one at `place`, so that the tests of all places
 * together try each of them; the whole list in `npm run fuzz`.
 */
export const shareOf = <T>(list: readonly T[], place: number, places: number): readonly T[] =>
  thorough ? list : list.filter((_, index) => index % places === place % places);

/**
 * The cases of a costly property until its time is up, at least one: a busy machine tries fewer, and finishes what it
 * began. Says how many were left out.
 */
export function inTime(milliseconds: number): <T>(cases: readonly T[]) => Generator<T, void, undefined> {
  const until = Date.now() + milliseconds;
  let first = true;
  return function* <T>(cases: readonly T[]) {
    for (const [index, each] of cases.entries()) {
      if (!first && Date.now() >= until) {
        console.warn(`${cases.length - index} of ${cases.length} cases were left out: the time was up.`);
        return;
      }
      first = false;
      yield each;
    }
  };
}
