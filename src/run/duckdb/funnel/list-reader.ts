import type {
  DuckDBBigIntVector,
  DuckDBDataChunk,
  DuckDBIntegerVector,
  DuckDBListVector,
  DuckDBMaterializedResult,
  DuckDBStructVector,
  DuckDBTinyIntVector,
  DuckDBVarCharVector,
} from '@duckdb/node-api';
import { floorDivide } from '../../decode-value.ts';
import { chunksOf, halvesOf, openLists } from './coded-times.ts';
import type { EventCodes } from './event-codes.ts';
import { codesBeside, type EventsWanted, timeOrigin } from './events-statement.ts';
import { sortEvents } from '../../analysis/funnel/sort-events.ts';
import { firstFrom, makeRoom, type UserEvents, type UserSource } from '../../analysis/funnel/user-events.ts';

/** Splits numbers into time and code, user by user. */
interface TimeDecoder {
  readonly events: UserEvents;
  /** Starts a user with this number of events. */
  begin(length: number): void;
  /** The halves of an event's number. */
  add(lower: number, upper: number): void;
  /** Sorts the user's events by time. Call it after the last event. */
  end(): void;
  /** Epoch milliseconds of a time in `events`, rounded down. */
  toInstant(time: number): number;
  toMicros(time: number): bigint;
}

const codeBits = Math.log2(codesBeside);

/** `entriesBefore` in epoch milliseconds. */
function openTimeDecoder(codes: EventCodes, entriesBefore: number): TimeDecoder {
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
    toMicros: (time) => BigInt(base + time) + BigInt(timeOrigin) * 1000n,
  };
}

interface ListOptions {
  readonly codes: EventCodes;
  readonly shape: EventsWanted['shape'];
  readonly keys: boolean;
  /** Whether each user has a list of lists: one for each combination of held values. */
  readonly held: boolean;
  /** Microseconds. */
  readonly window: number;
  /** Epoch milliseconds. */
  readonly entriesBefore: number;
}

/** One row a user, chunk by chunk. */
export async function* readLists(
  result: DuckDBMaterializedResult,
  { codes, shape, keys, held, window, entriesBefore }: ListOptions,
): AsyncGenerator<UserSource, void, undefined> {
  const reader =
    shape === 'beside' ? openBesideReader(codes, entriesBefore) : openApartReader(codes, window, entriesBefore);
  for await (const chunk of chunksOf(result)) {
    yield sourceOf(reader, chunk, { keys, held });
  }
}

function sourceOf(
  reader: ListReader,
  chunk: DuckDBDataChunk,
  { keys, held }: Pick<ListOptions, 'keys' | 'held'>,
): UserSource {
  const column = chunk.getColumnVector(0) as DuckDBListVector;
  const combinations = held ? openLists(column) : undefined;
  reader.open(held ? (column.childVector as DuckDBListVector) : column);
  const nobody = (chunk.getColumnVector(1) as DuckDBTinyIntVector)['items'];
  const who = keys ? (chunk.getColumnVector(2) as DuckDBVarCharVector) : undefined;
  const rows = chunk.rowCount;
  let row = -1;
  let passed = 0;
  /** The lists of the user. */
  let [list, end] = [0, 0];
  return {
    next() {
      for (row += 1; row < rows; row += 1) {
        list = combinations ? combinations.offsetOf(row) : row;
        end = list + (combinations ? combinations.lengthOf(row) : 1);
        if (nobody[row] === 0) {
          reader.read(list);
          return true;
        }
        for (; list < end; list++) passed += reader.lengthOf(list);
      }
      return false;
    },
    more() {
      list += 1;
      if (list >= end) return false;
      reader.read(list);
      return true;
    },
    events: reader.events,
    toInstant: reader.toInstant,
    toMicros: reader.toMicros,
    valueOf: reader.valueOf,
    key: () => who!.getItem(row)!,
    takeNobody() {
      const taken = passed;
      passed = 0;
      return taken;
    },
  };
}

/** Reads events with time and code in one number. */
function openBesideReader(codes: EventCodes, entriesBefore: number): ListReader {
  const decoder = openTimeDecoder(codes, entriesBefore);
  let halves: Int32Array;
  /** Four numbers a row: the offset and length of its list. The upper halves are 0. */
  let lists: Int32Array;
  return {
    events: decoder.events,
    open(list) {
      lists = halvesOf(list['entryData']);
      halves = halvesOf((list.childVector as DuckDBBigIntVector)['items']);
    },
    lengthOf: (row) => lists[row * 4 + 2]!,
    read(row) {
      const length = lists[row * 4 + 2]!;
      decoder.begin(length);
      for (let half = lists[row * 4]! * 2, end = half + length * 2; half < end; half += 2)
        decoder.add(halves[half]!, halves[half + 1]!);
      decoder.end();
    },
    toInstant: decoder.toInstant,
    toMicros: decoder.toMicros,
    valueOf: () => null,
  };
}

/** Differences of times are exact up to this many microseconds: 285 years. */
const exact = 2 ** 53;

/**
 * Reads events with any time, any number of code words, and an optional value. `window` in microseconds,
 * `entriesBefore` in epoch milliseconds.
 */
function openApartReader(codes: EventCodes, window: number, entriesBefore: number): ListReader {
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
    open(lists) {
      list = lists;
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
      sorted.sort(
        far ? (a, b) => Number(ticks[offset + a]! - ticks[offset + b]!) : (a, b) => unsorted[a]! - unsorted[b]!,
      );
      let time = 0;
      for (let index = 0; index < length; index++) {
        const place = offset + sorted[index]!;
        // No attempt spans a gap longer than the window. Shortening such gaps keeps all reachable differences exact.
        // `window + 1` could round to the window.
        if (far)
          time += index === 0 ? 0 : Math.min(Number(ticks[place]! - ticks[offset + sorted[index - 1]!]!), 2 * window);
        else time = unsorted[sorted[index]!]!;
        events.times[index] = time;
        events.kinds[index] = codes.toKind(words, place);
      }
      events.entriesBefore =
        entriesBefore === Infinity ? Infinity : far ? firstNotBefore() : Number(BigInt(entriesBefore) * 1000n - first);
    },
    toInstant: (time) => Number(floorDivide(toMicros(time), 1000n)),
    toMicros,
    valueOf: (index) => values?.getItem(offset + order[index]!) ?? null,
  };

  function toMicros(time: number): bigint {
    return ticks[offset + order[firstFrom(events, time)]!]!;
  }

  function firstNotBefore(): number {
    const limit = BigInt(entriesBefore) * 1000n;
    for (let index = 0; index < events.count; index++)
      if (ticks[offset + order[index]!]! >= limit) return events.times[index]!;
    return Infinity;
  }
}

/** Reads users' events from the lists of `eventsStatement`. */
interface ListReader extends Pick<UserSource, 'events' | 'toInstant' | 'toMicros' | 'valueOf'> {
  open(lists: DuckDBListVector): void;
  /** Number of events in a list. */
  lengthOf(row: number): number;
  /** Writes the events of a list into `events`, sorted by time. */
  read(row: number): void;
}
