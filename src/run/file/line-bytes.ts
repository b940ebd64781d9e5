import { open } from 'node:fs/promises';

const newline = 10;
/** So many bytes are read at once; more where a line is longer. */
const usualRoom = 1 << 18;

/**
 * The bytes of a file in pieces of whole lines, each line with its line feed but maybe the last. All through one
 * buffer, as new ones for each piece would keep the collector of garbage busier than the lines do: a piece is other
 * bytes once the next is asked for.
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
