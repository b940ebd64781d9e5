import type { PictureProtocol } from './picture-protocol.ts';
import { readPng } from './read-png.ts';
import { toSixels } from './to-sixels.ts';

/** What one escape sequence of kitty's may hold. */
const chunkLength = 4096;

/**
 * A PNG as the escape sequences that show it on a terminal of this protocol, `columns` cells wide where the protocol can say
 * so (sixels are as many dots as the picture has). Ends with a line feed.
 */
export async function writePicture(png: Uint8Array, protocol: PictureProtocol, columns: number): Promise<string> {
  if (protocol === 'sixel') return `${await toSixels(readPng(png))}\n`;
  const data = Buffer.from(png).toString('base64');
  if (protocol === 'iterm2') return `\u001B]1337;File=inline=1;size=${png.length};width=${columns};preserveAspectRatio=1:${data}\u0007\n`;
  let text = '';
  for (let start = 0; start < data.length; start += chunkLength) {
    // f=100: a PNG; a=T: send and show; q=2: without an answer, which would be read as typed.
    const head = start === 0 ? `f=100,a=T,q=2,c=${columns},` : '';
    text += `\u001B_G${head}m=${start + chunkLength < data.length ? 1 : 0};${data.slice(start, start + chunkLength)}\u001B\\`;
  }
  return `${text}\n`;
}
