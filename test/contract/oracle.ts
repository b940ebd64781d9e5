import type { Filter, Query, TimeDimension } from '../../src/ask/query/query.ts';
import type { FillMode } from '../../src/ask/query/saved-query.ts';
import {
  addDays,
  bucketOf,
  bucketsOf,
  localDate,
  rangeOf,
  startOfDate,
  wallTime,
  type OracleBucket,
  type OracleClock,
  type Size,
  type Span,
} from './oracle-clock.ts';
import { isOnGroups, keepsGroup, keepsRow } from './oracle-filter.ts';
import { oracleMeasures, oracleSegments, type Cell, type OracleStore, type SourceRow } from './oracle-rows.ts';

export interface OracleRow {
  readonly cells: Readonly<Record<string, Cell>>;
  readonly filled: boolean;
  readonly cutByRange: boolean;
  readonly unfinished: boolean;
}

export interface OracleAnswer {
  readonly keys: readonly string[];
  readonly rows: readonly OracleRow[];
  /** Number of groups without limit and offset, not counting filled ones. */
  readonly total: number;
  readonly filled: boolean;
  readonly truncated: boolean;
  readonly range: Span | null;
  /** Rows that pass the filters and have no user. */
  readonly withoutUser: number;
  /** No limit, offset or condition on groups cuts anything off. */
  readonly whole: boolean;
}

export interface OracleSettings extends OracleClock {
  readonly fill: FillMode;
  readonly fillWith?: 0 | undefined;
}

interface Group {
  readonly cells: Record<string, Cell>;
  readonly bucket: OracleBucket | undefined;
}

/**
 * Answers a question the slow, obvious way: row by row, group by group, cell by cell. Supports at most one time
 * dimension with a granularity. Follows the design's rules for time, order, limits, zero-fill and users.
 */
export function answerSlowly(query: Query, store: OracleStore, settings: OracleSettings): OracleAnswer {
  const measures = query.measures ?? [];
  const dimensions = query.dimensions ?? [];
  const axis = query.timeDimensions?.find((time) => time.granularity !== undefined);
  const axisKey = axis && `${axis.dimension}.${axis.granularity}`;
  const clock = { ...settings, zone: query.timezone ?? settings.zone };
  const keys = [...dimensions, ...(axisKey ? [axisKey] : []), ...measures];
  const range = axis && axisRange(axis, query, clock);

  const rows = keptRows(query, store, clock);
  const having = (query.filters ?? []).filter(isOnGroups);
  const everyGroup = toGroups(rows, query, dimensions, axis, clock);
  const groups = everyGroup.filter(({ members }) => having.every((filter) => keepsGroup(filter, members)));
  const compare = comparer(query, keys, axisKey, measures);
  const all = groups
    .map(
      ({ group, members }): Group => ({
        ...group,
        cells: {
          ...group.cells,
          ...Object.fromEntries(
            measures.map((name) => [
              name,
              query.ungrouped ? oracleMeasures[name]!.one(members[0]!) : oracleMeasures[name]!.of(members),
            ]),
          ),
        },
      }),
    )
    .toSorted((a, b) => compare(a.cells, b.cells));

  const limit = query.limit ?? 10_000;
  const offset = query.offset ?? 0;
  const kept = all.slice(offset, offset + limit);
  // Without a range, a single series ends with its rows.
  const isWhole = offset === 0 && kept.length < limit && dimensions.length === 0;
  const span = range ?? (isWhole ? spanOf(kept) : undefined);
  const fills = mayFill(query, axis, span, measures, having, settings, clock) && limit > 0;
  const missing = fills
    ? missingCells(all, kept, dimensions, axis!, axisKey!, span!, measures, clock, settings.fillWith)
    : [];
  const answer = [
    ...kept.map((group) => ({ group, filled: false })),
    ...missing.map((group) => ({ group, filled: true })),
  ];
  if (fills) answer.sort((a, b) => compare(a.group.cells, b.group.cells));
  const whole = range ?? plainRange(query, clock) ?? null;
  const known = Math.min(clock.now, whole === null ? Infinity : dataEnd(whole, store.latest, clock));
  return {
    keys,
    rows: answer.map(({ group: { cells, bucket }, filled }) => ({
      cells,
      filled,
      cutByRange: bucket !== undefined && range !== undefined && (bucket.start < range.start || bucket.end > range.end),
      unfinished: bucket !== undefined && bucket.end > known,
    })),
    total: all.length,
    filled: fills,
    truncated: fills
      ? offset + limit < all.length
      : kept.length >= limit && (!query.total || all.length > offset + kept.length),
    range: whole,
    withoutUser: rows.filter((row) => row.user === null).length,
    whole: kept.length === everyGroup.length,
  };
}

/** The end of the day of the last event, if the range asks for a later whole day; else infinite. */
function dataEnd(range: Span, latest: number, { now, zone }: OracleClock): number {
  const end = startOfDate(addDays(localDate(Math.min(latest, now), zone), 1), zone);
  const asked = Math.min(range.end, startOfDate(localDate(now, zone), zone));
  return range.start < asked && end < asked ? end : Infinity;
}

function keptRows(query: Query, store: OracleStore, clock: OracleClock): readonly SourceRow[] {
  const cube = (query.measures?.[0] ?? query.dimensions?.[0] ?? query.timeDimensions![0]!.dimension).split(
    '.',
  )[0] as Exclude<keyof OracleStore, 'latest'>;
  const filters = (query.filters ?? []).filter((filter) => !isOnGroups(filter));
  return store[cube]
    .map((row) => withTimeParts(row, clock.zone))
    .filter(
      (row) =>
        filters.every((filter) => keepsRow(filter, row, clock)) &&
        (query.segments ?? []).every((segment) => oracleSegments[segment]!(row)) &&
        (query.timeDimensions ?? []).every(({ dimension, dateRange }) => {
          if (dateRange === undefined) return true;
          const { start, end } = rangeOf(dateRange, clock);
          const at = row.times[dimension.split('.')[1]!]!;
          return at >= start && at < end;
        }),
    );
}

/** The clock and calendar parts of the row's time in the zone. */
function withTimeParts(row: SourceRow, zone: string): SourceRow {
  const at = row.times['utcTime'] ?? row.times['startAt'];
  if (at === undefined) return row;
  const wall = wallTime(at, zone);
  const weekday = new Date(`${wall.slice(0, 10)}T00:00:00Z`).getUTCDay() || 7;
  return { ...row, values: { ...row.values, hourOfDay: Number(wall.slice(11, 13)), weekday } };
}

interface Members {
  readonly group: Group;
  readonly members: readonly SourceRow[];
}

function toGroups(
  rows: readonly SourceRow[],
  query: Query,
  dimensions: readonly string[],
  axis: TimeDimension | undefined,
  clock: OracleClock,
): readonly Members[] {
  const found = new Map<string, { group: Group; members: SourceRow[] }>();
  // A question without dimensions has one row, even over no events.
  if (dimensions.length === 0 && !axis && !query.ungrouped)
    found.set('[]', { group: { cells: {}, bucket: undefined }, members: [] });
  rows.forEach((row, index) => {
    const cells: Record<string, Cell> = {};
    for (const name of dimensions) {
      const short = name.split('.')[1]!;
      // Times without granularity are in UTC.
      cells[name] = row.times[short] === undefined ? row.values[short]! : wallTime(row.times[short], 'UTC');
    }
    const bucket =
      axis &&
      bucketOf(row.times[axis.dimension.split('.')[1]!]!, axis.granularity as Size, clock.zone, clock.weekStart);
    if (axis) cells[`${axis.dimension}.${axis.granularity}`] = bucket!.label;
    const key = JSON.stringify([...Object.values(cells), ...(query.ungrouped ? [index] : [])]);
    const group = found.get(key) ?? { group: { cells, bucket }, members: [] };
    group.members.push(row);
    found.set(key, group);
  });
  return [...found.values()];
}

/** The range on the axis, else another one on the same time, else that of the first top-level filter on it. */
function axisRange(axis: TimeDimension, query: Query, clock: OracleClock): Span | undefined {
  if (axis.dateRange !== undefined) return rangeOf(axis.dateRange, clock);
  const elsewhere = query.timeDimensions?.find(
    (time) => time.dimension === axis.dimension && time.dateRange !== undefined,
  );
  if (elsewhere) return rangeOf(elsewhere.dateRange!, clock);
  const filter = (query.filters ?? []).find(
    (one: Filter) => 'member' in one && one.member === axis.dimension && one.operator === 'inDateRange',
  );
  if (!filter || !('member' in filter)) return undefined;
  const values = (filter.values ?? []).map(String);
  return rangeOf(values.length === 1 ? values[0]! : values, clock);
}

function plainRange(query: Query, clock: OracleClock): Span | undefined {
  const time = query.timeDimensions?.find(({ dateRange }) => dateRange !== undefined);
  return time && rangeOf(time.dateRange!, clock);
}

function mayFill(
  query: Query,
  axis: TimeDimension | undefined,
  range: Span | undefined,
  measures: readonly string[],
  having: readonly Filter[],
  { fill }: OracleSettings,
  { zone, weekStart }: OracleClock,
): boolean {
  if (fill === 'none' || !axis || !range || measures.length === 0 || query.ungrouped || having.length > 0) return false;
  if (axis.granularity === 'day' || fill === 'all') return true;
  return bucketsOf(range, axis.granularity as Size, zone, weekStart).length < 9_950;
}

function spanOf(groups: readonly Group[]): Span | undefined {
  const buckets = groups.flatMap(({ bucket }) => bucket ?? []);
  if (buckets.length === 0) return undefined;
  return {
    start: Math.min(...buckets.map(({ start }) => start)),
    end: Math.max(...buckets.map(({ end }) => end)),
  };
}

/** Buckets of the answer's series without rows in the whole answer. */
function missingCells(
  all: readonly Group[],
  kept: readonly Group[],
  dimensions: readonly string[],
  axis: TimeDimension,
  axisKey: string,
  range: Span,
  measures: readonly string[],
  clock: OracleClock,
  fillWith: 0 | undefined,
): readonly Group[] {
  const seriesOf = ({ cells }: Group) => JSON.stringify(dimensions.map((name) => cells[name]));
  const series = new Map(kept.map((group) => [seriesOf(group), group]));
  const nothing: Group = { cells: {}, bucket: undefined };
  if (dimensions.length === 0) series.set('[]', nothing);
  return [...series].flatMap(([key, { cells }]) =>
    bucketsOf(range, axis.granularity as Size, clock.zone, clock.weekStart)
      .filter((bucket) => !all.some((group) => seriesOf(group) === key && group.cells[axisKey] === bucket.label))
      .map(
        (bucket): Group => ({
          bucket,
          cells: {
            ...Object.fromEntries(dimensions.map((name) => [name, cells[name]!])),
            [axisKey]: bucket.label,
            ...Object.fromEntries(measures.map((name) => [name, fillWith ?? oracleMeasures[name]!.absent])),
          },
        }),
      ),
  );
}

type Cells = Readonly<Record<string, Cell>>;

/** The order of the query, else the default one; then the other dimensions, or all columns if rows are not grouped. */
function comparer(
  query: Query,
  keys: readonly string[],
  axisKey: string | undefined,
  measures: readonly string[],
): (a: Cells, b: Cells) => number {
  const written =
    query.order === undefined
      ? undefined
      : Array.isArray(query.order)
        ? (query.order as readonly (readonly [string, string])[])
        : Object.entries(query.order);
  // The plain name of the time means its bucket, unless the answer contains the time itself.
  const asked = written
    ?.map(
      ([name, direction]) =>
        [!keys.includes(name) && axisKey?.startsWith(`${name}.`) ? axisKey : name, direction] as const,
    )
    .filter(([name]) => keys.includes(name));
  const part = keys.find((key) => /\.(?:hourOfDay|weekday)$/.test(key));
  const usual = axisKey
    ? ([axisKey, 'asc'] as const)
    : part !== undefined
      ? ([part, 'asc'] as const)
      : measures[0]
        ? ([measures[0], 'desc'] as const)
        : ([keys[0]!, 'asc'] as const);
  const rest = keys.filter((key) => query.ungrouped || !measures.includes(key)).map((key) => [key, 'asc'] as const);
  const order = [...(asked ?? [usual]), ...rest];
  return (a, b) => {
    for (const [key, direction] of order) {
      const [x = null, y = null] = [a[key], b[key]];
      if (x === y) continue;
      // Missing values come last in either direction.
      if (x === null) return 1;
      if (y === null) return -1;
      const difference =
        key === axisKey && String(x).length > 23 ? Date.parse(String(x)) - Date.parse(String(y)) : compareCells(x, y);
      if (difference !== 0) return direction === 'desc' ? -difference : difference;
    }
    return 0;
  };
}

function compareCells(x: Exclude<Cell, null>, y: Exclude<Cell, null>): number {
  if (typeof x !== 'string' || typeof y !== 'string') return Number(x) - Number(y);
  const [left, right] = [Buffer.from(x), Buffer.from(y)];
  return Buffer.compare(left, right);
}
