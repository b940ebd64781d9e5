import type { TimeRange } from '../../ask/time/range.ts';
import { within } from './condition-expression.ts';
import { boundInstant, type Expression, joined, name, sql, trusted } from './expression.ts';
import { printSelect } from './print-statement.ts';
import type { Select } from './statement.ts';
import type { WindowSpan } from './window-spans.ts';

/** Rows with the columns `time`, `value_0`, `counted_0` and `left_0`, and the keys of groups. */
export interface WindowRows {
  readonly rows: Select;
  /** Aliases of the columns with the numbers of rows that are not counted. */
  readonly left: readonly string[];
  /** Aliases of the columns that identify groups, besides the bucket. */
  readonly keys: readonly string[];
}

/** With more time slots than this, a row's slot is looked up by a join on time. */
const mostSlots = 100_000;

/** True if later windows neither begin nor end earlier, so that the windows of a row are consecutive. */
export function areInOrder(spans: readonly WindowSpan[]): boolean {
  return (
    spans.length > 1 &&
    spans.every(({ from, until }, index) => {
      const before = spans[index - 1];
      return (
        !before ||
        ((before.from ?? -Infinity) <= (from ?? -Infinity) && (before.until ?? Infinity) <= (until ?? Infinity))
      );
    })
  );
}

/**
 * SQL for DuckDB that counts distinct values in the window of each bucket. A row counts in consecutive windows, from
 * index `lo` to index `hi`. For each value, the statement counts where these intervals begin and end, each index once.
 * A join of each row with all of its windows would multiply the rows. A row that is not counted is told of the last
 * window it is in.
 */
export function distinctInWindows(
  { rows, keys, left }: WindowRows,
  alias: string,
  spans: readonly WindowSpan[],
  bucket: string,
): Select {
  const keyed = (more: string, table?: string) =>
    joined([...keys.map((key) => (table === undefined ? name(key) : name(table, key))), trusted(more)], ', ');
  const partition = (more: readonly Expression[]) => {
    const by = [...keys.map((key) => name(key)), ...more];
    return by.length === 0 ? trusted('') : sql`PARTITION BY ${joined(by, ', ')} `;
  };
  const { cells, on, reach } = toCells(spans);
  const time = rows.columns.find((column) => column.alias === 'time')!.expression;
  const reached: Select = { ...rows, where: [...(rows.where ?? []), within(time, reach)] };
  const labels = spans.map(({ label }, place) => sql`(${trusted(String(place))}, ${boundInstant(label)})`);
  const lefts = (write: (column: string) => string) => left.map((_, index) => `, ${write(`left_${index}`)}`).join('');
  const [lefted, none, sums] = [
    lefts((column) => column),
    lefts((column) => `0 AS ${column}`),
    lefts((column) => `sum(${column}) AS ${column}`),
  ];
  const leftAny = trusted(left.map((_, index) => `left_${index}`).join(' + '));
  const leftOut =
    left.length === 0
      ? trusted('')
      : sql`
UNION ALL
SELECT ${keyed(`hi AS place, 0 AS users, 0 AS here${lefted}`)}
FROM stretches WHERE lo <= hi AND ${leftAny} > 0`;
  const leftOnce = lefts((column) => `CASE WHEN place = first THEN CAST(${column} AS BIGINT) ELSE 0 END AS ${column}`);
  const steps = sql`WITH cells AS (
${cells}
), stretches AS MATERIALIZED (
SELECT ${keyed(`CASE WHEN counted_0 THEN value_0 END AS value, hi, min(lo) AS lo${sums}`, 'rows')}
FROM (${printSelect(reached)}) AS rows ${on} GROUP BY ALL
), apart AS MATERIALIZED (
SELECT ${keyed('value, hi')},
  greatest(lo, coalesce(1 + lag(hi) OVER (${partition([trusted('value')])}ORDER BY hi), lo)) AS lo
FROM stretches
), ends AS (
SELECT ${keyed(`lo AS place, count(value) AS users, count(*) AS here${none}`)}
FROM apart WHERE lo <= hi GROUP BY ALL
UNION ALL
SELECT ${keyed(`hi + 1 AS place, -count(value) AS users, -count(*) AS here${none}`)}
FROM apart WHERE lo <= hi GROUP BY ALL${leftOut}
), counted AS (
SELECT ${keyed(`place, sum(users) AS users, sum(here) AS here${sums}`)}
FROM ends GROUP BY ALL
), runs AS (
SELECT ${keyed(`place${lefted}`)},
  lead(place) OVER whole AS until, sum(users) OVER whole AS users, sum(here) OVER whole AS here
FROM counted WINDOW whole AS (${partition([])}ORDER BY place)
), placed AS (
SELECT ${keyed(`CAST(users AS BIGINT) AS users, place AS first${lefted}, unnest(range(place, until)) AS place`)}
FROM runs WHERE here > 0
), buckets AS (
SELECT * FROM (VALUES ${joined(labels, ', ')}) AS buckets(place, bucket)
)
SELECT ${keyed(`bucket, coalesce(users, 0) AS users${leftOnce}`)}
FROM buckets ${trusted(keys.length === 0 ? 'LEFT JOIN' : 'JOIN')} placed USING (place)`;
  return {
    columns: [
      ...keys.map((key) => ({ alias: key, expression: name('windows', key) })),
      { alias: bucket, expression: name('windows', 'bucket') },
      { alias, expression: name('windows', 'users') },
      ...left.map((told, index) => ({ alias: told, expression: name('windows', `left_${index}`) })),
    ],
    from: { source: sql`(${steps})`, alias: 'windows' },
  };
}

interface Cells {
  /** A statement that returns `lo`, `hi`, and the columns that `on` compares. */
  readonly cells: Expression;
  /** The condition that joins a row with its cell. */
  readonly on: Expression;
  /** Rows outside this range are in no window. */
  readonly reach: Partial<TimeRange>;
}

/** Cuts time into intervals whose instants are in the same windows. Each interval has its first and last window. */
function toCells(spans: readonly WindowSpan[]): Cells {
  const ends = spans.flatMap(({ from, until }) => [from ?? -Infinity, until ?? Infinity]);
  const bounds = [...new Set(ends)].sort((a, b) => a - b);
  const [first, last] = [bounds[0]!, bounds.at(-1)!];
  const cells = bounds.slice(0, -1).map((start, index) => {
    const end = bounds[index + 1]!;
    const lo = spans.findIndex(({ until = Infinity }) => until >= end);
    const hi = spans.findLastIndex(({ from = -Infinity }) => from <= start);
    // In no window: no index is counted.
    return { start, end, ...(lo >= 0 && lo <= hi ? { lo, hi } : { lo: 0, hi: -1 }) };
  });
  const reach = {
    ...(Number.isFinite(first) && { start: first }),
    ...(Number.isFinite(last) && { end: last }),
  };
  // All bounds are multiples of this length, such as a day, after the first one.
  const piece = Number.isFinite(last - first) ? bounds.map((each) => each - first).reduce(greatestDivisor, 0) : 0;
  if (piece > 0 && (last - first) / piece <= mostSlots) {
    const slot = (instant: number) => (instant - first) / piece;
    const values = cells.map(({ start, end, lo, hi }) => `(${slot(start)}, ${slot(end)}, ${lo}, ${hi})`);
    return {
      cells: trusted(
        `SELECT unnest(range(begin, until)) AS slot, lo, hi FROM (VALUES ${values.join(', ')}) AS cells(begin, until, lo, hi)`,
      ),
      on: trusted(`JOIN cells ON (epoch_us(rows.time) - ${first}000) // ${piece}000 = slot`),
      reach,
    };
  }
  const values = cells.map(({ start, lo, hi }) => {
    const begin = start === -Infinity ? trusted("TIMESTAMP '-infinity'") : boundInstant(start);
    return sql`(${begin}, ${trusted(`${lo}, ${hi}`)})`;
  });
  return {
    cells: sql`SELECT * FROM (VALUES ${joined(values, ', ')}) AS cells(begin, lo, hi)`,
    on: trusted('ASOF JOIN cells ON rows.time >= begin'),
    reach,
  };
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
