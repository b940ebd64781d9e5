import type { DuckDBBigIntVector, DuckDBDataChunk, DuckDBListVector, DuckDBMaterializedResult, DuckDBTinyIntVector, DuckDBVarCharVector } from '@duckdb/node-api';
import { openApartReader } from './apart-reader.ts';
import type { EventCodes } from './event-codes.ts';
import type { EventsWanted } from './events-statement.ts';
import { halvesOf, openTimeDecoder } from './time-decoder.ts';
import type { ListReader, UserSource } from './user-source.ts';

export interface ListOptions {
  readonly codes: EventCodes;
  readonly shape: EventsWanted['shape'];
  readonly keys: boolean;
  /** Microseconds. */
  readonly window: number;
  /** Epoch milliseconds. */
  readonly entriesBefore: number;
}

/** A row a user, chunk by chunk. */
export async function* readLists(result: DuckDBMaterializedResult, { codes, shape, keys, window, entriesBefore }: ListOptions): AsyncGenerator<UserSource, void, undefined> {
  const reader = shape === 'beside' ? openBesideReader(codes, entriesBefore) : openApartReader(codes, window, entriesBefore);
  let chunk = await result.fetchChunk();
  while (chunk && chunk.rowCount > 0) {
    // The next one is fetched on another thread while users are followed on this one.
    const next = result.fetchChunk();
    try {
      reader.open(chunk);
      yield sourceOf(reader, chunk, keys);
    } finally {
      chunk = await next;
    }
  }
}

function sourceOf(reader: ListReader, chunk: DuckDBDataChunk, keys: boolean): UserSource {
  const nobody = (chunk.getColumnVector(1) as DuckDBTinyIntVector)['items'];
  const who = keys ? (chunk.getColumnVector(2) as DuckDBVarCharVector) : undefined;
  const rows = chunk.rowCount;
  let row = -1;
  let passed = 0;
  return {
    next() {
      for (row += 1; row < rows; row += 1) {
        if (nobody[row] === 0) {
          reader.read(row);
          return true;
        }
        passed += reader.lengthOf(row);
      }
      return false;
    },
    events: reader.events,
    toInstant: reader.toInstant,
    valueOf: reader.valueOf,
    key: () => who!.getItem(row)!,
    takeNobody() {
      const taken = passed;
      passed = 0;
      return taken;
    },
  };
}

/** Reads what has time and code in one number. */
function openBesideReader(codes: EventCodes, entriesBefore: number): ListReader {
  const decoder = openTimeDecoder(codes, entriesBefore);
  let halves: Int32Array;
  /** Four numbers a row: where its list begins, and how long it is, the upper halves being 0. */
  let lists: Int32Array;
  return {
    events: decoder.events,
    open(chunk) {
      const list = chunk.getColumnVector(0) as DuckDBListVector;
      lists = halvesOf(list['entryData']);
      halves = halvesOf((list.childVector as DuckDBBigIntVector)['items']);
    },
    lengthOf: (row) => lists[row * 4 + 2]!,
    read(row) {
      const length = lists[row * 4 + 2]!;
      decoder.begin(length);
      for (let half = lists[row * 4]! * 2, end = half + length * 2; half < end; half += 2) decoder.add(halves[half]!, halves[half + 1]!);
      decoder.end();
    },
    toInstant: decoder.toInstant,
    valueOf: () => null,
  };
}
