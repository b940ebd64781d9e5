/** One record of a text file, as it stands there. */
export interface RawRecord {
  /** Where it begins, from 1. */
  readonly line: number;
  /** undefined where the record cannot be one, for the reason given. */
  readonly bytes?: Buffer | undefined;
  readonly reason?: string | undefined;
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

/** Gathers the pieces of one record, and lets go of them once it has grown too long. */
export interface Gathering {
  add(piece: Buffer, start: number, end: number): void;
  /** What was gathered, undefined where that was too long; begins anew. */
  take(): Buffer | undefined;
  readonly empty: boolean;
}

export function gather(): Gathering {
  let pieces: Buffer[] = [];
  let length = 0;
  return {
    add(piece, start, end) {
      if (end <= start) return;
      length += end - start;
      if (length > longestRecord) pieces = [];
      else pieces.push(piece.subarray(start, end));
    },
    take() {
      const bytes = length > longestRecord ? undefined : pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
      pieces = [];
      length = 0;
      return bytes;
    },
    get empty() {
      return length === 0;
    },
  };
}
