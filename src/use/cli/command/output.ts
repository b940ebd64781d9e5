import { throwIfAborted } from '../../../ask/sluice-error.ts';
import type { Chunks } from '../../../run/file/byte-source.ts';
import type { Sink } from '../../process/effects.ts';

/** Writes chunks one after the other, at the pace of who reads them. */
export async function writeChunks(sink: Sink, chunks: Chunks, signal: AbortSignal): Promise<void> {
  for await (const chunk of chunks) {
    throwIfAborted(signal);
    await sink.write(chunk);
  }
}
