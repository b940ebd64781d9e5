import { BackendError } from '../../../ask/sluice-error.ts';

/** Counts edges and nodes of paths by step number and names, which are numbers. */
export interface PathTally {
  /** Starts the next user. */
  nextUser(): void;
  /** Adds a session with a path. */
  addSession(): void;
  /** `gap` in microseconds; undefined if the edge takes no time. */
  addEdge(step: number, source: number, target: number, gap: number | undefined): void;
  /** `goesOn`: whether another step follows. */
  addNode(step: number, name: number, goesOn: boolean): void;
  readonly sessions: number;
  edges(): readonly CountedEdge[];
  /** The users of an edge, without duplicates, numbered from 0 in order of appearance; empty unless recorded. */
  usersOver(edge: CountedEdge): readonly number[];
  /** The users with a path, numbered as in `usersOver`. */
  walkers(): readonly number[];
  /** Number of users who reached a node. */
  usersAt(step: number, name: number): number;
  /** Number of users who continued from a node to another step. */
  continuedAt(step: number, name: number): number;
}

export interface CountedEdge {
  /** Its number among all edges. */
  readonly number: number;
  readonly step: number;
  readonly source: number;
  readonly target: number;
  readonly sessions: number;
  readonly users: number;
  /** Sum of the gaps. */
  readonly microseconds: number;
  /** Number of sessions with a gap. */
  readonly timed: number;
}

/** The maximum number of different edges, and of nodes: more would exceed memory and be unreadable. */
const mostCounted = 5_000_000;
/** The maximum number of pairs of user and edge. */
const mostPairs = 50_000_000;

function tooMany(message: string): BackendError {
  return new BackendError(message, {
    code: 'paths-too-many',
    hint: 'Join steps by patterns, such as `groups: [/product/*]`, or ask for fewer steps or a shorter range.',
  });
}

/** Names are numbers below `names`. `keepsUsers`: record the users with a path and the users of each edge. */
export function openPathTally(names: number, { most = mostCounted, keepsUsers = false } = {}): PathTally {
  const edges = openNumbers(names * names, most);
  const nodes = openNumbers(names, most);
  // Indexed by edge or node number. Typed arrays, because walks spend most of their time here.
  let [sessions, users, timed, edgeUser] = [ints(), ints(), ints(), ints()];
  let microseconds = new Float64Array(sessions.length);
  let [nodeUsers, nodeUser, continued, continuedUser] = [ints(), ints(), ints(), ints()];
  const pairs = openPairs();
  const walkers: number[] = [];
  let [user, all] = [0, 0];

  function edgeOf(step: number, source: number, target: number): number {
    const edge = edges.numberOf(step, source * names + target);
    if (edge >= sessions.length) {
      [sessions, users, timed, edgeUser] = [longer(sessions), longer(users), longer(timed), longer(edgeUser)];
      const before = microseconds;
      microseconds = new Float64Array(sessions.length);
      microseconds.set(before);
    }
    return edge;
  }

  function nodeOf(step: number, name: number): number {
    const node = nodes.numberOf(step, name);
    if (node >= nodeUsers.length) {
      [nodeUsers, nodeUser] = [longer(nodeUsers), longer(nodeUser)];
      [continued, continuedUser] = [longer(continued), longer(continuedUser)];
    }
    return node;
  }

  return {
    nextUser() {
      user += 1;
    },
    addSession() {
      all += 1;
      if (keepsUsers && walkers.at(-1) !== user - 1) walkers.push(user - 1);
    },
    addEdge(step, source, target, gap) {
      const edge = edgeOf(step, source, target);
      sessions[edge]! += 1;
      if (edgeUser[edge] !== user) {
        edgeUser[edge] = user;
        users[edge]! += 1;
        if (keepsUsers) pairs.add(edge, user - 1);
      }
      if (gap === undefined) return;
      microseconds[edge]! += gap;
      timed[edge]! += 1;
    },
    addNode(step, name, goesOn) {
      const node = nodeOf(step, name);
      if (nodeUser[node] !== user) {
        nodeUser[node] = user;
        nodeUsers[node]! += 1;
      }
      if (!goesOn || continuedUser[node] === user) return;
      continuedUser[node] = user;
      continued[node]! += 1;
    },
    get sessions() {
      return all;
    },
    edges: () =>
      edges.list().map(({ step, key, number }) => ({
        number,
        step,
        source: Math.floor(key / names),
        target: key % names,
        sessions: sessions[number]!,
        users: users[number]!,
        microseconds: microseconds[number]!,
        timed: timed[number]!,
      })),
    usersOver: ({ number }) => pairs.of(number),
    walkers: () => walkers,
    usersAt: (step, name) => nodeUsers[nodeOf(step, name)]!,
    continuedAt: (step, name) => continued[nodeOf(step, name)]!,
  };
}

const ints = (length = 1024) => new Int32Array(length);

function longer(values: Int32Array): Int32Array<ArrayBuffer> {
  const twice = ints(values.length * 2);
  twice.set(values);
  return twice;
}

/** The users of each edge. */
function openPairs() {
  let [edges, users] = [ints(), ints()];
  let count = 0;
  /** The start of each edge's users in `sorted`, computed on demand. */
  let [starts, sorted]: (Int32Array | undefined)[] = [];
  return {
    add(edge: number, user: number) {
      if (count === mostPairs) throw tooMany('The paths have too many users to list.');
      if (count === edges.length) [edges, users] = [longer(edges), longer(users)];
      edges[count] = edge;
      users[count] = user;
      count += 1;
      starts = undefined;
    },
    of(edge: number): readonly number[] {
      if (!starts || !sorted) {
        const size = edges.subarray(0, count).reduce((most, one) => Math.max(most, one + 1), 0);
        const ends = ints(size + 1);
        for (let pair = 0; pair < count; pair++) ends[edges[pair]! + 1]! += 1;
        for (let one = 0; one < size; one++) ends[one + 1]! += ends[one]!;
        starts = ends.slice();
        sorted = ints(count);
        for (let pair = 0; pair < count; pair++) sorted[ends[edges[pair]!]!++] = users[pair]!;
      }
      return edge + 1 < starts.length ? [...sorted.subarray(starts[edge], starts[edge + 1])] : [];
    },
  };
}

interface Numbers {
  /** The number of a key at a step; the next free one for a new key. */
  numberOf(step: number, key: number): number;
  list(): readonly { readonly step: number; readonly key: number; readonly number: number }[];
}

/** With up to this many keys, their numbers are in an array, otherwise in a map. */
const fewKeys = 2 ** 18;

function openNumbers(keys: number, most: number): Numbers {
  const tables: (Int32Array | undefined)[] = [];
  const maps: (Map<number, number> | undefined)[] = [];
  let count = 0;
  const next = (): number => {
    count += 1;
    if (count > most) throw tooMany('The paths have too many different steps to count.');
    return count - 1;
  };
  return keys <= fewKeys
    ? {
        numberOf(step, key) {
          const table = (tables[step] ??= new Int32Array(keys).fill(-1));
          const known = table[key]!;
          return known >= 0 ? known : (table[key] = next());
        },
        list: () =>
          tables.flatMap((table, step) =>
            table
              ? Array.from(table, (number, key) => ({ step, key, number })).filter(({ number }) => number >= 0)
              : [],
          ),
      }
    : {
        numberOf(step, key) {
          const map = (maps[step] ??= new Map());
          let known = map.get(key);
          if (known === undefined) map.set(key, (known = next()));
          return known;
        },
        list: () =>
          maps.flatMap((map, step) => (map ? Array.from(map, ([key, number]) => ({ step, key, number })) : [])),
      };
}
