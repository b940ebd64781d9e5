const [
  tab,
  lineFeed,
  carriageReturn,
  space,
  quoteMark,
  comma,
  colon,
  openBracket,
  backslash,
  closeBracket,
  openBrace,
  closeBrace,
] = [9, 10, 13, 32, 0x22, 0x2c, 0x3a, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d] as const;

export const marks = { lineFeed, comma, closeBracket, openBrace } as const;

const dataKey = Buffer.from('"data"');

/**
 * The position of the first row of a load answer, after `"data":[`; undefined if it has not arrived yet. These bytes
 * cannot occur elsewhere in valid JSON text.
 */
export function findRows(head: Buffer): number | undefined {
  for (let at = head.indexOf(dataKey); at >= 0; at = head.indexOf(dataKey, at + 1)) {
    const separator = skipSpace(head, at + dataKey.length, head.length);
    if (head[separator] !== colon) continue;
    const bracket = skipSpace(head, separator + 1, head.length);
    if (head[bracket] === openBracket) return bracket + 1;
  }
  return undefined;
}

export function skipSpace(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && isSpace(bytes[at]!)) at += 1;
  return at;
}

function isSpace(byte: number): boolean {
  return byte === space || byte === lineFeed || byte === carriageReturn || byte === tab;
}

/** Finds the end of a JSON object across pieces of bytes. */
interface ObjectEnd {
  /**
   * Continues at `start`. Returns the position after the object's last brace, or undefined if it does not end before
   * `end`.
   */
  find(bytes: Buffer, start: number, end: number): number | undefined;
}

export function openObjectEnd(): ObjectEnd {
  let depth = 0;
  let inText = false;
  let escaped = false;
  return {
    find(bytes, start, end) {
      for (let at = start; at < end; at += 1) {
        const byte = bytes[at]!;
        if (inText) {
          if (escaped) escaped = false;
          else if (byte === backslash) escaped = true;
          else if (byte === quoteMark) inText = false;
        } else if (byte === quoteMark) inText = true;
        else if (byte === openBrace || byte === openBracket) depth += 1;
        else if (byte === closeBrace || byte === closeBracket) {
          depth -= 1;
          if (depth <= 0) return at + 1;
        }
      }
      return undefined;
    },
  };
}
