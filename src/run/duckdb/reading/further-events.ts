import { sourceName } from '../../file/source-copy.ts';
import type { RejectedLine, RejectedLines } from '../../backend.ts';
import type { Engine } from '../engine/engine.ts';
import { userKeyColumn, eventFields } from '../../../plan/model/event-fields.ts';
import { quoteName } from '../engine/sql-text.ts';
import { userKey, type UserOrder } from './columns/event-columns.ts';
import { mendEventFile, readEventFile, succeeds } from './event-reading.ts';
import type { ReadingOptions } from './recognise/map-files.ts';
import { mostExamples } from './source/clean-file.ts';

/** The events of files with all further fields, as a store loads them. */
export interface FurtherEvents {
  readonly relation: string;
  /** Rejected lines of mended files, by file. */
  readonly rejected: ReadonlyMap<string, RejectedLines>;
}

/** Reads all files once to check that they are readable. Errors: those of `readEventFile`. */
export async function readFurtherEvents(
  engine: Engine,
  files: readonly string[],
  users: UserOrder,
  options: ReadingOptions,
): Promise<FurtherEvents> {
  const rejected = new Map<string, RejectedLines>();
  const selects: string[] = [];
  for (const path of files) {
    const reading = await readEventFile(engine, path, options);
    const whole = reading.isPlain && (await reading.isWhole()) && (await succeeds(engine, reading.select));
    if (whole) {
      selects.push(reading.select);
      continue;
    }
    let count = 0;
    const examples: RejectedLine[] = [];
    const mended = await mendEventFile(
      engine,
      path,
      ({ line, reason }) => {
        count += 1;
        if (examples.length < mostExamples) examples.push({ file: sourceName(path), line, reason });
      },
      options,
    );
    rejected.set(path, { count, examples });
    selects.push(mended.select);
  }
  const columns = eventFields.map(({ column }) => quoteName(column)).join(', ');
  const all = selects
    .map((select) => `SELECT ${columns}, further FROM (${select}\n) AS events_read`)
    .join('\nUNION ALL\n');
  return {
    relation: `SELECT *, ${userKey(users)} AS ${quoteName(userKeyColumn)} FROM (${all}) AS events_read`,
    rejected,
  };
}
