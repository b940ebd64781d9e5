/** Numbers from 0 to 1, reproducible by seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const extremes = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), 2 ** 30, 0x7fffff, 255, 65_536, 1 << 24];

/** Adds one to four faults to the bytes: changed bits, bytes and numbers, cuts, and removed or repeated stretches. */
export function mutate(bytes: Uint8Array, random: () => number): Buffer {
  let mutant = Buffer.from(bytes);
  const upTo = (most: number) => Math.floor(random() * most);
  // Counts and lengths are often at the ends and at aligned offsets.
  const place = (width: number) => {
    const room = Math.max(1, mutant.length - width);
    const at =
      random() < 0.3 ? (random() < 0.5 ? upTo(Math.min(600, room)) : room - 1 - upTo(Math.min(600, room))) : upTo(room);
    return Math.max(0, random() < 0.7 ? at - (at % Math.min(4, width)) : at);
  };
  for (let fault = upTo(4); fault >= 0; fault--) {
    if (mutant.length < 24) break;
    switch (upTo(8)) {
      case 0:
      case 1: {
        const at = place(1);
        mutant[at]! ^= 1 << upTo(8);
        break;
      }
      case 2:
        mutant[place(1)] = upTo(256);
        break;
      case 3:
      case 4:
        mutant.writeInt32LE(extremes[upTo(extremes.length)]!, place(4));
        break;
      case 5:
        mutant.writeBigInt64LE(BigInt(extremes[upTo(extremes.length)]!) * (random() < 0.5 ? 1n : 1n << 24n), place(8));
        break;
      case 6: {
        const at = place(1);
        const length = upTo(Math.min(64, mutant.length - at));
        mutant =
          random() < 0.5
            ? Buffer.concat([mutant.subarray(0, at), mutant.subarray(at + length)])
            : Buffer.concat([mutant.subarray(0, at + length), mutant.subarray(at)]);
        break;
      }
      default:
        if (random() < 0.3) mutant = mutant.subarray(0, upTo(mutant.length));
        else mutant[place(1)] = 0xff;
    }
  }
  return Buffer.from(mutant);
}
