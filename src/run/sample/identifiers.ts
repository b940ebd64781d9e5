import { mix, mixAll } from './random.ts';

/** The kind of identifier of a number in the event table. */
export type Named = 'event' | 'session' | 'visitor';
const kinds: readonly Named[] = ['event', 'session', 'visitor'];

/**
 * Four summands for the four words of an identifier. `mix` is applied to the number plus each summand. No two numbers
 * therefore share the first word, and two samples share a whole identifier with a probability of 2^-90.
 */
export function summandsOf(salt: number, kind: Named): readonly [number, number, number, number] {
  const at = (word: number) => mixAll([salt, kinds.indexOf(kind), word]);
  return [at(0), at(1), at(2), at(3)];
}

/** The digits of a user's identifier; unique for each number. */
export function userWord(salt: number, user: number): number {
  return mix(user + salt);
}

/** Both hexadecimal digits of each byte, in Latin-1. */
const digits = new Uint16Array(256);
const pair = new Uint8Array(2);
for (let byte = 0; byte < 256; byte++) {
  pair.set(Buffer.from(byte.toString(16).padStart(2, '0'), 'latin1'));
  digits[byte] = pair[0]! | (pair[1]! << 8);
}

/** Writes 32 bits as eight digits. Returns the offset after them. */
export function writeWord(word: number, target: Uint8Array, offset: number): number {
  return writeHalf(word & 0xffff, target, writeHalf(word >>> 16, target, offset));
}

function writeHalf(half: number, target: Uint8Array, offset: number): number {
  const [high, low] = [digits[half >>> 8]!, digits[half & 0xff]!];
  target[offset] = high & 0xff;
  target[offset + 1] = high >>> 8;
  target[offset + 2] = low & 0xff;
  target[offset + 3] = low >>> 8;
  return offset + 4;
}

const dash = 0x2d;

/** Digits and dashes. */
export const uuidLength = 36;

/** Writes a UUID of version 4. Returns the offset after it. */
export function writeUuid(
  number: number,
  summands: readonly [number, number, number, number],
  target: Uint8Array,
  offset: number,
): number {
  const second = mix(number + summands[1]);
  const third = mix(number + summands[2]);
  let end = writeWord(mix(number + summands[0]), target, offset);
  target[end] = dash;
  end = writeHalf(second >>> 16, target, end + 1);
  target[end] = dash;
  end = writeHalf((second & 0x0fff) | 0x4000, target, end + 1);
  target[end] = dash;
  end = writeHalf(((third >>> 16) & 0x3fff) | 0x8000, target, end + 1);
  target[end] = dash;
  return writeWord(mix(number + summands[3]), target, writeHalf(third & 0xffff, target, end + 1));
}
