import { invariant } from '../../ask/invariant.ts';
import { comparable, type SecretFinder } from './secret-finder.ts';

/** A body holds a secret of its client's. */
export class SecretEchoed extends Error {
  override readonly name = 'SecretEchoed';
}

/** Looks through a body for secrets while it comes. */
export interface BodyWatch {
  /** The bytes that may go on, in order: the possible beginning of a secret is held back. Throws `SecretEchoed`. */
  take(piece: Uint8Array): readonly Uint8Array[];
  /** The rest. Throws `SecretEchoed`. */
  end(): readonly Uint8Array[];
}

/** Makes watches for the bodies of one set of secrets. */
export type WatchBody = () => BodyWatch;

/** More than a spelling is ever spread over. */
const mostHeld = 16 * 1024;

/** By these a spelling may differ from the secret: those of escapes, and line breaks. */
const signs = Buffer.from('%&\\\n\r');

const gramLength = 3;

/**
 * Skips most bytes. A spelling without signs has at least a known length, so three bytes at a time, this far apart,
 * tell whether one may be there; signs are found natively. Only then the stretch of possible bytes around is decoded.
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
  // Five bits tell letters apart, and digits: more would not stay close to the processor.
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

  /** Gives where the stretch ends. */
  const lookAround = (bytes: Uint8Array, at: number, from: number, to: number): number => {
    let start = at;
    let end = at;
    while (start > from && isPossible[bytes[start - 1]!] === 1) start -= 1;
    while (end < to && isPossible[bytes[end]!] === 1) end += 1;
    look(bytes, start, end);
    return end;
  };

  /** Looks through all stretches that end in the bytes; gives where the one begins that may go on behind them. */
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

    /** Keeps the end of a stretch; gives what has been looked at and need not wait. */
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
