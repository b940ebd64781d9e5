import { BackendError } from '../../../ask/sluice-error.ts';

/** What is counted of paths: edges, and nodes, by number of the step and by names, which are whole numbers. */
export interface PathTally {
  /** Whatever is added next is another user's. */
  nextUser(): void;
  /** A session that has a path. */
  addSession(): void;
  /** `gap` in microseconds; undefined: the edge takes no time. */
  addEdge(step: number, source: number, target: number, gap: number | undefined): void;
  addNode(step: number, name: number): void;
  readonly sessions: number;
  edges(): readonly CountedEdge[];
  /** The users who went over an edge, each once, counted from 0 as they came; none unless they are kept. */
  usersOver(edge: CountedEdge): readonly number[];
  usersAt(step: number, name: number): number;
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
  /** How many sessions have a gap. */
  readonly timed: number;
}

/** The maximum number of paths: more would not fit into memory, nor be readable. */
const mostCounted = 5_000_000;
/** The same of users and edges. */
const mostPairs = 50_000_000;

function tooMany(message: string): BackendError {
  return new BackendError(message, {
    code: 'paths-too-many',
    hint: 'Join steps by patterns, such as `groups: [/product/*]`, or ask for fewer steps or a shorter range.',
  });
}

/** Names are below `names`. `keepsUsers`: it is wanted who went over each edge. */
export function openPathTally(names: number, { most = mostCounted, keepsUsers = false } = {}): PathTally {
  const edges = openNumbers(names * names, most);
  const nodes = openNumbers(names, most);
  const [sessions, users, edgeUser, nodeUser, nodeUsers] = [ints(), ints(), ints(), ints(), ints()];
  const [microseconds, timed] = [floats(), ints()];
  const [pairEdges, pairUsers] = [ints(), ints()];
  let [user, all, pairs] = [0, 0, 0];
  return {
    nextUser() {
      user += 1;
    },
    addSession() {
      all += 1;
    },
    addEdge(step, source, target, gap) {
      const edge = edges.numberOf(step, source * names + target);
      sessions.add(edge, 1);
      if (edgeUser.at(edge) !== user) {
        edgeUser.set(edge, user);
        users.add(edge, 1);
        if (keepsUsers) {
          if (pairs === mostPairs) throw tooMany('The paths have too many users to list.');
          pairEdges.set(pairs, edge);
          pairUsers.set(pairs, user - 1);
          pairs += 1;
        }
      }
      if (gap === undefined) return;
      microseconds.add(edge, gap);
      timed.add(edge, 1);
    },
    addNode(step, name) {
      const node = nodes.numberOf(step, name);
      if (nodeUser.at(node) === user) return;
      nodeUser.set(node, user);
      nodeUsers.add(node, 1);
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
        sessions: sessions.at(number),
        users: users.at(number),
        microseconds: microseconds.at(number),
        timed: timed.at(number),
      })),
    usersOver({ number }) {
      const found: number[] = [];
      for (let pair = 0; pair < pairs; pair++) if (pairEdges.at(pair) === number) found.push(pairUsers.at(pair));
      return found;
    },
    usersAt: (step, name) => nodeUsers.at(nodes.numberOf(step, name)),
  };
}

interface Numbers {
  /** A small number for a key at a step; the next one for a new key. */
  numberOf(step: number, key: number): number;
  list(): readonly { readonly step: number; readonly key: number; readonly number: number }[];
}

/** Fewer keys than these have their numbers in an array, more in a map. */
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

const ints = () => openColumn((length) => new Int32Array(length));
const floats = () => openColumn((length) => new Float64Array(length));

/** Numbers that are 0 until they are set. */
function openColumn(create: (length: number) => Int32Array | Float64Array) {
  let values = create(1024);
  const grow = (index: number) => {
    if (index < values.length) return;
    const larger = create(Math.max(index + 1, values.length * 2));
    larger.set(values);
    values = larger;
  };
  return {
    at: (index: number): number => values[index] ?? 0,
    set(index: number, value: number) {
      grow(index);
      values[index] = value;
    },
    add(index: number, value: number) {
      grow(index);
      values[index]! += value;
    },
  };
}
