import { sourceName } from '../../file/source-copy.ts';
import type { RejectedLine, RejectedLines } from '../../backend.ts';
import type { Engine } from '../engine/engine.ts';
import { userKeyColumn, eventFields } from '../../../plan/model/event-fields.ts';
import { quoteName } from '../engine/sql-text.ts';
import { userKey, type UserOrder } from './columns/event-columns.ts';
import { type EventReading, mendEventFile, readEventFile, succeeds } from './event-reading.ts';
import type { ReadingOptions } from './recognise/map-files.ts';
import { mostExamples } from './source/clean-file.ts';
import type { FurtherForm } from './source/events-relation.ts';
import { furtherColumn } from './source/further-fields.ts';

/** The events of files with all further fields, as a store loads them. */
export interface FurtherEvents {
  readonly relation: (form: FurtherForm) => string;
  /** Rejected lines of mended files, by file. */
  readonly rejected: ReadonlyMap<string, RejectedLines>;
}

/** Reads all files once to check that they are readable, unless that is known. Errors: those of `readEventFile`. */
export async function readFurtherEvents(
  engine: Engine,
  files: readonly string[],
  users: UserOrder,
  options: ReadingOptions,
): Promise<FurtherEvents> {
  const rejected = new Map<string, RejectedLines>();
  const selects: EventReading['selectIn'][] = [];
  for (const path of files) {
    const reading = await readEventFile(engine, path, options);
    const check = async () => String((await reading.isWhole()) && (await succeeds(engine, reading)));
    const { facts } = options;
    const isReadable = reading.isPlain && (await (facts ? facts.keep('readable', [path], check) : check())) === 'true';
    if (isReadable) {
      selects.push(reading.selectIn);
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
    selects.push(mended.selectIn);
  }
  return {
    relation(form) {
      const names = [...eventFields.map(({ column }) => column), 'further', ...(form.fields ?? []).map(furtherColumn)];
      const all = selects.map(
        (selectIn) => `SELECT ${names.map(quoteName).join(', ')} FROM (${selectIn(form)}\n) AS events_read`,
      );
      return `SELECT *, ${userKey(users)} AS ${quoteName(userKeyColumn)} FROM (${all.join('\nUNION ALL\n')}) AS events_read`;
    },
    rejected,
  };
}
