/** The finalizer of Austin Appleby's MurmurHash3: maps each 32-bit integer to another, one to one. */
export function mix(number: number): number {
  let mixed = number | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Hashes several numbers to one of 32 bits. */
export function mixAll(numbers: readonly number[]): number {
  return numbers.reduce((mixed, number) => mix(mix(mixed + Math.floor(number / 2 ** 32)) + number), 0x2545f491);
}

/** A stream of random numbers that depends only on its seed. */
export interface Random {
  /** From 0 (included) to 1 (excluded). */
  fraction(): number;
  /** An integer from 0 (included) to `below` (excluded). */
  whole(below: number): number;
  chance(probability: number): boolean;
  /** An index drawn by the running totals of weights that `toRunning` returns. */
  weighted(running: readonly number[]): number;
}

/**
 * Chris Doty-Humphrey's sfc32, seeded by its own mixing. Integer arithmetic only, so that all machines give the same
 * numbers.
 */
export function randomFrom(seed: number): Random {
  let a = seed | 0;
  let b = Math.floor(seed / 2 ** 32) | 0;
  let c = 0x9e3779b9 | 0;
  let counter = 1;

  const next = () => {
    const mixed = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + mixed) | 0;
    return mixed >>> 0;
  };
  for (let round = 0; round < 16; round++) next();

  const fraction = () => next() / 2 ** 32;
  return {
    fraction,
    whole: (below) => Math.floor(fraction() * below),
    chance: (probability) => fraction() < probability,
    weighted(running) {
      const mark = fraction() * running.at(-1)!;
      const index = running.findIndex((total) => mark < total);
      return index === -1 ? running.length - 1 : index;
    },
  };
}

/** Running totals of weights. */
export function toRunning(weights: readonly number[]): readonly number[] {
  let total = 0;
  return weights.map((weight) => (total += weight));
}
