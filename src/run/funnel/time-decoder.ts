import type { EventCodes } from './event-codes.ts';
import { codesBeside, timeOrigin } from './events-statement.ts';
import { sortEvents } from './sort-events.ts';
import { makeRoom, type UserEvents } from './user-events.ts';

/** Takes numbers of time and code apart, one user after the other. */
export interface TimeDecoder {
  readonly events: UserEvents;
  /** Begins a user with so many events. */
  begin(length: number): void;
  /** The halves of an event's number. */
  add(lower: number, upper: number): void;
  /** All are there: puts them in order of time. */
  end(): void;
  /** Epoch milliseconds of a time in `events`, rounded down. */
  toInstant(time: number): number;
}

/** The lower and the upper halves of 64-bit numbers, as every machine lays them out on which Node and DuckDB run. */
export function halvesOf(numbers: BigInt64Array | BigUint64Array): Int32Array {
  return new Int32Array(numbers.buffer, numbers.byteOffset, numbers.length * 2);
}

const codeBits = Math.log2(codesBeside);

/** `entriesBefore` in epoch milliseconds. */
export function openTimeDecoder(codes: EventCodes, entriesBefore: number): TimeDecoder {
  const events: UserEvents = { count: 0, times: new Float64Array(1024), kinds: new Int32Array(1024), entriesBefore };
  const code = [new Int32Array(1)] as const;
  const kindOfCode = Int32Array.from({ length: codes.most! + 1 }, (_, each) => {
    code[0][0] = each;
    return codes.toKind(code, 0);
  });
  let base = 0;
  return {
    events,
    begin(length) {
      makeRoom(events, length);
      events.count = 0;
      base = Infinity;
    },
    add(lower, upper) {
      const time = upper * (2 ** 32 / codesBeside) + (lower >>> codeBits);
      events.times[events.count] = time;
      events.kinds[events.count] = kindOfCode[lower & (codesBeside - 1)]!;
      events.count += 1;
      if (time < base) base = time;
    },
    end() {
      const { times, count } = events;
      for (let index = 0; index < count; index++) times[index]! -= base;
      events.entriesBefore = (entriesBefore - timeOrigin) * 1000 - base;
      sortEvents(events, codes.kinds.size);
    },
    toInstant: (time) => Math.floor((base + time) / 1000) + timeOrigin,
  };
}
