import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describeValue } from '../../ask/document/describe-value.ts';
import { eventsInMemory, nameSource } from '../../run/file/source-copy.ts';
import { makeTemporaryFolder } from '../../run/file/temporary-folder.ts';
import { isPlainObject, wrongArgument } from '../../ask/document/check-argument.ts';
import type { OpenOptions } from './options.ts';

/** Events passed by a program, kept in a file that the engine reads. Disposing removes the file. */
export interface MemoryEvents extends AsyncDisposable {
  /** Absolute path. */
  readonly file: string;
}

type Events = Iterable<object> | AsyncIterable<object>;

/** The events, or undefined if the option names files. */
export function rowsAmong(events: OpenOptions['events']): Events | undefined {
  if (events === undefined || events === null || typeof events === 'string') return undefined;
  if (Array.isArray(events))
    return events.length > 0 && events.every((one) => typeof one === 'string')
      ? undefined
      : (events as readonly object[]);
  return typeof events === 'object' && (Symbol.iterator in events || Symbol.asyncIterator in events)
    ? (events as Events)
    : undefined;
}

/**
 * Writes events to a temporary file, one JSON line each, without holding them in memory. Dates become text in UTC,
 * bigints, NaN and infinities become text, as in a CSV file. Throws `InvalidInputError` if an event is not a plain
 * object, and errors of the iterable.
 */
export async function keepEvents(events: Events): Promise<MemoryEvents> {
  const folder = makeTemporaryFolder();
  const file = path.join(folder.path, 'events.ndjson');
  nameSource(file, eventsInMemory);
  try {
    await pipeline(Readable.from(toLines(events)), createWriteStream(file, { mode: 0o600 }));
  } catch (error) {
    await folder[Symbol.asyncDispose]();
    throw error;
  }
  return { file, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

/** Characters per write. */
const pieceLength = 1 << 16;

async function* toLines(events: Events): AsyncGenerator<string> {
  let piece = '';
  let index = 0;
  for await (const event of events) {
    if (!isPlainObject(event))
      throw wrongArgument(
        'open',
        `Event ${index} must be a plain object, not ${describeValue(event)}.`,
        "Pass objects such as `{utcTime: '2024-03-08T12:00:00Z', userId: 'u1', eventType: 'pageview'}`.",
      );
    piece += `${toLine(event, index)}\n`;
    index += 1;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

function toLine(event: object, index: number): string {
  try {
    return JSON.stringify(event, (_, value: unknown) =>
      typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value)) ? String(value) : value,
    );
  } catch (error) {
    throw wrongArgument('open', `Event ${index} cannot be written as JSON: ${(error as Error).message.split('\n')[0]}`);
  }
}
