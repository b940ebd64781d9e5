/** Collects small pieces of bytes. */
export interface ByteSink {
  readonly length: number;
  copy(piece: Buffer, from: number, to: number): void;
  text(text: string): void;
  /** What was collected. Then the sink is empty. */
  take(): Buffer;
}

/** Take what is collected when it is so long. */
export const mostHeld = 1 << 17;

const usualSize = 1 << 18;

export function byteSink(): ByteSink {
  let bytes = Buffer.allocUnsafe(usualSize);
  let length = 0;
  const reserve = (more: number) => {
    if (length + more <= bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(bytes.length * 2, length + more));
    bytes.copy(larger, 0, 0, length);
    bytes = larger;
  };
  return {
    get length() {
      return length;
    },
    copy(piece, from, to) {
      reserve(to - from);
      length += piece.copy(bytes, length, from, to);
    },
    text(text) {
      reserve(text.length * 3);
      length += bytes.write(text, length);
    },
    take() {
      const taken = bytes.subarray(0, length);
      bytes = Buffer.allocUnsafe(usualSize);
      length = 0;
      return taken;
    },
  };
}
