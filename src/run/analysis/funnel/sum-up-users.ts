import type { FollowedFunnel, FunnelFigures } from '../../followed-funnel.ts';
import { type FollowedUsers, type LeftOut, openLeftOut } from './followed-users.ts';
import type { FunnelProgram } from './funnel-program.ts';
import { type NumberTally, openTally } from './quantiles.ts';

/** The number of users, or sessions, that reached each step. */
export interface FunnelAnswer extends FollowedFunnel, LeftOut {}

export interface SumUpOptions {
  /** Whether to collect the times from the first step to the others. They cost eight bytes a user and step. */
  readonly times?: boolean | undefined;
  /** The bucket of a user's entry (epoch milliseconds). Called for every user. undefined: no trend. */
  readonly bucketOf?: ((entry: number) => number) | undefined;
}

/** The figures of followed users. Rejects as `followed` does. */
export async function sumUpUsers(
  followed: AsyncIterable<FollowedUsers>,
  program: FunnelProgram,
  { times = false, bucketOf }: SumUpOptions,
): Promise<FunnelAnswer> {
  const length = program.steps.length;
  const all = openSeries(length, times);
  const byValue = new Map<string | null, Series>();
  const byEntry = new Map<number, Series>();
  const leftOut = openLeftOut();
  for await (const users of followed) {
    leftOut.add(users);
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
    spoiled: leftOut.spoiled,
    withoutUser: leftOut.withoutUser,
    unheld: leftOut.unheld,
  };
}

interface Series {
  /** The times of the user's steps start at `from`. Slices would be too many objects for millions of users. */
  add(depth: number, elapsed: Float64Array, from: number): void;
  close(): FunnelFigures;
}

function openSeries(length: number, times: boolean): Series {
  /** Users by their furthest step. */
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

/** Text by code unit, null last. */
export function byText([left]: readonly [string | null, unknown], [right]: readonly [string | null, unknown]): number {
  if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1;
  return left < right ? -1 : left > right ? 1 : 0;
}
