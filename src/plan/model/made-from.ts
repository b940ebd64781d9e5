const inputs = new WeakMap<object, readonly unknown[]>();

/**
 * Notes what a part of a model is computed from, and returns the part. Equal inputs must give equal parts, so that keys
 * of kept answers can name the inputs: a cube with the properties of events has thousands of members.
 */
export function madeFrom<Part extends object>(part: Part, from: readonly unknown[]): Part {
  inputs.set(part, from);
  return part;
}

/** undefined for parts that were written or read. */
export function inputsOf(part: object): readonly unknown[] | undefined {
  return inputs.get(part);
}
