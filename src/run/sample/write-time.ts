import { day } from '../../ask/time/duration.ts';
import { writeLocal } from '../../ask/time/local-time.ts';

/** Writes a time into bytes at an offset and gives the offset behind it. */
export type WriteTime = (time: number, target: Uint8Array, offset: number) => number;

/** `YYYY-MM-DDTHH:mm:ss.SSS`, with `Z` where it is `zoned`. The date is kept while it lasts. */
export function timeWriter(zoned: boolean): WriteTime {
  let date = Number.NaN;
  let written = Buffer.alloc(0);
  return (time, target, offset) => {
    const start = Math.floor(time / day);
    if (start !== date) {
      date = start;
      written = Buffer.from(writeLocal(start * day) + (zoned ? 'Z' : ''), 'latin1');
    }
    target.set(written, offset);
    const milliseconds = time - start * day;
    const seconds = Math.floor(milliseconds / 1000);
    const rest = milliseconds % 1000;
    writeTwo(Math.floor(seconds / 3600), target, offset + 11);
    writeTwo(Math.floor(seconds / 60) % 60, target, offset + 14);
    writeTwo(seconds % 60, target, offset + 17);
    target[offset + 20] = zero + Math.floor(rest / 100);
    writeTwo(rest % 100, target, offset + 21);
    return offset + written.length;
  };
}

const zero = 0x30;

function writeTwo(number: number, target: Uint8Array, offset: number): void {
  target[offset] = zero + Math.floor(number / 10);
  target[offset + 1] = zero + (number % 10);
}
