import type { Engine } from '../engine/engine.ts';
import { runToEnd } from '../engine/run-statement.ts';
import { fitBeside, toEventCodes } from './event-codes.ts';
import { countStatement, eventsStatement, type EventsWanted } from './events-statement.ts';
import { type FollowedUsers, noUsers } from './followed-users.ts';
import type { FunnelProgram } from './funnel-program.ts';
import { countEvents, decideParts, everybody, isOutOfMemory, mostParts, type Part, splitPart } from './user-parts.ts';
import { walkUsers } from './walk-users.ts';

export interface FollowOptions {
  /** Epoch milliseconds: events from this on are looked at. */
  readonly from?: number | undefined;
  /** Epoch milliseconds: events before this are looked at. */
  readonly to?: number | undefined;
  /** `from` and `to` are for the first steps alone; what follows on them is looked at to the end of their windows. */
  readonly byEntry?: boolean | undefined;
  /** Whether the users' keys are wanted. */
  readonly keys?: boolean | undefined;
  /** Bytes that the events of the users who are followed at once may take, roughly; 1 GiB by default. */
  readonly memory?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Follows all users, some thousand at a time, in no order. The engine gathers each user's events; where these are more
 * than the memory holds it does so in several passes, each over a part of the users. Rejects with DuckDB's own error,
 * or `AbortedError`.
 */
export async function* followUsers(
  engine: Engine,
  program: FunnelProgram,
  options: FollowOptions = {},
): AsyncGenerator<FollowedUsers, void, undefined> {
  const codes = toEventCodes(program);
  const { signal, keys = false } = options;
  const range = toRange(program, options);
  let shape: EventsWanted['shape'] = fitBeside(codes) && !program.breakdown ? 'beside' : 'apart';
  const statementOf = (part: Part) =>
    eventsStatement(program, codes, { ...range, shape, keys, part: part.of === 1 ? undefined : part });
  const count = (whose: 'all' | 'nobody') => countStatement(program, codes, range, whose);
  const parts = await decideParts(
    engine,
    { events: statementOf(everybody), count: count('all') },
    (options.memory ?? 2 ** 30) / bytesAnEvent[shape],
  );
  // Events without a user come with the users, except for parts of the users.
  const countNobody = async () => ({ ...noUsers, withoutUser: await countEvents(engine, count('nobody')) });
  if (parts.length > 1) yield await countNobody();
  const waiting = [...parts];
  for (let part = waiting.shift(); part; part = waiting.shift()) {
    const gathered = await settled(runToEnd(engine, statementOf(part), signal));
    if (gathered.status === 'fulfilled')
      yield* walkUsers(gathered.value, { program, codes, shape, keys, entriesBefore: range.entriesBefore, signal });
    // A time is centuries off.
    else if (shape === 'beside' && isOutOfRange(gathered.reason)) {
      shape = 'apart';
      waiting.unshift(part);
    } else if (isOutOfMemory(gathered.reason) && part.of < mostParts) {
      if (part.of === 1) yield await countNobody();
      waiting.unshift(...splitPart(part));
    } else throw gathered.reason;
  }
}

/**
 * What an event takes while users' events are gathered: in the engine's lists and in its result, and what goes with
 * them.
 */
const bytesAnEvent = { beside: 40, apart: 120 } as const;

function isOutOfRange(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Out of Range');
}

async function settled<T>(work: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [result] = await Promise.allSettled([work]);
  return result;
}

interface LookedAt {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly entriesBefore: number;
}

/** The latest instant that a date can be. */
const lastInstant = 8.64e15;

/** From when to when events are looked at, and before when attempts begin. */
export function toRange(
  { window }: Pick<FunnelProgram, 'window'>,
  { from, to, byEntry = false }: Pick<FollowOptions, 'from' | 'to' | 'byEntry'>,
): LookedAt {
  if (to === undefined || !byEntry) return { from, to, entriesBefore: Infinity };
  const end = to + window * 1000;
  return { from, to: end > lastInstant ? undefined : end, entriesBefore: to };
}
