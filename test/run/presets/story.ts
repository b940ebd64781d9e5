import { randomFrom } from '../../../src/run/sample/random.ts';

/** What happened, before a tracker recorded it: one visitor's page view or other action. */
export interface StoryEvent {
  readonly number: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Milliseconds until the tracker's server received it. */
  readonly delay: number;
  /** The visitor, as a cookie identifies them; null if the tracker lost them. */
  readonly visitor: number | null;
  /** The account that the visitor is signed in to. */
  readonly account: string | null;
  readonly visit: number;
  readonly visitStart: number;
  readonly kind: 'page' | 'custom' | 'click' | 'identify';
  /** Only for a custom event. */
  readonly name: string;
  readonly host: string;
  readonly path: string;
  readonly search: string;
  readonly title: string | null;
  readonly referrer: string | null;
  readonly agent: string;
  readonly props: Readonly<Record<string, unknown>>;
}

export const host = 'shop.example';

/** The two steps of the funnel, as paths. */
export const funnelSteps = ['/', '/pricing'] as const;

const pages = [
  '/',
  '/',
  '/pricing',
  '/docs',
  '/docs/größe',
  '/shop/%C3%A4pfel%20%26%20birnen',
  '/kasse/完成',
  '/a,b;"c"',
];
const referrers = [null, null, 'https://news.example/item?id=1', 'https://search.example/', 'https://ünï.example/päth'];
const searches = ['', '', '', '?utm_source=newsletter&utm_medium=email', '?page=2', '?q=a%26b&utm_source=ads'];
const names = ['Signed Up', 'Add to cart', 'Größe gewählt', 'weird "name", with \'quotes\''];
const agents = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:123.0) Gecko/20100101 Firefox/123.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_3 like Mac OS X) AppleWebKit/605.1.15 Version/17.3 Mobile/15E148 Safari/604.1',
];
const minute = 60_000;

/**
 * A week of visits, always the same. Pauses within a visit are below half an hour, pauses between visits above it, so
 * trackers with and without sessions find the same ones. Some events have no visitor; some arrive late and out of
 * order.
 */
export function tellStory(seed = 7): readonly StoryEvent[] {
  const { fraction: next } = randomFrom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!;
  const events: Omit<StoryEvent, 'number'>[] = [];
  let visit = 0;
  for (let visitor = 1; visitor <= 12; visitor++) {
    let at = Date.UTC(2024, 2, 1) + Math.floor(next() * 36 * 60) * minute + Math.floor(next() * 60_000);
    const account = visitor % 3 === 0 ? `kunde-${visitor}@example.com` : null;
    for (let nth = 0; nth < 1 + (visitor % 3); nth++) {
      visit += 1;
      const visitStart = at;
      const referrer = pick(referrers);
      const agent = pick(agents);
      const length = 1 + Math.floor(next() * 7);
      for (let step = 0; step < length; step++) {
        const kind =
          step === 0 ? 'page' : pick(['page', 'page', 'page', 'custom', 'custom', 'click', 'identify'] as const);
        const path = step === 0 ? '/' : pick(pages);
        events.push({
          at,
          delay: next() < 0.1 ? 30 * 60 * minute : Math.floor(next() * 2000),
          visitor: next() < 0.04 ? null : visitor,
          account: step > 0 ? account : null,
          visit,
          visitStart,
          kind,
          name: kind === 'custom' ? pick(names) : '',
          host,
          path,
          search: pick(searches),
          title: next() < 0.2 ? null : `Seite ${path} – „ok“`,
          referrer: step === 0 ? referrer : `https://${host}/`,
          agent,
          props:
            kind === 'custom'
              ? {
                  plan: pick(['pro', 'free', null]),
                  amount: Math.floor(next() * 1000) / 10,
                  nested: { list: [1, 'zwei', null] },
                }
              : {},
        });
        at += 1000 + Math.floor(next() * 20 * minute);
      }
      at += Math.floor((1 + next() * 40) * 60) * minute;
    }
  }
  // In order of arrival at the server.
  return events
    .toSorted((one, other) => one.at + one.delay - (other.at + other.delay))
    .map((event, index) => ({ ...event, number: index + 1 }));
}
