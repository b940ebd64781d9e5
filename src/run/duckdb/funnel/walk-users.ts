import type { DuckDBMaterializedResult } from '@duckdb/node-api';
import { throwIfAborted } from '../../../ask/sluice-error.ts';
import { openAttributedValue } from './attributed-value.ts';
import type { EventCodes } from './event-codes.ts';
import type { EventsWanted } from './events-statement.ts';
import type { FollowedUsers } from './followed-users.ts';
import type { FunnelProgram } from './funnel-program.ts';
import type { FunnelRules, FunnelWalk } from './funnel-rules.ts';
import { readLists } from './list-reader.ts';
import type { EventKinds } from './user-events.ts';
import type { UserSource } from './user-source.ts';
import { openOrderedWalk } from './walk-ordered.ts';
import { openStrictWalk } from './walk-strict.ts';
import { openUnorderedWalk } from './walk-unordered.ts';

interface WalkOptions {
  readonly program: FunnelProgram;
  readonly codes: EventCodes;
  readonly shape: EventsWanted['shape'];
  readonly keys: boolean;
  /** Epoch milliseconds. */
  readonly entriesBefore: number;
  readonly signal: AbortSignal | undefined;
}

const second = 1_000_000;

/** So many users at once. */
const mostUsers = 4096;

/** Walks over the events of all users in a result of `eventsStatement`. */
export async function* walkUsers(
  result: DuckDBMaterializedResult,
  options: WalkOptions,
): AsyncGenerator<FollowedUsers, void, undefined> {
  const rules = toRules(options.program, options.codes);
  const walk = openSourceWalk(rules, options);
  for await (const source of readLists(result, { ...options, window: rules.window })) {
    for (let more = true; more; ) {
      throwIfAborted(options.signal);
      const users = walk(source);
      more = users.count === mostUsers;
      yield users;
    }
  }
}

/** Follows the next users of a source, as many as there is room for. */
function openSourceWalk(
  rules: FunnelRules,
  { program, codes, keys: withKeys }: WalkOptions,
): (source: UserSource) => FollowedUsers {
  const steps = rules.steps.length;
  const walk = openWalk(rules, codes.kinds);
  const attributed = program.breakdown && openAttributedValue(rules, codes.kinds, program.breakdown.attribution);
  const attempt = { depth: 0, spoiled: false, times: new Float64Array(steps) };

  return (source) => {
    const depth = new Int32Array(mostUsers);
    const entry = new Float64Array(mostUsers);
    const elapsed = new Float64Array(mostUsers * steps);
    const values: (string | null)[] = [];
    const keys: string[] = [];
    const { events } = source;
    let [count, spoiled] = [0, 0];
    while (count < mostUsers && source.next()) {
      walk(events, attempt);
      const reached = attempt.depth;
      if (reached === 0) {
        if (attempt.spoiled) spoiled += 1;
        continue;
      }
      const start = attempt.times[0]!;
      const place = count * steps;
      depth[count] = reached;
      entry[count] = source.toInstant(start);
      for (let step = 1; step < reached; step++) elapsed[place + step] = (attempt.times[step]! - start) / 1000;
      if (attributed) values.push(attributed(events, attempt, source.valueOf));
      if (withKeys) keys.push(source.key());
      count += 1;
    }
    return {
      count,
      depth: depth.subarray(0, count),
      entry: entry.subarray(0, count),
      elapsed: elapsed.subarray(0, count * steps),
      values: attributed && values,
      keys: withKeys ? keys : undefined,
      spoiled,
      withoutUser: source.takeNobody(),
    };
  };
}

function toRules({ order, window, steps, exclusions }: FunnelProgram, { conditions }: EventCodes): FunnelRules {
  return {
    order,
    window: window * second,
    steps: steps.map(({ within }, index) => ({
      condition: conditions[index]!,
      within: within === undefined ? Infinity : within * second,
    })),
    exclusions: exclusions.map(({ from, to }, index) => ({ condition: conditions[steps.length + index]!, from, to })),
  };
}

const walks = { ordered: openOrderedWalk, strict: openStrictWalk, unordered: openUnorderedWalk } as const;

/** Finds how far users came, one after the other. */
export function openWalk(rules: FunnelRules, kinds: EventKinds): FunnelWalk {
  return walks[rules.order](rules, kinds);
}
