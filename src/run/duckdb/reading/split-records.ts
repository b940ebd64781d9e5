/** One record of a text file, as it stands there. */
export interface RawRecord {
  /** Where it begins, from 1. */
  readonly line: number;
  /** undefined where the record cannot be one, for the reason given. */
  readonly bytes?: Buffer | undefined;
  readonly reason?: string | undefined;
  /** How it begins, where it cannot be one. */
  readonly head?: Buffer | undefined;
}

/** Cuts a file that comes in pieces into records, and hands each on as soon as it is complete. */
export interface Splitter {
  push(piece: Buffer): void;
  /** After the last piece. */
  end(): void;
}

export type TakeRecord = (record: RawRecord) => void;

/** No event is as large as this, and one text of it would be all that memory holds. */
export const longestRecord = 32 * 1024 * 1024;

export const tooLong = `longer than ${longestRecord / 1024 / 1024} MiB`;

/** So much of a rejected record is kept. */
export const longestHead = 64 * 1024;

/** Gathers the pieces of one record, and lets go of all but its head once it has grown too long. */
export interface Gathering {
  add(piece: Buffer, start: number, end: number): void;
  /** What was gathered, as part of a record: its bytes, or its head where it was too long. Begins anew. */
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
