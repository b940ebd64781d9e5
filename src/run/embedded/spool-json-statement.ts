import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AbortedError, throwIfAborted } from '../../ask/sluice-error.ts';
import type { JsonChunk } from '../backend.ts';
import type { Engine } from './engine.ts';
import type { RunningJson } from './run-json-statement.ts';
import { bindParameters, interruptible, type BoundStatement } from './run-statement.ts';
import { quoteText } from './sql-text.ts';

const [lineFeed, comma] = [10, 44] as const;
/** So many bytes are read at once. */
const room = 1 << 18;

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

async function* chunksOf(path: string, signal: AbortSignal | undefined): AsyncGenerator<JsonChunk, void, undefined> {
  let rest: Buffer[] = [];
  try {
    for await (const piece of createReadStream(path, { highWaterMark: room }) as AsyncIterable<Buffer>) {
      throwIfAborted(signal);
      const end = piece.lastIndexOf(lineFeed);
      if (end < 0) {
        rest.push(piece);
        continue;
      }
      const bytes = rest.length === 0 ? piece.subarray(0, end) : Buffer.concat([...rest, piece.subarray(0, end)]);
      rest = end + 1 < piece.length ? [piece.subarray(end + 1)] : [];
      yield { rowCount: joinLines(bytes), bytes };
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
