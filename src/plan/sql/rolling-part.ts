import { invariant } from '../../ask/invariant.ts';
import { toBuckets, toBucketStart, toUnitStart } from '../../ask/time/buckets.ts';
import { addUnits } from '../../ask/time/calendar.ts';
import { isCalendarUnit } from '../../ask/time/granularity.ts';
import { toInstant, toLocal } from '../../ask/time/zone.ts';
import { isAggregating, type Measure, type RollingWindow, type WindowReach } from '../model/model.ts';
import type { BoundTime, Plan } from '../plan.ts';
import { allOf, type Expression, joined, name, sql, trusted } from './expression.ts';
import type { Leaf } from './leaf-measures.ts';
import { aggregateConditions, dimensionExpression, measureValue, type MemberScope } from './member-expression.ts';
import { printSelect } from './print-statement.ts';
import { keyColumns, rowConditions, rowsSource } from './rows-source.ts';
import type { Select } from './statement.ts';

/** Measures with the same window share a part. */
export function windowKey(measure: Measure): string {
  return JSON.stringify(measure.rollingWindow);
}

/**
 * Measures over a window that moves with the buckets. Rows before and after the range count where a window reaches
 * them; conditions other than the range of the window's own axis hold for all rows.
 */
export function rollingPart(plan: Plan, leaves: readonly Leaf[], scope: MemberScope): Select {
  const window = leaves[0]!.measure.rollingWindow;
  invariant(window, 'a rolling part has a window');
  const axis =
    plan.times.find((time) => time.granularity !== undefined) ?? plan.times.find((time) => time.range !== undefined);
  const keys = keyColumns(plan, scope).filter((key) => key.column !== axis?.column);
  const values = leaves.map((leaf, index) => ({
    alias: `value_${index}`,
    expression: measureValue(leaf.cube, leaf.measure, scope) ?? trusted('1'),
  }));
  const counted = leaves.map((leaf, index) => ({
    alias: `counted_${index}`,
    expression: allOf(aggregateConditions(leaf.cube, leaf.measure, scope)),
  }));
  const time = axis
    ? [{ alias: 'time', expression: scope.dialect.toInstant(dimensionExpression(axis.cube, axis.dimension, scope)) }]
    : [];
  const columns = [...keys, ...time, ...values, ...counted];
  const where = [...rowConditions(plan, scope, axis)];
  const rows: Select = {
    columns,
    ...rowsSource(plan, scope, [...columns.map((column) => column.expression), ...where]),
    where,
  };
  const spans = axis ? windowSpans(plan, axis, window) : [noSpan];
  const reached = axis ? reaches(spans[0] ?? noSpan) : trusted('TRUE');
  // Without other keys every bucket has a row, also one whose window holds nothing.
  const kind = keys.length === 0 ? 'LEFT' : 'INNER';
  const isJoined = kind === 'INNER' || scope.dialect.joinsRanges;
  const conditions = [name('rows', 'here'), ...(isJoined ? [] : [reached])];
  const bucketKey =
    axis?.column === undefined ? [] : [{ alias: plan.columns[axis.column]!.key, expression: name('window', 'bucket') }];
  const grouping = [...keys.map((key) => ({ alias: key.alias, expression: name('rows', key.alias) })), ...bucketKey];
  return {
    columns: [
      ...grouping,
      ...leaves.map((leaf, index) => ({ alias: leaf.alias, expression: aggregate(leaf, index, conditions, scope) })),
    ],
    from: { source: spansSource(spans, scope), alias: 'window' },
    joins: [
      {
        kind,
        source: sql`(${printSelect({ ...rows, columns: [...rows.columns, { alias: 'here', expression: trusted('TRUE') }] })})`,
        alias: 'rows',
        on: isJoined ? reached : trusted('TRUE'),
      },
    ],
    groupBy: grouping.map((_, index) => trusted(String(index + 1))),
  };
}

/** Without a time a row is in no window, be it as wide as it may. */
function reaches(span: WindowSpan): Expression {
  const time = name('rows', 'time');
  const ends = [
    ...(span.from === undefined ? [] : [sql`${time} >= ${name('window', 'reach_from')}`]),
    ...(span.until === undefined ? [] : [sql`${time} < ${name('window', 'reach_until')}`]),
  ];
  return ends.length === 0 ? sql`${time} IS NOT NULL` : allOf(ends);
}

function aggregate(leaf: Leaf, index: number, conditions: readonly Expression[], scope: MemberScope): Expression {
  const { measure } = leaf;
  invariant(isAggregating(measure), 'leaves aggregate');
  return scope.dialect.aggregate(measure, name('rows', `value_${index}`), [
    ...conditions,
    name('rows', `counted_${index}`),
  ]);
}

interface WindowSpan {
  /** The bucket as `toBucket` gives it: local wall time for a day and longer, else the instant. */
  readonly label: number;
  readonly from: number | undefined;
  readonly until: number | undefined;
}

function windowSpans(plan: Plan, axis: BoundTime, window: RollingWindow): readonly WindowSpan[] {
  invariant(axis.range, 'binding asks for a range where a window rolls');
  const buckets =
    axis.granularity === undefined ? [axis.range] : toBuckets(axis.range, axis.granularity, plan.zone, plan.weekStart);
  const calendar = axis.granularity !== undefined && isCalendarUnit(axis.granularity);
  return buckets.map((bucket) => {
    const anchor: Anchor =
      window.offset === 'start'
        ? { instant: bucket.start, inside: 0 }
        : { instant: window.clipped ? Math.min(bucket.end, axis.range!.end) : bucket.end, inside: 1 };
    return {
      label: calendar && 'label' in bucket ? Date.parse(`${bucket.label as string}Z`) : bucket.start,
      from:
        window.toDate === undefined
          ? window.trailing === 'range'
            ? axis.range?.start
            : reach(anchor, window.trailing, -1, plan.zone)
          : toBucketStart(bucket.start, window.toDate, plan.zone, plan.weekStart),
      until: reach(anchor, window.leading, 1, plan.zone),
    };
  });
}

interface Anchor {
  readonly instant: number;
  /**
   * Milliseconds from the last moment that the bucket holds to the instant: months are counted from that moment, as
   * Cube counts.
   */
  readonly inside: 0 | 1;
}

/** From 29 March a month reaches back to the end of 29 February, so that the window begins on 1 March. */
function reach(
  { instant, inside }: Anchor,
  window: WindowReach | undefined,
  direction: 1 | -1,
  zone: string,
): number | undefined {
  if (window === 'unbounded' || window === 'range') return undefined;
  if (window === undefined) return instant;
  const units = direction * window.amount;
  // Hours and shorter are elapsed time, as buckets are.
  if (!isCalendarUnit(window.unit)) return addUnits(instant, window.unit, units);
  // A day begins at its midnight also where the clock jumped over that.
  const day = toUnitStart(instant, 'day', zone);
  const local = toInstant(day, zone, 'first') === instant ? day : toLocal(instant, zone);
  return toInstant(addUnits(local - inside, window.unit, units) + inside, zone, 'first');
}

const noSpan: WindowSpan = { label: 0, from: undefined, until: undefined };

function spansSource(spans: readonly WindowSpan[], { dialect }: MemberScope): Expression {
  // Literals: there may be more than a server takes parameters.
  const instant = (value: number | undefined) => dialect.timestamp(value ?? 0);
  const row = (span: WindowSpan) => sql`(${instant(span.label)}, ${instant(span.from)}, ${instant(span.until)})`;
  // VALUES cannot be empty, and a range can.
  const [rows, none] = spans.length > 0 ? [spans.map(row), ''] : [[row(noSpan)], ' WHERE FALSE'];
  return sql`(SELECT * FROM (VALUES ${joined(rows, ', ')}) AS spans(bucket, reach_from, reach_until)${trusted(none)})`;
}
