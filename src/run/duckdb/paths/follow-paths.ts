import type {
  DuckDBBigIntVector,
  DuckDBDataChunk,
  DuckDBListVector,
  DuckDBStructVector,
  DuckDBTinyIntVector,
} from '@duckdb/node-api';
import { leftOutSteps, type Paths } from '../../../ask/paths/paths.ts';
import { throwIfAborted } from '../../../ask/sluice-error.ts';
import { type Expression, sql } from '../../../plan/sql/expression.ts';
import { withTables } from '../../../plan/sql/print-statement.ts';
import type { Engine } from '../engine/engine.ts';
import { runToEnd } from '../engine/run-statement.ts';
import {
  chunksOf,
  type CodedTimes,
  openCodedTimes,
  openLists,
  type ReadCodedTimes,
  readBeside,
  setCount,
} from '../funnel/coded-times.ts';
import { type BoundText, printBound } from '../funnel/events-statement.ts';
import { gatherParts, memoryForUsers, toParts } from '../funnel/user-parts.ts';
import { type KeptEdges, keepEdges } from '../../analysis/paths/keep-edges.ts';
import { openPathTally } from '../../analysis/paths/path-tally.ts';
import { listsStatement, namesStatement, type StepShape, tableName, toStepShape } from './steps-statement.ts';
import type { Steps } from '../../analysis/paths/steps.ts';
import { openPathWalk, type PathRules } from './walk-paths.ts';
import { toStepName } from '../../analysis/paths/tell-steps.ts';

interface FollowPathsOptions {
  /** Approximate memory for the events of users followed at once, in bytes; `memoryForUsers` by default. */
  readonly memory?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether to record the users of each edge. */
  readonly keepsUsers?: boolean | undefined;
}

export interface FollowedPaths extends KeptEdges {
  readonly sessions: number;
  /** What steps are called after grouping, those that are left out too. */
  readonly called: readonly string[];
  /** User keys, indexed as in the edges; empty unless requested. */
  readonly keys: readonly string[];
  /** Indexes of the users with a path. */
  readonly walkers: readonly number[];
  /** The number of steps without a user. */
  readonly withoutUser: number;
}

/**
 * Follows all users over the events of `steps`. The engine collects each user's events, in several passes over parts of
 * the users if they exceed the memory. Rejects with DuckDB's error, `AbortedError`, or `paths-too-many`.
 */
export async function followPaths(
  engine: Engine,
  paths: Paths,
  steps: Steps,
  { memory, signal, keepsUsers = false }: FollowPathsOptions = {},
): Promise<FollowedPaths> {
  const table = tableName(engine.nextNumber());
  const run = (statement: BoundText) => runToEnd(engine, statement, signal);
  try {
    await run(printBound(sql`CREATE TABLE ${table} AS ${withTables(steps.tables, namesStatement(steps))}`));
    const known = await readNames(engine, table);
    const { names, rules } = toRules(paths, known.names);
    // The additional number is the drop-off.
    const tally = openPathTally(names.length + 1, { keepsUsers });
    const keys: string[] = [];
    const called = [...new Set(known.names.map((each) => toStepName(paths.groups, each)))];
    const walk = openPathWalk(rules, tally);
    const shape = toStepShape(known.names.length, known.first, known.last);
    const events = openCodedTimes();
    let withoutUser = 0;
    const most = memory ?? (await memoryForUsers(engine));
    const gathered = gatherParts(toParts(Math.ceil((known.events * bytesAnEvent[shape.kind]) / most)), (part) =>
      run(printBound(listsStatement(steps, table, shape, { part, keys: keepsUsers }), steps.tables)),
    );
    for await (const result of gathered)
      for await (const chunk of chunksOf(result)) {
        throwIfAborted(signal);
        withoutUser += readUsers(chunk, shape, events, walk, keepsUsers ? keys : undefined);
      }
    return {
      ...keepEdges(tally, names, paths),
      sessions: tally.sessions,
      called,
      keys,
      walkers: tally.walkers(),
      withoutUser,
    };
  } finally {
    await engine.rows(printBound(sql`DROP TABLE IF EXISTS ${table}`).text).catch(() => undefined);
  }
}

/** Memory for each event that is collected, sorted and returned. */
const bytesAnEvent = { beside: 40, apart: 80 } as const;

interface KnownNames {
  /** By code. */
  readonly names: readonly string[];
  readonly first: bigint;
  readonly last: bigint;
  readonly events: number;
}

async function readNames(engine: Engine, table: Expression): Promise<KnownNames> {
  const rows = await engine.rows(printBound(sql`SELECT name, first, last, seen FROM ${table} ORDER BY code`).text);
  const times = rows.map(([, first, last]) => [BigInt(first as bigint), BigInt(last as bigint)] as const);
  const [start] = times;
  return {
    names: rows.map(([called]) => String(called)),
    first: times.reduce((least, [first]) => (first < least ? first : least), start?.[0] ?? 0n),
    last: times.reduce((most, [, last]) => (last > most ? last : most), start?.[1] ?? 0n),
    events: rows.reduce((sum, [, , , events]) => sum + Number(events), 0),
  };
}

/** Step names after grouping, and the rules by indexes of these names. `raw`: ungrouped names, by code. */
export function toRules(
  paths: Paths,
  raw: readonly string[],
): { readonly names: readonly string[]; readonly rules: PathRules } {
  const places = new Map<string, number>();
  const placeOf = (name: string): number => {
    const place = places.get(name) ?? places.size;
    places.set(name, place);
    return place;
  };
  const excluded = new Set(paths.exclude);
  const nameOfCode = Int32Array.from(raw, (each) => {
    const name = toStepName(paths.groups, each);
    return excluded.has(name) ? -1 : placeOf(name);
  });
  const { anchor } = paths;
  const toPlace = (name: string | undefined) => (name === undefined ? undefined : placeOf(name));
  const placed: PathRules['anchor'] =
    anchor.kind === 'ends'
      ? { ...anchor, from: toPlace(anchor.from), to: toPlace(anchor.to) }
      : anchor.kind === 'through'
        ? { ...anchor, point: placeOf(anchor.point) }
        : anchor;
  const leftOut = placeOf(leftOutSteps);
  const names = [...places.keys()];
  const gap = paths.gapMinutes * 60_000_000;
  return {
    names,
    rules: { nameOfCode, gap, maxSteps: paths.maxSteps, anchor: placed, dropOff: names.length, leftOut },
  };
}

/** Follows the users in a chunk of `listsStatement` and returns the number of steps without a user. */
function readUsers(
  chunk: DuckDBDataChunk,
  shape: StepShape,
  events: CodedTimes,
  walk: (events: CodedTimes) => void,
  keys: string[] | undefined,
): number {
  const list = chunk.getColumnVector(0) as DuckDBListVector;
  const nobody = (chunk.getColumnVector(1) as DuckDBTinyIntVector)['items'];
  const counted = (chunk.getColumnVector(2) as DuckDBBigIntVector)['items'];
  const lists = openLists(list);
  const who = keys && chunk.getColumnVector(3);
  const read = shape.kind === 'beside' ? readBeside(list, shape.bits) : readApart(list);
  const rows = chunk.rowCount;
  let withoutUser = 0;
  for (let row = 0; row < rows; row++) {
    if (nobody[row] !== 0) {
      withoutUser += Number(counted[row]);
      continue;
    }
    setCount(events, lists.lengthOf(row));
    if (who) keys.push(String(who.getItem(row)));
    read(lists.offsetOf(row), events);
    walk(events);
  }
  return withoutUser;
}

/** Longer gaps are cut to about two years, so that all times are exact. No session has such a gap. */
const longestGap = 2n ** 46n;

function readApart(list: DuckDBListVector): ReadCodedTimes {
  const struct = list.childVector as DuckDBStructVector;
  const ticks = (struct.entryVectorAt(0) as DuckDBBigIntVector)['items'];
  const numbers = (struct.entryVectorAt(1) as DuckDBBigIntVector)['items'];
  return (offset, { times, codes, count }) => {
    let time = 0;
    for (let index = 0; index < count; index++) {
      const gap = index === 0 ? 0n : ticks[offset + index]! - ticks[offset + index - 1]!;
      time += Number(gap > longestGap ? longestGap : gap);
      times[index] = time;
      codes[index] = Number(numbers[offset + index]!);
    }
  };
}
