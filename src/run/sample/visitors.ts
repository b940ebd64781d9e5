import { mix, type Random, toRunning } from './random.ts';
import { browsers, hours, places, robots, type Browser } from './site.ts';
import { localHour, type Slot } from './traffic.ts';
import { grown } from './event-table.ts';

/** A browser with a window size and a language. */
export interface Agent {
  readonly browser: Browser;
  readonly viewport: string;
  readonly place: number;
}

/** People's browsers first, then robots; places vary fastest. */
export const agents: readonly Agent[] = [...browsers, ...robots].flatMap((browser) =>
  browser.viewports.flatMap((viewport) => places.map((_, place): Agent => ({ browser, viewport, place }))),
);

const firstAgents = [...browsers, ...robots].map((browser) => agents.findIndex((agent) => agent.browser === browser));

/** All visitors so far, numbered from 1. Each takes only a few bytes, because there may be millions. */
export interface Visitors {
  /** The next visitor within a slot: a new one, or a returning one, more likely a recent one. */
  next(slot: Slot): number;
  agentOf(visitor: number): number;
  isRobot(visitor: number): boolean;
  /** True if the visitor keeps no identifier. */
  isShy(visitor: number): boolean;
  /** True if the visitor's owner has signed up, possibly on another device. */
  isMember(visitor: number): boolean;
  signUp(visitor: number): void;
  /** The user who signs in, from 1. Some devices are shared by two people, and some people have two devices. */
  userOf(visitor: number, random: Random): number;
  /** A constant pseudo-random number of the visitor, below 2^32. */
  trait(visitor: number): number;
}

const robot = 1;
const shy = 2;
const member = 4;

const robotShare = 0.015;
const shyShare = 0.02;
const returnShare = 0.66;

export function openVisitors(random: Random, salt: number): Visitors {
  let agentCodes = new Uint16Array(1024);
  let flags = new Uint8Array(1024);
  let count = 0;
  const firstOfDay: number[] = [];
  const browserChances = toRunning(browsers.map(({ weight }) => weight));
  const robotChances = toRunning(robots.map(({ weight }) => weight));
  const placeChances = hours.map((_, hour) =>
    toRunning(places.map(({ weight, offset }) => weight * hours[localHour(hour, offset)]!)),
  );
  const busiest = Math.max(...hours);
  const trait = (visitor: number) => mix(visitor + salt);

  const join = (browser: number, viewports: number, place: number, flag: number): number => {
    count += 1;
    if (count === flags.length) {
      agentCodes = grown(agentCodes, new Uint16Array(count * 2));
      flags = grown(flags, new Uint8Array(count * 2));
    }
    agentCodes[count] = firstAgents[browser]! + random.whole(viewports) * places.length + place;
    flags[count] = flag;
    return count;
  };
  const newcomer = (hour: number): number => {
    const browser = random.weighted(browserChances);
    return join(
      browser,
      browsers[browser]!.viewports.length,
      random.weighted(placeChances[hour]!),
      random.chance(shyShare) ? shy : 0,
    );
  };
  const newRobot = (): number => join(browsers.length + random.weighted(robotChances), 1, 0, robot);

  const returner = ({ day }: Slot, hour: number): number | undefined => {
    for (let attempt = 0; attempt < 12; attempt++) {
      // Half of them return within three days, and one in ten after a month.
      const past = day - Math.floor(3 * (1 / (random.fraction() + 2 ** -32) - 1));
      if (past < 0) continue;
      const first = firstOfDay[past]!;
      const candidate = first + random.whole((past === day ? count + 1 : firstOfDay[past + 1]!) - first);
      if (candidate > count || candidate < first || (flags[candidate]! & (robot | shy)) !== 0) continue;
      const faith = trait(candidate) % 12 === 0 ? 1 : isMember(candidate) ? 0.4 : 0.08;
      const awake = hours[localHour(hour, places[agents[agentCodes[candidate]!]!.place]!.offset)]! / busiest;
      if (random.chance(faith * awake)) return candidate;
    }
    return undefined;
  };

  const ownerOf = (visitor: number): number => {
    const owner = visitor - 1 - ((trait(visitor) >>> 4) % 64);
    return isSecond(visitor) && owner > 0 && !isSecond(owner) && (flags[owner]! & (robot | shy)) === 0
      ? owner
      : visitor;
  };
  const isSecond = (visitor: number) => trait(visitor) % 11 === 0;
  const isMember = (visitor: number) => (flags[ownerOf(visitor)]! & member) !== 0;

  return {
    next(slot) {
      while (firstOfDay.length <= slot.day) firstOfDay.push(count + 1);
      const hour = new Date(slot.start).getUTCHours();
      if (random.chance(robotShare)) return newRobot();
      return (random.chance(returnShare) ? returner(slot, hour) : undefined) ?? newcomer(hour);
    },
    agentOf: (visitor) => agentCodes[visitor]!,
    isRobot: (visitor) => (flags[visitor]! & robot) !== 0,
    isShy: (visitor) => (flags[visitor]! & shy) !== 0,
    isMember,
    signUp(visitor) {
      flags[ownerOf(visitor)]! |= member;
    },
    userOf(visitor, random) {
      const owner = ownerOf(visitor);
      const shared = (trait(owner) >>> 12) % 40 === 0;
      return 2 * owner + (shared && random.chance(0.4) ? 1 : 0);
    },
    trait,
  };
}
