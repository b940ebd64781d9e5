import type { DuckDBBigIntVector, DuckDBIntegerVector, DuckDBListVector, DuckDBStructVector, DuckDBVarCharVector } from '@duckdb/node-api';
import type { EventCodes } from './event-codes.ts';
import { firstFrom, makeRoom, type UserEvents } from './user-events.ts';
import type { ListReader } from './user-source.ts';

/** Differences of times are exact up to this many microseconds: 285 years. */
const exact = 2 ** 53;

/** Reads what has any time, any number of words, and maybe a value. `window` in microseconds, `entriesBefore` in epoch milliseconds. */
export function openApartReader(codes: EventCodes, window: number, entriesBefore: number): ListReader {
  const events: UserEvents = { count: 0, times: new Float64Array(1024), kinds: new Int32Array(1024), entriesBefore };
  let order = new Uint32Array(1024);
  let unsorted = new Float64Array(1024);
  let list: DuckDBListVector;
  let ticks: BigInt64Array;
  let words: readonly Int32Array[];
  let values: DuckDBVarCharVector | undefined;
  let offset = 0;
  return {
    events,
    open(chunk) {
      list = chunk.getColumnVector(0) as DuckDBListVector;
      const struct = list.childVector as DuckDBStructVector;
      ticks = (struct.entryVectorAt(0) as DuckDBBigIntVector)['items'];
      words = codes.words.map((_, index) => (struct.entryVectorAt(1 + index) as DuckDBIntegerVector)['items']);
      values = struct.entryVectorAt(1 + words.length) as DuckDBVarCharVector | undefined;
    },
    lengthOf: (row) => list.getEntryLength(row),
    read(row) {
      offset = list.getEntryOffset(row);
      const length = list.getEntryLength(row);
      makeRoom(events, length);
      events.count = length;
      if (order.length < length) {
        order = new Uint32Array(length * 2);
        unsorted = new Float64Array(length * 2);
      }
      const sorted = order.subarray(0, length);
      let [first, last] = [ticks[offset]!, ticks[offset]!];
      for (let index = 1; index < length; index++) {
        const tick = ticks[offset + index]!;
        if (tick < first) first = tick;
        else if (tick > last) last = tick;
      }
      const far = Number(last - first) >= exact;
      for (let index = 0; index < length; index++) {
        sorted[index] = index;
        unsorted[index] = Number(ticks[offset + index]! - first);
      }
      sorted.sort(far ? (a, b) => Number(ticks[offset + a]! - ticks[offset + b]!) : (a, b) => unsorted[a]! - unsorted[b]!);
      let time = 0;
      for (let index = 0; index < length; index++) {
        const place = offset + sorted[index]!;
        // No attempt reaches over a gap that is longer than the window: shorter, it leaves all within reach exact.
        if (far) time += index === 0 ? 0 : Math.min(Number(ticks[place]! - ticks[offset + sorted[index - 1]!]!), window + 1);
        else time = unsorted[sorted[index]!]!;
        events.times[index] = time;
        events.kinds[index] = codes.toKind(words, place);
      }
      events.entriesBefore = entriesBefore === Infinity ? Infinity : far ? firstNotBefore() : Number(BigInt(entriesBefore) * 1000n - first);
    },
    toInstant: (time) => Number(floorDivide(ticks[offset + order[firstFrom(events, time)]!]!, 1000n)),
    valueOf: (index) => values?.getItem(offset + order[index]!) ?? null,
  };

  function firstNotBefore(): number {
    const limit = BigInt(entriesBefore) * 1000n;
    for (let index = 0; index < events.count; index++) if (ticks[offset + order[index]!]! >= limit) return events.times[index]!;
    return Infinity;
  }
}

function floorDivide(value: bigint, by: bigint): bigint {
  return value >= 0n ? value / by : -((-value + by - 1n) / by);
}
