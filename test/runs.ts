const thorough = process.env['SLUICE_THOROUGH'] === '1';

/**
 * How many cases a costly property tries: a quarter in `npm test`, always the same ones, and all in `npm run fuzz --
 * MINUTES SEED properties`, with new ones each time; or `most` there, if given.
 */
export const runs = (all: number, most = all): number => (thorough ? most : Math.ceil(all / 4));

/**
 * Every `places`-th of a list in `npm test`, beginning with the one at `place`, so that the tests of all places
 * together try each of them; the whole list in `npm run fuzz`.
 */
export const shareOf = <T>(list: readonly T[], place: number, places: number): readonly T[] =>
  thorough ? list : list.filter((_, index) => index % places === place % places);
