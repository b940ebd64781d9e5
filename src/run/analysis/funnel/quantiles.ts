/** Collects numbers and computes exact statistics at the end. */
export interface NumberTally {
  add(value: number): void;
  /** Undefined if there are no numbers. */
  sumUp(): Spread | undefined;
}

export interface Spread {
  readonly mean: number;
  readonly median: number;
  readonly p90: number;
}

/** Stores every number, eight bytes each. */
export function openTally(): NumberTally {
  let values = new Float64Array(16);
  let count = 0;
  return {
    add(value) {
      if (count === values.length) {
        const grown = new Float64Array(count * 2);
        grown.set(values);
        values = grown;
      }
      values[count++] = value;
    },
    sumUp() {
      if (count === 0) return undefined;
      const sorted = values.subarray(0, count);
      // Skip sorting if sorted: the first steps of all users are at 0.
      if (sorted.some((value, index) => index > 0 && value < sorted[index - 1]!)) sorted.sort();
      let sum = 0;
      for (let index = 0; index < count; index++) sum += sorted[index]!;
      return {
        mean: sum / count,
        median: quantile(sorted, 0.5),
        p90: quantile(sorted, 0.9),
      };
    },
  };
}

/** The quantile `q` of sorted numbers, with linear interpolation as in SQL's `percentile_cont`. */
function quantile(sorted: Float64Array, q: number): number {
  const place = (sorted.length - 1) * q;
  const below = Math.floor(place);
  const low = sorted[below]!;
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!;
  return low + (high - low) * (place - below);
}
