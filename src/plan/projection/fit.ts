import { type Cube, type Dimension, type Measure, type Template, isAggregating } from '../model/model.ts';
import { eventFields, userKeyColumn } from '../model/event-fields.ts';
import { listsIn } from '../list-conditions.ts';
import type { BoundTime, Condition, OpenRange, Plan, Test } from '../plan.ts';
import { duckDb } from '../sql/duckdb.ts';
import type { Expression } from '../sql/expression.ts';
import { type MemberScope, dimensionExpression, expandTemplate } from '../sql/member-expression.ts';
import { wordsOf } from '../sql/rows-source.ts';
import { needsParts } from '../sql/to-statement.ts';
import {
  type EventCounts,
  codedEvents,
  keptSessions,
  slotLength,
  type UserDaysQuestion,
  userDays,
} from './projections.ts';
import { toUnitStart } from '../../ask/time/buckets.ts';
import { offsetAt, toInstant, transitions } from '../../ask/time/zone.ts';
import { isCalendarUnit } from '../../ask/time/granularity.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import { leafMeasures } from '../sql/leaf-measures.ts';

/**
 * The reason why a projection cannot answer a plan. Undefined if the projection gives exactly the same answer as the
 * events.
 */
type Unfit = string | undefined;

/** Every column that events have. */
const eventColumns: ReadonlySet<string> = new Set([
  ...eventFields.map(({ column }) => column),
  'further',
  userKeyColumn,
]);

/** Finds a column that the SQL of a plan reads and the projection lacks: it is in `all`, but not in `kept`. */
function openFit({ model, zone }: Plan, all: ReadonlySet<string>, kept: ReadonlySet<string>) {
  const scope: MemberScope = { model, dialect: duckDb, zone };
  const lacked = (expression: Expression) => lackedBy([expression], all, kept);
  return {
    template: (cube: Cube, text: Template): Unfit => lacked(expandTemplate(text, cube, scope)),
    member: (cube: Cube, dimension: Dimension): Unfit =>
      ['sql', 'case', 'time-part'].includes(dimension.expression.kind)
        ? lacked(dimensionExpression(cube, dimension, scope))
        : `${cube.name}.${dimension.name} is computed from other rows.`,
  };
}

/** Engines match column names case-insensitively. */
function lackedBy(expressions: readonly Expression[], all: ReadonlySet<string>, kept: ReadonlySet<string>): Unfit {
  for (const each of wordsOf(expressions)) {
    const word = each.toLowerCase();
    if (all.has(word) && !kept.has(word)) return `It lacks ${word}.`;
  }
  return undefined;
}

/** The reason why conditions and values over single events cannot be computed from coded events. */
export function unfitForCodedEvents(expressions: readonly Expression[]): Unfit {
  return wordsOf(expressions).has('events')
    ? 'The query compares events with other events.'
    : lackedBy(expressions, eventColumns, new Set(codedEvents.columns));
}

/** True if a plan needs rows of other relations besides its root cube, or more than one grouping. */
function readsOtherRows(plan: Plan): boolean {
  const { joins, cohorts = [], subQueries = [], switches = [] } = plan;
  const lists = plan.rowConditions.flatMap(listsIn);
  return [joins, cohorts, subQueries, switches, lists].some(({ length }) => length > 0) || needsParts(plan);
}

function first<T>(all: readonly T[], unfit: (one: T) => Unfit): Unfit {
  for (const one of all) {
    const found = unfit(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** True if a template is `{CUBE}.` followed by exactly this SQL: a column, or a condition on one. */
function isOwnColumn([cube, text, ...more]: Template, column: string): boolean {
  return cube?.kind === 'cube' && text?.kind === 'text' && text.text === `.${column}` && more.length === 0;
}

const timeColumn = 'utc_time';
/**
 * The reason why counts by time slot cannot answer a plan over events. They can if the plan reads only their columns,
 * cuts time at the bounds of slots, and counts only rows and distinct users. `extent`: the time range of the store's
 * events.
 */
export function unfitForCounts(
  plan: Plan,
  { columns, slot, ofAllUsers }: Pick<EventCounts, 'columns' | 'slot' | 'ofAllUsers'>,
  extent: TimeRange,
): Unfit {
  const { template, member } = openFit(plan, eventColumns, new Set(columns));
  const ranged = plan.times.find(({ range, dimension }) => range && isColumn(dimension, timeColumn))?.range;
  const dimension = (cube: Cube, each: Dimension): Unfit => {
    const { expression } = each;
    if (expression.kind !== 'time-part' || !isOwnColumn(expression.sql, timeColumn)) return member(cube, each);
    return isEvenZone(plan.zone, overlap(ranged, extent), slot) ? undefined : unevenZone;
  };
  const condition = (each: Condition): Unfit => {
    if (each.kind !== 'test') return first(each.conditions, condition);
    const { operand, test } = each;
    if (operand.kind === 'measure') return first(operand.measure.filters, (text) => template(operand.cube, text));
    if (!isColumn(operand.dimension, timeColumn)) return dimension(operand.cube, operand.dimension);
    if (test.kind === 'present' || test.kind === 'missing') return undefined;
    if (test.kind !== 'within' && test.kind !== 'outside') return unevenRange;
    return test.ranges.every((range) => isEven(range, slot)) ? undefined : unevenRange;
  };
  const time = (each: BoundTime): Unfit => {
    if (each.bucket || each.shift || !isColumn(each.dimension, timeColumn)) return 'It lacks this time.';
    if (each.range && !isEven(each.range, slot)) return unevenRange;
    if (each.granularity === undefined) return undefined;
    if (typeof each.granularity !== 'string' || !(each.granularity === 'hour' || isCalendarUnit(each.granularity)))
      return 'Its 15-minute slots do not fit these periods.';
    return isEvenZone(plan.zone, overlap(each.range, extent), slot) ? undefined : unevenZone;
  };
  const leaf = (cube: Cube, measure: Measure): Unfit => {
    if (measure.type === 'count' ? measure.sql || hasKey(cube) : measure.type !== 'count_distinct')
      return `It lacks ${cube.name}.${measure.name}.`;
    const read = (measure.sql ?? []).flatMap((part) =>
      part.kind === 'member' ? cube.dimensions.filter(({ name }) => name === part.member) : [],
    );
    const unread = first(read, (each) => dimension(cube, each));
    if (unread) return unread;
    if (measure.sql && (ofAllUsers || !isOwnColumn(measure.sql, userKeyColumn))) {
      const unfit = template(cube, measure.sql);
      if (unfit) return unfit;
    }
    for (const { sql, amount } of measure.uncounted ?? []) {
      const isNobody = !ofAllUsers && isOwnColumn(sql, `${userKeyColumn} IS NULL`);
      if (amount || !(isNobody || template(cube, sql) === undefined))
        return `It lacks the rows that ${cube.name}.${measure.name} leaves out.`;
    }
    return first(measure.filters, (text) => template(cube, text));
  };
  if (plan.root.source.kind !== 'events') return 'It contains only events.';
  if (plan.ungrouped) return 'The query lists single events.';
  if (readsOtherRows(plan)) return 'The query joins events to other rows.';
  const computed = plan.measures.find(({ measure }) => !isAggregating(measure) && aggregates(measure));
  if (computed) return `It lacks ${computed.cube.name}.${computed.measure.name}.`;
  return (
    first(plan.dimensions, (each) => dimension(each.cube, each.dimension)) ??
    first(plan.times, time) ??
    first(plan.segments, ({ cube, segment }) => template(cube, segment.sql)) ??
    first(plan.rowConditions, condition) ??
    first(leafMeasures(plan), ({ cube, measure }) => leaf(cube, measure))
  );
}

/**
 * Returns how the table of user days answers a plan over events; undefined if it cannot. It answers plans that count
 * users, and possibly events, over whole days. These plans group only by calendar buckets and by the table's columns,
 * and filter those columns only by single values.
 */
export function fitUserDays(plan: Plan, extent: TimeRange): UserDaysQuestion | undefined {
  const { columns } = userDays;
  if (unfitForCounts(plan, { columns, slot: slotLength }, extent) !== undefined) return undefined;
  const columnOf = ({ expression }: Dimension) =>
    columns.find((column) => expression.kind === 'sql' && isOwnColumn(expression.sql, column));
  const grouped = plan.dimensions.map(({ dimension }) => columnOf(dimension));
  const tested = plan.rowConditions.map((condition) =>
    condition.kind === 'test' && condition.operand.kind === 'dimension' && testsOneValue(condition.test)
      ? columnOf(condition.operand.dimension)
      : undefined,
  );
  const keys = [...grouped, ...tested, ...(plan.project === undefined ? [] : ['project_id'])];
  const counted = leafMeasures(plan).flatMap(({ measure }) => (measure.type === 'count' ? [] : [measure]));
  const countsUsers = counted.every(({ sql = [], filters }) => isOwnColumn(sql, userKeyColumn) && filters.length === 0);
  const { granularity, range = {} as OpenRange } = plan.times[0] ?? {};
  const { start = -Infinity, end = Infinity } = range;
  const isDay = (instant: number) =>
    !Number.isFinite(instant) || toInstant(toUnitStart(instant, 'day', plan.zone), plan.zone, 'first') === instant;
  const fits =
    plan.segments.length === 0 &&
    !keys.includes(undefined) &&
    counted.length > 0 &&
    countsUsers &&
    plan.times.length <= 1 &&
    (granularity === undefined || isCalendarUnit(granularity)) &&
    isDay(start) &&
    isDay(end);
  if (!fits) return undefined;
  return {
    zone: zoneOfDays(plan.zone, overlap({ start, end }, extent)),
    keys: new Set(keys) as UserDaysQuestion['keys'],
    granularity,
    weekStart: plan.weekStart,
    from: Number.isFinite(start) ? toUnitStart(start, 'day', plan.zone) : start,
  };
}

/** The zone whose days the store keeps for a zone: UTC if the zone's offset is 0 during the whole range. */
export function zoneOfDays(zone: string, { start, end }: TimeRange): string {
  const isUtc = start < end && offsetAt(zone, start) === 0 && transitions(zone, start, end).length === 0;
  return isUtc ? 'UTC' : zone;
}

function testsOneValue(test: Test): boolean {
  if (test.kind === 'missing') return true;
  return test.kind === 'one-of' && test.values.length === 1 && !test.orNull;
}

const unevenRange = 'The range does not begin and end on a quarter of an hour.';
const unevenZone = 'The offset of the time zone from UTC is not a multiple of 15 minutes.';

function isEven({ start = 0, end = 0 }: OpenRange, slot: number): boolean {
  return [start, end].every((instant) => !Number.isFinite(instant) || instant % slot === 0);
}

function overlap(range: TimeRange | undefined, extent: TimeRange): TimeRange {
  return {
    start: Math.max(range?.start ?? -Infinity, extent.start),
    end: Math.min(range?.end ?? Infinity, extent.end),
  };
}

/** True if a slot never contains a change of the zone's offset, and every offset is a multiple of a slot. */
export function isEvenZone(zone: string, { start, end }: TimeRange, slot: number): boolean {
  if (!(start < end)) return true;
  return (
    offsetAt(zone, start) % slot === 0 &&
    transitions(zone, start, end).every(({ instant, offset }) => offset % slot === 0 && instant % slot === 0)
  );
}

function isColumn({ expression }: Dimension, column: string): boolean {
  return expression.kind === 'sql' && isOwnColumn(expression.sql, column);
}

function hasKey({ dimensions }: Cube): boolean {
  return dimensions.some(({ primaryKey }) => primaryKey);
}

/** True if the SQL of a measure over other measures also reads rows itself. */
function aggregates({ sql = [] }: Measure): boolean {
  return sql.some(
    (part) =>
      part.kind !== 'member' &&
      (part.kind !== 'text' ||
        /\b(?!nullif|coalesce|round|abs|least|greatest|floor|ceil)[a-z_]\w*\s*\(/i.test(part.text) ||
        /\.\s*["\w]/.test(part.text.replaceAll(/\d+\.\d+/g, ''))),
  );
}

const has: ReadonlySet<string> = new Set(keptSessions.columns);

/** Columns that the SQL of sessions and users may read. Kept sessions have only some of them. */
const otherColumns: ReadonlySet<string> = new Set([
  ...eventColumns,
  ...['session_key', 'events', 'landing_page', 'exit_page', 'last_timestamp'],
]);

/** The reason why kept sessions cannot answer a plan over sessions or users. */
export function unfitForSessions(plan: Plan): Unfit {
  const fit = openFit(plan, otherColumns, has);
  const { member } = fit;
  const template = (cube: Cube, text: Template): Unfit =>
    isOwnColumn(text, `${userKeyColumn} IS NULL`) || isOwnColumn(text, `${userKeyColumn} IS NOT NULL`)
      ? undefined
      : fit.template(cube, text);
  const condition = (each: Condition): Unfit => {
    if (each.kind !== 'test') return first(each.conditions, condition);
    const { operand } = each;
    return operand.kind === 'measure'
      ? first(operand.measure.filters, (text) => template(operand.cube, text))
      : member(operand.cube, operand.dimension);
  };
  const leaf = (cube: Cube, measure: Measure): Unfit => {
    const isUsers = measure.type === 'count_distinct' && isOwnColumn(measure.sql ?? [], userKeyColumn);
    return (
      (measure.sql && !isUsers ? template(cube, measure.sql) : undefined) ??
      first(measure.filters, (text) => template(cube, text)) ??
      first(measure.uncounted ?? [], (rows) =>
        first([rows.sql, ...(rows.amount ? [rows.amount] : [])], (text) => template(cube, text)),
      )
    );
  };
  if (plan.ungrouped) return 'The query lists single rows.';
  if (readsOtherRows(plan)) return 'The query joins sessions to other rows.';
  return (
    first(plan.dimensions, ({ cube, dimension }) => member(cube, dimension)) ??
    first(plan.times, ({ cube, dimension, bucket }) => (bucket ? template(cube, bucket) : member(cube, dimension))) ??
    first(plan.segments, ({ cube, segment }) => template(cube, segment.sql)) ??
    first(plan.rowConditions, condition) ??
    first(leafMeasures(plan), ({ cube, measure }) => leaf(cube, measure)) ??
    first(plan.measures, ({ cube, measure }) =>
      measure.sql && !isOwnColumn(measure.sql, userKeyColumn)
        ? first(measure.sql, (part) => (part.kind === 'text' ? template(cube, [part]) : undefined))
        : undefined,
    )
  );
}
