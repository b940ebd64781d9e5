import { day, minute } from '../../ask/time/granularity.ts';
import { type EventTable, keepLater, makeRoom, openTable, rowsBefore } from './event-table.ts';
import { mixAll, type Random, randomFrom, toRunning } from './random.ts';
import {
  clickExtras,
  customExtras,
  type EventType,
  hostileTitle,
  hostileTitleCount,
  pageCode,
  refererCode,
  titleCode,
} from './site-texts.ts';
import { campaigns, journeys, paths, referrers, signedUp } from './site.ts';
import { gapOf, type Slot, slotsOf, type SampleRange, spanOf } from './traffic.ts';
import { agents, openVisitors, type Visitors } from './visitors.ts';

/** The state that persists between visits. */
interface Site {
  readonly random: Random;
  readonly visitors: Visitors;
  readonly projects: number;
  readonly span: SampleRange;
  readonly gap: SampleRange | undefined;
  /** Events and sessions so far. */
  events: number;
  sessions: number;
}

const guestChances = toRunning(journeys.map((journey) => journey.weight));
const memberChances = toRunning(journeys.map((journey) => journey.memberWeight));
const pathCodes = new Map(paths.map((path, code) => [path, code]));
const journeyPaths = journeys.map(({ pages }) => pages.map((page) => pathCodes.get(page)!));
const signUpPath = pathCodes.get(signedUp)!;

/** Adds a visit that begins within the slot, with at most `most` events. Returns the number of events added. */
function addVisit(site: Site, table: EventTable, slot: Slot, most: number): number {
  const { random, visitors } = site;
  const visitor = visitors.next(slot);
  const add = eventAdder(site, table, visitor, most);
  const start = slot.start + random.whole(slot.length);
  if (visitors.isRobot(visitor)) crawl(random, start, add);
  else browse(site, visitor, start, add);
  return add.added();
}

interface EventAdder {
  (time: number, type: EventType, path: number, further: Further): void;
  added(): number;
}

interface Further {
  readonly search: number;
  /** 0 for none, -1 for the previous page. */
  readonly referer: number;
  readonly user: number;
  readonly session: number;
  readonly extra?: number;
  readonly seconds?: number;
}

const nobody = { search: 0, referer: 0, user: 0, session: 0 } as const;

/** Pages in random order, a few seconds each. */
function crawl(random: Random, start: number, add: EventAdder): void {
  let time = start;
  for (let left = 4 + random.whole(18); left > 0; left--) {
    add(time, 0, random.whole(paths.length), nobody);
    time += 400 + random.whole(4000);
  }
}

function browse(site: Site, visitor: number, start: number, add: EventAdder): void {
  const { random, visitors } = site;
  const tracked = !visitors.isShy(visitor) && !random.chance(0.12);
  const member = visitors.isMember(visitor);
  const chosen = random.weighted(member ? memberChances : guestChances);
  const { stay, resume } = journeys[chosen]!;
  const pages = journeyPaths[chosen]!;
  let session = tracked ? (site.sessions += 1) : 0;
  // Some sign in at once, some later, some not at all.
  let user = member && random.chance(0.6) ? visitors.userOf(visitor, random) : 0;
  let search = random.chance(member ? 0.06 : 0.2) ? 1 + random.whole(campaigns.length) : 0;
  let referer = random.chance(member ? 0.2 : 0.55) ? 1 + random.whole(referrers.length) : 0;
  let time = start;
  for (let step = resume !== undefined && random.chance(0.1) ? resume : 0; step < pages.length; step++) {
    const path = pages[step]!;
    if (user === 0 && (path === signUpPath || (member && random.chance(0.3)))) user = visitors.userOf(visitor, random);
    if (path === signUpPath) visitors.signUp(visitor);
    add(time, 0, path, { search, referer, user, session });
    referer = -1;
    search = 0;
    if (random.chance(0.14)) {
      if (!random.chance(0.03)) time += 1000 + random.whole(20_000);
      add(time, 1, path, {
        search,
        referer,
        user,
        session,
        extra: clickExtras.first + random.whole(clickExtras.count),
      });
    }
    if (random.chance(0.04)) {
      if (!random.chance(0.1)) time += 1000 + random.whole(60_000);
      add(time, 2, path, {
        search,
        referer,
        user,
        session,
        extra: customExtras.first + random.whole(customExtras.count),
        seconds: random.whole(300),
      });
    }
    if (step >= stay.length || !random.chance(stay[step]!)) return;
    if (random.chance(0.02)) {
      // After a long break, the visit continues as another session.
      time += 33 * minute + random.whole(50 * minute);
      if (tracked) session = site.sessions += 1;
    } else {
      time += 4_000 + random.whole(random.chance(0.2) ? 600_000 : 90_000);
    }
  }
}

function eventAdder(site: Site, table: EventTable, visitor: number, most: number): EventAdder {
  const { random, visitors, span, gap } = site;
  const agent = visitors.agentOf(visitor);
  const { place } = agents[agent]!;
  // Most visitors belong to the first project, and most of the others to the second.
  const share = (visitors.trait(visitor) >>> 8) / 2 ** 24;
  const project = Math.floor(share * share * share * site.projects);
  // A device without a connection sends later.
  const delay = random.chance(0.005) ? 5 * minute + Math.floor(2 * day * random.fraction() * random.fraction()) : 0;
  const anonymous = visitors.isShy(visitor) ? 0 : visitor;
  let before = 0;
  let added = 0;
  const add = (time: number, type: EventType, path: number, further: Further) => {
    const referer = further.referer === -1 ? before : further.referer;
    before = refererCode(project, path);
    if (added === most || time >= span.end || (gap && time >= gap.start && time < gap.end)) return;
    added += 1;
    makeRoom(table);
    const row = table.length;
    table.length = row + 1;
    table.time[row] = time;
    table.arrival[row] = arrivalAfter(time + delay, gap);
    table.number[row] = site.events += 1;
    table.visitor[row] = anonymous;
    table.user[row] = further.user;
    table.session[row] = further.session;
    table.page[row] = pageCode(type, project, path, further.search);
    table.title[row] = random.chance(0.002) ? hostileTitle + random.whole(hostileTitleCount) : titleCode(path, place);
    table.referer[row] = referer;
    table.agent[row] = agent;
    table.extra[row] = further.extra ?? 0;
    table.seconds[row] = further.seconds ?? 0;
  };
  return Object.assign(add, { added: () => added });
}

/** Events that would arrive in the gap arrive after its end. */
function arrivalAfter(arrival: number, gap: SampleRange | undefined): number {
  return gap && arrival >= gap.start && arrival < gap.end ? gap.end + (arrival % minute) : arrival;
}

export interface SampleOptions {
  /** An integer; the same seed gives the same events. */
  readonly seed: number;
  /** The exact number of events. */
  readonly events: number;
  /** The last day, `YYYY-MM-DD`, in UTC. */
  readonly to: string;
  /** The number of days, including the last one. */
  readonly days: number;
  /** Numbers of the projects, the busiest first; defaults to 42 and 7. */
  readonly projects?: readonly number[] | undefined;
}

/** The default sample for new users: fifty thousand events over ninety days. */
export const usualSample = { seed: 1, events: 50_000, days: 90, projects: [42, 7] } as const;

/** Some rows of a table in order. Both are valid until the next batch is requested. */
export interface SampleBatch {
  readonly table: EventTable;
  readonly rows: Uint32Array;
}

/** A number derived from the options, so that different samples share no identifiers. */
export function saltOf({ seed, events, to, days }: SampleOptions): number {
  return mixAll([seed, events, Date.parse(to), days]);
}

/**
 * Generates events of a fictitious shop in order of arrival. Traffic depends on season, weekday and hour. People
 * return, sign up, sign in on other devices, click and buy; robots crawl; some visitors keep no identifier; some events
 * arrive late; and three days have no events. Only a few events are in memory at once.
 */
export function* sampleEvents(options: SampleOptions): Generator<SampleBatch, void, undefined> {
  const salt = saltOf(options);
  const random = randomFrom(options.seed);
  const span = spanOf(options);
  const site: Site = {
    random,
    visitors: openVisitors(random, salt),
    projects: (options.projects ?? usualSample.projects).length,
    span,
    gap: gapOf(span),
    events: 0,
    sessions: 0,
  };
  const table = openTable(4096);
  for (const slot of slotsOf(options.events, span, salt)) {
    let left = slot.events;
    while (left > 0) left -= addVisit(site, table, slot, left);
    // Many slots of a small sample are empty, so collect events until they fill a batch.
    const end = slot.start + slot.length;
    if (table.length < 2048) continue;
    yield { table, rows: rowsBefore(table, end) };
    keepLater(table, end);
  }
  if (table.length > 0) yield { table, rows: rowsBefore(table, Infinity) };
}
