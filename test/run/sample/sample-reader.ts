import type { SampleOptions } from '../../../src/run/sample/sample-events.ts';
import { writeLines } from '../../../src/run/sample/write-lines.ts';

/** An event of a sample as in its file, without name prefixes. */
export interface ReadEvent {
  readonly utcTime: string;
  readonly at: number;
  readonly userAnonymousId?: string;
  readonly userId?: string;
  readonly sessionId?: string;
  readonly eventnCtxEventId: string;
  readonly projectId: string;
  readonly eventType: string;
  readonly docHost: string;
  readonly docPath: string;
  readonly docSearch: string;
  readonly url: string;
  readonly pageTitle: string;
  readonly referer: string;
  readonly agentName: string;
  readonly useragent: string;
  readonly userLanguage: string;
  readonly localTzOffset: number;
  readonly targetUrl?: string;
  readonly customEventName?: string;
  readonly customEventProps?: string;
}

/** Reads the events of a sample line by line. */
export function readSample(options: SampleOptions): readonly ReadEvent[] {
  const text = Buffer.concat([...writeLines(options, 'ndjson', 'documentation', () => undefined)]).toString('utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const event = Object.fromEntries(
        Object.entries(JSON.parse(line) as object).map(([name, value]) => [
          name.replace('TrackedEvents.', ''),
          value as unknown,
        ]),
      ) as unknown as ReadEvent;
      return { ...event, at: Date.parse(`${event.utcTime}Z`) };
    });
}
