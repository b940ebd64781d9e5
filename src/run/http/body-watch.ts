import { invariant } from '../../ask/invariant.ts';
import { comparable, type SecretFinder } from './secret-finder.ts';

/** A body contains a secret of the client. */
export class SecretEchoed extends Error {
  override readonly name = 'SecretEchoed';
}

/** Searches a body for secrets while it arrives. */
export interface BodyWatch {
  /** Returns the bytes to pass on, in order, and holds back a possible start of a secret. Throws `SecretEchoed`. */
  take(piece: Uint8Array): readonly Uint8Array[];
  /** Returns the remaining bytes. Throws `SecretEchoed`. */
  end(): readonly Uint8Array[];
}

/** Creates watches for the bodies of one set of secrets. */
export type WatchBody = () => BodyWatch;

/** No spelling of a secret is longer than this. */
const mostHeld = 16 * 1024;

/** Characters by which a spelling can differ from the secret: escapes and line breaks. */
const signs = Buffer.from('%&\\\n\r');

const gramLength = 3;

/**
 * Skips most bytes. A spelling without escapes has a known minimum length, so checking three bytes at fixed intervals
 * suffices; escapes are found by native search. Only then are the surrounding bytes decoded.
 */
export function openBodyWatch(finder: SecretFinder): WatchBody {
  const { needles, shortest } = finder;
  const known = new Set(needles.flatMap((needle) => [...needle]));
  const isPossible = Uint8Array.from({ length: 256 }, (_, byte) => {
    const isInEscapes = signs.includes(byte) || /[a-z0-9#; \t]/i.test(String.fromCharCode(byte));
    return Number(isInEscapes || (byte > 0x20 && byte < 0x7f && known.has(comparable(byte))));
  });
  const isSign = Uint8Array.from({ length: 256 }, (_, byte) => Number(signs.includes(byte)));
  const numbers = Uint8Array.from({ length: 256 }, (_, byte) => comparable(byte) & 0x1f);
  const step = shortest - gramLength + 1;
  invariant(step > 0, 'a secret is too short to be looked for');
  // Five bits distinguish letters and digits. A larger table would not fit the processor's cache.
  const grams = new Uint8Array(1 << 15);
  const gramAt = (bytes: Uint8Array, at: number) =>
    (numbers[bytes[at]!]! << 10) | (numbers[bytes[at + 1]!]! << 5) | numbers[bytes[at + 2]!]!;
  for (const needle of needles) {
    for (let at = 0; at + gramLength <= needle.length; at += 1) grams[gramAt(needle, at)] = 1;
  }

  const look = (bytes: Uint8Array, start: number, end: number) => {
    if (end - start < shortest) return;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
    if (finder.find(text).length > 0) throw new SecretEchoed('a secret is in the body');
  };

  /** Returns the end of the range searched. */
  const lookAround = (bytes: Uint8Array, at: number, from: number, to: number): number => {
    let start = at;
    let end = at;
    while (start > from && isPossible[bytes[start - 1]!] === 1) start -= 1;
    while (end < to && isPossible[bytes[end]!] === 1) end += 1;
    look(bytes, start, end);
    return end;
  };

  /** Searches all ranges that end within the bytes. Returns the start of a range that may continue beyond them. */
  const walk = (bytes: Uint8Array, from: number): number => {
    let to = bytes.length;
    while (to > from && isPossible[bytes[to - 1]!] === 1) to -= 1;
    for (let at = from + shortest - gramLength; at + gramLength <= to; at += step) {
      if (grams[gramAt(bytes, at)] === 1) at = lookAround(bytes, at, from, to);
    }
    const walked = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from);
    if (!signs.some((sign) => walked.includes(sign))) return to;
    for (let at = from; at < to; at += 1) if (isSign[bytes[at]!] === 1) at = lookAround(bytes, at, from, to);
    return to;
  };

  return () => {
    let held: Uint8Array = new Uint8Array();

    /** Keeps the end of a range. Returns the bytes that were searched and can be passed on. */
    const hold = (stretch: Uint8Array): readonly Uint8Array[] => {
      if (stretch.length > mostHeld) look(stretch, 0, stretch.length);
      const from = Math.max(0, stretch.length - mostHeld);
      held = Uint8Array.from(stretch.subarray(from));
      return from === 0 ? [] : [stretch.subarray(0, from)];
    };

    return {
      take(piece) {
        let end = 0;
        if (held.length > 0) {
          while (end < piece.length && isPossible[piece[end]!] === 1) end += 1;
          const stretch = Buffer.concat([held, piece.subarray(0, end)]);
          if (end === piece.length) return hold(stretch);
          look(stretch, 0, stretch.length);
        }
        const before = held;
        const from = walk(piece, end);
        const kept = hold(piece.subarray(from));
        return [before, piece.subarray(0, from), ...kept].filter(({ length }) => length > 0);
      },
      end() {
        look(held, 0, held.length);
        const rest = held;
        held = new Uint8Array();
        return rest.length === 0 ? [] : [rest];
      },
    };
  };
}

export function holdsSecret(body: Uint8Array, watchBody: WatchBody): boolean {
  const watch = watchBody();
  try {
    watch.take(body);
    watch.end();
    return false;
  } catch (error) {
    if (error instanceof SecretEchoed) return true;
    throw error;
  }
}
