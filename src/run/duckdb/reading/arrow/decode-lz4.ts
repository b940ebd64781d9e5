/**
 * Unpacks an LZ4 frame (github.com/lz4/lz4, "LZ4 Frame Format" and "LZ4 Block Format"), which other tools use for the
 * buffers of Arrow files. Ignores checksums. `length`: total unpacked size in bytes. Throws if the frame is damaged.
 */
export function decodeLz4(frame: Uint8Array, length: number): Uint8Array {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  if (view.getUint32(0, true) !== 0x184d2204) throw new Error('not an LZ4 frame');
  // A packed byte unpacks to at most 255 bytes.
  if (length > 255 * frame.length) throw new Error('LZ4 data with an invalid length');
  const flags = frame[4]!;
  const blockChecksums = (flags & 0x10) !== 0;
  let position = 6 + ((flags & 0x08) !== 0 ? 8 : 0) + ((flags & 0x01) !== 0 ? 4 : 0) + 1;
  const target = new Uint8Array(length);
  let written = 0;
  for (;;) {
    const size = view.getUint32(position, true);
    position += 4;
    if (size === 0) break;
    const bytes = size & 0x7fffffff;
    const block = frame.subarray(position, position + bytes);
    if (block.length < bytes) throw new Error('the LZ4 data ends too early');
    if (size >>> 31 === 1) {
      target.set(block, written);
      written += bytes;
    } else written = decodeBlock(block, target, written);
    position += bytes + (blockChecksums ? 4 : 0);
  }
  if (written !== length) throw new Error('LZ4 data with the wrong length');
  return target;
}

/** Decodes sequences of literals and copies of earlier bytes. Returns the end position in the target. */
function decodeBlock(block: Uint8Array, target: Uint8Array, start: number): number {
  let from = 0;
  let to = start;
  const longer = (length: number) => {
    if (length < 15) return length;
    let sum = length;
    let byte: number;
    do {
      byte = block[from++] ?? fail();
      sum += byte;
    } while (byte === 255);
    return sum;
  };
  while (from < block.length) {
    const token = block[from++]!;
    const literals = longer(token >> 4);
    if (from + literals > block.length || to + literals > target.length) fail();
    target.set(block.subarray(from, from + literals), to);
    from += literals;
    to += literals;
    if (from >= block.length) break;
    const distance = (block[from] ?? fail()) | ((block[from + 1] ?? fail()) << 8);
    from += 2;
    const end = to + longer(token & 15) + 4;
    if (distance === 0 || distance > to || end > target.length) fail();
    // Copy byte by byte, because a copy can overlap itself.
    for (; to < end; to++) target[to] = target[to - distance]!;
  }
  return to;
}

function fail(): never {
  throw new Error('damaged LZ4 data');
}
