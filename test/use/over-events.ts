import { afterAll } from 'vitest';
import { open, type Sluice } from '../../src/use/index.ts';
import { openFolder } from './run-in-folder.ts';
import type { Seen } from './analysis/trends-oracle.ts';

const folder = openFolder();
afterAll(() => folder.remove());

const later = Date.parse('2026-01-01T00:00:00Z');

/** Every third event is a click, the others are page views. */
export const typeOf = (index: number): string => (index % 3 === 0 ? 'link_click' : 'pageview');

/** Opens sluice with these events, and one long before them, so that there is a file to read. */
export function over(events: readonly Seen[], now = later): Promise<Sluice> {
  const lines = events.map(({ at, user, path }, index) => ({
    'TrackedEvents.utcTime': new Date(at).toISOString().slice(0, -1),
    ...(user === '' ? {} : { 'TrackedEvents.userAnonymousId': user }),
    'TrackedEvents.eventType': typeOf(index),
    ...(path === '' ? {} : { 'TrackedEvents.docPath': path }),
  }));
  const anchor = {
    'TrackedEvents.utcTime': '2001-01-01T00:00:00.000',
    'TrackedEvents.userAnonymousId': 'first',
    'TrackedEvents.docPath': '/anchor',
    'TrackedEvents.eventType': 'pageview',
  };
  folder.write('events.ndjson', [anchor, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''));
  return open({ workspace: folder.root, events: 'events.ndjson', env: {}, now: () => now, onNote: () => undefined });
}
