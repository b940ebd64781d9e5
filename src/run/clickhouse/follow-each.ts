import { throwIfAborted } from '../../ask/sluice-error.ts';
import { type Expression, sql, trusted } from '../../plan/sql/expression.ts';
import { type FollowedUsers, noUsers } from '../analysis/funnel/followed-users.ts';
import type { FunnelProgram } from '../analysis/funnel/funnel-program.ts';
import type { EventKinds, UserSource } from '../analysis/funnel/user-events.ts';
import { mostUsers, openSourceWalk, toRules } from '../analysis/funnel/walk-users.ts';
import type { ServerStatement } from './connection.ts';
import type { NativeBlock } from './native-reader.ts';
import type { ServerSession } from './server-session.ts';
import { countLeftOut, entryOf, type Gathering, type Options } from './gather-funnel.ts';

/** Follows all users, in batches of a few thousand. */
export async function* followUsers(
  session: ServerSession,
  gathering: Gathering,
  { keys = false, signal }: Options,
): AsyncGenerator<FollowedUsers, void, undefined> {
  const { connection } = session;
  const { program, codes, hardEvents, entriesBefore, tiedWalk } = gathering;
  yield { ...noUsers, ...(await countLeftOut(session, gathering, signal)) };
  let isHard = true;
  for (const followed of [gathering.walk, ...(tiedWalk ? [tiedWalk] : [])]) {
    if (!isHard) return;
    isHard = false;
    const { blocks: users } = await connection.query(usersStatement(gathering, followed, keys), signal);
    for await (const block of users) {
      if (block.rowCount === 0) continue;
      const read = readUsers(block, program, keys);
      isHard ||= read.hard;
      yield read.users;
    }
  }
  if (!isHard) return;
  const walk = openSourceWalk(toRules(program, codes), { program, codes, keys });
  const { blocks } = await connection.query(hardEvents, signal);
  for await (const rows of wholeUsers(blocks, program)) {
    const source = openSource(rows, codes.kinds, entriesBefore);
    for (let more = true; more; ) {
      throwIfAborted(signal);
      const users = walk(source);
      more = users.count === mostUsers;
      yield users;
    }
  }
}

/** One row per user: whether hard, depth, entry, the breakdown's value, the key, and the time to each later step. */
function usersStatement({ program, print }: Gathering, followed: Expression, keys: boolean): ServerStatement {
  const elapsed = program.steps
    .slice(1)
    .map((_, index) => `, if(depth > ${index + 1}, chain[${index + 2}] - chain[1], 0)`);
  return print(
    sql`SELECT toUInt8(hard) AS is_hard, depth, if(depth > 0, ${trusted(entryOf)}, 0), step_value,
      ${trusted(keys ? 'who' : "''")}${trusted(elapsed.join(''))} FROM (${followed})`,
  );
}

function readUsers(
  { rowCount, columns }: NativeBlock,
  { steps, breakdown }: FunnelProgram,
  withKeys: boolean,
): { readonly hard: boolean; readonly users: FollowedUsers } {
  const [hard, depths, entries, given, who, ...further] = columns.map(({ values }) => values);
  const rows = Array.from({ length: rowCount }, (_, row) => row).filter((row) => !hard![row]);
  const counted = rows.filter((row) => Number(depths![row]) > 0);
  const elapsed = new Float64Array(counted.length * steps.length);
  for (const [user, row] of counted.entries())
    for (const [step, times] of further.entries()) elapsed[user * steps.length + step + 1] = Number(times[row]) / 1000;
  return {
    hard: rows.length < rowCount,
    users: {
      count: counted.length,
      depth: Int32Array.from(counted, (row) => Number(depths![row])),
      entry: Float64Array.from(counted, (row) => Number(entries![row])),
      elapsed,
      values: breakdown && counted.map((row) => given![row] as string | null),
      keys: withKeys ? counted.map((row) => String(who![row])) : undefined,
      spoiled: rows.length - counted.length,
      withoutUser: 0,
      unheld: 0,
    },
  };
}

interface EventRows {
  readonly count: number;
  readonly who: readonly string[];
  readonly ticks: readonly bigint[];
  readonly met: readonly bigint[];
  /** The held values, as one text. */
  readonly held: readonly string[] | undefined;
  readonly values: readonly (string | null)[] | undefined;
}

/** The rows of the blocks, cut so that all rows of a user are in the same batch. */
async function* wholeUsers(
  blocks: AsyncIterable<NativeBlock>,
  { hold }: Pick<FunnelProgram, 'hold'>,
): AsyncGenerator<EventRows, void, undefined> {
  let rest: EventRows | undefined;
  for await (const { rowCount, columns } of blocks) {
    if (rowCount === 0) continue;
    const [who, ticks, met, ...further] = columns.map((column) => Array.from(column.values as readonly unknown[]));
    const [held, values] = hold.length > 0 ? further : [undefined, ...further];
    const rows = joinRows(rest, {
      count: rowCount,
      who: who as string[],
      ticks: ticks as bigint[],
      met: met as bigint[],
      held: held as string[] | undefined,
      values: values as (string | null)[] | undefined,
    });
    let end = rows.count;
    const last = rows.who[end - 1];
    while (end > 0 && rows.who[end - 1] === last) end -= 1;
    if (end > 0) yield cutRows(rows, 0, end);
    rest = cutRows(rows, end, rows.count);
  }
  if (rest) yield rest;
}

function joinRows(first: EventRows | undefined, then: EventRows): EventRows {
  if (!first) return then;
  return {
    count: first.count + then.count,
    who: [...first.who, ...then.who],
    ticks: [...first.ticks, ...then.ticks],
    met: [...first.met, ...then.met],
    held: then.held && [...(first.held ?? []), ...then.held],
    values: then.values && [...(first.values ?? []), ...then.values],
  };
}

function cutRows(rows: EventRows, start: number, end: number): EventRows {
  return {
    count: end - start,
    who: rows.who.slice(start, end),
    ticks: rows.ticks.slice(start, end),
    met: rows.met.slice(start, end),
    held: rows.held?.slice(start, end),
    values: rows.values?.slice(start, end),
  };
}

function openSource(rows: EventRows, kinds: EventKinds, entriesBefore: number): UserSource {
  const events = { count: 0, times: new Float64Array(64), kinds: new Int32Array(64), entriesBefore: Infinity };
  const kindsOfMet = new Map<bigint, number>();
  let [first, end, base] = [0, 0, 0n];
  const kindOf = (met: bigint) => {
    let kind = kindsOfMet.get(met);
    if (kind === undefined) {
      kind = kinds.kindOf(
        Array.from({ length: kinds.conditions }, (_, index) => index).filter((index) => (met >> BigInt(index)) & 1n),
      );
      kindsOfMet.set(met, kind);
    }
    return kind;
  };
  /** Reads the events of the next user, or of the user's next held values. */
  const read = () => {
    first = end;
    const isSame = (row: number) => rows.who[row] === rows.who[first] && rows.held?.[row] === rows.held?.[first];
    while (end < rows.count && isSame(end)) end += 1;
    events.count = end - first;
    if (events.times.length < events.count) {
      events.times = new Float64Array(events.count * 2);
      events.kinds = new Int32Array(events.count * 2);
    }
    base = rows.ticks[first]!;
    for (let row = first; row < end; row++) {
      events.times[row - first] = Number(rows.ticks[row]! - base);
      events.kinds[row - first] = kindOf(rows.met[row]!);
    }
    events.entriesBefore = entriesBefore === Infinity ? Infinity : entriesBefore * 1000 - Number(base);
    return true;
  };
  return {
    events,
    next: () => end < rows.count && read(),
    more: () => end < rows.count && rows.who[end] === rows.who[first] && read(),
    toInstant: (time) => Math.floor((Number(base) + time) / 1000),
    toMicros: (time) => base + BigInt(time),
    valueOf: (index) => rows.values?.[first + index] ?? null,
    key: () => rows.who[first]!,
    takeNobody: () => 0,
  };
}
