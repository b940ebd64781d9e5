import type { IssuePath } from '../outcome.ts';
import { openPlaces, type Places } from '../document/located.ts';
import { toCanonicalQuery } from '../query/canonical-query.ts';
import {
  type CanonicalFilter,
  type Filter,
  type FilterOperator,
  type FilterValue,
  needsValues,
} from '../query/query.ts';
import { type Conditional, mapConditionals } from './formula.ts';
import type { NameScope } from './name-scope.ts';
import { toConjunction } from './parse-condition.ts';
import type { ConditionNode, TestNode } from './syntax.ts';
import { isDateLike } from './words.ts';
import type { ResolvedName } from './wrong-kind.ts';

/** The formula with its conditions as filters. Reports unknown names in the scope's issues. */
export function resolveConditional<Name>(
  { of, where }: Conditional<Name, ConditionNode>,
  scope: NameScope,
): Conditional<Name> {
  const inner = mapConditionals<Name, ConditionNode, readonly CanonicalFilter[]>(of, (each) =>
    resolveConditional(each, scope),
  );
  const places = openPlaces();
  const filters = toConjunction(where).flatMap((node) => resolveCondition(node, [], scope, places) ?? []);
  return { kind: 'where', of: inner, where: toCanonicalQuery({ filters }).filters ?? [] };
}

/** Converts a condition to a filter and notes its places. Reports an unknown name and returns undefined. */
export function resolveCondition(
  node: ConditionNode,
  path: IssuePath,
  scope: NameScope,
  places: Places,
): Filter | undefined {
  if (node.kind === 'test') return resolveTest(node, path, scope, places);
  const parts = node.parts.map((part, index) => resolveCondition(part, [...path, node.kind, index], scope, places));
  if (parts.some((part) => part === undefined)) return undefined;
  const filters = parts as readonly Filter[];
  return node.kind === 'and' ? { and: filters } : { or: filters };
}

function resolveTest(node: TestNode, path: IssuePath, scope: NameScope, places: Places): Filter | undefined {
  const found = scope.resolve(node.name);
  if (!found) return undefined;
  const member = found.name;
  const test = toFilter(node, found, scope);
  places.put(path, node.name.span);
  places.put([...path, 'member'], node.name.span);
  places.put([...path, 'operator'], node.operatorSpan);
  node.values.forEach(({ span }, index) => places.put([...path, 'values', index], span));
  // Comparisons of size and of dates leave out missing values. So do their opposites, unless `not` means these.
  if (!node.negated || ('member' in test && !/^[gl]t|Date/.test(test.operator))) return test;
  return { or: [...('or' in test ? test.or : [test]), { member, operator: 'notSet' }] };
}

function toFilter(node: TestNode, found: ResolvedName, scope: NameScope): Filter {
  const member = found.name;
  const values = node.values.map(({ value }) => value);
  if (node.operator !== 'between' && node.operator !== 'notBetween') {
    return toMemberFilter(member, fittingOperator(node, node.operator, found, scope), values);
  }
  const within = node.operator === 'between';
  if (isOverTime(found, node)) return { member, operator: within ? 'inDateRange' : 'notInDateRange', values };
  const [from = null, to = null] = values;
  return within
    ? {
        and: [
          { member, operator: 'gte', values: [from] },
          { member, operator: 'lte', values: [to] },
        ],
      }
    : {
        or: [
          { member, operator: 'lt', values: [from] },
          { member, operator: 'gt', values: [to] },
        ],
      };
}

function toMemberFilter(member: string, operator: FilterOperator, values: readonly FilterValue[]): Filter {
  return values.length === 0 || !needsValues(operator) ? { member, operator } : { member, operator, values };
}

/** On a time, signs compare dates, and `in` takes a range. So does `in` on text that is written as times. */
function fittingOperator(
  node: TestNode,
  operator: FilterOperator,
  found: ResolvedName,
  scope: NameScope,
): FilterOperator {
  const [{ value } = { value: null }, ...more] = node.values;
  const isRange = more.length === 0 && isDateLike(String(value)) && scope.isTimeText(found.name);
  if (isRange && (operator === 'in' || operator === 'notIn')) return onTimes[operator]!;
  if (found.kind !== 'time') return operator;
  if (node.sign && node.values.every(({ value }) => value === null)) return onMissingTimes[operator] ?? operator;
  if (node.sign || operator === 'in' || operator === 'notIn') return onTimes[operator] ?? operator;
  return operator;
}

const onTimes: Partial<Readonly<Record<FilterOperator, FilterOperator>>> = {
  equals: 'onTheDate',
  notEquals: 'notInDateRange',
  in: 'inDateRange',
  notIn: 'notInDateRange',
  gt: 'afterDate',
  gte: 'afterOrOnDate',
  lt: 'beforeDate',
  lte: 'beforeOrOnDate',
};

const onMissingTimes: Partial<Readonly<Record<FilterOperator, FilterOperator>>> = {
  equals: 'notSet',
  notEquals: 'set',
};

function isOverTime(found: ResolvedName, node: TestNode): boolean {
  if (found.kind !== 'unknown') return found.kind === 'time';
  return node.values.every(({ value }) => typeof value === 'string' && isDateLike(value) && value.length > 4);
}
