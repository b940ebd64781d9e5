import { open } from 'node:fs/promises';

const newline = 10;
/** Bytes per read; more if a line is longer. */
const usualRoom = 1 << 18;

/**
 * The bytes of a file in pieces of whole lines with their line feeds; the last line may lack one. Reuses one buffer,
 * because a new one for each piece would burden the garbage collector. Each piece is therefore only valid until the
 * next is requested.
 */
export async function* readLineBytes(path: string): AsyncGenerator<Buffer, void, undefined> {
  await using file = await open(path);
  let room = Buffer.allocUnsafeSlow(usualRoom);
  for (let filled = 0; ; ) {
    if (filled === room.length) room = Buffer.concat([room], 2 * room.length);
    const { bytesRead } = await file.read(room, filled, room.length - filled);
    filled += bytesRead;
    const end = bytesRead === 0 ? filled : room.subarray(0, filled).lastIndexOf(newline) + 1;
    if (end > 0) yield room.subarray(0, end);
    if (bytesRead === 0) return;
    room.copyWithin(0, end, filled);
    filled -= end;
  }
}
