import type { Random } from './random.ts';
import { browsers, places, type Browser, type Place } from './site.ts';

/** Somebody, or something, that comes to the site. */
export interface Visitor {
  /** undefined: does not want to be known. */
  readonly anonymousId: string | undefined;
  readonly browser: Browser;
  readonly viewport: string;
  readonly place: Place;
  /** Set by signing up. */
  userId: string | undefined;
}

export interface Visitors {
  /** Who comes next: a new visitor, or one who has been here, lately more often than long ago. */
  next(): Visitor;
}

export function openVisitors(random: Random): Visitors {
  const known: Visitor[] = [];
  const browserWeights = browsers.map((browser) => browser.weight);
  const placeWeights = places.map((place) => place.weight);
  return {
    next() {
      if (known.length > 20 && random.chance(0.42)) {
        const ago = random.fraction() * random.fraction() * random.fraction();
        return known[known.length - 1 - Math.floor(ago * known.length)]!;
      }
      const browser = browsers[random.weighted(browserWeights)]!;
      const shy = random.chance(0.02);
      const visitor: Visitor = {
        anonymousId: shy ? undefined : random.hex(4),
        browser,
        viewport: random.pick(browser.viewports),
        place: places[random.weighted(placeWeights)]!,
        userId: undefined,
      };
      if (!shy) known.push(visitor);
      return visitor;
    },
  };
}
