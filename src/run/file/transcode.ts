import { writeFault } from './transcoding-fault.ts';
import { PackingDamage } from './unpack.ts';

const lineFeed = 0x0a;
/** Lower bytes are single characters in all encodings here, never part of another character. */
const firstTrail = 0x30;
/** Text without such a byte is split after this many bytes. */
const longestToken = 1 << 24;

/** Converts text in another encoding (see `readEncoding`) to UTF-8 without a byte order mark. */
export async function* transcode(pieces: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const transcoder = openTranscoder(encoding);
  try {
    for await (const piece of pieces) {
      const text = transcoder.push(piece);
      if (text.length > 0) yield text;
    }
  } catch (error) {
    if (error instanceof PackingDamage) yield transcoder.end();
    throw error;
  }
  yield transcoder.end();
}

interface Transcoder {
  /** Returns the text of all complete characters. */
  push(piece: Buffer): Buffer;
  end(): Buffer;
}

export function openTranscoder(encoding: string): Transcoder {
  const units = encoding === 'utf-16le' ? littleEndian : encoding === 'utf-16be' ? bigEndian : bytes;
  const decode = encoding === 'windows-1252' ? decodeWindows1252 : decoderOf(encoding);
  let held: Buffer[] = [];
  let heldBytes = 0;
  let line = 1;
  /** Bytes of the current line so far. */
  let column = 0;
  let isFirst = true;

  const advance = (text: Buffer, by: number) => {
    const last = units.lastFeed(text);
    if (last < 0) column += by;
    else {
      line += units.feeds(text);
      column = by - last - units.size;
    }
  };
  /** Decodes each run of characters between separators separately. */
  const decodeTokens = (text: Buffer): Buffer => {
    const parts: Buffer[] = [];
    const take = (from: number, to: number) => {
      const token = text.subarray(from, to);
      const whole = decode(token);
      if (whole === undefined) {
        const fault = firstFault(encoding, token);
        const byte = token.toString('hex', fault, fault + 1);
        parts.push(Buffer.from(decode(token.subarray(0, fault)) ?? ''));
        parts.push(writeFault({ encoding, byte, line, position: column + fault + 1 }));
        parts.push(Buffer.from(new TextDecoder(encoding, { ignoreBOM: true }).decode(token.subarray(fault))));
      } else parts.push(Buffer.from(whole));
      advance(token, token.length);
    };
    let start = 0;
    for (let at = 0; at + units.size <= text.length; at += units.size) {
      if (units.at(text, at) >= firstTrail) continue;
      take(start, at + units.size);
      start = at + units.size;
    }
    take(start, text.length);
    return Buffer.concat(parts);
  };
  const convert = (text: Buffer): Buffer => {
    const whole = decode(text);
    const converted = whole === undefined ? decodeTokens(text) : Buffer.from(whole);
    if (whole !== undefined) advance(text, text.length);
    const hasMark = isFirst && converted.length >= 3 && converted.readUIntBE(0, 3) === 0xefbbbf;
    if (text.length > 0) isFirst = false;
    return hasMark ? converted.subarray(3) : converted;
  };
  const takeHeld = (): Buffer => {
    const joined = held.length === 1 ? held[0]! : Buffer.concat(held);
    held = [];
    heldBytes = 0;
    return joined;
  };
  const hold = (rest: Buffer) => {
    if (rest.length === 0) return;
    held.push(rest);
    heldBytes += rest.length;
  };

  return {
    push(piece) {
      // Two-byte units must start at a unit boundary.
      const all = units.size > 1 ? Buffer.concat([takeHeld(), piece]) : piece;
      const cut = units.lastSeparator(all);
      if (cut < 0) {
        hold(all);
        return heldBytes > longestToken ? convert(takeHeld()) : Buffer.alloc(0);
      }
      const text = Buffer.concat([...held, all.subarray(0, cut + units.size)]);
      held = [];
      heldBytes = 0;
      hold(all.subarray(cut + units.size));
      return convert(text);
    },
    end: () => convert(takeHeld()),
  };
}

function decoderOf(encoding: string): (text: Buffer) => string | undefined {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  return (text) => {
    try {
      return decoder.decode(text);
    } catch {
      return undefined;
    }
  };
}

/** The characters 0x80 to 0x9F. Some versions of Node's decoder treat them as control characters. */
const windows1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8DŽ\x8F\x90‘’“”•–—˜™š›œ\x9DžŸ';

function decodeWindows1252(text: Buffer): string {
  return text.toString('latin1').replace(/[\x80-\x9f]/g, (letter) => windows1252[letter.charCodeAt(0) - 0x80]!);
}

/** The number of bytes before the first character that cannot be decoded. */
function firstFault(encoding: string, text: Buffer): number {
  const decodes = (length: number) => {
    try {
      new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(text.subarray(0, length), { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  let [good, bad] = [0, text.length + 1];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (decodes(middle)) good = middle;
    else bad = middle;
  }
  // The last bytes may be the start of a character.
  const complete = decoderOf(encoding);
  let start = Math.min(good, text.length);
  while (start > 0 && complete(text.subarray(0, start)) === undefined) start -= 1;
  return Math.min(start, text.length - 1);
}

interface Units {
  readonly size: 1 | 2;
  at(text: Buffer, index: number): number;
  /** Offset of the last unit that is a character by itself; -1 if there is none. */
  lastSeparator(text: Buffer): number;
  lastFeed(text: Buffer): number;
  feeds(text: Buffer): number;
}

const bytes: Units = {
  size: 1,
  at: (text, index) => text[index]!,
  lastSeparator: (text) => text.findLastIndex((byte) => byte < firstTrail),
  lastFeed: (text) => text.lastIndexOf(lineFeed),
  feeds(text) {
    let count = 0;
    for (let at = text.indexOf(lineFeed); at >= 0; at = text.indexOf(lineFeed, at + 1)) count += 1;
    return count;
  },
};

function pairs(at: Units['at']): Units {
  const last = (text: Buffer, fits: (unit: number) => boolean) => {
    for (let index = text.length - (text.length % 2) - 2; index >= 0; index -= 2)
      if (fits(at(text, index))) return index;
    return -1;
  };
  return {
    size: 2,
    at,
    lastSeparator: (text) => last(text, (unit) => unit < firstTrail),
    lastFeed: (text) => last(text, (unit) => unit === lineFeed),
    feeds(text) {
      let count = 0;
      for (let index = 0; index + 1 < text.length; index += 2) if (at(text, index) === lineFeed) count += 1;
      return count;
    },
  };
}

const littleEndian = pairs((text, index) => text.readUInt16LE(index));
const bigEndian = pairs((text, index) => text.readUInt16BE(index));
