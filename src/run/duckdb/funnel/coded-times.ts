import type { DuckDBBigIntVector, DuckDBDataChunk, DuckDBListVector, DuckDBMaterializedResult } from '@duckdb/node-api';

/** One user's events, sorted by time, then by code. The arrays may be longer than `count`. */
export interface CodedTimes {
  count: number;
  /** Microseconds. */
  times: Float64Array;
  codes: Int32Array;
}

export function openCodedTimes(): CodedTimes {
  return { count: 0, times: new Float64Array(1024), codes: new Int32Array(1024) };
}

/** Starts a user with this number of events. */
export function setCount(events: CodedTimes, count: number): void {
  events.count = count;
  if (events.times.length >= count) return;
  events.times = new Float64Array(count * 2);
  events.codes = new Int32Array(count * 2);
}

/** The chunks of a result. */
export async function* chunksOf(result: DuckDBMaterializedResult): AsyncGenerator<DuckDBDataChunk, void, undefined> {
  let chunk = await result.fetchChunk();
  while (chunk && chunk.rowCount > 0) {
    // Fetch the next chunk on another thread while this one is processed.
    const next = result.fetchChunk();
    try {
      yield chunk;
    } finally {
      chunk = await next;
    }
  }
}

/** The lower and upper halves of 64-bit numbers. All platforms of Node and DuckDB are little-endian. */
export function halvesOf(numbers: BigInt64Array | BigUint64Array): Int32Array {
  return new Int32Array(numbers.buffer, numbers.byteOffset, numbers.length * 2);
}

/** The offset and length of each row's list in the child vector. */
export function openLists(list: DuckDBListVector) {
  // Four numbers a row. The upper halves are 0.
  const lists = halvesOf(list['entryData']);
  return {
    offsetOf: (row: number): number => lists[row * 4]!,
    lengthOf: (row: number): number => lists[row * 4 + 2]!,
  };
}

/** Reads `count` events from `offset`, sorted by time, then by code. */
export type ReadCodedTimes = (offset: number, events: CodedTimes) => void;

/** Insertion sort is used up to this length; most lists are nearly sorted. */
const short = 64;

/** Reads numbers whose lowest `bits` are a code and whose remaining bits are a time, which is not negative. */
export function readBeside(list: DuckDBListVector, bits: number): ReadCodedTimes {
  const numbers = (list.childVector as DuckDBBigIntVector)['items'];
  const [high, mask] = [2 ** (32 - bits), 2 ** bits - 1];
  const decode = (halves: Int32Array, { times, codes, count }: CodedTimes): boolean => {
    let sorted = true;
    for (let index = 0, half = 0; index < count; index++, half += 2) {
      const lower = halves[half]!;
      times[index] = halves[half + 1]! * high + (lower >>> bits);
      codes[index] = lower & mask;
      if (index > 0 && isBefore(times, codes, index, index - 1)) sorted = false;
    }
    return sorted;
  };
  const all = halvesOf(numbers);
  return (offset, events) => {
    const end = offset + events.count;
    if (decode(all.subarray(offset * 2, end * 2), events)) return;
    if (events.count <= short) sortShort(events);
    else decode(halvesOf(numbers.slice(offset, end).sort()), events);
  };
}

function isBefore(times: Float64Array, codes: Int32Array, one: number, other: number): boolean {
  return times[one]! < times[other]! || (times[one] === times[other] && codes[one]! < codes[other]!);
}

function sortShort({ times, codes, count }: CodedTimes): void {
  for (let index = 1; index < count; index++) {
    const [time, code] = [times[index]!, codes[index]!];
    let place = index;
    for (; place > 0; place--) {
      const before = times[place - 1]!;
      if (before < time || (before === time && codes[place - 1]! <= code)) break;
      times[place] = before;
      codes[place] = codes[place - 1]!;
    }
    times[place] = time;
    codes[place] = code;
  }
}
