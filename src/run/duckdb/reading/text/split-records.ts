/** One unparsed record of a text file. */
export interface RawRecord {
  /** Line of its start, from 1. */
  readonly line: number;
  /** Undefined if the record is invalid; `reason` says why. */
  readonly bytes?: Buffer | undefined;
  readonly reason?: string | undefined;
  /** The start of an invalid record. */
  readonly head?: Buffer | undefined;
}

/** Splits a file into records. It receives chunks and passes on each record when it is complete. */
export interface Splitter {
  push(piece: Buffer): void;
  /** Call after the last chunk. */
  end(): void;
}

export type TakeRecord = (record: RawRecord) => void;

/** Limits memory: no event is this large. */
export const longestRecord = 32 * 1024 * 1024;

const tooLong = `longer than ${longestRecord / 1024 / 1024} MiB`;

/** Number of bytes kept of a rejected record. */
export const longestHead = 64 * 1024;

/** Collects the chunks of one record. If the record becomes too long, only its head is kept. */
export interface Gathering {
  add(piece: Buffer, start: number, end: number): void;
  /** Returns the collected bytes, or the head if the record was too long, and starts again. */
  take(): Pick<RawRecord, 'bytes' | 'reason' | 'head'>;
  readonly empty: boolean;
}

export function gather(): Gathering {
  let pieces: Buffer[] = [];
  let length = 0;
  const joined = () => (pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
  return {
    add(piece, start, end) {
      if (end <= start) return;
      const wasTooLong = length > longestRecord;
      length += end - start;
      if (wasTooLong) return;
      pieces.push(piece.subarray(start, end));
      if (length > longestRecord) pieces = [Buffer.from(joined().subarray(0, longestHead))];
    },
    take() {
      const bytes = joined();
      const taken = length > longestRecord ? { reason: tooLong, head: bytes } : { bytes };
      pieces = [];
      length = 0;
      return taken;
    },
    get empty() {
      return length === 0;
    },
  };
}
