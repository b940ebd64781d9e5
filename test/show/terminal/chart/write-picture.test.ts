import { Resvg } from '@resvg/resvg-js';
import { decode } from 'sixel';
import { describe, expect, it } from 'vitest';
import type { DrawnImage } from '../../../../src/show/picture/to-png.ts';
import { writePicture } from '../../../../src/show/terminal/chart/write-picture.ts';

function picture(svg: string): DrawnImage {
  const drawn = new Resvg(svg).render();
  return { width: drawn.width, height: drawn.height, pixels: drawn.pixels, png: () => new Uint8Array(drawn.asPng()) };
}

const flag = picture(
  '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="24"><rect width="64" height="24" fill="#fff"/><rect width="32" height="12" fill="#f00"/><rect x="32" y="12" width="32" height="12" fill="#0000ff"/></svg>',
);

describe('pictures in a terminal', () => {
  it('go to kitty in pieces that join to the PNG, and request no reply', async () => {
    const png = new Uint8Array(10_000).map((_, index) => index * 7);
    const image = { width: 100, height: 25, pixels: new Uint8Array(), png: () => png };
    const text = await writePicture(image, 'kitty', 60);
    const parts = [...text.matchAll(/\u001B_G([^;]*);([^\u001B]*)\u001B\\/g)];
    expect(parts.map(([all]) => all).join('')).toBe(text.trimEnd());
    expect(parts[0]![1]).toBe('f=100,a=T,q=2,c=60,m=1');
    expect(parts.slice(1).map(([, keys]) => keys)).toEqual(['m=1', 'm=1', 'm=0']);
    expect(parts.every(([, , data]) => data!.length <= 4096)).toBe(true);
    expect(new Uint8Array(Buffer.from(parts.map(([, , data]) => data).join(''), 'base64'))).toEqual(png);
  });

  it('go to iTerm2 as one inline file', async () => {
    const [, size, width, data] =
      /^\u001B\]1337;File=inline=1;size=(\d+);width=(\d+);preserveAspectRatio=1:([^\u0007]*)\u0007\n$/.exec(
        await writePicture(flag, 'iterm2', 40),
      )!;
    expect([Number(size), width]).toEqual([flag.png().length, '40']);
    expect(new Uint8Array(Buffer.from(data!, 'base64'))).toEqual(flag.png());
  });

  it('go as sixels with the same pixels', async () => {
    const text = await writePicture(flag, 'sixel', 40);
    expect(text.startsWith('\u001BP') && text.endsWith('\u001B\\\n')).toBe(true);
    const shown = decode(text.slice(text.indexOf('q') + 1, text.lastIndexOf('\u001B')));
    expect([shown.width, shown.height]).toEqual([flag.width, flag.height]);
    const bytes = new Uint8Array(shown.data32.buffer, shown.data32.byteOffset, shown.width * shown.height * 4);
    expect(Buffer.compare(Buffer.from(bytes), Buffer.from(flag.pixels))).toBe(0);
  });

  it('keep their main colours in sixels if they have too many', async () => {
    const shades = Array.from(
      { length: 30 },
      (_, index) => `<circle cx="${index * 7}" cy="30" r="${index + 3}" fill="hsl(${index * 12},80%,50%)"/>`,
    ).join('');
    const image = picture(
      `<svg xmlns="http://www.w3.org/2000/svg" width="220" height="60"><rect width="220" height="60" fill="#fff"/>${shades}</svg>`,
    );
    const text = await writePicture(image, 'sixel', 40);
    const shown = decode(text.slice(text.indexOf('q') + 1, text.lastIndexOf('\u001B')));
    const bytes = new Uint8Array(shown.data32.buffer, shown.data32.byteOffset, 220 * 60 * 4);
    const { pixels } = image;
    expect(
      new Set(Array.from({ length: 220 * 60 }, (_, index) => pixels.slice(index * 4, index * 4 + 3).join())).size,
    ).toBeGreaterThan(256);
    // A sixel gives each component of a colour in hundredths.
    const off = Array.from({ length: 220 * 60 }, (_, index) =>
      Math.max(...[0, 1, 2].map((part) => Math.abs(pixels[index * 4 + part]! - bytes[index * 4 + part]!))),
    );
    expect(off.filter((most) => most > 2).length / off.length).toBeLessThan(0.05);
  });
});
