import type { Engine } from '../engine/engine.ts';
import { type FollowOptions, followUsers } from './follow-users.ts';
import type { FollowedUsers } from './followed-users.ts';
import type { FunnelProgram } from './funnel-program.ts';
import { type NumberTally, openTally, type Spread } from './quantiles.ts';

export interface ComputeOptions extends Omit<FollowOptions, 'keys'> {
  /** Whether the times from the first step to the others are wanted: they cost eight bytes a user and step. */
  readonly times?: boolean | undefined;
  /**
   * The bucket that users of this entry (epoch milliseconds) are counted in; asked for every user. undefined: no trend.
   */
  readonly bucketOf?: ((entry: number) => number) | undefined;
}

/** How many users, or sessions, came how far. */
export interface FunnelAnswer {
  readonly all: FunnelSeries;
  /** By the breakdown's values, text before null; undefined: the program has none. */
  readonly byValue: readonly (FunnelSeries & { readonly value: string | null })[] | undefined;
  /** By bucket of entry, ascending, without empty buckets; undefined if not requested. */
  readonly byEntry: readonly { readonly bucket: number; readonly reached: readonly number[] }[] | undefined;
  /** Users who count nowhere, as excluded events spoiled all that would have counted. */
  readonly spoiled: number;
  /** Events that were read and have no user. */
  readonly withoutUser: number;
}

export interface FunnelSeries {
  /** Step by step, those who reached at least it. */
  readonly reached: readonly number[];
  /**
   * Step by step, milliseconds from the first step in users' first furthest attempts; undefined where nobody reached
   * it, or where times were not asked for.
   */
  readonly toConvert: readonly (Spread | undefined)[];
}

/** Computes a funnel over the view `events` of an engine. Rejects as `followUsers`. */
export async function computeFunnel(
  engine: Engine,
  program: FunnelProgram,
  options: ComputeOptions = {},
): Promise<FunnelAnswer> {
  const { times, bucketOf, ...follow } = options;
  return sumUpUsers(followUsers(engine, program, follow), program, { times, bucketOf });
}

/** The figures of users who were followed. Rejects as they do. */
export async function sumUpUsers(
  followed: AsyncIterable<FollowedUsers>,
  program: FunnelProgram,
  { times = false, bucketOf }: Pick<ComputeOptions, 'times' | 'bucketOf'>,
): Promise<FunnelAnswer> {
  const length = program.steps.length;
  const all = openSeries(length, times);
  const byValue = new Map<string | null, Series>();
  const byEntry = new Map<number, Series>();
  let [spoiled, withoutUser] = [0, 0];
  for await (const users of followed) {
    spoiled += users.spoiled;
    withoutUser += users.withoutUser;
    for (let user = 0; user < users.count; user++) {
      const depth = users.depth[user]!;
      all.add(depth, users.elapsed, user * length);
      if (users.values) seriesOf(byValue, users.values[user]!, length, times).add(depth, users.elapsed, user * length);
      if (bucketOf)
        seriesOf(byEntry, bucketOf(users.entry[user]!), length, false).add(depth, users.elapsed, user * length);
    }
  }
  return {
    all: all.close(),
    byValue: program.breakdown && [...byValue].sort(byText).map(([value, series]) => ({ value, ...series.close() })),
    byEntry:
      bucketOf &&
      [...byEntry].sort(([a], [b]) => a - b).map(([bucket, series]) => ({ bucket, reached: series.close().reached })),
    spoiled,
    withoutUser,
  };
}

interface Series {
  /** The times of the user's steps begin at `from`. No slice of them: there are millions of users. */
  add(depth: number, elapsed: Float64Array, from: number): void;
  close(): FunnelSeries;
}

function openSeries(length: number, times: boolean): Series {
  /** Users whose furthest step is this one. */
  const ended = new Array<number>(length).fill(0);
  const tallies: readonly NumberTally[] = times ? Array.from({ length }, openTally) : [];
  return {
    add(depth, elapsed, from) {
      ended[depth - 1]! += 1;
      if (times) for (let step = 0; step < depth; step++) tallies[step]!.add(elapsed[from + step]!);
    },
    close() {
      const reached = new Array<number>(length).fill(0);
      for (let step = length - 1, users = 0; step >= 0; step--) reached[step] = users += ended[step]!;
      return { reached, toConvert: Array.from({ length }, (_, step) => tallies[step]?.sumUp()) };
    },
  };
}

function seriesOf<Key>(known: Map<Key, Series>, key: Key, length: number, times: boolean): Series {
  let series = known.get(key);
  if (!series) {
    series = openSeries(length, times);
    known.set(key, series);
  }
  return series;
}

/** Text by the codes of its letters, before null. */
export function byText([left]: readonly [string | null, unknown], [right]: readonly [string | null, unknown]): number {
  if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1;
  return left < right ? -1 : left > right ? 1 : 0;
}
