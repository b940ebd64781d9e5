import { inflateSync } from 'node:zlib';
import { invariant } from '../../../ask/invariant.ts';

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and opacity, a byte each. */
  readonly pixels: Uint8Array;
}

const signature = 8;

/** The pixels of a PNG as this project draws them: eight bits each of red, green, blue and opacity, not interlaced (PNG, third edition). */
export function readPng(png: Uint8Array): Pixels {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const [width, height] = [view.getUint32(signature + 8), view.getUint32(signature + 12)];
  const [depth, kind, , , interlaced] = png.subarray(signature + 16, signature + 21);
  invariant(depth === 8 && kind === 6 && interlaced === 0, 'a picture is drawn with eight bits of red, green, blue and opacity');
  const parts: Uint8Array[] = [];
  for (let at = signature; at < png.length; at += view.getUint32(at) + 12) {
    if (String.fromCharCode(...png.subarray(at + 4, at + 8)) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + view.getUint32(at)));
  }
  return { width, height, pixels: unfilter(inflateSync(Buffer.concat(parts)), width * 4, height) };
}

/** Each line says by its first byte how its bytes follow from those at the left and above. */
function unfilter(lines: Uint8Array, length: number, height: number): Uint8Array {
  const pixels = new Uint8Array(length * height);
  for (let row = 0; row < height; row += 1) {
    const from = row * (length + 1);
    const filter = lines[from] as number;
    for (let index = 0; index < length; index += 1) {
      const at = row * length + index;
      const left = index < 4 ? 0 : pixels[at - 4] as number;
      const up = row === 0 ? 0 : pixels[at - length] as number;
      const corner = index < 4 || row === 0 ? 0 : pixels[at - length - 4] as number;
      pixels[at] = (lines[from + 1 + index] as number) + predict(filter, left, up, corner);
    }
  }
  return pixels;
}

function predict(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) return 0;
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
