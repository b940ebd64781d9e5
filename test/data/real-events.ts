import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** Real events of May 2015; see README.md beside it. */
export const realEvents = new URL('web-2015-05.ndjson.gz', import.meta.url).pathname;

export type RealEvent = Readonly<Record<`TrackedEvents.${string}`, string>>;

export function readRealEvents(): readonly RealEvent[] {
  const text = gunzipSync(readFileSync(realEvents)).toString('utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RealEvent);
}
