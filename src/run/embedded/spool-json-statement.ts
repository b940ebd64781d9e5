import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AbortedError, throwIfAborted } from '../../ask/sluice-error.ts';
import type { JsonChunk } from '../backend.ts';
import type { Engine } from './engine.ts';
import type { RunningJson } from './run-json-statement.ts';
import { bindParameters, interruptible, type BoundStatement } from './run-statement.ts';
import { quoteText } from './sql-text.ts';

const [lineFeed, comma] = [10, 44] as const;
/** So many bytes are read at once; more where a row is longer. */
const usualRoom = 1 << 18;

/**
 * Runs a statement whose rows are a JSON text each into a file, which is read piece by piece and then removed: no number of rows
 * takes more memory. JSON has no line feeds, so that they part the rows. Rejects as `runStatement`.
 */
export async function spoolJsonStatement(engine: Engine, statement: BoundStatement, signal?: AbortSignal): Promise<RunningJson> {
  throwIfAborted(signal);
  const path = join(engine.folder, `answer-${engine.nextNumber()}.ndjson`);
  const write = () => engine.work((connection) => interruptible(connection, signal, async () => {
    const copy = await connection.prepare(`COPY (${statement.text}) TO ${quoteText(path)} (FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER ',', USE_TMP_FILE false)`);
    try {
      bindParameters(copy, statement.parameters);
      await copy.run();
    } finally {
      copy.destroySync();
    }
  }));
  try {
    await write();
    throwIfAborted(signal);
  } catch (error) {
    await rm(path, { force: true });
    throw signal?.aborted && !(error instanceof AbortedError) ? new AbortedError(error) : error;
  }
  return { chunks: chunksOf(path, signal), counters: [] };
}

/** All through one buffer: new ones for each piece would keep the collector of garbage busier than the rows do. */
async function* chunksOf(path: string, signal: AbortSignal | undefined): AsyncGenerator<JsonChunk, void, undefined> {
  try {
    await using file = await open(path);
    let room = Buffer.allocUnsafeSlow(usualRoom);
    for (let filled = 0; ;) {
      throwIfAborted(signal);
      if (filled === room.length) room = Buffer.concat([room], 2 * room.length);
      const { bytesRead } = await file.read(room, filled, room.length - filled);
      if (bytesRead === 0) return;
      filled += bytesRead;
      const end = room.subarray(0, filled).lastIndexOf(lineFeed);
      if (end < 0) continue;
      const bytes = room.subarray(0, end);
      yield { rowCount: joinLines(bytes), bytes };
      room.copyWithin(0, end + 1, filled);
      filled -= end + 1;
    }
  } finally {
    await rm(path, { force: true });
  }
}

/** Makes commas of line feeds; gives how many lines there are. */
function joinLines(bytes: Buffer): number {
  let lines = 1;
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
    bytes[at] = comma;
    lines += 1;
  }
  return lines;
}
