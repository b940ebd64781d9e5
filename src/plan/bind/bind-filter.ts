import { errorIssue, type IssuePath, warningIssue } from '../../ask/outcome.ts';
import { isDateLike } from '../../ask/notation/words.ts';
import {
  type CanonicalFilter,
  type CanonicalMemberFilter,
  dateOperators,
  type FilterOperator,
} from '../../ask/query/query.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import { weekdays } from '../../ask/time/range.ts';
import type { Found } from '../model/catalog.ts';
import type { Dimension } from '../model/model.ts';
import { asTime } from '../model/property-members.ts';
import type { BoundTime, Condition } from '../plan.ts';
import { bindCohortFilter } from './bind-cohort-filter.ts';
import type { Binding } from './bind-context.ts';
import { warnOfTimes } from './bind-members.ts';
import { bindTest } from './bind-test.ts';
import { behindView, findMember } from './find-member.ts';

/** A condition and its level: rows (dimensions) or groups (measures). Empty filter groups have neither. */
export interface BoundFilter {
  readonly level: 'rows' | 'groups' | 'neither';
  readonly condition: Condition;
}

/** Resolves a filter's member and converts its values. Returns undefined and adds issues if it is invalid. */
export function bindFilter(filter: CanonicalFilter, path: IssuePath, binding: Binding): BoundFilter | undefined {
  if ('and' in filter) return bindGroup('and', filter.and, [...path, 'and'], binding);
  if ('or' in filter) return bindGroup('or', filter.or, [...path, 'or'], binding);
  return bindMemberFilter(filter, path, binding);
}

function bindGroup(
  kind: 'and' | 'or',
  filters: readonly CanonicalFilter[],
  path: IssuePath,
  binding: Binding,
): BoundFilter | undefined {
  const bound = filters
    .map((filter, index) => bindFilter(filter, [...path, index], binding))
    .filter((filter) => filter !== undefined);
  if (bound.length < filters.length) return undefined;
  const levels = new Set(bound.map((filter) => filter.level).filter((level) => level !== 'neither'));
  if (levels.size > 1) {
    binding.issues.push(
      errorIssue('mixed-filter', `One "${kind}" cannot combine conditions on measures and on dimensions.`, {
        path,
        hint: 'Write two filters: dimensions are compared before rows are grouped, measures after.',
      }),
    );
    return undefined;
  }
  return {
    level: [...levels][0] ?? 'neither',
    condition: { kind, conditions: bound.map((filter) => filter.condition) },
  };
}

/** Converts weekdays to numbers. Adds an issue for an hour or weekday that does not exist. */
function withTimeParts(
  filter: CanonicalMemberFilter,
  { expression }: Dimension,
  path: IssuePath,
  { issues }: Binding,
): CanonicalMemberFilter | undefined {
  if (expression.kind !== 'time-part' || !filter.values) return filter;
  const isWeekday = expression.part === 'weekday';
  const values = filter.values.map((value) => (value !== null && isWeekday ? toWeekday(value) : value));
  const isEqual = ['equals', 'notEquals', 'in', 'notIn'].includes(filter.operator);
  const wrong = values.findIndex(
    (value) =>
      value === undefined || (value !== null && isEqual && isBeyond(Number(value), isWeekday ? [1, 7] : [0, 23])),
  );
  if (wrong === -1) return { ...filter, values: values.map((value) => value ?? null) };
  const value = filter.values[wrong] ?? '';
  issues.push(
    errorIssue('wrong-value', `${quote(value)} is not ${isWeekday ? 'a weekday' : 'an hour of the day'}.`, {
      path: [...path, 'values', wrong],
      hint: isWeekday
        ? (didYouMean(value, weekdays) ?? 'Write monday to sunday, or 1 (Monday) to 7 (Sunday).')
        : 'Write 0 to 23: 0 is the hour after midnight.',
    }),
  );
  return undefined;
}

/** Whether a value is outside a range. False for NaN: the type check reports text that is not a number. */
function isBeyond(value: number, [first, last]: readonly [number, number]): boolean {
  return value < first || value > last;
}

/** The number of a weekday, written as a name or a number. */
function toWeekday(written: string): string | undefined {
  const text = written.trim().toLowerCase();
  const place = (weekdays as readonly string[]).indexOf(text);
  return place !== -1 ? String(place + 1) : Number.isFinite(Number(text)) && text !== '' ? text : undefined;
}

function bindMemberFilter(filter: CanonicalMemberFilter, path: IssuePath, binding: Binding): BoundFilter | undefined {
  const named = findMember(filter.member, ['dimension', 'measure'], [...path, 'member'], binding);
  if (!named) return undefined;
  const cohort = named.kind === 'dimension' ? named.member.cohort : undefined;
  if (cohort && cohort.name === undefined) {
    const condition = bindCohortFilter({ cube: named.cube, among: cohort.among }, filter, path, binding);
    return condition && { level: 'rows', condition };
  }
  const found = behindView(named, binding);
  const entry = found.kind === 'dimension' ? asCompared(found, filter, path, binding) : found;
  if (entry.kind === 'dimension') {
    if (filter.operator === 'measureFilter') {
      binding.issues.push(
        errorIssue('wrong-operator', `"measureFilter" needs a measure, and "${filter.member}" is a dimension.`, {
          path: [...path, 'operator'],
          hint: 'Name a measure, or compare the dimension by equals, set or another operator.',
        }),
      );
      return undefined;
    }
    const compared = withTimeParts(filter, entry.member, path, binding);
    const test = compared && bindTest(compared, entry.member.type, path, binding);
    return (
      test && {
        level: 'rows',
        condition: { kind: 'test', operand: { kind: 'dimension', cube: entry.cube, dimension: entry.member }, test },
      }
    );
  }
  const { type } = entry.member;
  const test = bindTest(
    filter,
    type === 'string' || type === 'boolean' || type === 'time' ? type : 'number',
    path,
    binding,
  );
  if (!test) return undefined;
  const level = test.kind === 'measure-filter' ? 'rows' : 'groups';
  return {
    level,
    condition: { kind: 'test', operand: { kind: 'measure', cube: entry.cube, measure: entry.member }, test },
  };
}

/**
 * Whether a condition compares times: by an operator of dates, by size with a date, or for equality with days and
 * instants alone.
 */
function asksForTime(operator: FilterOperator, values: readonly (string | null)[]): boolean {
  if ((dateOperators as readonly FilterOperator[]).includes(operator)) return true;
  if (isEquality(operator)) return values.length > 0 && values.every(namesTime);
  return ['gt', 'gte', 'lt', 'lte'].includes(operator) && isDateLike(values[0] ?? '');
}

function isEquality(operator: FilterOperator): boolean {
  return ['equals', 'notEquals', 'in', 'notIn'].includes(operator);
}

/** Whether a value is a day or longer, or an instant. A clock without a zone can only be that of the text. */
function namesTime(value: string | null): boolean {
  return value !== null && isDateLike(value) && (value.length <= 10 || /(?:z|[+-]\d\d(?::?\d\d)?)$/i.test(value));
}

/** Greater and less compare numbers and times that are stored as text by their value. */
function asCompared(
  found: Extract<Found, { kind: 'dimension' }>,
  { operator, values = [] }: CanonicalMemberFilter,
  path: IssuePath,
  binding: Binding,
): Extract<Found, { kind: 'dimension' }> {
  const { issues } = binding;
  const { numbers, shortTitle, type, times } = found.member;
  // Four digits are a number before they are a year.
  const isNumber = times?.areNumbers === true && values.some((value) => /^\d*$/.test(value ?? ''));
  const time =
    times && type !== 'time' && !isNumber && asksForTime(operator, values) ? asTime(found.member) : undefined;
  if (time) {
    warnOfTimes(time, path, binding);
    return { ...found, member: time };
  }
  if (times && !times.areNumbers && isEquality(operator) && values.some(namesTime)) {
    const other = values.find((value) => !namesTime(value)) ?? null;
    const message =
      `All values are compared with ${quote(shortTitle)} as text, ` +
      `because ${other === null ? 'null' : quote(other)}` +
      ' names no day and no instant.';
    issues.push(
      warningIssue('times-compared', message, {
        path,
        hint: 'Write the days in a separate condition, joined with `or`.',
      }),
    );
  }
  if (!(operator === 'gt' || operator === 'gte' || operator === 'lt' || operator === 'lte')) return found;
  const [value] = values;
  const isVersion = /^v?\d+\.\d+\.\d/i.test(String(value));
  const isNumeric = value !== null && value !== '' && Number.isFinite(Number(value));
  if (!numbers && type === 'string' && (isNumeric || isVersion))
    issues.push(
      warningIssue(
        'text-compared',
        `${quote(shortTitle)} is text, not a number, so it is compared with ${quote(String(value))}` +
          ` letter by letter${isVersion ? ': 4.10.0 is less than 4.9.0' : ''}.`,
        { path },
      ),
    );
  if (!numbers) return found;
  if (numbers.others !== undefined) issues.push(warningIssue('numbers-compared', numbers.others, { path }));
  const member: Dimension = { ...found.member, type: 'number', expression: { kind: 'sql', sql: numbers.sql } };
  return { ...found, member };
}

interface RangeFilterTaken {
  readonly times: readonly BoundTime[];
  readonly filters: readonly { readonly filter: CanonicalFilter; readonly index: number }[];
}

/**
 * Moves the range of a top-level `inDateRange` filter to the series on the same time, as if the time dimension had it.
 * This is how the platform's clients give ranges, and the only way for which the platform fills days. A range on a
 * second mention of the same time moves as well.
 */
export function takeRangeFilter(
  times: readonly BoundTime[],
  filters: readonly CanonicalFilter[],
  binding: Binding,
): RangeFilterTaken {
  const kept = filters.map((filter, index) => ({ filter, index }));
  const axis = times.find((time) => time.granularity !== undefined);
  if (!axis || axis.range) return { times, filters: kept };
  const elsewhere = times.find((time) => time.range && time.cube === axis.cube && time.dimension === axis.dimension);
  if (elsewhere)
    return {
      times: times.map((time) => (time === axis ? { ...axis, range: elsewhere.range } : time)),
      filters: kept,
    };
  const found = kept.find((entry) => isRangeFilter(entry.filter, axis, binding));
  if (!found) return { times, filters: kept };
  const test = bindTest(found.filter as CanonicalMemberFilter, 'time', ['filters', found.index], binding);
  const range = test?.kind === 'within' ? test.ranges[0] : undefined;
  const ranged = { ...axis, range: range && { start: range.start!, end: range.end! } };
  return {
    times: times.map((time) => (time === axis ? ranged : time)),
    filters: kept.filter((entry) => entry !== found),
  };
}

function isRangeFilter(filter: CanonicalFilter, axis: BoundTime, binding: Binding): boolean {
  if (!('member' in filter) || filter.operator !== 'inDateRange') return false;
  const found = binding.catalog.find(filter.member);
  if (found?.kind !== 'dimension') return false;
  return asTime(behindView(found, { ...binding, paths: undefined }).member) === axis.dimension;
}
