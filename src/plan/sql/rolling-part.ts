import { invariant } from '../../ask/invariant.ts';
import { isAggregating } from '../model/model.ts';
import type { BoundTime, Plan, SubQuery } from '../plan.ts';
import { areInOrder, distinctInWindows, type WindowRows } from './distinct-in-windows.ts';
import { allOf, type Expression, joined, name, sql, trusted } from './expression.ts';
import type { Leaf } from './leaf-measures.ts';
import {
  aggregateConditions,
  aggregateRows,
  instantExpression,
  measureValue,
  type MemberScope,
} from './member-expression.ts';
import { printSelect } from './print-statement.ts';
import { leadsFromOneToMany } from './repeated-rows.ts';
import { keyColumns, rowConditions, rowsSource } from './rows-source.ts';
import type { Select } from './statement.ts';
import { subQueriesAt } from './sub-queries-at.ts';
import { totalOf, type Uncounted, uncountedInRow, uncountedOf } from './uncounted.ts';
import { noSpan, reachOf, type WindowSpan, windowAxis, windowSpans } from './window-spans.ts';

/** Measures computed by one grouping. */
export interface RollingPart {
  readonly leaves: readonly Leaf[];
  readonly select: Select;
}

/**
 * Measures over a window that moves with the buckets. Rows outside the range count if a window includes them. All
 * conditions except the range of the window's axis apply to all rows.
 */
export function rollingParts(
  plan: Plan,
  leaves: readonly Leaf[],
  scope: MemberScope,
  uncounted: readonly Uncounted[],
): readonly RollingPart[] {
  const ofWindows = Map.groupBy(leaves, ({ measure }) => JSON.stringify(measure.rollingWindow));
  return [...ofWindows.values()].flatMap((ofWindow) => partsOfWindow(plan, ofWindow, scope, uncounted));
}

function partsOfWindow(
  plan: Plan,
  leaves: readonly Leaf[],
  scope: MemberScope,
  uncounted: readonly Uncounted[],
): readonly RollingPart[] {
  const window = leaves[0]!.measure.rollingWindow;
  invariant(window, 'a rolling part has a window');
  const axis = windowAxis(plan);
  const spans = axis ? windowSpans(plan, axis, window) : [noSpan];
  const bucket = axis?.column === undefined ? undefined : plan.columns[axis.column]!.key;
  const apart =
    bucket === undefined || scope.dialect.name !== 'duckdb' || !areInOrder(spans)
      ? []
      : leaves.filter(({ measure }) => measure.type === 'count_distinct');
  const others = leaves.filter((leaf) => !apart.includes(leaf));
  const times = plan.times.map((time) => (time === axis ? { ...time, range: reachOf(spans) } : time));
  // If rows have several times, as customers have orders, the value of a row is that of the query's range.
  const hasOneTime = ({ cube, plan: inner }: SubQuery) => !axis || !leadsFromOneToMany(cube, axis.cube, inner.joins);
  const reached = { ...plan, times, subQueries: subQueriesAt(plan.subQueries, times, hasOneTime) };
  const rowsOf = (some: readonly Leaf[]) => windowRows(plan, some, scope, axis, reached, uncountedOf(some, uncounted));
  return [
    ...(others.length === 0
      ? []
      : [{ leaves: others, select: joinedPart(rowsOf(others), others, spans, bucket, scope) }]),
    ...apart.map((leaf) => ({
      leaves: [leaf],
      select: distinctInWindows(rowsOf([leaf]), leaf.alias, spans, bucket!),
    })),
  ];
}

/**
 * The rows for the windows: keys, the time, each leaf's value with a flag that says whether it counts, and what the row
 * adds to the numbers of uncounted rows. `reached`: the plan with the time that all windows cover, for cubes whose own
 * SQL filters by it, and for sub-queries.
 */
function windowRows(
  plan: Plan,
  leaves: readonly Leaf[],
  scope: MemberScope,
  axis: BoundTime | undefined,
  reached: Plan,
  uncounted: readonly Uncounted[],
): WindowRows {
  const keys = keyColumns(plan, scope).filter((key) => key.column !== axis?.column);
  const values = leaves.map((leaf, index) => ({
    alias: `value_${index}`,
    expression: measureValue(leaf.cube, leaf.measure, scope) ?? trusted('1'),
  }));
  const counted = leaves.map((leaf, index) => ({
    alias: `counted_${index}`,
    expression: allOf(aggregateConditions(leaf.cube, leaf.measure, scope)),
  }));
  const time = axis ? [{ alias: 'time', expression: instantExpression(axis.cube, axis.dimension, scope) }] : [];
  const left = uncounted.map((each, index) => ({ alias: `left_${index}`, expression: uncountedInRow(each, scope) }));
  const columns = [...keys, ...time, ...values, ...counted, ...left, { alias: 'here', expression: trusted('TRUE') }];
  const where = [...rowConditions(plan, scope, axis)];
  const used = [...columns.map((column) => column.expression), ...where];
  return {
    keys: keys.map(({ alias }) => alias),
    left: uncounted.map(({ alias }) => alias),
    rows: { columns, ...rowsSource(reached, scope, used), where },
  };
}

function joinedPart(
  { keys, left, rows }: WindowRows,
  leaves: readonly Leaf[],
  spans: readonly WindowSpan[],
  bucket: string | undefined,
  scope: MemberScope,
): Select {
  const grouping = [
    ...keys.map((alias) => ({ alias, expression: name('rows', alias) })),
    ...(bucket === undefined ? [] : [{ alias: bucket, expression: name('window', 'bucket') }]),
  ];
  const hasTime = rows.columns.some(({ alias }) => alias === 'time');
  const reached = hasTime ? reaches(spans[0] ?? noSpan) : trusted('TRUE');
  // Without other keys, every bucket has a row, even if its window is empty.
  const kind = keys.length === 0 ? 'LEFT' : 'INNER';
  const isJoined = kind === 'INNER' || scope.dialect.joinsRanges;
  const conditions = [name('rows', 'here'), ...(isJoined ? [] : [reached])];
  return {
    columns: [
      ...grouping,
      ...leaves.map((leaf, index) => ({ alias: leaf.alias, expression: aggregate(leaf, index, conditions, scope) })),
      ...left.map((alias, index) => ({
        alias,
        expression: totalOf(
          sql`CASE WHEN ${allOf([...conditions, isLast(hasTime)])} THEN ${name('rows', `left_${index}`)} END`,
        ),
      })),
    ],
    from: { source: spansSource(spans, scope, left.length > 0), alias: 'window' },
    joins: [
      {
        kind,
        source: sql`(${printSelect(rows)})`,
        alias: 'rows',
        on: isJoined ? reached : trusted('TRUE'),
      },
    ],
    groupBy: grouping.map((_, index) => trusted(String(index + 1))),
  };
}

/** A row without a time is in no window, not even in an unbounded one. */
function reaches(span: WindowSpan): Expression {
  const time = name('rows', 'time');
  const ends = [
    ...(span.from === undefined ? [] : [sql`${time} >= ${name('window', 'reach_from')}`]),
    ...(span.until === undefined ? [] : [sql`${time} < ${name('window', 'reach_until')}`]),
  ];
  return ends.length === 0 ? sql`${time} IS NOT NULL` : allOf(ends);
}

/** Whether a window is the last one that a row is in. */
function isLast(hasTime: boolean): Expression {
  const [last, next] = [name('window', 'is_last'), name('window', 'next_from')];
  return hasTime ? sql`(${last} = 2 OR ${last} = 1 AND ${name('rows', 'time')} < ${next})` : trusted('TRUE');
}

function aggregate(leaf: Leaf, index: number, conditions: readonly Expression[], scope: MemberScope): Expression {
  const { measure } = leaf;
  invariant(isAggregating(measure), 'leaves aggregate');
  const counted = name('rows', `counted_${index}`);
  return aggregateRows(measure, name('rows', `value_${index}`), [...conditions, counted], scope);
}

function spansSource(spans: readonly WindowSpan[], { dialect }: MemberScope, tellsLast: boolean): Expression {
  // Use literals, because servers limit the number of parameters.
  const instant = (value: number | undefined) => dialect.timestamp(value ?? 0);
  const row = (span: WindowSpan, index: number) => {
    const next = spans[index + 1];
    // Whether a row of the window is in no later one: always, if it is before the next window, or never.
    const isLast = next === undefined ? '2' : next.from === undefined ? '0' : '1';
    const values = [instant(span.label), instant(span.from), instant(span.until)];
    const told = tellsLast ? [instant(next?.from), trusted(isLast)] : [];
    return sql`(${joined([...values, ...told], ', ')})`;
  };
  const columns = trusted(`bucket, reach_from, reach_until${tellsLast ? ', next_from, is_last' : ''}`);
  // VALUES cannot be empty, but a range can.
  const [rows, none] = spans.length > 0 ? [spans.map(row), ''] : [[row(noSpan, 0)], ' WHERE FALSE'];
  return sql`(SELECT * FROM (VALUES ${joined(rows, ', ')}) AS spans(${columns})${trusted(none)})`;
}
