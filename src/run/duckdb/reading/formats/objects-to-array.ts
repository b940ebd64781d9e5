import { readBytes } from '../../../file/read-bytes.ts';
import type { Engine } from '../../engine/engine.ts';
import { byteSink, mostHeld } from '../text/byte-sink.ts';
import type { LooseObjects } from './loose-objects.ts';
import { writeCopy } from './write-copy.ts';

/**
 * Writes the objects as one array into the engine's folder, at the lines where they stand. The array stays open if the
 * last object does. Error: `file-corrupt`.
 */
export async function objectsToArray(engine: Engine, { path, compression, encoding }: LooseObjects): Promise<string> {
  const pieces = async function* () {
    const sink = byteSink();
    let [depth, inText, escaped, hasObject] = [0, false, false, false];
    for await (const piece of readBytes(path, compression, { encoding, signal: engine.closed })) {
      let from = 0;
      for (let index = 0; index < piece.length; index++) {
        const byte = piece[index]!;
        if (inText) {
          if (escaped) escaped = false;
          else if (byte === 0x5c) escaped = true;
          else if (byte === 0x22) inText = false;
        } else if (byte === 0x22) inText = true;
        else if (byte === 0x7b) {
          if (depth === 0) {
            sink.copy(piece, from, index);
            sink.text(hasObject ? ',' : '[');
            hasObject = true;
            from = index;
          }
          depth += 1;
        } else if (byte === 0x7d) depth = Math.max(0, depth - 1);
        else if (byte === 0x2c && depth === 0) {
          sink.copy(piece, from, index);
          from = index + 1;
        }
      }
      sink.copy(piece, from, piece.length);
      if (sink.length >= mostHeld) yield sink.take();
    }
    if (depth === 0) sink.text(']');
    yield sink.take();
  };
  return writeCopy(engine, path, pieces(), { kind: 'objects', ending: 'json' });
}
