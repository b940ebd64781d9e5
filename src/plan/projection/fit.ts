import { type Cube, type Dimension, type Measure, type Template, isAggregating } from '../model/model.ts';
import { eventFields, userKeyColumn } from '../model/event-fields.ts';
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

/** Why a projection does not answer a plan; undefined: it gives what the events would, to the byte. */
type Unfit = string | undefined;

/** Every column that events have. */
export const eventColumns: ReadonlySet<string> = new Set([
  ...eventFields.map(({ column }) => column),
  'further',
  userKeyColumn,
]);

/** Tells which SQL of a plan reads a column out of `all` that a projection lacks: one that is not in `kept`. */
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

/** Engines take names of columns in any letter case. */
function lackedBy(expressions: readonly Expression[], all: ReadonlySet<string>, kept: ReadonlySet<string>): Unfit {
  for (const each of wordsOf(expressions)) {
    const word = each.toLowerCase();
    if (all.has(word) && !kept.has(word)) return `It does not have ${word}.`;
  }
  return undefined;
}

/** Why coded events do not do for conditions and values over single events. */
export function unfitForCodedEvents(expressions: readonly Expression[]): Unfit {
  return wordsOf(expressions).has('events')
    ? 'The question compares events with others.'
    : lackedBy(expressions, eventColumns, new Set(codedEvents.columns));
}

/** Whether a plan needs rows besides those of its root cube. */
function readsOtherRows(plan: Plan): boolean {
  const { joins, cohorts = [], subQueries = [], switches = [] } = plan;
  return [joins, cohorts, subQueries, switches].some(({ length }) => length > 0) || needsParts(plan);
}

export function first<T>(all: readonly T[], unfit: (one: T) => Unfit): Unfit {
  for (const one of all) {
    const found = unfit(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a template is a column of the cube itself, or the SQL that follows its name. */
function isOwnColumn([cube, text, ...more]: Template, column: string): boolean {
  return cube?.kind === 'cube' && text?.kind === 'text' && text.text === `.${column}` && more.length === 0;
}

const timeColumn = 'utc_time';
/**
 * Whether a plan over events reads nothing but what counts by slots of time know: their columns, times in steps of
 * slots, counts of rows, and counts of different users. `extent`: of the events that the store has.
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
    if (each.bucket || each.shift || !isColumn(each.dimension, timeColumn)) return 'It has no such time.';
    if (each.range && !isEven(each.range, slot)) return unevenRange;
    if (each.granularity === undefined) return undefined;
    if (typeof each.granularity !== 'string' || !(each.granularity === 'hour' || isCalendarUnit(each.granularity)))
      return 'Its slots of 15 minutes do not give these periods.';
    return isEvenZone(plan.zone, overlap(each.range, extent), slot) ? undefined : unevenZone;
  };
  const leaf = (cube: Cube, measure: Measure): Unfit => {
    if (measure.type === 'count' ? measure.sql || hasKey(cube) : measure.type !== 'count_distinct')
      return `It does not know ${cube.name}.${measure.name}.`;
    if (measure.sql && (ofAllUsers || !isOwnColumn(measure.sql, userKeyColumn))) {
      const unfit = template(cube, measure.sql);
      if (unfit) return unfit;
    }
    for (const { sql, amount } of measure.uncounted ?? []) {
      const isNobody = !ofAllUsers && isOwnColumn(sql, `${userKeyColumn} IS NULL`);
      if (amount || !(isNobody || template(cube, sql) === undefined))
        return `It does not know what ${cube.name}.${measure.name} leaves out.`;
    }
    return first(measure.filters, (text) => template(cube, text));
  };
  if (plan.root.source.kind !== 'events') return 'It has events only.';
  if (plan.ungrouped) return 'The question lists single events.';
  if (readsOtherRows(plan)) return 'The question joins events to other rows.';
  const computed = plan.measures.find(({ measure }) => !isAggregating(measure) && aggregates(measure));
  if (computed) return `It does not know ${computed.cube.name}.${computed.measure.name}.`;
  return (
    first(plan.dimensions, (each) => dimension(each.cube, each.dimension)) ??
    first(plan.times, time) ??
    first(plan.segments, ({ cube, segment }) => template(cube, segment.sql)) ??
    first(plan.rowConditions, condition) ??
    first(leafMeasures(plan), ({ cube, measure }) => leaf(cube, measure))
  );
}

/**
 * How the days of users answer a plan over events; undefined if they do not. They answer plans that count users, with or
 * without events, over whole days, grouped by calendar buckets and by their columns, and filtered by single values of
 * their columns.
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

/** The zone whose days are kept for a zone: UTC if the zone has no offset during the range. */
export function zoneOfDays(zone: string, { start, end }: TimeRange): string {
  const isUtc = start < end && offsetAt(zone, start) === 0 && transitions(zone, start, end).length === 0;
  return isUtc ? 'UTC' : zone;
}

function testsOneValue(test: Test): boolean {
  if (test.kind === 'missing') return true;
  return test.kind === 'one-of' && test.values.length === 1 && !test.orNull;
}

const unevenRange = 'The range does not begin and end on a quarter of an hour.';
const unevenZone = 'The clock of the time zone is not a whole number of quarters of an hour beside UTC.';

function isEven({ start = 0, end = 0 }: OpenRange, slot: number): boolean {
  return [start, end].every((instant) => !Number.isFinite(instant) || instant % slot === 0);
}

function overlap(range: TimeRange | undefined, extent: TimeRange): TimeRange {
  return {
    start: Math.max(range?.start ?? -Infinity, extent.start),
    end: Math.min(range?.end ?? Infinity, extent.end),
  };
}

/** Of a slot, all instants have the same offset, and begin in the same hour. */
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

/** Whether the SQL over other measures reads rows for itself. */
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

/** Columns of sessions and users that are computed from what the store keeps no more of. */
const otherColumns: ReadonlySet<string> = new Set([
  ...eventColumns,
  ...['session_key', 'events', 'page_views', 'landing_page', 'exit_page', 'last_timestamp'],
]);

/** Why kept sessions do not answer a plan over sessions or users. */
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
  if (plan.ungrouped) return 'The question lists single rows.';
  if (readsOtherRows(plan)) return 'The question joins sessions to other rows.';
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
