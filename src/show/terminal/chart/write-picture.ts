import type { DrawnImage } from '../../picture/to-png.ts';

/** Protocols for pictures in terminals: kitty graphics, iTerm2 inline images, and DEC sixels. */
export const pictureProtocols = ['kitty', 'iterm2', 'sixel'] as const;

export type PictureProtocol = (typeof pictureProtocols)[number];

/** Limit of one kitty escape sequence. */
const chunkLength = 4096;

/**
 * A picture as escape sequences of this protocol, `columns` cells wide if the protocol supports it (sixels keep the
 * picture's size in dots). Ends with a line feed.
 */
export async function writePicture(image: DrawnImage, protocol: PictureProtocol, columns: number): Promise<string> {
  if (protocol === 'sixel') return `${await toSixels(image)}\n`;
  const png = image.png();
  const data = Buffer.from(png).toString('base64');
  if (protocol === 'iterm2')
    return `\u001B]1337;File=inline=1;size=${png.length};width=${columns};preserveAspectRatio=1:${data}\u0007\n`;
  let text = '';
  for (let start = 0; start < data.length; start += chunkLength) {
    // f=100: PNG; a=T: transmit and show; q=2: no reply, which would be read as typed input.
    const head = start === 0 ? `f=100,a=T,q=2,c=${columns},` : '';
    text += `\u001B_G${head}m=${start + chunkLength < data.length ? 1 : 0};${data.slice(start, start + chunkLength)}\u001B\\`;
  }
  return `${text}\n`;
}

/** The number of sixel colour registers. */
const mostColours = 256;

/**
 * A picture as sixels. Charts have few colours, and many blends at edges: keep the most frequent colours, and map each
 * other one to the nearest of them.
 */
async function toSixels({ width, height, pixels }: DrawnImage): Promise<string> {
  const { FINALIZER, introducer, sixelEncode } = await import('sixel');
  const counts = new Map<number, number>();
  const words = Uint32Array.from({ length: width * height }, (_, index) => colourAt(pixels, index * 4));
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const kept = [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, mostColours)
    .map(([word]) => word);
  const nearest = new Map(kept.map((word) => [word, word]));
  const drawn = new Uint8Array(pixels.length);
  words.forEach((word, index) => {
    let shown = nearest.get(word);
    if (shown === undefined) nearest.set(word, (shown = findNearest(word, kept)));
    drawn.set([shown >> 16, (shown >> 8) & 0xff, shown & 0xff, 255], index * 4);
  });
  const palette = kept.map((word): [number, number, number] => [word >> 16, (word >> 8) & 0xff, word & 0xff]);
  return introducer(0) + sixelEncode(drawn, width, height, palette) + FINALIZER;
}

function colourAt(pixels: Uint8Array, at: number): number {
  return ((pixels[at] as number) << 16) | ((pixels[at + 1] as number) << 8) | (pixels[at + 2] as number);
}

function findNearest(word: number, kept: readonly number[]): number {
  let best = kept[0] ?? 0;
  let least = Infinity;
  for (const other of kept) {
    const distance =
      ((other >> 16) - (word >> 16)) ** 2 +
      (((other >> 8) & 0xff) - ((word >> 8) & 0xff)) ** 2 +
      ((other & 0xff) - (word & 0xff)) ** 2;
    if (distance >= least) continue;
    best = other;
    least = distance;
  }
  return best;
}
