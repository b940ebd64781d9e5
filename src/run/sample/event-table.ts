/**
 * Sample events in columns of numbers; `site-texts.ts` contains the texts of the codes. Events are numbered from 1; 0
 * means no user, no session.
 */
export interface EventTable {
  /** Rows in use. */
  length: number;
  /** Epoch milliseconds. */
  time: Float64Array;
  /** When the event reached the collector, epoch milliseconds. Immediately for most events. */
  arrival: Float64Array;
  number: Uint32Array;
  visitor: Uint32Array;
  user: Uint32Array;
  session: Uint32Array;
  page: Uint32Array;
  title: Uint32Array;
  referer: Uint32Array;
  agent: Uint32Array;
  extra: Uint32Array;
  /** Only for custom events. */
  seconds: Uint32Array;
}

const times = ['time', 'arrival'] as const;
const codes = [
  'number',
  'visitor',
  'user',
  'session',
  'page',
  'title',
  'referer',
  'agent',
  'extra',
  'seconds',
] as const;

export function openTable(room: number): EventTable {
  const floats = () => new Float64Array(room);
  const wholes = () => new Uint32Array(room);
  return {
    length: 0,
    time: floats(),
    arrival: floats(),
    number: wholes(),
    visitor: wholes(),
    user: wholes(),
    session: wholes(),
    page: wholes(),
    title: wholes(),
    referer: wholes(),
    agent: wholes(),
    extra: wholes(),
    seconds: wholes(),
  };
}

/** Makes room for one more row. */
export function makeRoom(table: EventTable): void {
  if (table.length < table.time.length) return;
  const room = table.time.length * 2;
  for (const name of times) table[name] = grown(table[name], new Float64Array(room));
  for (const name of codes) table[name] = grown(table[name], new Uint32Array(room));
}

/** The larger array, filled with the old one as far as that goes. */
export function grown<T extends Float64Array | Uint32Array | Uint16Array | Uint8Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}

/** Keeps the rows that arrive at or after a time, in order. */
export function keepLater(table: EventTable, from: number): void {
  let kept = 0;
  for (let row = 0; row < table.length; row++) {
    if (table.arrival[row]! < from) continue;
    if (kept < row) {
      for (const name of times) table[name][kept] = table[name][row]!;
      for (const name of codes) table[name][kept] = table[name][row]!;
    }
    kept += 1;
  }
  table.length = kept;
}

/** The rows that arrive before a time, ordered by arrival, then by their order in the table. */
export function rowsBefore(table: EventTable, end: number): Uint32Array {
  const { arrival, length } = table;
  let first = Infinity;
  let due = 0;
  for (let row = 0; row < length; row++) {
    if (arrival[row]! >= end) continue;
    due += 1;
    if (arrival[row]! < first) first = arrival[row]!;
  }
  const rows = new Uint32Array(due);
  let at = 0;
  for (let row = 0; row < length; row++) if (arrival[row]! < end) rows[at++] = row;
  let last = first;
  for (const row of rows) last = Math.max(last, arrival[row]!);
  if ((last - first + 1) * length > Number.MAX_SAFE_INTEGER)
    return rows.sort((one, other) => arrival[one]! - arrival[other]! || one - other);
  // Combine time and row in one number, which sorts without a comparison function.
  const keys = Float64Array.from(rows, (row) => (arrival[row]! - first) * length + row).sort();
  return rows.map((_, index) => keys[index]! % length);
}
