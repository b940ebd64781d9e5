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
