import type { Engine } from '../engine/engine.ts';
import { runToEnd } from '../engine/run-statement.ts';
import { isOutOfMemory } from '../engine/to-backend-error.ts';
import { fitBeside, toEventCodes } from './event-codes.ts';
import { countStatement, eventsStatement, type EventsWanted } from './events-statement.ts';
import { type FollowedUsers, noUsers } from './followed-users.ts';
import type { FunnelProgram } from './funnel-program.ts';
import { countEvents, decideParts, everybody, memoryForUsers, mostParts, type Part, splitPart } from './user-parts.ts';
import { walkUsers } from './walk-users.ts';

export interface FollowOptions {
  /** Epoch milliseconds, inclusive. */
  readonly from?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  readonly to?: number | undefined;
  /** Apply `from` and `to` to first steps only. Later steps are read to the end of their windows. */
  readonly byEntry?: boolean | undefined;
  /** Whether to return the users' keys. */
  readonly keys?: boolean | undefined;
  /** Approximate memory for the events of users followed at once, in bytes; `memoryForUsers` by default. */
  readonly memory?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Follows all users, in batches of some thousand, unordered. The engine collects each user's events. If these exceed
 * the memory, it makes several passes, each over a part of the users. Rejects with DuckDB's error, or `AbortedError`.
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
  const count = (whose: 'all' | 'nobody' | 'unheld') => countStatement(program, codes, range, whose);
  const held = program.hold.length > 0;
  if (held) yield { ...noUsers, unheld: await countEvents(engine, count('unheld')) };
  const parts = await decideParts(
    engine,
    { events: statementOf(everybody), count: count('all') },
    (options.memory ?? (await memoryForUsers(engine))) / (bytesAnEvent[shape] * (held ? 2 : 1)),
  );
  // Events without a user come with a full pass, but not with parts.
  const countNobody = async () => ({ ...noUsers, withoutUser: await countEvents(engine, count('nobody')) });
  if (parts.length > 1) yield await countNobody();
  const waiting = [...parts];
  for (let part = waiting.shift(); part; part = waiting.shift()) {
    const gathered = await settled(runToEnd(engine, statementOf(part), signal));
    if (gathered.status === 'fulfilled')
      yield* walkUsers(gathered.value, { program, codes, shape, keys, entriesBefore: range.entriesBefore, signal });
    // A time is centuries away.
    else if (shape === 'beside' && isOutOfRange(gathered.reason)) {
      shape = 'apart';
      waiting.unshift(part);
    } else if (isOutOfMemory(gathered.reason) && part.of < mostParts) {
      if (part.of === 1) yield await countNobody();
      waiting.unshift(...splitPart(part));
    } else throw gathered.reason;
  }
}

/** Memory for each collected event: in the engine's lists, in its result, and overhead. Lists of lists take double. */
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

/** The latest instant of a JavaScript date. */
const lastInstant = 8.64e15;

/** The range of events to read, and the limit before which attempts start. */
export function toRange(
  { window }: Pick<FunnelProgram, 'window'>,
  { from, to, byEntry = false }: Pick<FollowOptions, 'from' | 'to' | 'byEntry'>,
): LookedAt {
  if (to === undefined || !byEntry) return { from, to, entriesBefore: Infinity };
  const end = to + window * 1000;
  return { from, to: end > lastInstant ? undefined : end, entriesBefore: to };
}
