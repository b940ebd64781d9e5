import type { DuckDBMaterializedResult } from '@duckdb/node-api';
import type { Engine } from '../engine/engine.ts';
import { runToEnd } from '../engine/run-statement.ts';
import { isOutOfMemory } from '../engine/to-backend-error.ts';
import { fitBeside, toEventCodes, type EventCodes } from './event-codes.ts';
import { countStatement, eventsStatement, type EventsWanted } from './events-statement.ts';
import { type FollowedUsers, noUsers } from '../../analysis/funnel/followed-users.ts';
import { type FunnelProgram, toRange } from '../../analysis/funnel/funnel-program.ts';
import { countEvents, decideParts, everybody, memoryForUsers, mostParts, type Part, splitPart } from './user-parts.ts';
import { toRules, openSourceWalk, mostUsers } from '../../analysis/funnel/walk-users.ts';
import { readLists } from './list-reader.ts';
import { throwIfAborted } from '../../../ask/sluice-error.ts';
import { type FunnelAnswer, sumUpUsers, type SumUpOptions } from '../../analysis/funnel/sum-up-users.ts';

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

interface WalkOptions {
  readonly program: FunnelProgram;
  readonly codes: EventCodes;
  readonly shape: EventsWanted['shape'];
  readonly keys: boolean;
  /** Epoch milliseconds. */
  readonly entriesBefore: number;
  readonly signal: AbortSignal | undefined;
}

/** Follows all users in a result of `eventsStatement`. */
async function* walkUsers(
  result: DuckDBMaterializedResult,
  options: WalkOptions,
): AsyncGenerator<FollowedUsers, void, undefined> {
  const rules = toRules(options.program, options.codes);
  const walk = openSourceWalk(rules, options);
  const held = options.program.hold.length > 0;
  for await (const source of readLists(result, { ...options, held, window: rules.window })) {
    for (let more = true; more; ) {
      throwIfAborted(options.signal);
      const users = walk(source);
      more = users.count === mostUsers;
      yield users;
    }
  }
}

export interface ComputeOptions extends Omit<FollowOptions, 'keys'>, SumUpOptions {}

/** Computes a funnel over the view `events` of an engine. Rejects as `followUsers`. */
export async function computeFunnel(
  engine: Engine,
  program: FunnelProgram,
  options: ComputeOptions = {},
): Promise<FunnelAnswer> {
  const { times, bucketOf, ...follow } = options;
  return sumUpUsers(followUsers(engine, program, follow), program, { times, bucketOf });
}
