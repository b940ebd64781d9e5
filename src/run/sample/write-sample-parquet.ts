import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '../embedded/engine.ts';
import { quoteText } from '../embedded/sql-text.ts';
import type { SampleOptions } from './sample-events.ts';
import { sampleRelation } from './sample-relation.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * Sample events as Parquet. `whileRunning` is told now and then how many there are, and ends the work by throwing.
 * One thread: the order of rows, and so the bytes, must not depend on the machine.
 */
export async function* writeSampleParquet(options: SampleOptions, vocabulary: Vocabulary, whileRunning: (events: number) => void): AsyncGenerator<Buffer> {
  await using engine = await openEngine({ threads: 1 });
  const made = join(engine.folder, 'sample.parquet');
  await engine.work(async (connection) => {
    const events = await sampleRelation(connection, options, vocabulary, whileRunning);
    await connection.run(`COPY (${events}) TO ${quoteText(made)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880)`);
  });
  yield* createReadStream(made, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>;
}
