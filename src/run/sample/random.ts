/** The last step of Austin Appleby's MurmurHash3: every whole number of 32 bits to another, none of them twice. */
export function mix(number: number): number {
  let mixed = number | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** One number of 32 bits for several. */
export function mixAll(numbers: readonly number[]): number {
  return numbers.reduce((mixed, number) => mix(mix(mixed + Math.floor(number / 2 ** 32)) + number), 0x2545f491);
}

/** A stream of numbers that depends on nothing but its seed. */
export interface Random {
  /** 0 up to, not including, 1. */
  fraction(): number;
  /** 0 up to, not including, `below`. */
  whole(below: number): number;
  chance(probability: number): boolean;
  /** The first index whose running total of weights, as `toRunning` makes it, is not passed. */
  weighted(running: readonly number[]): number;
}

/** Chris Doty-Humphrey's sfc32, seeded by its own mixing. Whole-number arithmetic only: the same on every machine. */
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
