import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { throwIfAborted } from '../../../ask/sluice-error.ts';
import type { JsonChunk } from '../../backend.ts';
import { readLineBytes } from '../../file/line-bytes.ts';
import type { Engine } from './engine.ts';
import type { RunningJson } from './run-json-statement.ts';
import { type BoundStatement, runToEnd } from './run-statement.ts';
import { quoteText } from './sql-text.ts';

const [lineFeed, comma] = [10, 44] as const;

/**
 * Writes a statement's rows, one JSON text each, to a file that is read in pieces and then removed, so that memory does
 * not grow with the number of rows. Line feeds separate the rows, because the JSON contains none. Rejects like
 * `runStatement`.
 */
export async function spoolJsonStatement(
  engine: Engine,
  statement: BoundStatement,
  signal?: AbortSignal,
): Promise<RunningJson> {
  const path = join(engine.folder, `answer-${engine.nextNumber()}.ndjson`);
  const { text, parameters } = statement;
  const options = "FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER ',', USE_TMP_FILE false";
  try {
    await runToEnd(engine, { text: `COPY (${text}) TO ${quoteText(path)} (${options})`, parameters }, signal);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  return { chunks: chunksOf(path, signal), counters: [] };
}

async function* chunksOf(path: string, signal: AbortSignal | undefined): AsyncGenerator<JsonChunk, void, undefined> {
  try {
    for await (const lines of readLineBytes(path)) {
      throwIfAborted(signal);
      // Every row ends with a line feed.
      const bytes = lines.subarray(0, -1);
      yield { rowCount: joinLines(bytes), bytes };
    }
  } finally {
    await rm(path, { force: true });
  }
}

/** Replaces line feeds by commas and returns the number of lines. */
function joinLines(bytes: Buffer): number {
  let lines = 1;
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
    bytes[at] = comma;
    lines += 1;
  }
  return lines;
}
