/** A stream of numbers that depends on nothing but its seed. */
export interface Random {
  /** 0 up to, not including, 1. */
  fraction(): number;
  /** 0 up to, not including, `below`. */
  whole(below: number): number;
  chance(probability: number): boolean;
  pick<T>(values: readonly T[]): T;
  /** An index, the likelier the larger its weight. */
  weighted(weights: readonly number[]): number;
  /** So many times four hexadecimal digits. */
  hex(quads: number): string;
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
  const whole = (below: number) => Math.floor(fraction() * below);
  return {
    fraction,
    whole,
    chance: (probability) => fraction() < probability,
    pick: (values) => values[whole(values.length)]!,
    weighted(weights) {
      let left = fraction() * weights.reduce((sum, weight) => sum + weight, 0);
      for (let index = 0; index < weights.length - 1; index++) {
        left -= weights[index]!;
        if (left < 0) return index;
      }
      return weights.length - 1;
    },
    hex(quads) {
      let text = '';
      for (let quad = 0; quad < quads; quad++) text += quadTexts[next() >>> 16]!;
      return text;
    },
  };
}

const quadTexts: readonly string[] = Array.from({ length: 65_536 }, (_, number) => number.toString(16).padStart(4, '0'));
