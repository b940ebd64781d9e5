import { errorIssue, type IssuePath, warningIssue } from '../../ask/outcome.ts';
import {
  type CanonicalMemberFilter,
  dateOperators,
  type FilterOperator,
  filterOperators,
} from '../../ask/query/query.ts';
import { oneOfHint } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import { readDateRange } from '../../ask/time/read-date-range.ts';
import type { OpenRange, Test, TestValue } from '../plan.ts';
import type { Binding } from './bind-context.ts';
import { patternProblem } from './pattern-problem.ts';

/**
 * Converts a filter's operator and values to a test of a value of the given type. Returns undefined and adds issues if
 * they do not fit.
 */
export function bindTest(
  filter: CanonicalMemberFilter,
  type: ValueType | 'time',
  path: IssuePath,
  binding: Binding,
): Test | undefined {
  if (filter.operator === 'set') return { kind: 'present' };
  if (filter.operator === 'notSet') return { kind: 'missing' };
  if (filter.operator === 'measureFilter') return { kind: 'measure-filter' };
  // Queries built by programs were not checked by a schema.
  if (!filterOperators.includes(filter.operator)) {
    binding.issues.push(
      errorIssue('unknown-value', `There is no operator ${quote(filter.operator)}.`, {
        path: [...path, 'operator'],
        hint: oneOfHint(filter.operator, filterOperators),
      }),
    );
    return undefined;
  }
  if (!filter.values?.length) {
    binding.issues.push(
      errorIssue('values-required', `"${filter.operator}" requires values, and there are none.`, {
        path,
        hint: 'Only set, notSet and measureFilter take no values.',
      }),
    );
    return undefined;
  }
  if (type === 'time') return bindTimeTest(filter, path, binding);
  if ((dateOperators as readonly FilterOperator[]).includes(filter.operator)) {
    binding.issues.push(
      errorIssue('wrong-operator', `"${filter.operator}" compares times, and "${filter.member}" is a ${type}.`, {
        path: [...path, 'operator'],
        hint: `Use equals, notEquals, ${type === 'number' ? 'gt, gte, lt or lte' : 'contains or startsWith'}.`,
      }),
    );
    return undefined;
  }
  return bindValueTest(filter, type, path, binding);
}

function bindValueTest(
  filter: CanonicalMemberFilter,
  type: ValueType,
  path: IssuePath,
  binding: Binding,
): Test | undefined {
  const { operator } = filter;
  const isLike = operator in likePlaces;
  const { values, hasNull } = toTestValues(filter.values ?? [], isLike ? 'string' : type, path, binding);
  switch (operator) {
    case 'equals':
    case 'in':
      return { kind: 'one-of', values, orNull: hasNull };
    case 'notEquals':
    case 'notIn':
      return { kind: 'none-of', values, orNull: !hasNull };
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return bindSizeTest(filter, signs[operator], type, values[0], path, binding);
    default: {
      const place = likePlaces[operator as keyof typeof likePlaces];
      const texts = values.map(String);
      if (place === 'pattern' && !checkPatterns(filter, path, binding)) return undefined;
      // null among the values of a negated operator excludes missing values.
      return operator.startsWith('not')
        ? { kind: 'not-like', place, texts, orNull: !hasNull }
        : { kind: 'like', place, texts, orNull: hasNull };
    }
  }
}

/** Uses only the first value, as Cube does, and warns about the others. */
function bindSizeTest(
  filter: CanonicalMemberFilter,
  sign: (typeof signs)[keyof typeof signs],
  type: ValueType,
  value: TestValue | undefined,
  path: IssuePath,
  { issues }: Binding,
): Test | undefined {
  const { operator, member, values: [first, ...more] = [] } = filter;
  if (type === 'boolean') {
    issues.push(
      errorIssue('wrong-operator', `"${operator}" compares by size, and "${member}" is true or false.`, {
        path: [...path, 'operator'],
        hint: 'Use equals.',
      }),
    );
    return undefined;
  }
  if (first === null) {
    issues.push(
      errorIssue('wrong-value', `"${operator}" cannot compare with null.`, {
        path: [...path, 'values', 0],
        hint: 'Use notSet to find missing values.',
      }),
    );
    return undefined;
  }
  if (more.length > 0) {
    issues.push(
      warningIssue('one-value', `"${operator}" takes one value; only ${quote(first ?? '')} is used.`, {
        path: [...path, 'values'],
        hint: 'Leave the other values out.',
      }),
    );
  }
  return value === undefined ? undefined : wholeDay({ kind: 'compare', operator: sign, value });
}

/** Text that holds times is compared with whole days, too: `<= 2024-03-31` includes `2024-03-31 10:00`. */
function wholeDay(test: Extract<Test, { kind: 'compare' }>): Test {
  const { operator, value } = test;
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value) || !(operator === '<=' || operator === '>'))
    return test;
  const day = Date.parse(value);
  if (Number.isNaN(day) || value === '9999-12-31') return test;
  const next = new Date(day + 86_400_000).toISOString().slice(0, 10);
  return { kind: 'compare', operator: operator === '<=' ? '<' : '>=', value: next };
}

const signs = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

const likePlaces = {
  contains: 'anywhere',
  notContains: 'anywhere',
  startsWith: 'start',
  notStartsWith: 'start',
  endsWith: 'end',
  notEndsWith: 'end',
  matches: 'pattern',
  notMatches: 'pattern',
} as const;

/** Whether regular expressions can be used here, and have no error that is found without an engine. */
function checkPatterns(filter: CanonicalMemberFilter, path: IssuePath, { issues, isRemote }: Binding): boolean {
  const before = issues.length;
  if (isRemote)
    issues.push(
      errorIssue('wrong-operator', `Servers have no operator "${filter.operator}".`, {
        path: [...path, 'operator'],
        hint:
          'Use contains, startsWith or endsWith. ' +
          'Or export the events with `sluice export`, then run the same query with `--backend embedded`.',
      }),
    );
  for (const [index, value] of (filter.values ?? []).entries()) {
    const problem = value === null ? undefined : patternProblem(value);
    if (problem !== undefined)
      issues.push(
        errorIssue('wrong-value', `${quote(value!)} is not a valid regular expression: ${problem}.`, {
          path: [...path, 'values', index],
          hint: 'Write, for example, `^/docs/[0-9]+$`, and a backslash before a sign that means itself.',
        }),
      );
  }
  return issues.length === before;
}

/** With every operator, a bare day means the whole local day, and an instant is exact to the millisecond. */
function bindTimeTest(filter: CanonicalMemberFilter, path: IssuePath, binding: Binding): Test | undefined {
  const texts = (filter.values ?? []).filter((value) => value !== null);
  const hasNull = texts.length < (filter.values ?? []).length;
  const range = (text: string | readonly string[], at: IssuePath) =>
    readRange(text, [...path, 'values', ...at], binding);
  switch (filter.operator) {
    case 'equals':
    case 'in':
    case 'onTheDate':
      return withRanges(
        texts.map((text, index) => range(text, [index])),
        (ranges) => (ranges.length === 0 ? { kind: 'missing' } : { kind: 'within', ranges, orNull: hasNull }),
      );
    case 'notEquals':
    case 'notIn':
      return withRanges(
        texts.map((text, index) => range(text, [index])),
        (ranges) => (ranges.length === 0 ? { kind: 'present' } : { kind: 'outside', ranges, orNull: !hasNull }),
      );
    case 'inDateRange':
    case 'notInDateRange': {
      if (texts.length === 0 || texts.length > 2) {
        binding.issues.push(
          errorIssue('wrong-value', `"${filter.operator}" takes one day or phrase, or a first and a last day.`, {
            path: [...path, 'values'],
            hint: 'For example ["2024-03-01", "2024-03-31"] or ["last 7 days"].',
          }),
        );
        return undefined;
      }
      return withRanges([range(texts, [])], (ranges) =>
        filter.operator === 'inDateRange'
          ? { kind: 'within', ranges, orNull: false }
          : { kind: 'outside', ranges, orNull: false },
      );
    }
    case 'beforeDate':
    case 'lt':
      return oneDate(filter, texts, path, binding, (day) => ({ end: day.start }));
    case 'beforeOrOnDate':
    case 'lte':
      return oneDate(filter, texts, path, binding, (day) => ({ end: day.end }));
    case 'afterDate':
    case 'gt':
      return oneDate(filter, texts, path, binding, (day) => ({ start: day.end }));
    case 'afterOrOnDate':
    case 'gte':
      return oneDate(filter, texts, path, binding, (day) => ({ start: day.start }));
    default:
      binding.issues.push(
        errorIssue('wrong-operator', `"${filter.operator}" compares text, and "${filter.member}" is a time.`, {
          path: [...path, 'operator'],
          hint: 'Use inDateRange, beforeDate, afterDate or another operator for dates.',
        }),
      );
      return undefined;
  }
}

function oneDate(
  filter: CanonicalMemberFilter,
  texts: readonly string[],
  path: IssuePath,
  binding: Binding,
  toOpen: (day: TimeRange) => OpenRange,
): Test | undefined {
  if (texts.length !== 1) {
    binding.issues.push(
      errorIssue('wrong-value', `"${filter.operator}" takes one day or instant.`, {
        path: [...path, 'values'],
        hint: 'For example ["2024-03-01"].',
      }),
    );
    return undefined;
  }
  const day = readRange(texts[0]!, [...path, 'values', 0], binding);
  return day && { kind: 'within', ranges: [toOpen(day)], orNull: false };
}

function withRanges(
  ranges: readonly (TimeRange | undefined)[],
  toTest: (ranges: readonly TimeRange[]) => Test,
): Test | undefined {
  const read = ranges.filter((range) => range !== undefined);
  return read.length === ranges.length ? toTest(read) : undefined;
}

/** Reads a range; its issues get paths under `path`. */
export function readRange(text: string | readonly string[], path: IssuePath, binding: Binding): TimeRange | undefined {
  const outcome = readDateRange(text, binding.time);
  for (const issue of outcome.issues) binding.issues.push({ ...issue, path: [...path, ...issue.path] });
  return outcome.ok ? outcome.value : undefined;
}

type ValueType = 'string' | 'number' | 'boolean';

/** Converts filter values to the member's type. Returns null separately, because SQL compares null differently. */
export function toTestValues(values: readonly (string | null)[], type: ValueType, path: IssuePath, binding: Binding) {
  const found: TestValue[] = [];
  let hasNull = false;
  values.forEach((text, index) => {
    if (text === null) {
      hasNull = true;
      return;
    }
    const value = toTestValue(text, type);
    if (value === undefined) {
      binding.issues.push(
        errorIssue('wrong-value', `${quote(text)} is not a ${type}.`, {
          path: [...path, 'values', index],
          hint: type === 'boolean' ? 'Write true or false.' : 'Write digits, such as 500 or 12.5.',
        }),
      );
    } else found.push(value);
  });
  return { values: found, hasNull };
}

function toTestValue(text: string, type: ValueType): TestValue | undefined {
  if (type === 'string') return text;
  const trimmed = text.trim().toLowerCase();
  if (type === 'boolean') {
    if (['true', '1', 't', 'yes'].includes(trimmed)) return true;
    return ['false', '0', 'f', 'no'].includes(trimmed) ? false : undefined;
  }
  // Keep integers exact: beyond 2^53, a float equals its neighbours.
  if (/^[+-]?\d{1,38}$/.test(trimmed)) return BigInt(trimmed.replace('+', ''));
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/.test(trimmed)) return undefined;
  const number = Number(trimmed);
  return Number.isFinite(number) ? number : undefined;
}
