import { invariant } from '../ask/invariant.ts';
import type { Column, Value } from '../plan/column.ts';
import { type Marks, toMarks } from './result/marks.ts';
import { type Provenance, withNote } from './result/provenance.ts';
import { type Result, toResult } from './result/result.ts';
import { joinValues } from './values/join-values.ts';

/** The column with the range of each row of a comparison. */
const comparisonColumn: Column = {
  key: 'compareDateRange',
  member: 'compareDateRange',
  kind: 'compare',
  type: 'string',
  title: 'Compare Date Range',
  shortTitle: 'Range',
  additive: false,
  whenAbsent: null,
};

interface StackPart {
  readonly result: Result<object>;
  /** `Plan.comparison`: `2024-03-01 - 2024-03-31`. */
  readonly label: string;
}

/**
 * Puts the results of a comparison below one another, in the given order. The range of each row becomes the first
 * column, unless the results already have one. `query` is the query of the comparison.
 */
export function stack(parts: readonly StackPart[], query?: Provenance['query']): Result {
  const [first] = parts;
  invariant(first, 'there is something to stack');
  const own = first.result.columns.find((column) => column.kind === 'compare');
  const columns = own ? first.result.columns : [comparisonColumn, ...first.result.columns];
  const data = columns.map((column) =>
    joinValues(
      parts.map(({ result, label }) =>
        column === comparisonColumn ? new Array<Value>(result.rowCount).fill(label) : result.values(column.key),
      ),
    ),
  );
  return toResult({
    columns,
    data,
    marks: joinMarks(columns, parts),
    provenance: joinProvenance(
      parts.map((part) => part.result.provenance),
      query,
    ),
    types: first.result.types,
  });
}

function joinMarks(columns: readonly Column[], parts: readonly StackPart[]): Marks {
  const flags = new Map<string, Uint8Array>();
  for (const { key } of columns) {
    if (!parts.some(({ result }) => result.marks.flags(key))) continue;
    flags.set(
      key,
      Uint8Array.from(parts.flatMap(({ result }) => [...(result.marks.flags(key) ?? new Uint8Array(result.rowCount))])),
    );
  }
  return toMarks(flags);
}

function firstOf<T>(all: readonly Provenance[], of: (provenance: Provenance) => T | undefined): T | undefined {
  return all.map(of).find((value) => value !== undefined);
}

/** Adds up counts, joins the ranges, and keeps each sentence once. */
function joinProvenance(all: readonly Provenance[], query: Provenance['query'] | undefined): Provenance {
  const [first] = all;
  invariant(first, 'there is something to stack');
  const add = (of: (provenance: Provenance) => number) => all.reduce((sum, provenance) => sum + of(provenance), 0);
  const ranges = all.flatMap(({ range }) => (range ? [range] : []));
  const joined: Provenance = {
    ...first,
    query: query ?? first.query,
    range:
      ranges.length < all.length
        ? null
        : {
            start: ranges.map((range) => range.start).sort()[0] as string,
            end: ranges
              .map((range) => range.end)
              .sort()
              .at(-1) as string,
          },
    rows: add((provenance) => provenance.rows),
    filled: all.every((provenance) => provenance.filled),
    filledCells: add((provenance) => provenance.filledCells),
    partialBuckets: add((provenance) => provenance.partialBuckets),
    truncated: all.find((provenance) => provenance.truncated)?.truncated ?? null,
    ...(first.total === undefined ? {} : { total: add((provenance) => provenance.total ?? 0) }),
    uncounted: addUncounted(all),
    beginsLate: firstOf(all, ({ beginsLate }) => beginsLate),
    endsEarly: firstOf(all, ({ endsEarly }) => endsEarly),
    lost: all.some(({ lost }) => lost) ? all.flatMap(({ lost = [] }) => lost) : undefined,
    kept: keptSince(all),
    elapsedMs: add((provenance) => provenance.elapsedMs),
  };
  return all.flatMap((provenance) => provenance.notes).reduce(withNote, { ...joined, notes: [] });
}

/** The earliest time of the cached answers; undefined if one was computed just now. */
export function keptSince(all: readonly Provenance[]): string | undefined {
  const times = all.map(({ kept }) => kept);
  return times.includes(undefined) ? undefined : times.sort()[0];
}

function addUncounted(all: readonly Provenance[]): Provenance['uncounted'] {
  const rows = new Map<string, number>();
  for (const { uncounted } of all)
    for (const one of uncounted) rows.set(one.what, (rows.get(one.what) ?? 0) + one.rows);
  return [...rows].map(([what, count]) => ({ what, rows: count }));
}
