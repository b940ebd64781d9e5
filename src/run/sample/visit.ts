import type { Random } from './random.ts';
import { campaigns, hostileTitles, hosts, hours, journeys, referrers, titles } from './site.ts';
import type { Visitor } from './visitors.ts';
import { minute, hour, day } from '../../ask/time/duration.ts';

export interface SampleEvent {
  /** Epoch milliseconds. */
  readonly time: number;
  readonly id: string;
  readonly visitor: Visitor;
  readonly userId: string | undefined;
  readonly sessionId: string | undefined;
  readonly project: number;
  readonly host: string;
  readonly type: 'pageview' | 'link_click' | 'custom_event';
  readonly path: string;
  readonly search: string;
  readonly title: string;
  readonly referer: string;
  readonly target?: string;
  readonly element?: string;
  readonly name?: string;
  readonly props?: string;
}

const journeyWeights = journeys.map((journey) => journey.weight);

/** One visit, its events in the order of time, all within the day that begins at `start`. */
export function visitOf(random: Random, visitor: Visitor, start: number, projects: readonly number[]): readonly SampleEvent[] {
  const place = Math.floor(random.fraction() * random.fraction() * projects.length);
  const host = hosts[place % hosts.length]!;
  const sessionId = visitor.anonymousId === undefined || random.chance(0.12) ? undefined : `${random.hex(2)}-${random.hex(1)}-${random.hex(1)}-${random.hex(1)}-${random.hex(3)}`;
  const journey = journeys[random.weighted(journeyWeights)]!;
  const bot = visitor.browser.agentName === 'bot';
  const events: SampleEvent[] = [];
  let time = start + firstMoment(random, visitor.place.offset);
  let search = random.chance(0.22) ? random.pick(campaigns) : '';
  let referer = random.chance(0.55) ? random.pick(referrers) : '';

  const add = (path: string, further: Pick<SampleEvent, 'type'> & Partial<SampleEvent>) => {
    if (time >= start + day) return;
    const title = random.chance(0.002) ? random.pick(hostileTitles) : path === '/' ? visitor.place.welcome : titles[path] ?? path;
    events.push({
      time, id: random.hex(6), visitor, userId: visitor.userId, sessionId, project: projects[place]!, host, path, search, title, referer, ...further,
    });
  };
  for (const [index, path] of journey.pages.entries()) {
    if (path === '/signup/done' && visitor.anonymousId !== undefined) visitor.userId ??= `user-${random.hex(2)}`;
    add(path, { type: 'pageview' });
    referer = `https://${host}${path}`;
    search = '';
    if (!bot && random.chance(0.14)) {
      time += 1000 + random.whole(20_000);
      add(path, { type: 'link_click', target: random.pick(['https://docs.kiosk.example/guide.pdf', 'https://social.example.net/kiosk', 'mailto:hello@kiosk.example']), element: random.pick(['nav-help', 'footer-social', '']) });
    }
    if (!bot && random.chance(0.04)) {
      time += 1000 + random.whole(60_000);
      add(path, { type: 'custom_event', name: random.pick(['video_played', 'searched', 'feedback_sent']), props: JSON.stringify({ seconds: random.whole(300), where: path }) });
    }
    const stay = journey.stay[index];
    if (stay === undefined || !random.chance(bot ? 0.9 : stay)) break;
    // Now and then somebody makes tea, and the visit is another one afterwards.
    time += random.chance(0.02) ? 2_000_000 + random.whole(3_000_000) : 4_000 + random.whole(random.chance(0.2) ? 600_000 : 90_000);
  }
  return events;
}

function firstMoment(random: Random, offset: number): number {
  const local = random.weighted(hours) * hour + random.whole(hour);
  return (((local + offset * minute) % day) + day) % day;
}
