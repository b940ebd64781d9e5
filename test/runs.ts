/**
 * How many cases a costly property is tried on: a quarter in `npm test`, which takes the same ones each time, and all
 * in `npm run fuzz -- MINUTES SEED properties`, which takes others each time.
 */
export const runs = (all: number): number => (process.env['SLUICE_THOROUGH'] === '1' ? all : Math.ceil(all / 4));
